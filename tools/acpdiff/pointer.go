package main

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// within reports whether a pointer is another, or leads below it.
func within(pointer, ancestor string) bool {
	return pointer == ancestor || strings.HasPrefix(pointer, ancestor+"/")
}

func related(a, b string) bool { return within(a, b) || within(b, a) }

// A blame is a place where one side finds something wrong.
type blame struct {
	pointer string
	// all is the pointer of a value of which nothing else is said, because no variant could be chosen; wide says that there is one.
	all  string
	wide bool
	// union is the pointer of the outermost instance of a union that is in the table of divergences and differs in this place; inUnion says that there is one.
	union   string
	inUnion bool
	text    string
	// explained means that a divergence explains it.
	explained bool
	schema    string
}

// comparePointers compares the places that both sides blame: each that one side blames must be blamed by the other, too, or be part of a value of which the
// other says only that no variant fits. Within a union of the table, which variant a side judges by is its own choice.
func (j *judge) comparePointers(t target, raw []byte, oracle []validate.Violation, generated []wire.Violation) (exact bool, p *problem) {
	if samePlaces(oracle, generated) {
		return true, nil
	}
	root, err := mutate.Parse(raw)
	if err != nil {
		return false, problemf("cannot read the instance", "%v", err)
	}
	var theirs, ours []blame
	for _, v := range oracle {
		theirs = append(theirs, j.theirs(t, root, v))
	}
	for _, v := range generated {
		ours = append(ours, j.ours(t, root, v))
	}
	for _, b := range ours {
		if !b.explained && !b.in(theirs) {
			return false, problemf("blames a place that the oracle does not, by "+b.schema, "%s\noracle:%s\ngenerated:%s", b.text, list(oracle), list(generated))
		}
	}
	for _, b := range theirs {
		if !b.in(ours) {
			return false, problemf("does not blame a place that the oracle does, by "+b.schema, "%s\noracle:%s\ngenerated:%s", b.text, list(oracle), list(generated))
		}
	}
	return false, nil
}

func samePlaces(oracle []validate.Violation, generated []wire.Violation) bool {
	theirs, ours := make([]string, len(oracle)), make([]string, len(generated))
	for i, v := range oracle {
		theirs[i] = v.Pointer
	}
	for i, v := range generated {
		ours[i] = v.Pointer
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	return slices.Equal(slices.Compact(theirs), slices.Compact(ours))
}

// in reports whether the other side blames the place, too.
func (b blame) in(others []blame) bool {
	return slices.ContainsFunc(others, func(o blame) bool {
		return b.pointer == o.pointer || o.wide && within(b.pointer, o.all) || b.wide && within(o.pointer, b.all) || b.inUnion && o.inUnion && b.union == o.union
	})
}

func (j *judge) theirs(t target, root *mutate.Value, v validate.Violation) blame {
	b := j.blame(j.schema.Path(t.def, root, v.Pointer), v.Pointer)
	b.schema, b.text = v.SchemaPath, v.String()
	if v.Keyword == "anyOf" || v.Keyword == "oneOf" || strings.HasPrefix(v.Expected, "more may be wrong") {
		b.all, b.wide = v.Pointer, true
	}
	return b
}

func (j *judge) ours(t target, root *mutate.Value, v wire.Violation) blame {
	path := j.schema.Path(t.def, root, v.Pointer)
	b := j.blame(path, v.Pointer)
	b.schema, b.text = v.Schema, v.String()
	b.explained = j.explanation(t, root, v) != nil
	end := path[len(path)-1]
	lacksTag := slices.ContainsFunc(end.Place.Tags(), func(tag string) bool { return end.Value.Get(tag) == nil })
	switch last := strings.LastIndexByte(v.Pointer, '/'); {
	case v.Keyword == "anyOf":
		b.all, b.wide = v.Pointer, true
	case v.Keyword == "required" && lacksTag:
		b.all, b.wide = v.Pointer, true
	case len(path) > 1 && last >= 0 && slices.Contains(path[len(path)-2].Place.Tags(), v.Pointer[last+1:]):
		b.all, b.wide = v.Pointer[:last], true
	}
	return b
}

func (j *judge) blame(path []mutate.Step, pointer string) blame {
	b := blame{pointer: pointer}
	for i, step := range path {
		if slices.ContainsFunc(j.table, func(d *divergence) bool { return d.concerns(path, i) }) {
			b.union, b.inUnion = step.Pointer, true
			break
		}
	}
	return b
}
