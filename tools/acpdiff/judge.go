package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// A judge asks both sides about instances. It is safe for concurrent use.
type judge struct {
	schema *mutate.Schema
	oracle *validate.Validator
	// table is what explains disagreements.
	table []*divergence
}

func newJudge(surface string) (*judge, error) {
	s, err := mutate.Load(surface)
	if err != nil {
		return nil, err
	}
	oracle, err := validate.New(surface)
	if err != nil {
		return nil, err
	}
	return &judge{schema: s, oracle: oracle, table: divergences}, nil
}

// A verdict is what the oracle says of an instance.
type verdict int

const (
	accepted verdict = iota
	rejected
	notJSON
	verdicts // how many there are
)

// An outcome is what came of one instance.
type outcome struct {
	verdict verdict
	// exact means that both sides rejected the instance and blame the same places.
	exact bool
	// explained are the deliberate divergences that the instance shows.
	explained []*divergence
	problem   *problem
}

// A problem is a disagreement that nothing explains.
type problem struct {
	// kind says what differs, and at the place of which rule of the schema; it is the same for what probably has the same cause.
	kind   string
	detail string
}

func problemf(kind, format string, args ...any) *problem {
	return &problem{kind, fmt.Sprintf(format, args...)}
}

// at adds the rule that the generated decoder finds broken first.
func (p *problem) at(violations []wire.Violation) *problem {
	if len(violations) > 0 {
		p.kind += ", by " + violations[0].Schema
	}
	return p
}

// maxViolations is how many violations of the generated decoder are looked at.
const maxViolations = 1 << 12

// check compares both sides on one instance of t.
func (j *judge) check(t target, raw []byte) outcome {
	var o outcome
	oracleErr := j.oracle.Def(t.def, raw)
	message := t.new()
	report, crash, err := decode(raw, message)
	var wrong *validate.DataError
	var syntax *validate.SyntaxError
	switch {
	case crash != nil:
		o.problem = crash
	case oracleErr == nil:
		o.verdict = accepted
		if err == nil {
			o.problem = j.roundTrip(t, raw, message, report)
		} else {
			o.explained, o.problem = j.explain(t, raw, report.Violations)
		}
	case errors.As(oracleErr, &syntax):
		o.verdict = notJSON
		o.problem = syntaxProblem(syntax, err, report)
	case errors.As(oracleErr, &wrong):
		o.verdict = rejected
		o.exact, o.problem = j.compare(t, raw, wrong.Violations, err, report)
	default:
		o.problem = problemf("the oracle failed", "%v", oracleErr)
	}
	return o
}

// decode decodes strictly, and turns a panic into a problem.
func decode(raw []byte, message wire.Message) (report wire.Report, crash *problem, err error) {
	defer func() {
		if r := recover(); r != nil {
			crash = problemf("panic", "%v\n%s", r, debug.Stack())
		}
	}()
	report, err = wire.Decode(raw, message, &wire.DecodeOptions{MaxViolations: maxViolations})
	return report, nil, err
}

// syntaxProblem compares what both sides say of a text that is not strict JSON for the oracle.
func syntaxProblem(oracle *validate.SyntaxError, err error, report wire.Report) *problem {
	var invalid *wire.InvalidError
	switch {
	case err == nil:
		return problemf("accepts what is not JSON", "oracle: %v", oracle)
	case !errors.As(err, &invalid) || invalid.Rule() != wire.RuleJSON:
		return problemf("rejects as data what is not JSON", "oracle: %v\ngenerated: %v", oracle, err)
	}
	for _, v := range report.Violations {
		if v.Rule == wire.RuleJSON && related(v.Pointer, oracle.Pointer) {
			return nil
		}
	}
	return problemf("blames another place for JSON", "oracle: %v, at %q\ngenerated: %v", oracle, oracle.Pointer, report.Violations)
}

// compare compares what both sides say of an instance that the oracle rejects.
func (j *judge) compare(t target, raw []byte, oracle []validate.Violation, err error, report wire.Report) (exact bool, p *problem) {
	var invalid *wire.InvalidError
	switch {
	case err == nil:
		return false, problemf("accepts what the oracle rejects", "oracle:%s", list(oracle))
	case !errors.As(err, &invalid) || invalid.Rule() != wire.RuleSchema:
		return false, problemf("rejects as no JSON what is JSON", "oracle:%s\ngenerated: %v", list(oracle), err)
	}
	return j.comparePointers(t, raw, oracle, report.Violations)
}

// roundTrip checks that what both sides accept is encoded to what the oracle accepts, and that nothing the schema names is lost or changed.
func (j *judge) roundTrip(t target, raw []byte, message wire.Message, report wire.Report) (p *problem) {
	defer func() {
		if r := recover(); r != nil {
			p = problemf("panic", "%v\n%s", r, debug.Stack())
		}
	}()
	encoded, err := wire.Marshal(message)
	if err != nil {
		return problemf("cannot encode what it decoded", "%v", err)
	}
	if err := j.oracle.Def(t.def, encoded); err != nil {
		return problemf("encodes what the oracle rejects", "%v\nencoded: %s", err, encoded)
	}
	again := t.new()
	if _, err := wire.Decode(encoded, again, nil); err != nil {
		return problemf("rejects what it encoded", "%v\nencoded: %s", err, encoded)
	}
	if !reflect.DeepEqual(message, again) && !j.sameCompact(t, raw, encoded) {
		return problemf("decodes another value from what it encoded", "encoded: %s", encoded)
	}
	if twice, err := wire.Marshal(again); err != nil || !bytes.Equal(encoded, twice) {
		return problemf("encodes the same value differently", "error: %v\nfirst:  %s\nsecond: %s", err, encoded, twice)
	}
	return survives(j.schema.Place(t.def), raw, encoded, report.Unknown+report.Nulls)
}

// sameCompact reports whether two texts decode to equal values when they are written without white space. Raw parts with line breaks are encoded so,
// because a frame is one line.
func (j *judge) sameCompact(t target, raw, encoded []byte) bool {
	var values [2]wire.Message
	for i, text := range [][]byte{raw, encoded} {
		compact := jsontext.Value(bytes.Clone(text))
		values[i] = t.new()
		if compact.Compact() != nil || wire.Unmarshal(compact, values[i]) != nil {
			return false
		}
	}
	return bytes.ContainsAny(raw, "\r\n") && reflect.DeepEqual(values[0], values[1])
}

func list[V fmt.Stringer](violations []V) string {
	var b bytes.Buffer
	for _, v := range violations {
		fmt.Fprintf(&b, "\n  %v", v)
	}
	return b.String()
}
