package mutate

import (
	"strings"
)

func (m *Mutator) retype(t *target) bool {
	s := m.any()
	v := s.value
	switch m.rand.IntN(6) {
	case 0:
		s.put(t, &Value{Kind: Array, Items: []*Value{v}})
	case 1:
		s.put(t, &Value{Kind: Object, Members: []Member{{Name: pick(m.rand, unknownNames), Value: v}}})
	case 2:
		switch {
		case v.Kind == Array && len(v.Items) > 0:
			s.put(t, v.Items[0])
		case v.Kind == Object && len(v.Members) > 0:
			s.put(t, pick(m.rand, v.Members).Value)
		case v.Kind == String:
			s.put(t, text(Raw, unquote(v.Text)))
		default:
			s.put(t, str(v.Text))
		}
	default:
		for range 20 {
			if other := m.gen.anything(2); other.Kind != v.Kind {
				s.put(t, other)
				break
			}
		}
	}
	return true
}

func (m *Mutator) nullify(t *target) bool {
	m.any().put(t, null())
	return true
}

func (m *Mutator) constant(t *target) bool {
	s := m.where(func(s *slot) bool { return s.value.Kind == String && s.place != nil && len(s.place.consts) > 0 })
	if s == nil {
		return false
	}
	content := s.value.Content()
	switch m.rand.IntN(7) {
	case 0:
		content = strings.ToUpper(content)
	case 1:
		content += pick(m.rand, []string{" ", "s", "\x00", "\n", "\u200b"})
	case 2:
		content = strings.TrimSuffix(content, content[max(0, len(content)-1):])
	case 3:
		content = pick(m.rand, []string{"", "null", "other", "unknown", "_own", "video"})
	case 4:
		s.put(t, m.spelled(pick(m.rand, m.schema.consts)))
		return true
	case 5:
		s.put(t, m.spelled(pick(m.rand, s.place.consts)))
		return true
	case 6:
		s.put(t, text(String, m.escaped(s.value.Text)))
		return true
	}
	s.put(t, str(content))
	return true
}

func (m *Mutator) number(t *target) bool {
	s := m.where(func(s *slot) bool { return s.place.numeric() })
	if s == nil || m.chance(10) {
		if s = m.where(func(s *slot) bool { return s.value.Kind == Number }); s == nil {
			return false
		}
	}
	s.put(t, text(Number, pick(m.rand, numberTexts)))
	return true
}

// free returns a slot whose value the schema leaves open in half of the cases, if there is one.
func (m *Mutator) free() *slot {
	if m.chance(50) {
		if s := m.where(func(s *slot) bool { return s.parent != nil && (s.place == nil || len(s.place.types) == 0) }); s != nil {
			return s
		}
	}
	return m.any()
}

func (m *Mutator) deep(t *target) bool {
	depth := 3 + m.rand.IntN(40)
	switch m.rand.IntN(40) {
	case 0:
		depth = 9990 + m.rand.IntN(20)
	case 1, 2, 3:
		depth = 100 + m.rand.IntN(400)
	}
	opening, closing := "[", "]"
	if m.chance(40) {
		name := pick(m.rand, unknownNames)
		if len(m.schema.members) > 0 && m.chance(50) {
			name = quote(pick(m.rand, m.schema.members))
		}
		opening, closing = `{`+name+`:`, `}`
	}
	s := m.free()
	s.put(t, text(Raw, strings.Repeat(opening, depth)+s.value.String()+strings.Repeat(closing, depth)))
	return true
}

func (m *Mutator) empty(t *target) bool {
	s := m.any()
	empties := map[Kind]string{Bool: "false", Number: "0", String: `""`, Array: "[]", Object: "{}"}
	kind := pick(m.rand, []Kind{Bool, Number, String, Array, Object})
	if _, ok := empties[s.value.Kind]; ok && m.chance(60) {
		kind = s.value.Kind
	}
	v := &Value{Kind: kind}
	if kind != Array && kind != Object {
		v.Text = empties[kind]
	}
	s.put(t, v)
	return true
}

// hugeText bounds how much text a huge array or object gets.
const hugeText = 1 << 16

func (m *Mutator) huge(t *target) bool {
	size := 20 << m.rand.IntN(6)
	if m.chance(3) {
		size = 20000
	}
	s := m.any()
	if m.chance(50) {
		s = m.where(func(s *slot) bool { return len(s.value.Items) > 0 || hasMembers(s) })
		if s == nil {
			return false
		}
	}
	if written := len(s.value.String()); written*size > hugeText {
		size = hugeText / written
	}
	switch v := s.value; v.Kind {
	case Array:
		size = min(size, 300)
		for i := range len(v.Items) {
			for range size / len(v.Items) {
				v.Items = append(v.Items, v.Items[i].Clone())
			}
		}
	case Object:
		m.manyMembers(v, min(size, 300))
	case Null, Bool, Number, String, Raw:
		s.put(t, text(String, `"`+strings.Repeat(pick(m.rand, []string{"a", "é", `\n`, `\u0041`, "日本", "a b "}), size)+`"`))
	}
	return true
}

// manyMembers adds members with names of their own, and sometimes one that repeats a name.
func (m *Mutator) manyMembers(object *Value, size int) {
	value := text(Number, "1")
	if hasMembers(&slot{value: object}) && m.chance(50) {
		value = object.Members[0].Value
	}
	for i := range size {
		object.Members = append(object.Members, Member{Name: `"_` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `"`, Value: value.Clone()})
	}
	if m.chance(20) {
		m.insert(object, Member{Name: pick(m.rand, object.Members).Name, Value: value.Clone()})
	}
}

func (m *Mutator) graft(t *target) bool {
	s := m.any()
	part := m.part(s.place)
	if s.value.Kind == Object && part.Kind == Object && m.chance(40) { // two objects in one
		merged := s.value
		for _, member := range part.Members {
			if merged.Get(member.Key()) == nil || m.chance(30) {
				merged.set(member.Key(), member.Value)
			}
		}
		return true
	}
	if s.value.Kind == Array && m.chance(50) {
		s.value.Items = append(s.value.Items, part)
		return true
	}
	s.put(t, part)
	return true
}

// part returns a copy of some part of an instance: this one, a seed, or one that is generated, of a definition that may suit the place.
func (m *Mutator) part(p *Place) *Value {
	switch m.rand.IntN(3) {
	case 0:
		return pick(m.rand, m.slots).value.Clone()
	case 1:
		if p != nil && len(p.defs) > 0 {
			return m.Base(pick(m.rand, p.defs))
		}
	}
	other := &target{root: m.Base(pick(m.rand, m.schema.names))}
	slots := collect(other, nil)
	return pick(m.rand, slots).value
}

func (m *Mutator) text(t *target) bool {
	if m.chance(25) {
		if s := m.where(isMember); s != nil {
			member := &s.parent.Members[s.index]
			if m.chance(60) {
				member.Name = m.escaped(member.Name)
			} else {
				member.Name = pick(m.rand, edgeTexts)
			}
			return true
		}
	}
	s := m.where(func(s *slot) bool { return s.value.Kind == String })
	if s == nil {
		return false
	}
	literal := pick(m.rand, edgeTexts)
	if m.chance(30) && len(literal) > 2 && len(s.value.Text) > 2 { // as a part of the string
		literal = s.value.Text[:len(s.value.Text)-1] + literal[1:]
	}
	s.put(t, text(String, literal))
	return true
}

func (m *Mutator) space(*target) bool {
	for range 1 + m.rand.IntN(3) {
		space := pick(m.rand, spaces[:validSpaces])
		if m.chance(10) {
			space = pick(m.rand, spaces)
		}
		s := m.any()
		if isMember(s) && m.chance(50) {
			s.parent.Members[s.index].Space = space
			continue
		}
		s.value.Space = space
	}
	return true
}

// breakText damages the text itself.
func (m *Mutator) breakText(raw []byte) []byte {
	if len(raw) == 0 {
		return raw
	}
	i := m.rand.IntN(len(raw))
	j := min(len(raw), i+1+m.rand.IntN(4))
	switch m.rand.IntN(5) {
	case 0:
		return raw[:i]
	case 1:
		return append(raw[:i], raw[j:]...)
	case 2:
		return append(raw[:j:j], raw[i:]...)
	case 3:
		return append(raw, pick(m.rand, []string{"}", "]", ",", " {}", "\x00", "x", "\n\n", "null"})...)
	default:
		raw[i] = pick(m.rand, []byte("\"\\{}[],:0-+.eE tfn\x00\xff\xc3"))
		return raw
	}
}
