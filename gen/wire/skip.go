package wire

// Skip reads and checks one value of any kind. It does not recurse, so that hostile nesting costs memory, not stack.
func (d *Decoder) Skip() {
	d.stack = d.stack[:0]
	base, basesBase := len(d.names), len(d.bases)
	depth := d.depth
	for d.fatal == nil {
		if d.skipStart() {
			continue // inside a fresh container, at its first value
		}
		if !d.skipNext() {
			break
		}
	}
	d.depth = depth
	d.names, d.bases = d.names[:base], d.bases[:basesBase]
}

// skipStart reads a scalar, or the opening of a container up to its first value. It reports whether a value follows inside.
func (d *Decoder) skipStart() bool {
	switch c := d.peek(); c {
	case '{':
		if !d.push('{') {
			return false
		}
		d.bases = append(d.bases, len(d.names))
		if d.peek() == '}' {
			d.pop()
			return false
		}
		return d.skipName()
	case '[':
		if !d.push('[') {
			return false
		}
		if d.peek() == ']' {
			d.pop()
			return false
		}
		return true
	case '"':
		d.text()
	case 't':
		d.literal("true")
	case 'f':
		d.literal("false")
	case 'n':
		d.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		d.number()
	default:
		d.unexpected("a value")
	}
	return false
}

// skipNext goes from the end of a value to the next value of the open containers. It reports false when none is open.
func (d *Decoder) skipNext() bool {
	for len(d.stack) > 0 && d.fatal == nil {
		object := d.stack[len(d.stack)-1] == '{'
		switch c := d.peek(); {
		case c == ',':
			d.pos++
			return !object || d.skipName()
		case c == '}' && object, c == ']' && !object:
			d.pop()
		case object:
			d.unexpected(`"," or "}"`)
		default:
			d.unexpected(`"," or "]"`)
		}
	}
	return false
}

func (d *Decoder) skipName() bool {
	name, at := d.name()
	if d.fatal != nil {
		return false
	}
	d.addName(name, at, d.bases[len(d.bases)-1])
	return true
}

func (d *Decoder) push(c byte) bool {
	if !d.enter() {
		return false
	}
	d.stack = append(d.stack, c)
	return true
}

func (d *Decoder) pop() {
	d.pos++
	d.depth--
	top := len(d.stack) - 1
	if d.stack[top] == '{' {
		d.names = d.names[:d.bases[len(d.bases)-1]]
		d.bases = d.bases[:len(d.bases)-1]
	}
	d.stack = d.stack[:top]
}

// enter steps over the bracket at pos into a container.
func (d *Decoder) enter() bool {
	if d.depth >= d.maxDepth {
		d.syntax(d.pos, "nested too deep")
		return false
	}
	d.depth++
	d.pos++
	return true
}

// name reads a member's name and the colon behind it.
func (d *Decoder) name() (name []byte, at int) {
	if d.peek() != '"' {
		d.unexpected("a member name")
		return nil, d.pos
	}
	at = d.pos
	name, plain := d.text()
	if !plain {
		name = d.unquote(name)
	}
	if d.peek() != ':' {
		if d.fatal == nil {
			d.unexpected(`":"`)
		}
		return nil, at
	}
	d.pos++
	return name, at
}
