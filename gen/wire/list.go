package wire

// A List is the state of reading one array.
type List struct {
	more bool
}

// List enters the array that comes next. If there is none it records that, skips what is there and reports false.
func (d *Decoder) List() (l List, ok bool) {
	if d.peek() != '[' {
		d.Mismatch("array")
		return l, false
	}
	return l, d.enter()
}

// Next goes to the next element of l. It reports false at the end of the array.
func (d *Decoder) Next(l *List) bool {
	switch c := d.peek(); {
	case c == ']':
		d.pos++
		d.depth--
		return false
	case !l.more:
		l.more = true
	case c == ',':
		d.pos++
		if d.peek() == ']' {
			d.unexpected("a value")
			return false
		}
	default:
		if d.fatal == nil {
			d.unexpected(`"," or "]"`)
		}
		return false
	}
	return d.fatal == nil
}

// A Map is the state of reading one object whose names are data.
type Map struct {
	// Name is the current member's name. It is valid until the next call of NextMember.
	Name []byte

	base int
	more bool
}

// Map enters the object that comes next. If there is none it records that, skips what is there and reports false.
func (d *Decoder) Map() (m Map, ok bool) {
	if d.peek() != '{' {
		d.Mismatch("object")
		return m, false
	}
	m.base = len(d.names)
	return m, d.enter()
}

// NextMember goes to the next member of m and reads its name; the caller must then read its value. It reports false at the end of the object.
func (d *Decoder) NextMember(m *Map) bool {
	switch c := d.peek(); {
	case c == '}':
		d.pos++
		d.depth--
		d.names = d.names[:m.base]
		return false
	case !m.more:
		m.more = true
	case c == ',':
		d.pos++
	default:
		if d.fatal == nil {
			d.unexpected(`"," or "}"`)
		}
		return false
	}
	name, at := d.name()
	if d.fatal != nil {
		return false
	}
	d.addName(name, at, m.base)
	m.Name = name
	return true
}

// TooShort records that the array that starts at offset at has fewer elements than min.
func (d *Decoder) TooShort(at int, want string) {
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: "minItems", msg: "expected " + want})
	}
}
