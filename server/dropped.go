package server

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Dropped says what a mapping left out or made less of. It never holds content of the user or secrets, so it can be logged.
type Dropped struct {
	// Path is a JSON pointer to it in the list that was mapped, such as /2/resource/blob.
	Path string
	// What names it, such as "audio".
	What string
	// Why says what the reason is.
	Why string
	// Became says what is there in its stead. If empty, nothing is.
	Became string
	// Cause classes the reason.
	Cause DropCause
}

// A DropCause classes why a mapping dropped something.
type DropCause string

// The causes.
const (
	// DropUnsupported: the engine did not say that it takes such things, and the client was told so.
	DropUnsupported DropCause = "unsupported"
	// DropMalformed: it makes no sense, such as data that is not base64.
	DropMalformed DropCause = "malformed"
	// DropUnmapped: the other side has no place for it.
	DropUnmapped DropCause = "unmapped"
)

// String returns one line for a log.
func (d Dropped) String() string {
	s := d.Path + ": " + d.What + ": " + d.Why
	if d.Became != "" {
		s += "; became " + d.Became
	}
	return s
}

// losses collects what a mapping drops. Its path is where the mapping is at.
type losses struct {
	path string
	list *[]Dropped
}

func newLosses() losses { return losses{list: new([]Dropped)} }

// at returns l one level down. A step is an index or a member's name.
func (l losses) at(step string) losses {
	l.path += "/" + pointerEscaper.Replace(step)
	return l
}

func (l losses) index(i int) losses { return l.at(strconv.Itoa(i)) }

func (l losses) add(cause DropCause, what, why, became string) {
	*l.list = append(*l.list, Dropped{Path: l.path, What: what, Why: why, Became: became, Cause: cause})
}

// text returns s as what JSON can carry.
func (l losses) text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	l.add(DropMalformed, "text", "it is not UTF-8", "text with U+FFFD in it")
	return strings.ToValidUTF8(s, "\uFFFD")
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")
