package judge

import (
	"slices"
	"sort"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

const (
	// headSize is how much of an earlier frame is kept, in bytes.
	headSize = 256
	// kept is how many frames are kept of each sort.
	kept = 4096
)

// A Past is what is kept of a frame for findings about later ones.
type Past struct {
	// Line is where it stands.
	Line int
	// Direction, Kind and Method are those of its verdict.
	Direction transcript.Direction
	Kind      acp.Kind
	Method    string
	// Head is how the frame begins.
	Head []byte
	// Cut reports whether it goes on.
	Cut bool
}

// A history holds the latest frames. Requests and answers, which later frames refer to most, are not crowded out by notifications, of which there are many more.
type history struct {
	calls, rest ring
}

// A ring holds the latest frames in order of their lines.
type ring struct {
	list []Past
	next int // the oldest, once full
}

func (h *history) add(line int, v *Verdict, frame []byte) {
	r := &h.calls
	if v.Kind == acp.KindNotification || v.Kind == acp.KindUnknown {
		r = &h.rest
	}
	p := Past{Line: line, Direction: v.Direction, Kind: v.Kind, Method: v.Method, Cut: len(frame) > headSize}
	frame = frame[:min(len(frame), headSize)]
	if len(r.list) < kept {
		p.Head = slices.Clone(frame)
		r.list = append(r.list, p)
		return
	}
	p.Head = append(r.list[r.next].Head[:0], frame...)
	r.list[r.next] = p
	r.next = (r.next + 1) % kept
}

// find returns a copy of what is known of the frame at the line, or nil.
func (h *history) find(line int) *Past {
	if line == 0 {
		return nil
	}
	for _, r := range []*ring{&h.calls, &h.rest} {
		n := len(r.list)
		at := func(i int) *Past { return &r.list[(r.next+i)%n] }
		if i := sort.Search(n, func(i int) bool { return at(i).Line >= line }); i < n && at(i).Line == line {
			p := *at(i)
			p.Head = slices.Clone(p.Head)
			return &p
		}
	}
	return nil
}
