package main

import (
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// The wrong codecs are that of a definition with one fault each.
type (
	blind     struct{ acpv1.CancelNotification } // reads anything
	paranoid  struct{ acpv1.CancelNotification } // accepts nothing
	crashing  struct{ acpv1.CancelNotification } // panics when it reads
	exploding struct{ acpv1.CancelNotification } // panics when it writes
	forgetful struct{ acpv1.CancelNotification } // does not write _meta
	inventive struct{ acpv1.CancelNotification } // adds _meta
	changing  struct{ acpv1.CancelNotification } // changes a value
	mumbling  struct{ acpv1.CancelNotification } // writes what it must not
	silent    struct{ acpv1.CancelNotification } // cannot write
	lost      struct{ acpv1.CancelNotification } // blames _meta for what is wrong with sessionId
	hasty     struct{ acpv1.CancelNotification } // stops at the first fault
	unseeing  struct{ acpv1.CancelNotification } // does not look at the text
	confused  struct{ acpv1.CancelNotification } // does not look at the text, and takes it for something else
	sloppy    struct{ acpv1.CancelNotification } // takes a schema fault for one of JSON
)

func (x *blind) UnmarshalWire(d *wire.Decoder) { d.Skip(); x.SessionID = "s" }

func (x *paranoid) UnmarshalWire(d *wire.Decoder) {
	d.NoVariant("CancelNotification", "something else")
}

func (x *crashing) UnmarshalWire(*wire.Decoder) { panic("crashed") }

func (x *exploding) MarshalWire(*wire.Encoder) { panic("exploded") }

func (x *forgetful) MarshalWire(e *wire.Encoder) {
	y := x.CancelNotification
	y.Meta = nil
	y.MarshalWire(e)
}

func (x *inventive) MarshalWire(e *wire.Encoder) {
	y := x.CancelNotification
	y.Meta = wire.Raw(`{"a":1}`)
	y.MarshalWire(e)
}

func (x *changing) UnmarshalWire(d *wire.Decoder) {
	x.CancelNotification.UnmarshalWire(d)
	x.SessionID = acpv1.SessionID(strings.ToLower(string(x.SessionID)))
}

func (x *mumbling) MarshalWire(e *wire.Encoder) { e.Begin(); e.Close() }

func (x *silent) MarshalWire(e *wire.Encoder) { e.Invalid("type", "CancelNotification", "no words") }

func (x *lost) UnmarshalWire(d *wire.Decoder) {
	o, _ := d.Object("CancelNotification")
	for d.Key(&o) {
		if string(o.Name) == "_meta" {
			d.Mismatch("something else")
		} else {
			d.Skip()
		}
	}
	d.End(&o)
}

func (x *hasty) UnmarshalWire(d *wire.Decoder) {
	o, _ := d.Object("CancelNotification")
	for d.Key(&o) {
		if d.Valid() {
			d.Mismatch("something else")
		} else {
			d.Skip()
		}
	}
	d.End(&o)
}

func (x *unseeing) UnmarshalWire(d *wire.Decoder) {
	for d.Peek() != 0 {
		d.Seek(d.Offset() + 1)
	}
}

func (x *confused) UnmarshalWire(d *wire.Decoder) {
	d.NotOneOf(0, "CancelNotification", "a")
	new(unseeing).UnmarshalWire(d)
}

func (x *sloppy) UnmarshalWire(d *wire.Decoder) {
	o, _ := d.Object("CancelNotification")
	for d.Key(&o) {
		d.Field(&o, 0)
		d.Skip()
	}
	d.End(&o)
}

// TestJudgeFindsFaults shows that each kind of fault in a codec is found, so that finding none means something.
func TestJudgeFindsFaults(t *testing.T) {
	const full = `{"sessionId":"A","_meta":{"a":1}}`
	tests := []struct {
		name string
		new  func() wire.Message
		raw  string
		want string
	}{
		{"accepts what is wrong", newBlind, `{"sessionId":0}`, "accepts what the oracle rejects"},
		{"loses a value", newBlind, full, "changes the value"},
		{"rejects what is right", func() wire.Message { return new(paranoid) }, full, "rejects what the oracle accepts, by #/$defs/CancelNotification"},
		{"panics on reading", func() wire.Message { return new(crashing) }, full, "panic"},
		{"panics on writing", func() wire.Message { return new(exploding) }, full, "panic"},
		{"leaves out a member", func() wire.Message { return new(forgetful) }, full, "decodes another value from what it encoded"},
		{"adds a member", func() wire.Message { return new(inventive) }, `{"sessionId":"A"}`, "decodes another value from what it encoded"},
		{"changes a value", func() wire.Message { return new(changing) }, full, "changes the value"},
		{"writes what is wrong", func() wire.Message { return new(mumbling) }, full, "encodes what the oracle rejects"},
		{"cannot write", func() wire.Message { return new(silent) }, full, "cannot encode what it decoded"},
		{"blames another place", func() wire.Message { return new(lost) }, `{"sessionId":0,"_meta":{}}`,
			"blames a place that the oracle does not, by #/$defs/CancelNotification/properties/_meta/type"},
		{"blames one place of two", func() wire.Message { return new(hasty) }, `{"sessionId":0,"_meta":0}`,
			"does not blame a place that the oracle does, by #/$defs/CancelNotification/properties/_meta/type"},
		{"sees a fault of JSON where there is none", func() wire.Message { return new(sloppy) }, `{"sessionId":0,"_meta":0}`,
			"rejects as no JSON what is JSON"},
		{"accepts what is no JSON", func() wire.Message { return new(unseeing) }, `{"sessionId":}`, "accepts what is not JSON"},
		{"sees no fault of JSON where there is one", func() wire.Message { return new(confused) }, `{"sessionId":}`, "rejects as data what is not JSON"},
	}
	j := testJudge(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := target{"session/cancel", "params", "CancelNotification", test.new}
			o := j.check(target, []byte(test.raw))
			if o.problem == nil || o.problem.kind != test.want {
				t.Errorf("got problem %+v, want %q", o.problem, test.want)
			}
		})
	}
}

func TestSyntaxProblem(t *testing.T) {
	fault := func(pointer string) wire.Report {
		return wire.Report{Violations: []wire.Violation{{Rule: wire.RuleJSON, Pointer: pointer}}}
	}
	tests := []struct {
		name, oracle, generated, want string
	}{
		{"same place", "/a/0", "/a/0", ""},
		{"enclosing place", "/a/0", "/a", ""},
		{"enclosed place", "/a", "/a/0", ""},
		{"other place", "/a/0", "/b", "blames another place for JSON"},
		{"longer name", "/a", "/ab", "blames another place for JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report := fault(test.generated)
			got := ""
			if p := syntaxProblem(&validate.SyntaxError{Pointer: test.oracle}, &wire.InvalidError{Violations: report.Violations}, report); p != nil {
				got = p.kind
			}
			if got != test.want {
				t.Errorf("got problem %q, want %q", got, test.want)
			}
		})
	}
}

func newBlind() wire.Message { return new(blind) }
