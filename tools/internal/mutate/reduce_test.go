package mutate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestReduce(t *testing.T) {
	valid := func(raw []byte) bool { return json.Valid(raw) }
	has := func(s string) func([]byte) bool {
		return func(raw []byte) bool { return valid(raw) && bytes.Contains(raw, []byte(s)) }
	}
	tests := []struct {
		name, raw string
		holds     func([]byte) bool
		want      string
	}{
		{"anything", `{"a":[1,2,{"b":"c"}]}`, valid, `0`},
		{"a member", `{"a":1,"b":{"c":[1,2,3],"bad":"xyz"},"d":[]}`, has(`"bad"`), `{"bad":0}`},
		{"a member's name", `{"a":1,"b":{"c":[1,2,3],"bad":"xyz"},"d":[]}`, has(`"bad":`), `{"bad":0}`},
		{"an element", `{"a":[` + strings.Repeat(`1,`, 500) + `7.5]}`, has(`7.5`), `7.5`},
		{"an element's array", `[[0,1,"` + strings.Repeat("x", 3000) + `"],{"a":[2]}]`, has(`["`), `[""]`},
		{"a long string", `{"a":"` + strings.Repeat("x", 5000) + `y"}`, has(`y`), `"y"`},
		{"white space", "{ \"bad\" :\n0 }", has(`"bad"`), `{"bad":0}`},
		{"no JSON", `{"a":[1,2,3],"b":tru,"c":4}`, func(raw []byte) bool { return bytes.Contains(raw, []byte("tru,")) }, `tru,`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			got := Reduce([]byte(test.raw), func(raw []byte) bool { asked++; return test.holds(raw) })
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if asked > maxReductions {
				t.Errorf("asked %d times, want at most %d", asked, maxReductions)
			}
		})
	}
}

func TestReduceKeepsInput(t *testing.T) {
	raw := []byte(`{"a":[1,2,3]}`)
	if got := Reduce(raw, func([]byte) bool { return false }); string(got) != `{"a":[1,2,3]}` {
		t.Errorf("got %s, want what nothing shorter will do for", got)
	}
	Reduce(raw, func([]byte) bool { return true })
	if string(raw) != `{"a":[1,2,3]}` {
		t.Errorf("the input became %s", raw)
	}
}
