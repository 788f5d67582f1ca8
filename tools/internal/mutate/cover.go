package mutate

// coverStride is how many points of coverage a node has: itself, and each of up to seven types.
const coverStride = 8

// A Coverage counts what a [Generator] has produced. It is not safe for concurrent use; merge those of several generators.
type Coverage struct {
	schema *Schema
	hits   []int
}

// NewCoverage returns the coverage of a schema, with nothing produced yet.
func NewCoverage(s *Schema) *Coverage {
	return &Coverage{schema: s, hits: make([]int, coverStride*len(s.nodes))}
}

func (c *Coverage) node(n *node) {
	if c != nil {
		c.hits[coverStride*n.id]++
	}
}

func (c *Coverage) typ(n *node, index int) {
	if c != nil {
		c.hits[coverStride*n.id+1+index]++
	}
}

// Merge adds what another coverage of the same schema counts.
func (c *Coverage) Merge(other *Coverage) {
	for i, n := range other.hits {
		c.hits[i] += n
	}
}

// Missing returns the JSON pointers of what instances of the given definitions can hold and none did: definitions, members, variants, alternative types,
// elements of arrays and values of maps.
func (c *Coverage) Missing(defs ...string) []string {
	var missing []string
	c.each(defs, func(pointer string, hits int) {
		if hits == 0 {
			missing = append(missing, pointer)
		}
	})
	return missing
}

// Points returns how many different things instances of the given definitions can hold, in the sense of [Coverage.Missing].
func (c *Coverage) Points(defs ...string) int {
	n := 0
	c.each(defs, func(string, int) { n++ })
	return n
}

func (c *Coverage) each(defs []string, visit func(pointer string, hits int)) {
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		visit(n.pointer, c.hits[coverStride*n.id])
		if len(n.types) > 1 {
			for i, t := range n.types {
				visit(n.pointer+"/type/"+t, c.hits[coverStride*n.id+1+i])
			}
		}
		walk(c.schema.defs[n.ref])
		for _, list := range [][]*node{n.allOf, n.anyOf, n.oneOf} {
			for _, branch := range list {
				walk(branch)
			}
		}
		for _, p := range n.properties {
			walk(p.node)
		}
		walk(n.items)
		walk(n.values)
	}
	for _, def := range defs {
		walk(c.schema.defs[def])
	}
}
