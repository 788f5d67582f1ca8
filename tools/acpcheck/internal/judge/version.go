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

// elsewhere reports whether the surface has no say in the frame: the connection speaks another version, or the frame proposes one.
func (s *Session) elsewhere(f *acp.Frame) bool {
	if s.foreign || f.Kind != acp.KindRequest || f.Method != "initialize" {
		return s.foreign
	}
	version, ok := protocolVersion(f.Raw)
	return ok && version != int64(s.opts.Surface.Version)
}

// protocolVersion reads the version from the params or the result of initialize, whatever else is in them.
func protocolVersion(body []byte) (version int64, ok bool) {
	if len(body) == 0 {
		return 0, false
	}
	d := wire.NewDecoder(body, nil)
	defer d.Release()
	o, ok := d.Object("initialize")
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
