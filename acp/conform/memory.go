package conform

import (
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
)

// A memory holds the latest values of things that are over, up to a limit.
type memory[K comparable, V any] struct {
	limit int
	own   func(K) K
	m     map[K]V
	order []K // ring, once full
	next  int
	// forgot is set once something was forgotten: what is not here may have been.
	forgot bool
}

// newMemory returns a memory of so many keys. own copies a key that is to be kept: one that was decoded may hold its whole frame.
func newMemory[K comparable, V any](limit int, own func(K) K) memory[K, V] {
	return memory[K, V]{limit: limit, own: own}
}

func ownText[S ~string](s S) S { return S(strings.Clone(string(s))) }

func ownID(id wire.RequestID) wire.RequestID {
	if s, ok := id.Str(); ok {
		return wire.StringID(strings.Clone(s))
	}
	return id.Key()
}

func (m *memory[K, V]) get(k K) (V, bool) {
	v, ok := m.m[k]
	return v, ok
}

func (m *memory[K, V]) put(k K, v V) {
	if m.m == nil {
		m.m = map[K]V{}
	}
	if _, ok := m.m[k]; !ok {
		k = m.own(k)
		if len(m.order) < m.limit {
			m.order = append(m.order, k)
		} else {
			delete(m.m, m.order[m.next])
			m.order[m.next] = k
			m.next = (m.next + 1) % m.limit
			m.forgot = true
		}
	}
	m.m[k] = v
}

// drop lets go of k without counting it as forgotten.
func (m *memory[K, V]) drop(k K) { delete(m.m, k) }
