package transcript

import (
	"bytes"
	"time"
)

// bom is U+FEFF, which some editors put at the start of a file.
var bom = []byte("\xef\xbb\xbf")

// split sets the frame of a line: what the record in it holds, or the line itself.
func (r *Reader) split(l *Line, line []byte) {
	body := line
	if l.Number == 1 {
		body = bytes.TrimPrefix(body, bom)
	}
	s := scanner{b: body, raw: r.frame[:0]}
	kind := s.line()
	r.frame = s.raw
	l.Direction = s.dir
	if s.timed && kind == isRecord {
		l.Time, l.Timed = time.Duration(s.ms)*time.Millisecond, true
	}
	switch kind {
	case isFrame:
		l.Frame = line // with a byte order mark: it is for the judge to say what is wrong with that
	case isRecord:
		l.Frame = s.message
		if s.hasRaw {
			l.Frame = bytes.TrimSuffix(bytes.TrimSuffix(s.raw, []byte("\n")), []byte("\r"))
			if bytes.IndexByte(l.Frame, '\n') >= 0 {
				l.Frame, l.Fault = nil, `the record's "raw" holds a line break; a frame is one line`
			}
		}
	case isBroken:
		l.Fault = s.fault
	}
}

type lineKind uint8

const (
	isFrame lineKind = iota
	isRecord
	isBroken
)

// A scanner goes over the members of a line's object. It looks at no more than it must to tell what the line is: the frame in it is for others to check.
type scanner struct {
	b       []byte
	i       int
	dir     Direction
	ms      int64 // the record's time
	timed   bool
	raw     []byte // the frame of a record, unescaped
	hasRaw  bool
	message []byte
	fault   string
}

// line tells what the line is. A malformed line is a broken record if it has shown that it is one, and a malformed frame otherwise.
func (s *scanner) line() lineKind {
	s.space()
	if !s.take('{') {
		return isFrame
	}
	first := true
	for {
		s.space()
		if s.take('}') {
			break
		}
		if !first && !s.take(',') {
			return s.broken()
		}
		first = false
		s.space()
		name, ok := s.name()
		if !ok {
			return s.broken()
		}
		if string(name) == "jsonrpc" {
			return isFrame
		}
		if !s.member(string(name)) {
			return s.broken()
		}
	}
	if s.space(); s.i < len(s.b) {
		return s.broken()
	}
	switch {
	case !s.hasRaw && s.message == nil:
		return isFrame
	case s.fault != "":
		return isBroken
	}
	return isRecord
}

func (s *scanner) broken() lineKind {
	if !s.hasRaw && s.message == nil {
		return isFrame
	}
	if s.fault == "" {
		s.fault = "malformed record"
		if s.i >= len(s.b) {
			s.fault = "the record is cut off"
		}
	}
	return isBroken
}

// member reads the value of a member.
func (s *scanner) member(name string) bool {
	s.space()
	start := s.i
	switch name {
	case "raw":
		if s.i < len(s.b) && s.b[s.i] != '"' {
			s.hasRaw, s.fault = true, `the record's "raw" is no string`
			return s.skip()
		}
		s.hasRaw = true
		s.raw = s.raw[:0]
		return s.unescape()
	case "message":
		if !s.skip() {
			s.message = s.b[start:s.i]
			return false
		}
		s.message = s.b[start:s.i]
		return true
	case "dir":
		if !s.skip() {
			return false
		}
		value := bytes.TrimRight(s.b[start:s.i], " \t\r")
		dir, ok := ParseDirection(string(bytes.Trim(value, `"`)))
		if !ok && string(value) != "null" {
			s.fault = `the record's "dir" is neither "c2a" nor "a2c"`
		}
		s.dir = dir
		return true
	case "t":
		if !s.skip() {
			return false
		}
		s.ms, s.timed = milliseconds(bytes.TrimRight(s.b[start:s.i], " \t\r"))
		return true
	}
	return s.skip()
}

// milliseconds reads a time. What is no whole number up to some thousand years is none.
func milliseconds(b []byte) (ms int64, ok bool) {
	if len(b) == 0 || len(b) > 14 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		ms = ms*10 + int64(c-'0')
	}
	return ms, true
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// name reads a member's name and its colon.
func (s *scanner) name() ([]byte, bool) {
	start := s.i + 1
	escaped, ok := s.text()
	if !ok {
		return nil, false
	}
	name := s.b[start : s.i-1]
	if escaped {
		u := scanner{b: s.b, i: start - 1}
		u.unescape()
		name = u.raw
	}
	s.space()
	return name, s.take(':')
}

// text passes over the string at i and reports whether it has escapes, and whether it ends.
func (s *scanner) text() (escaped, ok bool) {
	if !s.take('"') {
		return false, false
	}
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			s.i++
			return escaped, true
		case '\\':
			escaped = true
			s.i++
		}
		s.i++
	}
	s.i = len(s.b)
	return escaped, false
}

// skip passes over one value, looking only at quotes and brackets. It does not recurse.
func (s *scanner) skip() bool {
	start, depth := s.i, 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			if _, ok := s.text(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.i > start
			}
			depth--
		case ',':
			if depth == 0 {
				return s.i > start
			}
		}
		s.i++
	}
	return false
}
