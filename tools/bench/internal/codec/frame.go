package codec

import (
	"encoding/json"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

func frameCases(p *payload.Payload) []*Case {
	cases := []*Case{frameCase(p, Scan, scan)}
	cases[0].Verify = func() error { return verifyScan(p.Frame) }
	return append(cases, frameCase(p, Strict, frameParser(p)), frameCase(p, Coder, coderFrameDecoder(p)))
}

func frameCase(p *payload.Payload, impl string, decode decoder) *Case {
	return &Case{
		Op: Frame, Payload: p.Name, Impl: impl, Bytes: len(p.Frame),
		Run: func() error {
			_, err := decode(p.Frame)
			return err
		},
		Verify: func() error {
			v, err := decode(p.Frame)
			if err != nil {
				return err
			}
			back, err := json.Marshal(v)
			if err != nil {
				return err
			}
			return same(p.JSON, back)
		},
	}
}

// frameParser reads frames as our connection does.
func frameParser(p *payload.Payload) decoder {
	parser := acp.NewParser(acpv1.Surface, wire.BothSides)
	pending := acp.Pending{Method: acpv1.Surface.Request(p.Method)}
	parser.Pending = func(wire.RequestID) (acp.Pending, bool) { return pending, pending.Method != nil }
	var f acp.Frame
	return func(b []byte) (any, error) {
		parser.Parse(b, &f)
		if !f.Valid() {
			return nil, &wire.InvalidError{Violations: f.Violations, Omitted: f.Omitted}
		}
		return f.Value, nil
	}
}
