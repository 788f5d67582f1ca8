package mutate

import (
	"math/rand/v2"
)

// A Mutation is a kind of damage.
type Mutation string

// The mutations. Some leave an instance valid: that is theirs to try and a judge's to say.
const (
	// Drop leaves out a member or an element.
	Drop Mutation = "drop"
	// Add adds a member that no definition has.
	Add Mutation = "add"
	// Extra adds a member of another variant or definition.
	Extra Mutation = "extra"
	// Retype replaces a value by one of another type, or the same in another wrapping.
	Retype Mutation = "retype"
	// Nullify replaces a value by null.
	Nullify Mutation = "null"
	// Tag gives an object another variant's tag, or one where there was none.
	Tag Mutation = "tag"
	// Const misspells a constant, or takes another's.
	Const Mutation = "const"
	// Range replaces a number by one at an edge: of integer formats, of float64, of the grammar.
	Range Mutation = "range"
	// Case changes the case of a member's name, also to letters that only Unicode folds.
	Case Mutation = "case"
	// Duplicate repeats a member, possibly with its name spelled with escapes.
	Duplicate Mutation = "duplicate"
	// Reorder changes the order of members, or puts the tag last.
	Reorder Mutation = "reorder"
	// Deep nests a value, up to and over what a tokenizer allows.
	Deep Mutation = "deep"
	// Empty replaces a value by the empty one of some type.
	Empty Mutation = "empty"
	// Huge makes a string, an array or an object long.
	Huge Mutation = "huge"
	// Graft replaces a value by a part of this or another instance, or puts two objects into one.
	Graft Mutation = "graft"
	// Text replaces a string or a name by one at an edge of what JSON strings can be, or spells it with escapes.
	Text Mutation = "text"
	// Space adds white space, or what some take for it.
	Space Mutation = "space"
	// Break cuts, doubles or changes bytes of the text.
	Break Mutation = "break"
)

// weights say how often each mutation is chosen, against each other.
var weights = []struct {
	mutation Mutation
	weight   int
	apply    func(m *Mutator, t *target) bool
}{
	{Drop, 10, (*Mutator).drop},
	{Add, 5, (*Mutator).add},
	{Extra, 10, (*Mutator).extra},
	{Retype, 10, (*Mutator).retype},
	{Nullify, 7, (*Mutator).nullify},
	{Tag, 10, (*Mutator).tag},
	{Const, 8, (*Mutator).constant},
	{Range, 10, (*Mutator).number},
	{Case, 5, (*Mutator).foldCase},
	{Duplicate, 5, (*Mutator).duplicate},
	{Reorder, 6, (*Mutator).reorder},
	{Deep, 2, (*Mutator).deep},
	{Empty, 6, (*Mutator).empty},
	{Huge, 2, (*Mutator).huge},
	{Graft, 10, (*Mutator).graft},
	{Text, 7, (*Mutator).text},
	{Space, 4, (*Mutator).space},
	{Break, 2, func(*Mutator, *target) bool { return true }},
}

var totalWeight = func() (total int) {
	for _, w := range weights {
		total += w.weight
	}
	return total
}()

// Mutations returns all mutations.
func Mutations() []Mutation {
	var all []Mutation
	for _, w := range weights {
		all = append(all, w.mutation)
	}
	return all
}

// Seeds are instances to start from, by definition. They need not be valid.
type Seeds map[string][]*Value

// A Mutator makes damaged instances. What it returns depends on the schema, the seeds and the random source alone, so a caller who seeds the source
// anew for every instance can make any of them again. It is not safe for concurrent use; the schema and the seeds may be shared.
type Mutator struct {
	schema *Schema
	seeds  Seeds
	rand   *rand.Rand
	gen    *Generator
	slots  []slot
}

// New returns a mutator that draws from r. If seeds is nil, it starts from generated instances only.
func New(s *Schema, seeds Seeds, r *rand.Rand) *Mutator {
	return &Mutator{schema: s, seeds: seeds, rand: r, gen: NewGenerator(s, r)}
}

// Cover has what is generated counted in c. Seeds are not counted.
func (m *Mutator) Cover(c *Coverage) { m.gen.Coverage = c }

// Base returns an instance of a definition to start from: a seed, or mostly one that is generated, which is valid.
func (m *Mutator) Base(def string) *Value {
	if seeds := m.seeds[def]; len(seeds) > 0 && m.chance(25) {
		return pick(m.rand, seeds).Clone()
	}
	return m.gen.Def(def)
}

// Instance returns a damaged instance of a definition, as text, and what was done to it. The text need not be JSON.
func (m *Mutator) Instance(def string) ([]byte, []Mutation) {
	return m.Mutate(def, m.Base(def))
}

// Mutate changes an instance of a definition by one to three mutations, and returns its text and what was done. It may keep or change v.
func (m *Mutator) Mutate(def string, v *Value) ([]byte, []Mutation) {
	t := &target{root: v, place: m.schema.roots[def]}
	var done []Mutation
	broken := false
	for range 1 + m.rand.IntN(3) {
		mutation := m.mutate(t)
		done = append(done, mutation)
		broken = broken || mutation == Break
	}
	raw := t.root.Append(nil)
	if broken {
		raw = m.breakText(raw)
	}
	return raw, done
}

// mutate applies one mutation that finds something to apply to.
func (m *Mutator) mutate(t *target) Mutation {
	for {
		n := m.rand.IntN(totalWeight)
		for _, w := range weights {
			if n -= w.weight; n >= 0 {
				continue
			}
			m.slots = collect(t, m.slots[:0])
			if w.apply(m, t) {
				return w.mutation
			}
			break
		}
	}
}

func (m *Mutator) chance(percent int) bool { return m.rand.IntN(100) < percent }

// A target is the instance that is being changed.
type target struct {
	root  *Value
	place *Place
}

// A slot is a position whose value can be replaced. The parent of the root is nil.
type slot struct {
	parent *Value
	index  int
	value  *Value
	place  *Place
}

// put replaces the slot's value.
func (s *slot) put(t *target, v *Value) {
	switch {
	case s.parent == nil:
		t.root = v
	case s.parent.Kind == Array:
		s.parent.Items[s.index] = v
	default:
		s.parent.Members[s.index].Value = v
	}
	s.value = v
}

// maxSlots is how many positions of an instance are considered, the first in document order.
const maxSlots = 4096

// collect appends the slots of the target.
func collect(t *target, slots []slot) []slot {
	slots = append(slots, slot{value: t.root, place: t.place})
	for i := 0; i < len(slots) && len(slots) < maxSlots; i++ {
		s := slots[i]
		for j, item := range s.value.Items {
			slots = append(slots, slot{s.value, j, item, s.place.Item()})
		}
		for j, member := range s.value.Members {
			slots = append(slots, slot{s.value, j, member.Value, s.place.Member(member.Key())})
		}
	}
	return slots
}

// where returns a random one of the slots that a condition holds for, or nil.
func (m *Mutator) where(is func(*slot) bool) *slot {
	n := 0
	for i := range m.slots {
		if is(&m.slots[i]) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	n = m.rand.IntN(n)
	for i := range m.slots {
		if s := &m.slots[i]; is(s) {
			if n == 0 {
				return s
			}
			n--
		}
	}
	return nil
}

// any returns a random slot; the root only if there is no other, or rarely.
func (m *Mutator) any() *slot {
	if len(m.slots) == 1 || m.chance(1) {
		return &m.slots[0]
	}
	return &m.slots[1+m.rand.IntN(len(m.slots)-1)]
}

func isObject(s *slot) bool { return s.value.Kind == Object }

func hasMembers(s *slot) bool { return len(s.value.Members) > 0 }

func isMember(s *slot) bool { return s.parent != nil && s.parent.Kind == Object }
