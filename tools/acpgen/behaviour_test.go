package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// TestBehaviour compiles the package of every archive in testdata/shapes and of the surfaces in testdata/surfaces into one program, and runs the frames of
// frames.txt through it. A line there is a frame:
//
//	DEF MODE JSON
//
// and the indented lines below it are what comes out: what is wrong, what was repaired, and the value encoded again. The modes are strict, lenient, keep
// (lenient, with unknown variants of closed unions kept), and zero, which encodes the zero value of DEF. The mode diverges is strict, too, for frames on
// which the generated code and the reference validator are known to differ; on all other strict frames they have to agree.
func TestBehaviour(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated packages")
	}
	var units []*unit
	for _, a := range archives(t, "shapes") {
		pkg, files, err := generateSource(t, packageName(a), a.source())
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, &unit{archive: a, pkg: pkg, files: files, schema: wholeSchema(a.file("schema.json"))})
	}
	for _, a := range archives(t, "surfaces") {
		data, err := schema.JSON(a.name)
		if err != nil {
			t.Fatal(err)
		}
		overlay := readFile(t, filepath.Join("names", a.name+".yaml"))
		pkg, files, err := generateSource(t, packageName(a), source{schema: data, overlay: overlay})
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, &unit{archive: a, pkg: pkg, files: files, schema: data})
	}
	var jobs []job
	for _, u := range units {
		u.frames(t)
		jobs = append(jobs, u.jobs...)
	}
	answers := drive(t, units, jobs)
	for _, u := range units {
		mine := answers[:len(u.jobs)]
		answers = answers[len(u.jobs):]
		t.Run(u.archive.name, func(t *testing.T) { u.check(t, mine) })
	}
}

// A unit is one generated package with its frames.
type unit struct {
	archive *archive
	pkg     *plan.Package
	files   map[string][]byte
	schema  []byte
	jobs    []job
}

// job and answer are what the driver reads and writes.
type job struct{ Package, Def, Mode, Input string }

type answer struct {
	Violations, Repairs []string
	Unknown, Nulls      int
	Output              string
	Encode              []string
	Fatal               string
}

// frames reads the frames of the archive.
func (u *unit) frames(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(string(u.archive.file("frames.txt"))) {
		if strings.HasPrefix(line, "\t") || strings.TrimSpace(line) == "" {
			continue
		}
		def, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		mode, input, _ := strings.Cut(rest, " ")
		switch mode {
		case "strict", "lenient", "keep", "zero", "diverges":
		default:
			t.Fatalf("%s: unknown mode in %q", u.archive.path, line)
		}
		u.jobs = append(u.jobs, job{u.pkg.Name, def, mode, input})
	}
	if len(u.jobs) == 0 {
		t.Errorf("%s: no frames", u.archive.path)
	}
}

// check compares the answers with the archive and with the reference validator.
func (u *unit) check(t *testing.T, answers []answer) {
	oracle, err := validate.NewFromSchema(u.schema)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i, a := range answers {
		j := u.jobs[i]
		got.WriteString(strings.TrimSpace(j.Def+" "+j.Mode+" "+j.Input) + "\n")
		a.write(&got)
		if a.Fatal != "" {
			t.Errorf("%s %s: %s", j.Def, j.Input, a.Fatal)
			continue
		}
		u.judge(t, oracle, j, a)
	}
	want := string(u.archive.file("frames.txt"))
	if diff := cmp.Diff(want, got.String()); diff != "" && !*update {
		t.Errorf("frames.txt mismatch (-want +got):\n%s", diff)
	}
	if *update && !t.Failed() {
		u.archive.set("frames.txt", []byte(got.String()))
		u.archive.save(t)
	}
}

// judge asks the reference validator what it thinks of the frame, and of what it was encoded to.
func (u *unit) judge(t *testing.T, oracle *validate.Validator, j job, a answer) {
	if j.Mode == "strict" || j.Mode == "diverges" {
		said := oracle.Def(j.Def, []byte(j.Input))
		agree := (said == nil) == (len(a.Violations) == 0)
		if agree != (j.Mode == "strict") {
			t.Errorf("%s %s %s: the generated code says %v, the reference validator says %v", j.Def, j.Mode, j.Input, a.Violations, said)
		}
	}
	if a.Output == "" {
		return
	}
	if err := oracle.Def(j.Def, []byte(a.Output)); err != nil && j.Mode != "diverges" {
		t.Errorf("%s %s %s: encoded to %s: %v", j.Def, j.Mode, j.Input, a.Output, err)
	}
	if j.Mode == "strict" && a.Unknown == 0 && a.Nulls == 0 && !sameJSON(t, j.Input, a.Output) {
		t.Errorf("%s: %s comes back as %s", j.Def, j.Input, a.Output)
	}
}

func (a *answer) write(b *strings.Builder) {
	for _, v := range a.Violations {
		b.WriteString("\tinvalid: " + v + "\n")
	}
	for _, r := range a.Repairs {
		b.WriteString("\trepaired: " + r + "\n")
	}
	if a.Unknown > 0 {
		fmt.Fprintf(b, "\tunknown: %d\n", a.Unknown)
	}
	if a.Nulls > 0 {
		fmt.Fprintf(b, "\tnulls: %d\n", a.Nulls)
	}
	for _, e := range a.Encode {
		b.WriteString("\tcannot be encoded: " + e + "\n")
	}
	if a.Output != "" {
		b.WriteString("\t= " + a.Output + "\n")
	}
}

// sameJSON compares values with their numbers as numbers, however they are written.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	parse := func(s string) any {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return numbers(v)
	}
	return reflect.DeepEqual(parse(a), parse(b))
}

// numbers replaces numbers by their exact values.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return v
		}
		return r.RatString()
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// drive compiles the packages and the driver as part of this module, in a directory that is only there for the compiler, and runs the jobs.
func drive(t *testing.T, units []*unit, jobs []job) []answer {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	const generated = "tools/acpgen/internal/generated"
	overlay := map[string]string{}
	add := func(path string, data []byte) {
		real := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		writeFile(t, real, data)
		overlay[filepath.Join(root, filepath.FromSlash(generated+"/"+path))] = real
	}
	add("driver/main.go", readFile(t, "testdata/driver/main.go"))
	var table bytes.Buffer
	table.WriteString("package main\n\nimport \"github.com/acpwire/acpwire/gen/wire\"\n")
	for _, u := range units {
		fmt.Fprintf(&table, "import %q\n", "github.com/acpwire/acpwire/"+generated+"/"+u.pkg.Name)
	}
	table.WriteString("\nvar packages = map[string]map[string]func() wire.Message{\n")
	for _, u := range units {
		fmt.Fprintf(&table, "%q: %s.New,\n", u.pkg.Name, u.pkg.Name)
		for name, src := range u.files {
			add(u.pkg.Name+"/"+name, src)
		}
		add(u.pkg.Name+"/new.go", u.constructors(t))
	}
	table.WriteString("}\n")
	add("driver/table.go", table.Bytes())

	overlayFile := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, overlayFile, data)
	program := filepath.Join(dir, "driver")
	buildCmd := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlayFile, "-o", program, "./"+generated+"/driver")
	buildCmd.Dir = root
	if out, err := buildCmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return runJobs(t, program, jobs)
}

func runJobs(t *testing.T, program string, jobs []job) []answer {
	t.Helper()
	var in, out bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, j := range jobs {
		if err := enc.Encode(j); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Stdin, cmd.Stdout = &in, &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	answers := make([]answer, len(jobs))
	dec := json.NewDecoder(&out)
	for i := range answers {
		if err := dec.Decode(&answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

// constructors returns a file for the generated package that makes a message for each definition that can be decoded.
func (u *unit) constructors(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport \"github.com/acpwire/acpwire/gen/wire\"\n\n", u.pkg.Name)
	b.WriteString("var New = map[string]func() wire.Message{\n")
	m, err := build(u.schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range m.Defs {
		switch decl := u.pkg.Lookup(d.Name).(type) {
		case *plan.Struct:
			fmt.Fprintf(&b, "%q: func() wire.Message { return new(%s) },\n", d.Name, decl.Go)
		case *plan.Union, *plan.Enum:
			name := decl.GoName()
			fmt.Fprintf(&b, "%q: func() wire.Message { return &wire.Box[%s]{Decode: decode%s, Encode: encode%s} },\n", d.Name, name, name, name)
		case *plan.Derived, *plan.Wrapped, *plan.Unknown, *plan.Scalar, *plan.Alias:
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}
