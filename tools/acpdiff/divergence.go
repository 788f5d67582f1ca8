package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// A divergence is a deliberate difference between the generated decoder, which rejects, and the schema, which accepts: nearly always in a union of which the
// decoder chooses one variant before it reads the value, by a documented rule, where the schema tries them all.
type divergence struct {
	// union is the definition whose instances it concerns; empty for numbers. members are those of them that the variants differ in; all if nil.
	union   string
	members []string
	// reason says by what rule the decoder chooses, and what the schema accepts besides.
	reason string
	// applies reports whether an instance of the union shows the difference: that the schema accepts it through another variant than the one that the
	// rule chooses.
	applies func(j *judge, v *mutate.Value) bool
	// instance of the definition def shows it, and is as short as can be.
	def, instance string
}

// divergences are all there are. Anything else is a bug.
var divergences = []*divergence{
	{
		union:  "McpServer",
		reason: `a "type" of "http" or "sse" decides; the schema also takes it for an unknown member of a stdio server`,
		applies: func(j *judge, v *mutate.Value) bool {
			return hasTag(v, "type", "http", "sse") && j.fits("McpServerStdio", v)
		},
		def: "NewSessionRequest", instance: `{"cwd":"","mcpServers":[{"type":"sse","name":"","command":"","args":[],"env":[]}]}`,
	},
	{
		union:  "AuthMethod",
		reason: `a "type" of "terminal" decides; the schema also takes it for an unknown member of a method that the agent handles`,
		applies: func(j *judge, v *mutate.Value) bool {
			return hasTag(v, "type", "terminal") && j.fits("AuthMethodAgent", v)
		},
		def: "InitializeResponse", instance: `{"protocolVersion":0,"authMethods":[{"type":"terminal","id":"","name":"","args":0}]}`,
	},
	{
		union: "SetSessionConfigOptionRequest", members: []string{"type", "value"},
		reason: `a "type" of "boolean" decides; the schema also takes it for an unknown member of a request with a string`,
		applies: func(_ *judge, v *mutate.Value) bool {
			value := v.Get("value")
			return hasTag(v, "type", "boolean") && value != nil && value.Kind == mutate.String
		},
		def: "SetSessionConfigOptionRequest", instance: `{"sessionId":"","configId":"","type":"boolean","value":""}`,
	},
	{
		union:  "MultiSelectItems",
		reason: `a "type" of "string" decides; the schema also takes it for an unknown member of titled items`,
		applies: func(j *judge, v *mutate.Value) bool {
			return hasTag(v, "type", "string") && j.fits("TitledMultiSelectItems", v)
		},
		def:      "CreateElicitationRequest",
		instance: `{"mode":"form","message":"","requestId":0,"requestedSchema":{"properties":{"":{"type":"array","items":{"type":"string","anyOf":[]}}}}}`,
	},
	{
		union:  "EmbeddedResourceResource",
		reason: `"text" decides, whatever it is; the schema also takes it for an unknown member of a blob`,
		applies: func(j *judge, v *mutate.Value) bool {
			return v.Get("text") != nil && j.fits("BlobResourceContents", v)
		},
		def: "PromptRequest", instance: `{"sessionId":"","prompt":[{"type":"resource","resource":{"text":0,"blob":"","uri":""}}]}`,
	},
	{
		union: "CreateElicitationRequest", members: []string{"sessionId", "toolCallId", "requestId"},
		reason: `"sessionId" decides on the scope, whatever it is; the schema also takes it for an unknown member of a request's scope`,
		applies: func(j *judge, v *mutate.Value) bool {
			return v.Get("sessionId") != nil && j.fits("ElicitationRequestScope", v)
		},
		def: "CreateElicitationRequest", instance: `{"mode":"","message":"","sessionId":0,"requestId":0}`,
	},
	{
		union: "SessionConfigSelectOptions",
		reason: `the first element decides: with "group" and "options" it is a group; the schema also takes those for unknown members of an option, ` +
			`if every element is one`,
		applies: func(j *judge, v *mutate.Value) bool {
			return len(v.Items) > 0 && v.Items[0].Get("group") != nil && v.Items[0].Get("options") != nil &&
				!slices.ContainsFunc(v.Items, func(item *mutate.Value) bool { return !j.fits("SessionConfigSelectOption", item) })
		},
		def:      "SetSessionConfigOptionResponse",
		instance: `{"configOptions":[{"type":"select","id":"","name":"","currentValue":"","options":[{"group":0,"options":0,"value":"","name":""}]}]}`,
	},
	{
		reason: "a number that no float64 can hold would become infinite; the schema takes a double for an annotation",
		applies: func(_ *judge, v *mutate.Value) bool {
			_, err := strconv.ParseFloat(v.Text, 64)
			return v.Kind == mutate.Number && errors.Is(err, strconv.ErrRange)
		},
		def:      "SessionNotification",
		instance: `{"sessionId":"","update":{"sessionUpdate":"usage_update","used":0,"size":0,"cost":{"amount":1e309,"currency":""}}}`,
	},
}

// explain looks for the divergences that explain all that the generated decoder finds wrong with an instance that the oracle accepts.
func (j *judge) explain(t target, raw []byte, violations []wire.Violation) ([]*divergence, *problem) {
	root, err := mutate.Parse(raw)
	if err != nil {
		return nil, problemf("rejects what the oracle accepts", "%v", err)
	}
	var all []*divergence
	var rest []wire.Violation
	for _, v := range violations {
		d := j.explanation(t, root, v)
		switch {
		case d == nil:
			rest = append(rest, v)
		case !slices.Contains(all, d):
			all = append(all, d)
		}
	}
	if rest != nil || violations == nil {
		return nil, problemf("rejects what the oracle accepts", "generated:%s", list(rest)).at(rest)
	}
	return all, nil
}

// explanation returns the divergence of an instance of a union that a violation lies in, or nil.
func (j *judge) explanation(t target, root *mutate.Value, v wire.Violation) *divergence {
	path := j.schema.Path(t.def, root, v.Pointer)
	for i, step := range path {
		for _, d := range j.table {
			concerned := d.concerns(path, i)
			if d.union == "" {
				concerned = i == len(path)-1 && step.Pointer == v.Pointer && step.Place.Admits("number")
			}
			if concerned && d.applies(j, step.Value) {
				return d
			}
		}
	}
	return nil
}

// concerns reports whether a path leads, with its step i, to an instance of the union, and then to what its variants differ in.
func (d *divergence) concerns(path []mutate.Step, i int) bool {
	if d.union == "" || !path[i].Place.Is(d.union) {
		return false
	}
	if d.members == nil || i == len(path)-1 {
		return true
	}
	return slices.Contains(d.members, strings.TrimPrefix(path[i+1].Pointer, path[i].Pointer+"/"))
}

// fits reports whether the oracle accepts a value as an instance of a definition.
func (j *judge) fits(def string, v *mutate.Value) bool {
	return j.oracle.Def(def, v.Append(nil)) == nil
}

// hasTag reports whether an object's member is one of some strings.
func hasTag(v *mutate.Value, name string, values ...string) bool {
	tag := v.Get(name)
	return tag != nil && tag.Kind == mutate.String && slices.Contains(values, tag.Content())
}
