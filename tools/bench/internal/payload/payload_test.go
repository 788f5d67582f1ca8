package payload

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// TestSizes keeps the payloads as large as their names and the targets say.
func TestSizes(t *testing.T) {
	want := map[string][2]int{
		Chunk:      {179, 179},
		ToolCall:   {4000, 4200},
		Text:       {1 << 20, 1100 << 10},
		Image:      {256 << 10, 260 << 10},
		Permission: {300, 1000},
		NewSession: {300, 1000},
	}
	for i, p := range all(t) {
		if p.Name != Names()[i] {
			t.Errorf("%s stands where Names has %s", p.Name, Names()[i])
		}
		bounds, ok := want[p.Name]
		if !ok {
			t.Errorf("%s has no size", p.Name)
		}
		if n := len(p.JSON); n < bounds[0] || n > bounds[1] {
			t.Errorf("%s has %d bytes, want %v", p.Name, n, bounds)
		}
	}
}

// TestValid asks the reference validator, because a peer must not be measured with a message that it may refuse.
func TestValid(t *testing.T) {
	reference, err := validate.New("v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all(t) {
		if err := reference.Def(p.Def, p.JSON); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if !jsontext.Value(p.Frame).IsValid() {
			t.Errorf("%s: the frame is not JSON", p.Name)
		}
	}
}

// TestSame shows that results of different runs can be compared.
func TestSame(t *testing.T) {
	a, b := all(t), all(t)
	for i := range a {
		if string(a[i].JSON) != string(b[i].JSON) {
			t.Errorf("%s differs from one call to the next", a[i].Name)
		}
	}
}

// TestTranscript shows that every frame of a transcript is valid, by acpwire's own parser and with the requests that are pending.
func TestTranscript(t *testing.T) {
	const size = 100_000
	var b bytes.Buffer
	frames, written, err := WriteTranscript(&b, size)
	if err != nil {
		t.Fatal(err)
	}
	if written != int64(b.Len()) || written < size || written > size+1000 {
		t.Errorf("%d bytes, %d said, want %d or a little more", b.Len(), written, size)
	}
	pending := make(map[any]acp.Pending)
	parser := acp.NewParser(acpv1.Surface, wire.BothSides)
	parser.Pending = func(id wire.RequestID) (acp.Pending, bool) {
		p, ok := pending[id.Key()]
		return p, ok
	}
	var n int64
	for line := range bytes.Lines(b.Bytes()) {
		n++
		var f acp.Frame
		if parser.Parse(bytes.TrimSuffix(line, []byte("\n")), &f); !f.Valid() {
			t.Fatalf("line %d: %v", n, f.Violations)
		}
		if f.AwaitsAnswer() {
			pending[f.ID.Key()] = acp.Pending{Method: f.Spec}
		}
	}
	if n != frames {
		t.Errorf("%d lines, %d said", n, frames)
	}
}

// TestTranscriptFails shows that a full disk ends it.
func TestTranscriptFails(t *testing.T) {
	full := errors.New("full")
	_, _, err := WriteTranscript(writerFunc(func([]byte) (int, error) { return 0, full }), 1<<40)
	if !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func all(t *testing.T) []*Payload {
	t.Helper()
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
