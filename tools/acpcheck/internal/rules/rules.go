// Package rules holds conversations to the rules of package conform, on frames that the judges have parsed.
package rules

import (
	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// versionRule is the rule that says, as judge.RuleVersion does, that a version is not known.
const versionRule = "VER-1"

// Extent says how much of the connection a transcript holds.
type Extent uint8

// The extents.
const (
	// Guess: it holds the connection from its start if its first frame is an initialize request, or no frame at all. Otherwise it is an excerpt, of which
	// neither the start nor the end tells anything.
	Guess Extent = iota
	// FromStart: it holds the connection from its start, and may be cut off.
	FromStart
	// Complete: it holds the whole connection, to its end in order.
	Complete
)

// New returns what [judge.Options.Rules] needs: rules for one connection after the other. Partial and Closed of the options are set by the extent.
func New(opts conform.Options, extent Extent) func() judge.Rules {
	return func() judge.Rules { return &follower{opts: opts, extent: extent} }
}

// A follower feeds one connection to a checker, whose frames count as lines.
type follower struct {
	opts   conform.Options
	extent Extent
	c      *conform.Checker // nil before the first frame
	part   bool             // the transcript is an excerpt
	line   int              // of the latest frame
	found  []judge.Finding
}

// Frame implements [judge.Rules].
func (r *follower) Frame(at judge.Position, from transcript.Direction, frame []byte, f *acp.Frame) []judge.Finding {
	if r.c == nil {
		r.start(f)
	}
	side := wire.ClientSide
	if from == transcript.AgentToClient {
		side = wire.AgentSide
	}
	// Lines that it does not see, because they are blank or of an unknown sender, count as blank ones.
	for r.line++; r.line < at.Line; r.line++ {
		r.c.Skip()
	}
	if at.Timed {
		r.c.At(at.Time)
	}
	found := r.judge(side, frame, f)
	repeats := !f.Valid()
	return r.translate(found, func(found *conform.Finding) bool {
		return found.Fault && repeats || found.Rule == versionRule
	})
}

// judge takes the judges' parse of the frame, unless it answers a request that the checker knows otherwise: of an id that is used twice at a time, the judges know
// the later request only.
func (r *follower) judge(side wire.Side, frame []byte, f *acp.Frame) []conform.Finding {
	if f.IsResponse() && f.HasID {
		asked, ok := r.c.Pending(side)(f.ID)
		if ok != (f.Rule() != acp.RuleResponseID) || ok && asked.Method != f.Spec {
			return r.c.Frame(side, frame)
		}
	}
	return r.c.Parsed(side, frame, f)
}

// Closed implements [judge.Rules].
func (r *follower) Closed() {
	if r.c != nil {
		r.c.Closed()
	}
}

// End implements [judge.Rules].
func (r *follower) End() []judge.Finding {
	if r.c == nil || r.part {
		return nil
	}
	return r.translate(r.c.End(), func(*conform.Finding) bool { return false })
}

func (r *follower) start(first *acp.Frame) {
	opts := r.opts
	switch r.extent {
	case Guess:
		r.part = first.Kind != acp.KindUnknown && first.Method != "initialize"
		opts.Partial = r.part
	case FromStart:
	case Complete:
		opts.Closed = true
	}
	r.c = conform.New(&opts)
}

func (r *follower) translate(list []conform.Finding, repeats func(*conform.Finding) bool) []judge.Finding {
	r.found = r.found[:0]
	for i := range list {
		f := &list[i]
		severity := judge.Warning
		if f.Severity == conform.Error {
			severity = judge.Error
		}
		r.found = append(r.found, judge.Finding{
			Violation: wire.Violation{Rule: wire.Rule(f.Rule), Pointer: f.Pointer, Offset: -1, Message: f.Message},
			Severity:  severity, Earlier: f.Earlier, Line: f.Frame, Repeats: repeats(f),
		})
	}
	return r.found
}
