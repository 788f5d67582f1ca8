package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

func TestHistory(t *testing.T) {
	var h history
	call := &Verdict{Kind: acp.KindRequest, Method: "session/new", Direction: transcript.ClientToAgent}
	update := &Verdict{Kind: acp.KindNotification, Method: "session/update"}
	h.add(3, call, []byte("call"))
	for i := range 2 * kept {
		h.add(4+2*i, update, []byte(fmt.Sprintf("%d%s", i, strings.Repeat("x", headSize))))
	}
	want := &Past{Line: 3, Direction: transcript.ClientToAgent, Kind: acp.KindRequest, Method: "session/new", Head: []byte("call")}
	if diff := cmp.Diff(want, h.find(3)); diff != "" {
		t.Errorf("a request is crowded out: mismatch (-want +got):\n%s", diff)
	}
	for line, known := range map[int]bool{0: false, 1: false, 4: false, 4 + 2*(kept-1): false, 4 + 2*kept: true, 5 + 2*kept: false, 4 + 2*(2*kept-1): true, 4 + 4*kept: false} {
		p := h.find(line)
		if (p != nil) != known {
			t.Errorf("line %d is known: %v, want %v", line, p != nil, known)
		}
		if p != nil && (p.Line != line || !p.Cut || len(p.Head) != headSize || !strings.HasPrefix(string(p.Head), fmt.Sprint((line-4)/2))) {
			t.Errorf("line %d is %+v", line, p)
		}
	}
	if n := len(h.rest.list); n != kept {
		t.Errorf("%d frames are kept, want %d", n, kept)
	}
}

// A script is rules that say of each frame what stands in it for its line, and note who sent it.
type script struct {
	says map[int]Finding
	from []string
	at   []Position
}

func (s *script) Frame(at Position, from transcript.Direction, _ []byte, _ *acp.Frame) []Finding {
	s.from = append(s.from, fmt.Sprintf("%d %s", at.Line, from))
	s.at = append(s.at, at)
	if f, ok := s.says[at.Line]; ok {
		return []Finding{f, {Violation: wire.Violation{Rule: "L", Pointer: "/params/sessionId"}, Line: 1}}
	}
	return nil
}

func (s *script) Closed() {}

func (s *script) End() []Finding { return []Finding{{Line: 1, Earlier: 2}, {Line: 99}} }

func TestRulesSeeTheConversation(t *testing.T) {
	rules := &script{says: map[int]Finding{
		3: {Violation: wire.Violation{Rule: "R", Pointer: "/params/requestId", Offset: 7}, Earlier: 1, Line: 3},
	}}
	s := NewSession(Options{Surface: acpv1.Surface, Judges: Generated, Rules: func() Rules { return rules }})
	frames := []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
		`{"jsonrpc":"2.0","id":9,"method":"_who/knows"}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`,
	}
	var last *Verdict
	late := 0
	for i, f := range frames {
		if i == 3 {
			s.At(Position{Line: 10, Time: time.Second, Timed: true})
		}
		v := s.Judge([]byte(f), transcript.Unknown)
		s.Late(func(line int, frame []byte, v *Verdict) {
			if f := v.Findings[0]; i != 2 || line != 1 || string(frame) != frames[0] || f.Offset != strings.Index(frames[0], `"s"`) || v.Method != "session/prompt" {
				t.Errorf("frame %d, line %d: %+v", i, line, v)
			}
			late++
		})
		if len(v.Findings) > 0 {
			c := *v
			last = &c
			got := c.Findings[0]
			if got.Offset != strings.LastIndex(f, "1}") || got.Line != 0 || got.Related == nil || got.Related.Method != "session/prompt" {
				t.Errorf("finding %+v", got)
			}
		}
	}
	if last == nil || late != 1 {
		t.Fatal("what the rules say is lost")
	}
	// A frame that either side may have sent is not shown to them; a cancellation is its requester's.
	if diff := cmp.Diff([]string{"1 c2a", "3 c2a"}, rules.from); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	var ends []string
	s.End(func(line int, _ []byte, v *Verdict) {
		related := ""
		if r := v.Findings[0].Related; r != nil {
			related = r.Method
		}
		ends = append(ends, fmt.Sprintf("%d %s %s related %s", line, v.Kind, v.Method, related))
	})
	if diff := cmp.Diff([]string{"1 request session/prompt related _who/knows", "99 unknown  related "}, ends); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
