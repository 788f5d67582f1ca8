// Package reference lets a connection check every frame a second time, by the protocol's schema itself and with other code than the generated decoders. It is
// for tests and for diagnosis: it is slow, and it brings a JSON Schema validator into the program, which package acp alone does not.
package reference

import (
	"errors"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// A Reference is an acp.Reference for one surface of the schema.
type Reference struct{ validator *validate.Validator }

// New returns the reference for a surface, such as "v1". It fails if there is no such surface.
func New(surface string) (*Reference, error) {
	v, err := validate.New(surface)
	if err != nil {
		return nil, err
	}
	return &Reference{v}, nil
}

// Check returns what the schema forbids about the params or the result body of the method. A method that the schema does not have is not judged.
func (r *Reference) Check(method *wire.Method, result bool, body []byte) []wire.Violation {
	var err error
	switch {
	case result:
		err = r.validator.Result(method.Name, body)
	case method.IsNotification():
		err = r.validator.ParamsOf(validate.KindNotification, method.Name, body)
	default:
		err = r.validator.ParamsOf(validate.KindRequest, method.Name, body)
	}
	var unknown *validate.UnknownMethodError
	if err == nil || errors.As(err, &unknown) {
		return nil
	}
	var data *validate.DataError
	if !errors.As(err, &data) {
		return []wire.Violation{{Rule: wire.RuleSchema, Message: "the reference could not judge it"}}
	}
	list := make([]wire.Violation, len(data.Violations))
	for i, v := range data.Violations {
		list[i] = wire.Violation{Rule: wire.RuleSchema, Pointer: v.Pointer, Keyword: v.Keyword, Schema: v.SchemaPath, Message: v.Expected}
	}
	return list
}
