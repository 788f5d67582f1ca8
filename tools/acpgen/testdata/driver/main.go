// Command driver runs frames through generated packages. It reads one JSON job a line and answers each with a line.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/acpwire/acpwire/gen/wire"
)

type job struct {
	Package, Def, Mode, Input string
}

type answer struct {
	// Violations and Repairs are lines for people.
	Violations, Repairs []string
	Unknown, Nulls      int
	// Output is the value encoded again; Encode says what is wrong with it.
	Output string
	Encode []string
	Fatal  string
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for in.More() {
		var j job
		if err := in.Decode(&j); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(run(j)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func run(j job) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.Fatal = fmt.Sprint("panic: ", r)
		}
	}()
	newValue := packages[j.Package][j.Def]
	if newValue == nil {
		return answer{Fatal: "no such definition"}
	}
	v := newValue()
	if j.Mode != "zero" {
		opts := &wire.DecodeOptions{Lenient: j.Mode == "lenient" || j.Mode == "keep", KeepUnknownVariants: j.Mode == "keep"}
		r, err := wire.Decode([]byte(j.Input), v, opts)
		for _, v := range r.Violations {
			a.Violations = append(a.Violations, v.String())
		}
		for _, v := range r.Repairs {
			a.Repairs = append(a.Repairs, v.String())
		}
		a.Unknown, a.Nulls = r.Unknown, r.Nulls
		if err != nil {
			return a
		}
	}
	b, err := wire.Marshal(v)
	if err != nil {
		for _, v := range err.(*wire.InvalidError).Violations {
			a.Encode = append(a.Encode, v.String())
		}
	}
	a.Output = string(b)
	return a
}
