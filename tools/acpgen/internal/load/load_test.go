package load

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

func TestLoadKeepsOrderPointersAndText(t *testing.T) {
	s, err := Load([]byte(`{
		"title": "T",
		"$defs": {
			"Zed": {
				"description": "prose that is dropped",
				"type": "object",
				"x-side": "agent",
				"properties": {
					"b/c~d": {"type": ["string", "null"], "default": { "n": 1.0,  "z": [ ] }, "x-deserialize-default-on-error": true},
					"a": {"type": "integer", "minimum": -18446744073709551616, "maximum": 1.8446744073709551615e19, "format": "uint64"}
				},
				"required": ["b/c~d", "a"]
			},
			"Able": {"anyOf": [{"const": 1e2}, {"allOf": [{"$ref": "#/$defs/Zed"}]}, true]}
		}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range s.Defs {
		names = append(names, d.Name)
	}
	if diff := cmp.Diff([]string{"Zed", "Able"}, names); diff != "" {
		t.Errorf("definitions mismatch (-want +got):\n%s", diff)
	}

	zed := s.Def("Zed")
	if diff := cmp.Diff([]string{"type", "x-side", "properties", "required"}, zed.Keywords); diff != "" {
		t.Errorf("keywords mismatch (-want +got):\n%s", diff)
	}
	first := zed.Properties[0]
	yes := Node{
		Pointer:        "#/$defs/Zed/properties/b~1c~0d",
		Keywords:       []string{"type", "default", "x-deserialize-default-on-error"},
		Types:          []string{"string", "null"},
		Default:        []byte(`{ "n": 1.0,  "z": [ ] }`),
		DefaultOnError: true,
	}
	if diff := cmp.Diff(&Property{Name: "b/c~d", Node: &yes}, first); diff != "" {
		t.Errorf("property mismatch (-want +got):\n%s", diff)
	}

	a := zed.Property("a")
	lo, _ := new(big.Rat).SetString("-18446744073709551616")
	hi, _ := new(big.Rat).SetString("18446744073709551615")
	if a.Minimum.Cmp(lo) != 0 || a.Maximum.Cmp(hi) != 0 {
		t.Errorf("bounds are %s and %s, want them exact", a.Minimum, a.Maximum)
	}
	if !zed.Requires("a") || zed.Requires("c") || zed.Property("c") != nil || zed.Has("description") || s.Def("None") != nil {
		t.Error("lookups found what is not there, or did not find what is")
	}

	able := s.Def("Able").AnyOf
	if got := string(able[0].Const); got != "1e2" {
		t.Errorf("const text is %s, want it as it stands", got)
	}
	if got := able[1].AllOf[0]; got.Ref != "Zed" || got.Pointer != "#/$defs/Able/anyOf/1/allOf/0" {
		t.Errorf("reference is %q at %s", got.Ref, got.Pointer)
	}
	if b := able[2].Bool; b == nil || !*b {
		t.Error("the schema true is not kept")
	}
}

// TestLoadSurfaces loads what the generator is there for.
func TestLoadSurfaces(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			s, err := Load(surfaceBytes(t, surface))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Defs) == 0 {
				t.Error("no definitions")
			}
		})
	}
}

func surfaceBytes(t testing.TB, surface string) []byte {
	t.Helper()
	data, err := schema.JSON(surface)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoadErrors(t *testing.T) {
	for _, tt := range badSchemas {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load([]byte(tt.in))
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(tt.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(got), len(tt.want), err)
			}
			for i, want := range tt.want {
				// A want that ends in a space leaves open what the JSON package or a long list says next.
				if got[i] != want && !(strings.HasSuffix(want, " ") && strings.HasPrefix(got[i], want)) {
					t.Errorf("error %d is\n%s\nwant\n%s", i, got[i], want)
				}
			}
		})
	}
}

// FuzzLoad looks for panics and for errors that do not say where.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"$defs": {"X": {"type": "object", "properties": {"a": {"$ref": "#/$defs/X"}}}}}`))
	f.Add([]byte(`{"anyOf": [true, {"minimum": 1e-3}, {"discriminator": {"propertyName": "t"}}]}`))
	f.Add([]byte(`{"enum": [1, null], "const": {"a": [1, 2]}, "required": ["a"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Load(data)
		if (s == nil) != (err != nil) {
			t.Fatalf("schema %v with error %v", s, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "#") {
			t.Errorf("error without a pointer: %v", err)
		}
	})
}
