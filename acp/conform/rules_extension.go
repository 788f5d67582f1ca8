package conform

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var extensionRules = []Rule{
	{ID: "EXT-1", Level: Must, Severity: Warning, By: wire.BothSides, Page: site + "extensibility",
		Doc:   "Custom fields stand in _meta, not beside the fields of the protocol.",
		Limit: "A field of a later revision of the schema looks the same, so that findings are warnings. Each field is reported once.",
		hooks: []hook{anyFrame(unknownFields)}},
	{ID: "EXT-2", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "extensibility",
		Doc: "Names of custom methods start with an underscore.", hooks: []hook{fault("EXT-2")}},
	{ID: "EXT-3", Level: Should, Severity: Warning, By: wire.BothSides, Page: site + "extensibility",
		Doc: "The keys traceparent, tracestate and baggage of _meta hold W3C trace context.", hooks: []hook{anyFrame(traceContext)}},
	{ID: "EXT-4", Level: Must, Severity: Warning, By: wire.BothSides, Page: site + "schema",
		Doc:   "Names of custom variants start with an underscore.",
		Limit: "A variant of a later revision of the schema looks the same, so that findings are warnings.",
		hooks: []hook{
			params(acpv1.MethodCreateElicitation, customElicitation),
			result(acpv1.MethodCreateElicitation, customAction),
			update(tagNotice, func(x *step, u *acpv1.Notice) {
				x.custom("/params/update/severity", string(u.Severity), u.Severity.Known())
			}),
			update(tagCompaction, func(x *step, u *acpv1.CompactionUpdate) {
				x.custom("/params/update/status", string(u.Status), u.Status.Known())
			}),
		}},
}

func unknownFields(x *step) {
	if x.f.Unknown == 0 || x.foreign {
		return
	}
	name := x.f.Method
	if x.req != nil {
		name = x.req.name
	}
	if x.f.Spec == nil && !x.f.IsResponse() || x.f.IsResponse() && (x.req == nil || x.req.method == nil) {
		name = "envelope"
	}
	for _, p := range x.f.UnknownPointers {
		if x.st.once("field "+x.from.String()+name+shape(p)+x.tag, x.n) {
			x.report(p, 0, "%q is not a field of the protocol", p[strings.LastIndexByte(p, '/')+1:])
		}
	}
}

// shape replaces the indices in a pointer.
func shape(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "N"
		}
	}
	return strings.Join(parts, "/")
}

func (x *step) custom(pointer, tag string, known bool) {
	if !known && !strings.HasPrefix(tag, "_") {
		x.report(pointer, 0, "%q is not known and does not start with an underscore", tag)
	}
}

func customElicitation(x *step, p *acpv1.CreateElicitationRequest) {
	switch m := p.Mode.(type) {
	case *acpv1.UnknownElicitationMode:
		x.custom("/params/mode", m.Tag, false)
	case *acpv1.ElicitationFormMode:
		for _, name := range slices.Sorted(maps.Keys(m.RequestedSchema.Properties)) {
			if u, ok := m.RequestedSchema.Properties[name].(*acpv1.UnknownElicitationPropertySchema); ok {
				x.custom("/params/requestedSchema/properties/"+escapePointer(name)+"/type", u.Tag, false)
			}
		}
	case *acpv1.ElicitationURLMode:
	}
}

func customAction(x *step, _ *acpv1.CreateElicitationRequest, r *acpv1.CreateElicitationResponse) {
	if u, ok := r.Action.(*acpv1.UnknownElicitationAction); ok {
		x.custom("/result/action", u.Tag, false)
	}
}

// metaKey begins with what is rarer in frames than a quotation mark, which makes the search for it fast.
var metaKey = []byte(`_meta"`)

// traceContext looks into the _meta of params and of results.
func traceContext(x *step) {
	if x.foreign || x.f.Kind == acp.KindError || !bytes.Contains(x.f.Raw, metaKey) {
		return
	}
	root := "/params/_meta/"
	if x.f.IsResponse() {
		root = "/result/_meta/"
	}
	values := metaTrace(x.f.Raw)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if why := traceFault(key, values[key]); why != "" {
			x.report(root+key, 0, "%s", why)
		}
	}
}

// metaTrace returns the keys of trace context in the _meta of an object, with their JSON values.
func metaTrace(body []byte) map[string][]byte {
	d := wire.NewDecoder(body, nil)
	defer d.Release()
	found := map[string][]byte{}
	eachMember(d, func(name string) {
		if name != "_meta" || d.Peek() != '{' {
			d.Skip()
			return
		}
		eachMember(d, func(key string) {
			at := d.Start()
			d.Skip()
			switch key {
			case "traceparent", "tracestate", "baggage":
				found[key] = body[at:d.Offset()]
			}
		})
	})
	return found
}

// eachMember calls f before the value of each member of the object that comes next; f must read it.
func eachMember(d *wire.Decoder, f func(name string)) {
	if d.Peek() != '{' {
		d.Skip()
		return
	}
	o, ok := d.Object("")
	if !ok {
		return
	}
	for d.Key(&o) {
		name := string(o.Name)
		f(name)
	}
	d.End(&o)
}

// traceFault says what is wrong with a value of trace context.
func traceFault(key string, value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return "not a string"
	}
	s := string(value[1 : len(value)-1])
	if key != "traceparent" {
		if !strings.Contains(s, "=") {
			return "not a list of key=value"
		}
		return ""
	}
	parts := strings.Split(s, "-")
	if len(parts) < 4 || !isHex(parts[0], 2) || !isHex(parts[1], 32) || !isHex(parts[2], 16) || !isHex(parts[3], 2) || parts[0] == "ff" {
		return "not a traceparent: version, trace id, parent id and flags in hexadecimal"
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "a trace id or parent id of zeros"
	}
	return ""
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
