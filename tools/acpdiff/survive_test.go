package main

import (
	"testing"
)

func TestSameNumber(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1", true},
		{"1.0", "1", true},
		{"7e3", "7000", true},
		{"7000e-3", "7", true},
		{"-0", "0", true},
		{"0e999999999999999999999", "0", true},
		{"0.00120", "1.2E-3", true},
		{"9007199254740993", "9007199254740992", false},
		{"1", "-1", false},
		{"1e5", "1e6", false},
		{"12", "1.2", false},
	}
	for _, test := range tests {
		if got := sameNumber(test.a, test.b); got != test.want {
			t.Errorf("sameNumber(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestSurvives(t *testing.T) {
	place := testJudge(t).schema.Place("UsageUpdate")
	tests := []struct {
		name, raw, encoded string
		leftOut            int
		ok                 bool
	}{
		{"the same", `{"used":1}`, `{"used":1}`, 0, true},
		{"other order", `{"used":1,"size":2}`, `{"size":2,"used":1}`, 0, true},
		{"other spelling", `{"us\u0065d":1.0,"_meta":{"a":"\u0062"}}`, `{"used":1,"_meta":{"a":"b"}}`, 0, true},
		{"a reported member less", `{"used":1,"x":2}`, `{"used":1}`, 1, true},
		{"a member less", `{"used":1,"x":2}`, `{"used":1}`, 0, false},
		{"a member more", `{"used":1}`, `{"used":1,"x":2}`, 0, false},
		{"more reported than left out", `{"used":1}`, `{"used":1}`, 1, false},
		{"another integer", `{"used":9007199254740993}`, `{"used":9007199254740992}`, 0, false},
		{"the same double", `{"cost":{"amount":9007199254740993}}`, `{"cost":{"amount":9007199254740992}}`, 0, true},
		{"another double", `{"cost":{"amount":0.1}}`, `{"cost":{"amount":0.2}}`, 0, false},
		{"another string", `{"_meta":"a"}`, `{"_meta":"b"}`, 0, false},
		{"another kind", `{"_meta":1}`, `{"_meta":"1"}`, 0, false},
		{"another literal", `{"_meta":true}`, `{"_meta":false}`, 0, false},
		{"an element less", `{"_meta":[1,2]}`, `{"_meta":[1]}`, 0, false},
		{"another element", `{"_meta":[1,2]}`, `{"_meta":[2,1]}`, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := survives(place, []byte(test.raw), []byte(test.encoded), test.leftOut)
			if ok := p == nil; ok != test.ok {
				t.Errorf("got problem %+v, want none: %v", p, test.ok)
			}
		})
	}
}
