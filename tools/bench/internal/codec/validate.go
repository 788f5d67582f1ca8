package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	v5 "github.com/santhosh-tekuri/jsonschema/v5"
	v6 "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

// A validator returns an error if b is not valid.
type validator func(b []byte) error

// validators are those of one definition, by implementation.
type validators []struct {
	impl     string
	validate validator
}

const schemaURL = "schema.json"

// compilersOnce reads the schema once, which takes long.
var compilersOnce = sync.OnceValues(newCompilers)

type compilers struct {
	v5        *v5.Compiler
	v6        *v6.Compiler
	reference *validate.Validator
}

func newCompilers() (*compilers, error) {
	raw, err := schema.JSON("v1")
	if err != nil {
		return nil, err
	}
	c := &compilers{v5: v5.NewCompiler(), v6: v6.NewCompiler()}
	if c.reference, err = validate.New("v1"); err != nil {
		return nil, err
	}
	if err := c.v5.AddResource(schemaURL, bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	doc, err := v6.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return c, c.v6.AddResource(schemaURL, doc)
}

func newValidators(p *payload.Payload) (validators, error) {
	c, err := compilersOnce()
	if err != nil {
		return nil, err
	}
	ref := schemaURL + "#/$defs/" + p.Def
	schema5, err := c.v5.Compile(ref)
	if err != nil {
		return nil, err
	}
	schema6, err := c.v6.Compile(ref)
	if err != nil {
		return nil, err
	}
	return validators{
		{Strict, judge(p, nil)},
		{Lenient, judge(p, &wire.DecodeOptions{Lenient: true})},
		{SchemaV5, ofAny(schema5.Validate)},
		{SchemaV6, ofAny(schema6.Validate)},
		{Reference, func(b []byte) error { return c.reference.Def(p.Def, b) }},
	}, nil
}

func ofAny(valid func(v any) error) validator {
	return func(b []byte) error {
		v, err := decodeAny(b)
		if err != nil {
			return err
		}
		return valid(v)
	}
}

// judge returns an error for what was repaired, too.
func judge(p *payload.Payload, opts *wire.DecodeOptions) validator {
	return func(b []byte) error {
		report, err := wire.Decode(b, p.New(), opts)
		if err == nil && len(report.Repairs) > 0 {
			err = errors.New(report.Repairs[0].String())
		}
		return err
	}
}

func validateCases(p *payload.Payload) ([]*Case, error) {
	list, err := newValidators(p)
	if err != nil {
		return nil, err
	}
	cases := []*Case{{
		Op: Validate, Payload: p.Name, Impl: Scan, Bytes: len(p.JSON),
		Run: func() error {
			_, err := scan(p.JSON)
			return err
		},
		Verify: func() error { return verifyScan(p.JSON) },
	}}
	for _, v := range list {
		cases = append(cases, &Case{
			Op: Validate, Payload: p.Name, Impl: v.impl, Bytes: len(p.JSON),
			Run:    func() error { return v.validate(p.JSON) },
			Verify: func() error { return verifyValidator(p, v.validate) },
		})
	}
	return cases, nil
}

// verifyValidator shows that the validator tells what is valid from what is not, at the top and below.
func verifyValidator(p *payload.Payload, valid validator) error {
	if err := valid(p.JSON); err != nil {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(p.JSON, &object); err != nil {
		return err
	}
	for name, value := range object {
		for _, wrong := range []any{false, spoiled(value)} {
			object[name] = wrong
			b, err := json.Marshal(object)
			if err != nil {
				return err
			}
			if valid(b) == nil {
				return fmt.Errorf("accepts a wrong %q", name)
			}
		}
		object[name] = value
	}
	if len(object) < 2 {
		return errors.New("the payload has too few members to spoil")
	}
	return nil
}

// spoiled returns v with a number in place of its first string or of the first strings of its parts, which every payload needs as they are.
func spoiled(v any) any {
	switch v := v.(type) {
	case string:
		return 7
	case []any:
		return append([]any{spoiled(v[0])}, v[1:]...)
	case map[string]any:
		copied := make(map[string]any, len(v))
		for name, value := range v {
			copied[name] = spoiled(value)
		}
		return copied
	}
	return v
}
