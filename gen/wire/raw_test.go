package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRawJSON(t *testing.T) {
	type holder struct {
		R Raw `json:"r"`
		N Raw `json:"n"`
	}
	var h holder
	if err := json.Unmarshal([]byte(`{"r":{"a" : 1.50},"n":null}`), &h); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(holder{Raw(`{"a" : 1.50}`), Raw("null")}, h); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	out, err := json.Marshal(holder{R: Raw(`{"a":1.50}`)})
	if want := `{"r":{"a":1.50},"n":null}`; string(out) != want || err != nil {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
	if _, err := json.Marshal(holder{R: Raw(`{"a"`)}); err == nil {
		t.Error("what is no JSON has been written")
	}
	var none *Raw
	if err := none.UnmarshalJSON([]byte("1")); err == nil {
		t.Error("a nil *Raw took a value")
	}
}

func TestRawCopies(t *testing.T) {
	b := []byte(`[1]`)
	var r Raw
	if err := r.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	c := r.Clone()
	b[1], r[2] = 'x', 'y'
	if string(r) != `[1y` || string(c) != `[1]` {
		t.Errorf("got %s and %s", r, c)
	}
	if Raw(nil).Clone() != nil {
		t.Error("the clone of nil is not nil")
	}
	if err := Unmarshal([]byte(` [1] `), &r); err != nil || string(r) != `[1]` {
		t.Errorf("got %s, %v", r, err)
	}
}

func TestRawOf(t *testing.T) {
	got, err := RawOf(map[string]any{"a": "<&>\n", "b": []int{1}})
	if want := `{"a":"<&>\n","b":[1]}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := RawOf(func() {}); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

func TestNullable(t *testing.T) {
	type state struct {
		Absent, Null, OK bool
		Value            int
	}
	of := func(n Nullable[int]) state {
		v, ok := n.Get()
		return state{n.IsAbsent(), n.IsNull(), ok, v}
	}
	for name, tt := range map[string]struct {
		n    Nullable[int]
		want state
	}{
		"zero value": {Nullable[int]{}, state{Absent: true}},
		"null":       {Null[int](), state{Null: true}},
		"zero":       {Value(0), state{OK: true}},
		"seven":      {Value(7), state{OK: true, Value: 7}},
	} {
		if diff := cmp.Diff(tt.want, of(tt.n)); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
		}
		if tt.n.IsZero() != tt.want.Absent {
			t.Errorf("%s: IsZero %t", name, tt.n.IsZero())
		}
	}
}

func TestSurface(t *testing.T) {
	message := func() Message { return new(Raw) }
	ask := &Method{Name: "ask", Side: AgentSide, NewParams: message, NewResult: message}
	tell := &Method{Name: "tell", Side: ClientSide, NewParams: message}
	both := []*Method{{Name: "both", NewParams: message, NewResult: message}, {Name: "both", NewParams: message}}
	s := NewSurface("test", 1, []*Method{ask, tell, both[0], both[1]})
	for name, want := range map[string][2]*Method{"ask": {ask, nil}, "tell": {nil, tell}, "both": {both[0], both[1]}, "Ask": {}, "": {}} {
		if got := [2]*Method{s.Request(name), s.Notification(name)}; got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
	if ask.IsNotification() || !tell.IsNotification() {
		t.Error("request and notification are mixed up")
	}
	for side, want := range map[Side]string{AgentSide: "agent", ClientSide: "client", BothSides: "both", 0: "none"} {
		if got := side.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := (&UnimplementedError{Method: "ask"}).Error(), "method not implemented: ask"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
