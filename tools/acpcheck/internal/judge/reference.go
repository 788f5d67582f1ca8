package judge

import (
	"errors"
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// consult asks the reference validator about a frame that was parsed, and adds what it says to the frame's violations.
func (s *Session) consult(frame []byte, f *acp.Frame) {
	if s.opts.Judges == Generated || s.elsewhere(f) {
		return
	}
	generated := violationsOf(f, wire.RuleSchema)
	if s.opts.Judges == Reference {
		f.Violations = without(f.Violations, wire.RuleSchema)
	}
	if broken(f, wire.RuleJSON, acp.RuleEnvelope) {
		return
	}
	reference, err := s.byReference(frame, f)
	if err != nil {
		s.verdict.Findings = append(s.verdict.Findings, Finding{
			Violation: wire.Violation{Rule: RuleLimit, Offset: -1, Message: "judged by the generated decoder alone: " + err.Error()}, Severity: Warning,
		})
		if s.opts.Judges == Reference {
			f.Violations = append(f.Violations, generated...)
		}
		return
	}
	switch {
	case s.opts.Judges == Reference:
		f.Violations = append(f.Violations, reference...)
	case len(generated) == 0 && len(reference) > 0:
		f.Violations = append(f.Violations, disagreement(reference, "only the reference validator")...)
	case len(generated) > 0 && len(reference) == 0:
		f.Violations = without(f.Violations, wire.RuleSchema)
		if why, ok := explained(generated); ok {
			for i := range generated {
				generated[i].Message += " (stricter than the schema: " + why + ")"
			}
		} else {
			generated = disagreement(generated, "only the generated decoder")
		}
		f.Violations = append(f.Violations, generated...)
	}
}

// disagreement makes findings of their own of what only one judge says.
func disagreement(violations []wire.Violation, who string) []wire.Violation {
	for i := range violations {
		violations[i].Rule = RuleDisagreement
		violations[i].Message = "the judges disagree, " + who + " rejects this: " + violations[i].Message
	}
	return violations
}

// byReference judges the params, the result or the error of a frame. The error says why the reference validator could not.
func (s *Session) byReference(frame []byte, f *acp.Frame) ([]wire.Violation, error) {
	switch ref := s.opts.Reference; f.Kind {
	case acp.KindRequest, acp.KindNotification:
		if f.Spec == nil {
			return nil, nil
		}
		kind := validate.KindRequest
		if f.Spec.IsNotification() {
			kind = validate.KindNotification
		}
		return translate(frame, "/params", ref.ParamsOf(kind, f.Spec.Name, f.Raw))
	case acp.KindResponse:
		if f.Spec == nil || f.Spec.IsNotification() {
			return nil, nil
		}
		return translate(frame, "/result", ref.Result(f.Spec.Name, f.Raw))
	case acp.KindError:
		at := find(frame, "/error")
		if at < 0 {
			return nil, nil
		}
		d := wire.NewDecoder(frame[at:], nil)
		defer d.Release()
		d.Skip()
		return translate(frame, "/error", ref.Error(frame[at:at+d.Offset()]))
	case acp.KindUnknown:
	}
	return nil, nil
}

// translate makes violations of the frame of an error of the reference validator.
func translate(frame []byte, base string, err error) ([]wire.Violation, error) {
	var data *validate.DataError
	var limit *validate.LimitError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &limit):
		return nil, err
	case !errors.As(err, &data):
		// Whatever else it says, the generated decoder did not say it.
		return []wire.Violation{{Rule: wire.RuleSchema, Pointer: base, Offset: find(frame, base), Message: err.Error()}}, nil
	}
	var list []wire.Violation
	for _, v := range data.Violations {
		at := find(frame, base+v.Pointer)
		if at < 0 { // of params that are not there
			at = len(frame)
		}
		list = append(list, wire.Violation{
			Rule: wire.RuleSchema, Pointer: base + v.Pointer, Offset: at, Keyword: v.Keyword, Schema: v.SchemaPath, Message: v.Message,
		})
	}
	return list, nil
}

func violationsOf(f *acp.Frame, rule wire.Rule) []wire.Violation {
	var list []wire.Violation
	for _, v := range f.Violations {
		if v.Rule == rule {
			list = append(list, v)
		}
	}
	return list
}

func without(list []wire.Violation, rule wire.Rule) []wire.Violation {
	return slices.DeleteFunc(list, func(v wire.Violation) bool { return v.Rule == rule })
}
