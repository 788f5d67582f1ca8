package mutate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

func (m *Mutator) drop(*target) bool {
	s := m.where(func(s *slot) bool { return s.parent != nil })
	if s == nil {
		return false
	}
	if s.parent.Kind == Array {
		s.parent.Items = slices.Delete(s.parent.Items, s.index, s.index+1)
	} else {
		s.parent.Members = slices.Delete(s.parent.Members, s.index, s.index+1)
	}
	return true
}

func (m *Mutator) add(*target) bool {
	s := m.where(isObject)
	if s == nil {
		return false
	}
	m.insert(s.value, Member{Name: pick(m.rand, unknownNames), Value: m.gen.anything(2)})
	return true
}

// insert puts a member at a random index, most often at the end.
func (m *Mutator) insert(object *Value, member Member) {
	at := len(object.Members)
	if m.chance(40) {
		at = m.rand.IntN(at + 1)
	}
	object.Members = slices.Insert(object.Members, at, member)
}

func (m *Mutator) extra(*target) bool {
	s := m.where(isObject)
	if s == nil {
		return false
	}
	names := m.schema.members
	if s.place != nil && len(s.place.names) > 0 && m.chance(75) {
		names = s.place.names
	}
	if len(names) == 0 {
		return false
	}
	name := pick(m.rand, names)
	v := m.gen.anything(2)
	if p := s.place.Member(name); p != nil && m.chance(70) {
		v = m.fitting(p)
	}
	if m.chance(90) && s.value.Get(name) != nil {
		s.value.set(name, v)
		return true
	}
	m.insert(s.value, Member{Name: quote(name), Value: v})
	return true
}

// fitting returns a value that suits a place, of some variant.
func (m *Mutator) fitting(p *Place) *Value { return m.gen.value(p.nodes[:1], nil, 3) }

func (m *Mutator) tag(*target) bool {
	s := m.where(func(s *slot) bool { return isObject(s) && len(s.place.Tags()) > 0 })
	if s == nil || m.chance(5) {
		if s = m.where(isObject); s == nil || len(m.schema.consts) == 0 {
			return false
		}
		s.value.set("type", pick(m.rand, m.schema.consts).Clone())
		return true
	}
	name := pick(m.rand, s.place.tags)
	consts := s.place.members[name].consts
	if m.chance(20) {
		consts = m.schema.consts
	}
	s.value.set(name, m.spelled(pick(m.rand, consts)))
	return true
}

// spelled returns a copy of a constant, sometimes with an escape, which changes nothing.
func (m *Mutator) spelled(c *Value) *Value {
	v := c.Clone()
	if v.Kind == String && m.chance(10) {
		v.Text = m.escaped(v.Text)
	}
	return v
}

// escaped spells one ASCII character of a literal as an escape.
func (m *Mutator) escaped(literal string) string {
	if len(literal) <= 2 || strings.Contains(literal, `\`) {
		return literal
	}
	i := 1 + m.rand.IntN(len(literal)-2)
	if literal[i] >= 0x80 {
		return literal
	}
	return literal[:i] + fmt.Sprintf(pick(m.rand, []string{`\u%04x`, `\u%04X`}), literal[i]) + literal[i+1:]
}

func (m *Mutator) foldCase(*target) bool {
	s := m.where(isMember)
	if s == nil {
		return false
	}
	member := &s.parent.Members[s.index]
	key := member.Key()
	runes := []rune(key)
	if len(runes) == 0 {
		return false
	}
	i := m.rand.IntN(len(runes))
	switch m.rand.IntN(5) {
	case 0:
		key = strings.ToUpper(key)
	case 1:
		key = strings.ToLower(key)
	case 2:
		key = strings.NewReplacer("s", "\u017f", "k", "\u212a").Replace(key)
	case 3:
		i = 0
		fallthrough
	default:
		if runes[i] = unicode.ToUpper(runes[i]); string(runes) == key {
			runes[i] = unicode.ToLower(runes[i])
		}
		key = string(runes)
	}
	if m.chance(25) { // beside the original
		m.insert(s.parent, Member{Name: quote(key), Value: member.Value.Clone()})
		return true
	}
	member.Name = quote(key)
	return true
}

func (m *Mutator) duplicate(*target) bool {
	s := m.where(isMember)
	if s == nil {
		return false
	}
	copied := Member{Name: s.parent.Members[s.index].Name, Value: s.value.Clone()}
	if m.chance(50) {
		copied.Value = m.gen.anything(2)
	}
	if m.chance(30) {
		copied.Name = m.escaped(copied.Name)
	}
	m.insert(s.parent, copied)
	return true
}

func (m *Mutator) reorder(*target) bool {
	s := m.where(func(s *slot) bool { return len(s.value.Members) > 1 })
	if s == nil {
		return false
	}
	members := s.value.Members
	last := len(members) - 1
	if tags := s.place.Tags(); len(tags) > 0 && m.chance(60) {
		if i := s.value.index(pick(m.rand, tags)); i >= 0 && i < last {
			rotate(members[i:], 1)
			return true
		}
	}
	rotate(members, 1+m.rand.IntN(last))
	if last > 1 && m.chance(70) {
		i := m.rand.IntN(last)
		members[i], members[i+1] = members[i+1], members[i]
	}
	return true
}

// rotate moves the first n members behind the others.
func rotate(members []Member, n int) {
	copy(members, slices.Concat(members[n:], members[:n]))
}
