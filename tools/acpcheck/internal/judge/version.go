package judge

import (
	"fmt"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
)

// negotiate looks at an answer to initialize, after which the connection speaks the version in it.
// https://agentclientprotocol.com/protocol/initialization
func (s *Session) negotiate(f *acp.Frame, answered *request) {
	if answered.name != "initialize" || f.Kind != acp.KindResponse {
		return
	}
	version, ok := protocolVersion(f.Raw)
	if !ok {
		return
	}
	was := s.foreign
	s.foreign = version != int64(s.opts.Surface.Version)
	if s.foreign && !was {
		s.verdict.Findings = append(s.verdict.Findings, Finding{
			Violation: wire.Violation{
				Rule: RuleVersion, Pointer: "/result/protocolVersion", Offset: -1,
				Message: fmt.Sprintf("the peers agreed on protocol version %d; surface %s describes version %d, so that only JSON, envelope and response ids are checked from here on",
					version, s.opts.Surface.Name, s.opts.Surface.Version),
			},
			Severity: Warning,
		})
	}
}

// protocolVersion reads the version from the result of initialize, whatever else is in it.
func protocolVersion(result []byte) (version int64, ok bool) {
	d := wire.NewDecoder(result, nil)
	defer d.Release()
	o, ok := d.Object("InitializeResponse")
	if !ok {
		return 0, false
	}
	for d.Key(&o) {
		if string(o.Name) != "protocolVersion" {
			d.Skip()
			continue
		}
		version = d.Int(0, 1<<16-1, "uint16")
		return version, d.Valid()
	}
	return 0, false
}
