package wire

import "bytes"

// manyNames is from how many names on an object's names are kept in a map rather than compared one by one.
const manyNames = 24

// addName records a name of an open object whose names start at base, or a fault if the object has it already.
func (d *Decoder) addName(name []byte, at, base int) {
	seen := d.names[base:]
	if len(seen) >= manyNames {
		if d.inMap(name, base) {
			d.duplicate(at)
			return
		}
	} else {
		for _, s := range seen {
			if len(s) == len(name) && bytes.Equal(s, name) {
				d.duplicate(at)
				return
			}
		}
	}
	d.names = append(d.names, name)
	d.high = max(d.high, len(d.names))
}

func (d *Decoder) duplicate(at int) { d.fault(at, "duplicate member name") }

// A nameMap holds the names of the open object whose names start at base.
type nameMap struct {
	base  int
	names map[string]struct{}
}

// inMap reports whether the object whose names start at base has name, and adds it. The map is made when the object first has manyNames names.
func (d *Decoder) inMap(name []byte, base int) bool {
	n := len(d.maps)
	for n > 0 && d.maps[n-1].base > base {
		n--
	}
	seen := d.names[base:]
	if len(seen) == manyNames {
		if n > 0 && d.maps[n-1].base == base {
			n--
		}
		m := make(map[string]struct{}, 2*manyNames)
		for _, s := range seen {
			m[string(s)] = struct{}{}
		}
		d.maps = append(truncate(d.maps, n), nameMap{base, m})
		n++
	}
	d.maps = truncate(d.maps, n)
	m := d.maps[n-1].names
	if _, ok := m[string(name)]; ok {
		return true
	}
	m[string(name)] = struct{}{}
	return false
}
