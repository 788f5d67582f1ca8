package judge

import (
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
)

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// find returns the offset of the value that the JSON pointer leads to, or -1 if there is none.
func find(frame []byte, pointer string) int {
	d := wire.NewDecoder(frame, nil)
	defer d.Release()
	if pointer != "" {
		for token := range strings.SplitSeq(pointer[1:], "/") {
			if !step(d, token) {
				return -1
			}
		}
	}
	at := d.Start()
	if d.Fatal() {
		return -1
	}
	return at
}

// ValueAt returns the value that the JSON pointer leads to, a part of the frame. It is nil if there is none.
func ValueAt(frame []byte, pointer string) []byte {
	at := find(frame, pointer)
	if at < 0 {
		return nil
	}
	d := wire.NewDecoder(frame[at:], nil)
	defer d.Release()
	if d.Skip(); d.Fatal() {
		return nil
	}
	return frame[at : at+d.Offset()]
}

// step goes to the member or element of the next value that the token names.
func step(d *wire.Decoder, token string) bool {
	switch d.Peek() {
	case '{':
		name := unescaper.Replace(token)
		o, _ := d.Object("")
		for d.Key(&o) {
			if string(o.Name) == name {
				return true
			}
			d.Skip()
		}
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil {
			return false
		}
		l, _ := d.List()
		for d.Next(&l) {
			if index == 0 {
				return true
			}
			index--
			d.Skip()
		}
	}
	return false
}
