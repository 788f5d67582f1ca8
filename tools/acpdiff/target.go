package main

import (
	"fmt"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// A target is what instances are made for: the params or the result of one method.
type target struct {
	method, part string
	// def is the schema's definition; new returns the generated type's zero value.
	def string
	new func() wire.Message
}

func (t target) String() string { return t.method + " " + t.part }

// targets returns those of a surface, of one method only unless that is empty.
func targets(surface *wire.Surface, method string) ([]target, error) {
	var all []target
	for _, m := range surface.Methods {
		if method != "" && m.Name != method {
			continue
		}
		all = append(all, target{m.Name, "params", m.Params, m.NewParams})
		if !m.IsNotification() {
			all = append(all, target{m.Name, "result", m.Result, m.NewResult})
		}
	}
	if all == nil {
		return nil, fmt.Errorf("surface %s has no method %q", surface.Name, method)
	}
	return all, nil
}

// schedule returns the order in which instances are made for the targets, to be repeated: each as often as it has places to damage, within bounds.
func schedule(s *mutate.Schema, all []target) []int {
	var order []int
	left := make([]int, len(all))
	for i, t := range all {
		left[i] = min(max(s.Size(t.def), 4), 40)
	}
	for more := true; more; {
		more = false
		for i := range all {
			if left[i] > 0 {
				left[i]--
				order = append(order, i)
				more = true
			}
		}
	}
	return order
}
