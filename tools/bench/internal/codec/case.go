package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/bench/internal/payload"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
)

// The operations.
const (
	Decode   = "decode"
	Validate = "validate"
	Encode   = "encode"
	Frame    = "frame"
)

// The implementations.
const (
	// Strict is our strict codec.
	Strict = "acpwire-strict"
	// Lenient is our lenient codec, on valid input.
	Lenient = "acpwire-lenient"
	// Append is our encoder writing to memory that is there already, as a connection does.
	Append = "acpwire-append"
	// Marshal is our encoder returning new memory, as encoding/json does.
	Marshal = "acpwire-marshal"
	// Reference is the reference validator of package schema/validate.
	Reference = "acpwire-reference"
	// Scan reads the tokens with a pooled jsontext decoder: the least that a strict reader does.
	Scan = "jsontext-scan"
	// QuoteCopy appends each free string of the message with jsontext.AppendQuote and copies everything else: the least that a strict writer does.
	QuoteCopy = "jsontext-quote-copy"
	// Any is encoding/json with values of type any.
	Any = "encoding-json-any"
	// Coder is the types of coder/acp-go-sdk with encoding/json, as its connection uses them.
	Coder = "coder"
	// SchemaV5 is encoding/json into any, and jsonschema v5 with the definition of the message compiled.
	SchemaV5 = "any+jsonschema-v5"
	// SchemaV6 is the same with jsonschema v6.
	SchemaV6 = "any+jsonschema-v6"
)

// A Case is one thing to measure.
type Case struct {
	// Op, Payload and Impl name the case. Op and Impl are constants of this package, Payload is one of package payload.
	Op, Payload, Impl string
	// Bytes is the size of the JSON that one run reads or writes.
	Bytes int
	// Run does it once. It is not safe for concurrent use.
	Run func() error
	// Verify returns an error if Run does not do what it is measured for.
	Verify func() error
}

// Name returns the name of the case as a sub-benchmark of its operation.
func (c *Case) Name() string { return "payload=" + c.Payload + "/impl=" + c.Impl }

// ID returns a short name of the case, such as "decode/chunk/coder".
func (c *Case) ID() string { return c.Op + "/" + c.Payload + "/" + c.Impl }

// CPUTime is the unit of what Bench reports besides the time on the wall: the time of one operation for which the process had a processor, which another
// process cannot take away.
const CPUTime = "cpu-ns/op"

// Bench is a benchmark of the case.
func (c *Case) Bench(b *testing.B) {
	b.SetBytes(int64(c.Bytes))
	b.ReportAllocs()
	start, ok := process.CPU()
	for b.Loop() {
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
	}
	if end, _ := process.CPU(); ok {
		b.ReportMetric(float64(end-start)/float64(b.N), CPUTime)
	}
}

// Ops returns the operations in the order of [Cases].
func Ops() []string { return []string{Decode, Validate, Encode, Frame} }

// Cases returns the cases of the operations, those to be compared next to each other.
func Cases(ops ...string) ([]*Case, error) {
	payloads, err := payload.All()
	if err != nil {
		return nil, err
	}
	var list []*Case
	for _, op := range ops {
		for _, p := range payloads {
			cases, err := casesOf(op, p)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", op, p.Name, err)
			}
			list = append(list, cases...)
		}
	}
	return list, nil
}

// Find returns the case with the id, or an error if there is none.
func Find(id string) (*Case, error) {
	payloads, err := payload.All()
	if err != nil {
		return nil, err
	}
	op, rest, _ := strings.Cut(id, "/")
	name, _, _ := strings.Cut(rest, "/")
	for _, p := range payloads {
		if p.Name != name {
			continue
		}
		cases, err := casesOf(op, p)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if c.ID() == id {
				return c, nil
			}
		}
	}
	return nil, fmt.Errorf("no case %q: expected an operation, a payload and an implementation, such as %s/%s/%s", id, Decode, payload.Chunk, Strict)
}

func casesOf(op string, p *payload.Payload) ([]*Case, error) {
	switch op {
	case Decode:
		return decodeCases(p), nil
	case Validate:
		return validateCases(p)
	case Encode:
		return encodeCases(p)
	case Frame:
		return frameCases(p), nil
	}
	return nil, fmt.Errorf("no operation %q", op)
}

// same returns an error unless the two are the same JSON value.
func same(want, got []byte) error {
	w, err := tree(want)
	if err != nil {
		return err
	}
	g, err := tree(got)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(w, g); diff != "" {
		return fmt.Errorf("mismatch (-want +got):\n%s", diff)
	}
	return nil
}

func tree(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
