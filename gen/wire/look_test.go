package wire

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzTag holds looking ahead to what jsontext finds in valid objects. On anything else it must only come back to where it was.
func FuzzTag(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "a", "b")
	}
	f.Add([]byte(` {"x":[{"type":"no"},"}\"",{"a":{"b":"]"}}],"t\u0079pe":"t\n","k":0}`), "type", "k")
	f.Fuzz(func(t *testing.T, b []byte, tag, key string) {
		d := NewDecoder(b, nil)
		defer d.Release()
		start := d.Start()
		stays := func(what string) {
			if d.Offset() != start || d.fatal != nil || len(d.faults)+len(d.issues)+d.failed != 0 {
				t.Fatalf("%s in %q: at %d, was at %d", what, b, d.Offset(), start)
			}
		}
		value, at, state := d.lookTag(tag)
		stays("lookTag")
		has := d.HasKeys(tag, key)
		stays("HasKeys")
		d.FirstElementHas(tag, key)
		stays("FirstElementHas")
		absent := d.TagAbsent(tag, false)
		stays("TagAbsent")
		_, found, ok := d.OptionalTag("Union", tag)
		if ok {
			stays("OptionalTag")
		}
		if _, err := referenceTokens(b); err != nil || b[start] != '{' {
			return
		}
		if !ok || found != (state == tagFound) {
			t.Fatalf("OptionalTag in %q: found %t, ok %t; lookTag: %v", b, found, ok, state)
		}
		members := referenceMembers(t, b)
		tagValue, tagged := members[tag]
		_, keyed := members[key]
		if has != (tagged && keyed) {
			t.Errorf("HasKeys of %q and %q in %q: %t", tag, key, b, has)
		}
		if list := slices.Concat([]byte("[ "), b, []byte("]")); firstElementHas(list, tag, key) != has {
			t.Errorf("FirstElementHas of %q and %q in %q: %t", tag, key, list, !has)
		}
		wantState, want := tagMissing, ""
		switch {
		case tagged && tagValue.Kind() == '"':
			u, err := jsontext.AppendUnquote(nil, []byte(tagValue))
			if err != nil {
				t.Fatal(err)
			}
			wantState, want = tagFound, string(u)
		case tagged:
			wantState = tagNotString
		}
		if state != wantState || string(value) != want {
			t.Errorf("lookTag of %q in %q: %v %q, want %v %q", tag, b, state, value, wantState, want)
		}
		if tagged && !bytes.HasPrefix(b[at:], tagValue) {
			t.Errorf("lookTag of %q in %q: at %d, not %s", tag, b, at, tagValue)
		}
		if wantAbsent := !tagged || string(tagValue) == "null"; absent != wantAbsent {
			t.Errorf("TagAbsent of %q in %q: %t", tag, b, absent)
		}
	})
}

func firstElementHas(b []byte, keys ...string) bool {
	d := NewDecoder(b, nil)
	defer d.Release()
	return d.FirstElementHas(keys...)
}

// referenceMembers returns the members of a valid object.
func referenceMembers(t *testing.T, b []byte) map[string]jsontext.Value {
	t.Helper()
	members := map[string]jsontext.Value{}
	dec := jsontext.NewDecoder(bytes.NewReader(b))
	if _, err := dec.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		n := name.String()
		v, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		members[n] = v.Clone()
	}
	return members
}

func TestLookTag(t *testing.T) {
	long := strings.Repeat("filler ", 10)
	tests := []struct {
		name, in string
		want     string
		state    tagState
		at       int
	}{
		{"first", `{"type":"a","x":1}`, "a", tagFound, 8},
		{"last", `{"x":[{"type":"b"}],"type":"a"}`, "a", tagFound, 27},
		{"behind strings with brackets", `{"x":"}\"{","y":["]",{"z":"}"}],"type":"a"}`, "a", tagFound, 39},
		{"behind long text", `{"x":"` + long + `\\","type":"a"}`, "a", tagFound, 87},
		{"escaped name", `{"t\u0079pe":"a"}`, "a", tagFound, 13},
		{"escaped value", `{"type":"\u0061\n"}`, "a\n", tagFound, 8},
		{"white space", " {\n\"type\" :\t\"a\" }", "a", tagFound, 12},
		{"empty value", `{"type":""}`, "", tagFound, 8},
		{"the first of two", `{"type":"a","type":"b"}`, "a", tagFound, 8},
		{"empty object", `{}`, "", tagMissing, 0},
		{"other case", `{"Type":"a"}`, "", tagMissing, 0},
		{"only nested", `{"x":{"type":"a"}}`, "", tagMissing, 0},
		{"only as a value", `{"x":"type","y":["type","a"]}`, "", tagMissing, 0},
		{"number", `{"type":1}`, "", tagNotString, 8},
		{"null", `{"type":null}`, "", tagNotString, 8},
		{"object", `{"type":{"type":"a"}}`, "", tagNotString, 8},
		{"array", `["type","a"]`, "", tagNoObject, 0},
		{"string", `"type"`, "", tagNoObject, 0},
		{"nothing", ``, "", tagNoObject, 0},
		{"cut off behind the name", `{"type"`, "", tagMissing, 0},
		{"cut off behind the colon", `{"type":`, "", tagNotString, 8},
		{"cut off in the value", `{"type":"a`, "", tagMissing, 8},
		{"cut off in an escape", `{"type":"\u12`, "", tagMissing, 8},
		{"invalid escape in the value", `{"type":"\x"}`, "", tagMissing, 8},
		{"invalid escape before", `{"x":"\x","type":"a"}`, "", tagMissing, 0},
		{"unclosed string before", `{"x":"\","type":"a"}`, "", tagMissing, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := NewDecoder([]byte(tt.in), nil)
			defer d.Release()
			d.Start()
			value, at, state := d.lookTag("type")
			if string(value) != tt.want || state != tt.state || state != tagMissing && at != tt.at {
				t.Errorf("got %q, %v at %d; want %q, %v at %d", value, state, at, tt.want, tt.state, tt.at)
			}
		})
	}
}

func TestHasKeys(t *testing.T) {
	tests := []struct {
		in   string
		keys []string
		want bool
	}{
		{`{"a":1,"b":2}`, []string{"a"}, true},
		{`{"a":1,"b":2}`, []string{"b", "a"}, true},
		{`{"a":1,"b":2}`, []string{"a", "c"}, false},
		{`{"a":1}`, nil, true},
		{`{"\u0061":null}`, []string{"a"}, true},
		{`{"x":{"a":1}}`, []string{"a"}, false},
		{`{"x":"a"}`, []string{"a"}, false},
		{`{}`, []string{"a"}, false},
		{`["a"]`, []string{"a"}, false},
		{`{"x":[1,{"y":"]"}],"a":0}`, []string{"a"}, true},
		{`{"x":1 "a":0}`, []string{"a"}, false},
		{``, []string{"a"}, false},
	}
	for _, tt := range tests {
		d := NewDecoder([]byte(tt.in), nil)
		if got := d.HasKeys(tt.keys...); got != tt.want {
			t.Errorf("HasKeys(%q) of %s: %t, want %t", tt.keys, tt.in, got, tt.want)
		}
		d.Release()
		for in, want := range map[string]bool{"[" + tt.in + ",{}]": tt.want, " [ \n" + tt.in + "]": tt.want, `[7,` + tt.in + `]`: false, tt.in: false} {
			if strings.HasPrefix(in, `["a"`) {
				continue
			}
			if got := firstElementHas([]byte(in), tt.keys...); got != want {
				t.Errorf("FirstElementHas(%q) of %s: %t, want %t", tt.keys, in, got, want)
			}
		}
	}
	if firstElementHas([]byte(`[]`), "a") || firstElementHas([]byte(`[`), "a") {
		t.Error("an empty list has a first element")
	}
}
