package validate

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Numbers of the schema (bounds, constants) have at most schemaDigits significant digits and lie between
// 10^-schemaPoint and 10^schemaPoint. Numbers of the data may then be cut to keptDigits and keptPoint without a change
// of any comparison.
const (
	schemaDigits = 40
	schemaPoint  = 30
	keptDigits   = 64
	keptPoint    = 40
)

// A decimal is ±0.digits × 10^point. Zero has no digits.
type decimal struct {
	negative bool
	digits   string // no leading or trailing zeros
	point    int
}

// parseDecimal reads a JSON number without expanding its exponent. An exponent too large for an int is saturated.
func parseDecimal(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.point = len(whole) + saturate(exponent, 1<<40)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.point -= len(whole) + len(fraction) - len(digits)
	d.digits = strings.TrimRight(digits, "0")
	return d
}

func saturate(exponent string, limit int) int {
	if exponent == "" {
		return 0
	}
	n, err := strconv.Atoi(exponent)
	if err != nil && strings.HasPrefix(exponent, "-") {
		return -limit
	}
	if err != nil {
		return limit
	}
	return max(-limit, min(n, limit))
}

// boundedNumber returns a number that no keyword can tell from the given one, and that is cheap as a rational: the
// library expands exponents, and gives up on the largest with a panic.
func boundedNumber(text string) json.Number {
	if len(text) <= keptDigits && !strings.ContainsAny(text, "eE") {
		return json.Number(text)
	}
	d := parseDecimal(text)
	integer := len(d.digits) <= d.point
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch {
	case d.digits == "":
		return "0"
	case d.point > keptPoint && integer:
		return json.Number(sign + "1e" + strconv.Itoa(keptPoint))
	case d.point > keptPoint:
		return json.Number(sign + "1" + strings.Repeat("0", keptPoint) + ".5")
	case d.point < -keptPoint:
		return json.Number(sign + "1e-" + strconv.Itoa(keptPoint))
	case len(d.digits) > keptDigits:
		// The last digit keeps the value off every bound, and off the integers.
		d.digits = d.digits[:keptDigits] + "1"
	}
	return json.Number(sign + "0." + d.digits + "e" + strconv.Itoa(d.point))
}

// schemaNumber reports whether boundedNumber keeps comparisons with a number of the schema.
func schemaNumber(text string) bool {
	d := parseDecimal(text)
	return len(d.digits) <= schemaDigits && (d.digits == "" || -schemaPoint < d.point && d.point <= schemaPoint)
}

// integerFormats are the formats that are asserted as ranges.
var integerFormats = map[string]struct{ minimum, maximum json.Number }{
	"int32":  {"-2147483648", "2147483647"},
	"int64":  {"-9223372036854775808", "9223372036854775807"},
	"uint16": {"0", "65535"},
	"uint32": {"0", "4294967295"},
	"uint64": {"0", "18446744073709551615"},
}

// addRange turns an integer format of m into minimum and maximum, unless m has a narrower bound, and returns the keywords it set.
func addRange(m map[string]any) []string {
	format, _ := m["format"].(string)
	bounds, ok := integerFormats[format]
	if !ok {
		return nil
	}
	var set []string
	if own, ok := m["minimum"].(json.Number); !ok || compareNumbers(own, bounds.minimum) < 0 {
		m["minimum"] = bounds.minimum
		set = append(set, "minimum")
	}
	if own, ok := m["maximum"].(json.Number); !ok || compareNumbers(own, bounds.maximum) > 0 {
		m["maximum"] = bounds.maximum
		set = append(set, "maximum")
	}
	return set
}

// compareNumbers compares numbers of a schema that passed the check.
func compareNumbers(a, b json.Number) int {
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x.Cmp(y)
}
