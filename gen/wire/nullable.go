package wire

// Nullable is an optional member whose null has a meaning of its own, usually "clear it". The zero value is an absent member.
type Nullable[T any] struct {
	value T
	state nullState
}

type nullState uint8

const (
	absent nullState = iota
	null
	present
)

// Value returns a Nullable that holds v.
func Value[T any](v T) Nullable[T] { return Nullable[T]{value: v, state: present} }

// Null returns a Nullable that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: null} }

// IsAbsent reports whether the member is not there.
func (n Nullable[T]) IsAbsent() bool { return n.state == absent }

// IsZero is IsAbsent, for encoding/json's omitzero.
func (n Nullable[T]) IsZero() bool { return n.state == absent }

// IsNull reports whether the member is null.
func (n Nullable[T]) IsNull() bool { return n.state == null }

// Get returns the value, and whether there is one.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == present }
