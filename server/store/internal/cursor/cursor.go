// Package cursor encodes places in listings of sessions.
//
// A listing shows its sessions in the order of one instant. For each session the stores keep, for a while, when it had been changed before: so the place that it
// had at that instant can be told although it was changed meanwhile.
package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

const (
	version = 1
	size    = 1 + 8 + 8 + 8 + 8
)

// A Cursor is a place in a listing.
type Cursor struct {
	// AsOf is the instant whose order the listing shows.
	AsOf int64
	// Before is the place: the listing goes on with sessions that were last changed before it, seen from AsOf.
	Before int64
	// Begun is when the listing was begun, in nanoseconds of Unix time. What the stores remember of the time before it may be forgotten after a while.
	Begun int64
}

// Encode returns the cursor as a text, for listings with the filter only.
func (c Cursor) Encode(filter string) string {
	b := make([]byte, 0, size)
	b = append(b, version)
	b = binary.BigEndian.AppendUint64(b, uint64(c.AsOf))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Before))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Begun))
	b = binary.BigEndian.AppendUint64(b, hash(filter))
	return base64.RawURLEncoding.EncodeToString(b)
}

// Decode reverses Encode. It refuses a cursor of a listing that was begun longer than life before now. The error does not hold the text.
func Decode(text, filter string, now time.Time, life time.Duration) (Cursor, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != size {
		return Cursor{}, errors.New("malformed")
	}
	if b[0] != version {
		return Cursor{}, fmt.Errorf("version %d", b[0])
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[i:])) }
	c := Cursor{AsOf: at(1), Before: at(9), Begun: at(17)}
	if binary.BigEndian.Uint64(b[25:]) != hash(filter) {
		return Cursor{}, errors.New("of a listing with another filter")
	}
	if c.Before > c.AsOf || c.Before < 0 {
		return Cursor{}, errors.New("malformed")
	}
	if c.Begun < now.Add(-life).UnixNano() {
		return Cursor{}, errors.New("too old")
	}
	return c, nil
}

func hash(filter string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(filter))
	return h.Sum64()
}
