package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxPointer is how long a pointer may get. Otherwise a hostile frame could make each of many pointers nearly as long as itself.
const maxPointer = 4096

// describe computes pointers and schema paths for everything the decoder has noted by offset, and returns how many violations are left out. One
// walk over the input serves all.
func (d *Decoder) describe(r *Report) (omitted int) {
	slices.SortStableFunc(d.faults, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(d.issues, func(a, b issue) int { return cmp.Compare(a.at, b.at) })
	faults, issues, fixes, unknowns := d.faults, d.issues, d.fixes, d.unknowns
	if d.fatal != nil {
		// After a syntax error nothing of the schema is certain: what seems missing may stand in what was not read.
		faults, issues, fixes, unknowns = append(slices.Clone(first(faults, d.limit-1)), *d.fatal), nil, nil, nil
		omitted = d.lost.faults + len(d.faults) + 1 - len(faults)
		r.Omitted = omitted
	} else {
		issues = first(issues, d.limit-len(faults))
		omitted = d.lost.faults + d.lost.issues + len(d.issues) - len(issues)
		r.Omitted = omitted + d.lost.fixes
	}

	spots := make([]spot, 0, len(faults)+len(issues)+len(fixes)+len(unknowns))
	for _, f := range faults {
		spots = append(spots, spot{at: f.at})
	}
	for _, i := range issues {
		spots = append(spots, spot{at: i.at, scope: i.scope})
	}
	for _, f := range fixes {
		spots = append(spots, spot{at: f.at})
	}
	for _, at := range unknowns {
		spots = append(spots, spot{at: at})
	}
	locate(d.buf, spots)

	for i, f := range faults {
		r.Violations = append(r.Violations, Violation{Rule: RuleJSON, Pointer: spots[i].pointer, Offset: f.at, Message: f.msg})
	}
	if d.fatal != nil {
		r.Violations[len(faults)-1].Got = excerpt(d.buf, d.fatal.at)
	}
	spots = spots[len(faults):]
	for i, is := range issues {
		r.Violations = append(r.Violations, is.violation(d.buf, spots[i]))
	}
	spots = spots[len(issues):]
	for i, f := range fixes {
		r.Repairs = append(r.Repairs, Repair{Pointer: spots[i].pointer, Action: f.action, Message: f.msg})
	}
	for _, s := range spots[len(fixes):] {
		r.UnknownPointers = append(r.UnknownPointers, s.pointer)
	}
	return omitted
}

// first returns the first n elements of s, or all if there are fewer.
func first[T any](s []T, n int) []T { return s[:min(n, len(s))] }

func (i issue) violation(b []byte, s spot) Violation {
	v := Violation{Rule: RuleSchema, Pointer: s.pointer, Offset: i.at, Keyword: i.keyword, Schema: i.schema, Message: i.msg}
	if v.Schema == "" && s.schema != "" {
		v.Schema = s.schema + "/" + i.keyword
	}
	if i.keyword != "required" {
		v.Got = excerpt(b, i.at)
	}
	return v
}

// A spot is an offset whose place in the value is wanted.
type spot struct {
	at      int
	outer   bool // the container that is open there is meant
	scope   scope
	pointer string
	schema  string // the path below the definition of scope; empty if there is none
}

// A step is one open container and the member or element of it that leads on.
type step struct {
	start int
	array bool
	index int
	name  []byte
	inner bool // the path goes on into the container
}

// place sets what the path to s.at says.
func (s *spot) place(path []step) {
	if s.outer && len(path) > 0 {
		path = path[:len(path)-1]
	}
	s.pointer = pointerOf(path)
	if s.scope.def == "" {
		return
	}
	below := slices.IndexFunc(path, func(st step) bool { return st.start == s.scope.start })
	s.schema = "#/$defs/" + s.scope.def
	if below >= 0 {
		s.schema += schemaOf(path[below:])
	}
}

// pointerOf returns the JSON pointer of the path. It ends before the step that would make it longer than maxPointer, and so still points to what
// encloses the value.
func pointerOf(path []step) string {
	var b strings.Builder
	for _, s := range path {
		if !s.inner {
			break
		}
		token, ok := s.token()
		if !ok || b.Len()+1+len(token) > maxPointer {
			break
		}
		b.WriteByte('/')
		b.WriteString(token)
	}
	return b.String()
}

// schemaOf returns the schema path that leads along path, bounded like a pointer.
func schemaOf(path []step) string {
	var b strings.Builder
	for _, s := range path {
		token, ok := s.token()
		if !s.inner || !ok || b.Len() > maxPointer {
			break
		}
		if s.array {
			b.WriteString("/items")
		} else {
			b.WriteString("/properties/" + token)
		}
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// token returns the step as it stands in a JSON pointer, unless it is too long for any.
func (s step) token() (token string, ok bool) {
	if s.array {
		return strconv.Itoa(s.index), true
	}
	if len(s.name) > maxPointer {
		return "", false
	}
	return pointerEscaper.Replace(string(validUTF8(s.name))), true
}

// locate finds the places of the values or member names at the spots' offsets. The input may be cut off or malformed; an offset that is no start of a
// value gets the place of what is open there.
func locate(b []byte, spots []spot) {
	w := walker{looker: looker{b: b}, spots: make([]*spot, len(spots))}
	for i := range spots {
		w.spots[i] = &spots[i]
	}
	slices.SortFunc(w.spots, func(x, y *spot) int { return cmp.Compare(x.at, y.at) })
	for w.i < len(b) && len(w.spots) > 0 {
		w.step()
	}
	w.emit(int(^uint(0) >> 1))
}

// A walker walks over a value for [locate].
type walker struct {
	looker
	path  []step
	spots []*spot // those not placed yet, by offset
}

// emit places the spots before an offset.
func (w *walker) emit(before int) {
	for len(w.spots) > 0 && w.spots[0].at < before {
		w.spots[0].place(w.path)
		w.spots = w.spots[1:]
	}
}

// step goes over the token at i.
func (w *walker) step() {
	top := len(w.path) - 1
	switch c := w.b[w.i]; c {
	case '{', '[':
		w.emit(w.i + 1)
		w.path = append(w.path, step{start: w.i, array: c == '[', inner: c == '['})
	case '}', ']':
		w.emit(w.i + 1)
		if top >= 0 {
			w.path = w.path[:top]
		}
	case ',':
		w.emit(w.i + 1)
		if top >= 0 {
			w.path[top].index++
			w.path[top].inner = w.path[top].array
		}
	case '"':
		w.string(top >= 0 && !w.path[top].array && !w.path[top].inner)
		return
	}
	w.i++
}

// string goes over a string, which is a name if it stands where one is due.
func (w *walker) string(name bool) {
	start := w.i
	s, plain, ok := w.text()
	if !ok { // cut off or malformed: nothing can be located behind it
		w.i = len(w.b)
		return
	}
	if name {
		w.emit(start)
		if !plain {
			s = unquote(s)
		}
		top := &w.path[len(w.path)-1]
		top.name, top.inner = s, true
	}
	w.emit(w.i)
}
