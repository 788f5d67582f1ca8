package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// TestPointers follows every pointer of the model into the file, and checks that it leads to what it is the pointer of; and that fields
// stand in the order of the file.
func TestPointers(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			in, s, data := buildSurface(t, surface)
			var file any
			if err := json.Unmarshal(data, &file); err != nil {
				t.Fatal(err)
			}
			w := &pointerWalk{t: t, in: in, file: file}
			for _, d := range s.Defs {
				if d.Pointer != "#/$defs/"+d.Name {
					t.Errorf("definition %s stands at %s", d.Name, d.Pointer)
				}
				w.walk(d.Pointer, d.Type)
			}
			if w.seen == 0 {
				t.Error("no pointer was followed")
			}
		})
	}
}

type pointerWalk struct {
	t    *testing.T
	in   *load.Schema
	file any
	seen int
}

func (w *pointerWalk) walk(at string, typ Type) {
	switch typ := typ.(type) {
	case *Struct:
		w.order(at, typ)
		for _, f := range typ.Fields {
			if f.Pointer != at+"/properties/"+f.Name {
				w.t.Errorf("field %s of %s stands at %s", f.Name, at, f.Pointer)
			}
			w.lookup(f.Pointer)
			w.walk(f.Pointer, f.Type)
		}
		for _, u := range typ.Unions {
			w.walk(at, u)
		}
	case *Union:
		w.lookup(typ.Pointer)
		for _, v := range typ.Variants {
			branch, _ := w.lookup(v.Pointer).(map[string]any)
			title, _ := branch["title"].(string)
			if title != v.Title {
				w.t.Errorf("variant %q stands at %s, which has the title %q", v.Title, v.Pointer, title)
			}
			w.walk(v.Pointer, v.Payload)
		}
	case *Enum:
		for _, v := range typ.Values {
			branch, _ := w.lookup(v.Pointer).(map[string]any)
			if got := fmt.Sprintf("%v", branch["const"]); got != strings.Trim(v.Const, `"`) {
				w.t.Errorf("value %s stands at %s, which has %s", v.Const, v.Pointer, got)
			}
		}
	}
}

// order compares the fields of a definition with its properties, less a tag that the union keeps.
func (w *pointerWalk) order(at string, s *Struct) {
	def, ok := strings.CutPrefix(at, "#/$defs/")
	if !ok || strings.Contains(def, "/") {
		return
	}
	var want, got []string
	for _, p := range w.in.Def(def).Properties {
		if len(s.Unions) == 0 || p.Name != s.Unions[0].Tag {
			want = append(want, p.Name)
		}
	}
	for _, f := range s.Fields {
		got = append(got, f.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s: field order mismatch (-want +got):\n%s", at, diff)
	}
}

func (w *pointerWalk) lookup(pointer string) any {
	w.seen++
	at := w.file
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				w.t.Fatalf("pointer %s: no element %s", pointer, token)
			}
			at = v[i]
		}
		if at == nil {
			w.t.Fatalf("pointer %s leads nowhere at %s", pointer, token)
		}
	}
	return at
}
