package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// survives checks that an instance that was decoded and encoded again says the same: values may be written differently, and as many members are left out as
// the decoder has reported to be unknown, or null for absent. Nothing may be added.
func survives(place *mutate.Place, raw, encoded []byte, leftOut int) *problem {
	before, err := mutate.Parse(raw)
	if err != nil {
		return problemf("cannot read the instance", "%v", err)
	}
	after, err := mutate.Parse(encoded)
	if err != nil {
		return problemf("cannot read what was encoded", "%v\nencoded: %s", err, encoded)
	}
	var c comparison
	c.value(place, before, after, "")
	if c.missing != leftOut {
		c.errs = append(c.errs, fmt.Errorf("%d members are left out, %d were reported", c.missing, leftOut))
	}
	if err := errors.Join(c.errs...); err != nil {
		return problemf("changes the value", "%v\nencoded: %s", err, encoded)
	}
	return nil
}

type comparison struct {
	missing int
	errs    []error
}

func (c *comparison) differ(pointer, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...)))
}

func (c *comparison) value(place *mutate.Place, before, after *mutate.Value, pointer string) {
	if before.Kind != after.Kind {
		c.differ(pointer, "%s became %s", before, after)
		return
	}
	switch before.Kind {
	case mutate.Object:
		c.object(place, before, after, pointer)
	case mutate.Array:
		if len(before.Items) != len(after.Items) {
			c.differ(pointer, "%d elements became %d", len(before.Items), len(after.Items))
			return
		}
		for i := range before.Items {
			c.value(place.Item(), before.Items[i], after.Items[i], pointer+"/"+strconv.Itoa(i))
		}
	case mutate.String:
		if before.Content() != after.Content() {
			c.differ(pointer, "%s became %s", before.Text, after.Text)
		}
	case mutate.Number:
		if !sameNumber(before.Text, after.Text) && !(place.Admits("number") && sameFloat(before.Text, after.Text)) {
			c.differ(pointer, "%s became %s", before.Text, after.Text)
		}
	case mutate.Bool, mutate.Null, mutate.Raw:
		if before.Text != after.Text {
			c.differ(pointer, "%s became %s", before.Text, after.Text)
		}
	}
}

func (c *comparison) object(place *mutate.Place, before, after *mutate.Value, pointer string) {
	kept := map[string]*mutate.Value{}
	for _, m := range after.Members {
		kept[m.Key()] = m.Value
	}
	for _, m := range before.Members {
		key := m.Key()
		v, ok := kept[key]
		if !ok {
			c.missing++
			continue
		}
		delete(kept, key)
		c.value(place.Member(key), m.Value, v, pointer+"/"+key)
	}
	for key := range kept {
		c.differ(pointer, "member %q was added", key)
	}
}

// sameFloat reports whether two numbers are the same float64, none of them beyond its range.
func sameFloat(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// sameNumber reports whether two numbers are equal, however they are written.
func sameNumber(a, b string) bool { return a == b || normal(a) == normal(b) }

// A decimal is ±0.digits × 10^point, without leading or trailing zeros.
type decimal struct {
	negative bool
	digits   string
	point    int
}

func normal(number string) decimal {
	var d decimal
	number, d.negative = strings.CutPrefix(number, "-")
	exponent := ""
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		number, exponent = number[:i], number[i+1:]
	}
	whole, fraction, _ := strings.Cut(number, ".")
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	if d.point = len(whole) - (len(all) - len(d.digits)); exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil { // far beyond any float64, which both of two equal numbers are
			n = math.MaxInt32
		}
		d.point += n
	}
	if d.digits = strings.TrimRight(d.digits, "0"); d.digits == "" {
		return decimal{} // 0 and -0 are equal in JSON Schema
	}
	return d
}
