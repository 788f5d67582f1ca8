package judge

import (
	"cmp"
	"slices"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A request is one that has no answer yet.
type request struct {
	method    *wire.Method // nil if the surface has no such request
	name      string
	direction transcript.Direction
	age       uint64 // the higher, the younger
}

// A pending holds the open requests of a connection, by direction: both peers may use the same id at the same time.
type pending struct {
	open [3]map[wire.RequestID]request
	sent uint64
}

func (p *pending) add(id wire.RequestID, r request) {
	p.sent++
	r.age = p.sent
	if p.open[r.direction] == nil {
		p.open[r.direction] = map[wire.RequestID]request{}
	}
	p.open[r.direction][id.Key()] = r
}

func (p *pending) settle(id wire.RequestID, r request) {
	delete(p.open[r.direction], id.Key())
}

// find appends the requests that a response in direction d with this id may answer: one of the other side, or one whose sender is not known. If d is not known
// either, that of both sides; the youngest first, because a request in the course of another is answered before it.
func (p *pending) find(found []request, d transcript.Direction, id wire.RequestID) []request {
	id = id.Key()
	for sender, open := range p.open {
		if d != transcript.Unknown && sender == int(d) {
			continue
		}
		if r, ok := open[id]; ok {
			found = append(found, r)
		}
	}
	if len(found) > 1 {
		slices.SortFunc(found, func(a, b request) int { return cmp.Compare(b.age, a.age) })
	}
	return found
}
