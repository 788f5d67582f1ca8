package conform

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var elicitationRules = []Rule{
	{ID: "ELI-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "elicitation",
		Doc: "Elicitation uses a mode that the client advertises.", hooks: []hook{params(acpv1.MethodCreateElicitation, modeUnadvertised)}},
	{ID: "ELI-2", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "elicitation",
		Doc:   "Elicitation by a mode that the client does not advertise is answered with -32602.",
		hooks: []hook{result(acpv1.MethodCreateElicitation, modeAccepted), failure(acpv1.MethodCreateElicitation, modeRefused)}},
	{ID: "ELI-3", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "elicitation",
		Doc: "Elicitation belongs to an open session, and a call of it, or to a request that waits.", hooks: []hook{params(acpv1.MethodCreateElicitation, scopeUnknown)}},
	{ID: "ELI-4", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "elicitation",
		Doc: "Elicitations by URL that are open at the same time have different ids.", hooks: []hook{params(acpv1.MethodCreateElicitation, sameElicitation)}},
	{ID: "ELI-5", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "elicitation",
		Doc:   "Only an open elicitation by URL of this connection is completed.",
		Limit: "Whether one that was declined, cancelled or refused is still open, the text does not say, so that its completion is a warning.",
		hooks: []hook{params(acpv1.MethodCompleteElicitation, completesNothing)}},
	{ID: "ELI-6", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "elicitation",
		Doc:   "The client ignores the completion of an elicitation that it does not know.",
		Limit: "That it answers with an error is on the wire; what else it does is not.",
		hooks: []hook{fault("ELI-6")}},
	{ID: "ELI-7", Level: Should, Severity: Warning, By: wire.ClientSide, Page: site + "elicitation",
		Doc:   "What is accepted fits the schema that was asked for.",
		Limit: "Patterns and formats are not checked: the dialect of patterns is not Go's.",
		hooks: []hook{result(acpv1.MethodCreateElicitation, contentMisfit)}},
	{ID: "ELI-8", Level: Must, Severity: Warning, By: wire.AgentSide, Page: site + "elicitation",
		Doc:   "A requested schema is an object with properties, and what it requires is one of them.",
		Limit: "The schema lets the type be left out, so that findings are warnings.",
		hooks: []hook{params(acpv1.MethodCreateElicitation, schemaIncomplete)}},
	{ID: "ELI-9", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "elicitation",
		Doc: "The address of an elicitation is a valid URL without credentials, and HTTPS outside of development.", hooks: []hook{params(acpv1.MethodCreateElicitation, badURL)}},
}

// elicitationMode returns the name of the mode and whether the client advertises it.
func (st *state) elicitationMode(p *acpv1.CreateElicitationRequest) (name string, advertised bool) {
	switch m := p.Mode.(type) {
	case *acpv1.ElicitationFormMode:
		return "form", st.elicits(false)
	case *acpv1.ElicitationURLMode:
		return "url", st.elicits(true)
	case *acpv1.UnknownElicitationMode:
		return m.Tag, strings.HasPrefix(m.Tag, "_") // its capability is not one of the protocol's
	}
	return "", true
}

func modeUnadvertised(x *step, p *acpv1.CreateElicitationRequest) {
	if name, ok := x.st.elicitationMode(p); x.st.knowsClient && !ok {
		x.report("/params/mode", x.st.handshake.request, "the client does not advertise elicitation by %s", name)
	}
}

func modeAccepted(x *step, p *acpv1.CreateElicitationRequest, _ *acpv1.CreateElicitationResponse) {
	if name, ok := x.st.elicitationMode(p); x.st.knowsClient && !ok {
		x.report("/result", x.req.n, "elicitation by %s, which the client does not advertise, has a result", name)
	}
}

func modeRefused(x *step) {
	p, ok := x.req.params.(*acpv1.CreateElicitationRequest)
	if !ok || !x.st.knowsClient || x.f.Error.Code == acp.CodeInvalidParams {
		return
	}
	if c := x.st.clientCaps; c == nil || c.Elicitation == nil {
		return // such a client need not know the method
	}
	if name, advertised := x.st.elicitationMode(p); !advertised {
		x.report("/error/code", x.req.n, "elicitation by %s, which the client does not advertise, is answered with %d, not %d", name, x.f.Error.Code, acp.CodeInvalidParams)
	}
}

func scopeOf(p *acpv1.CreateElicitationRequest) acpv1.ElicitationScope {
	switch m := p.Mode.(type) {
	case *acpv1.ElicitationFormMode:
		return m.Scope
	case *acpv1.ElicitationURLMode:
		return m.Scope
	case *acpv1.UnknownElicitationMode:
		return m.Scope
	}
	return nil
}

func scopeUnknown(x *step, p *acpv1.CreateElicitationRequest) {
	switch scope := scopeOf(p).(type) {
	case *acpv1.ElicitationSessionScope:
		s := x.sess
		if s != nil && scope.ToolCallID != nil && !s.gaps && !s.doneCalls.forgot && s.find(*scope.ToolCallID) == 0 {
			x.report("/params/toolCallId", 0, "the call %q was not announced", *scope.ToolCallID)
		}
	case *acpv1.ElicitationRequestScope:
		if x.st.side(wire.ClientSide).pending[scope.RequestID.Key()] == nil && !x.c.opts.Partial {
			x.report("/params/requestId", 0, "no request %s of the client waits for its answer", scope.RequestID)
		}
	}
	if bytesHas(x.f.Raw, "sessionId") && bytesHas(x.f.Raw, "requestId") && hasBoth(x.f.Raw) {
		x.report("/params", 0, "both a session and a request")
	}
}

// hasBoth reports whether an object has the members of both scopes.
func hasBoth(body []byte) bool {
	d := wire.NewDecoder(body, nil)
	defer d.Release()
	n := 0
	eachMember(d, func(name string) {
		if name == "sessionId" || name == "requestId" {
			n++
		}
		d.Skip()
	})
	return n > 1
}

func bytesHas(b []byte, name string) bool { return strings.Contains(string(b), `"`+name+`"`) }

func sameElicitation(x *step, p *acpv1.CreateElicitationRequest) {
	if m, ok := p.Mode.(*acpv1.ElicitationURLMode); ok {
		if e := x.st.elicitations[string(m.ElicitationID)]; e != nil {
			x.report("/params/elicitationId", e.n, "%q is the id of an elicitation that is open", m.ElicitationID)
		}
	}
}

func completesNothing(x *step, n *acpv1.CompleteElicitationNotification) {
	id := string(n.ElicitationID)
	if x.st.elicitations[id] != nil || x.c.opts.Partial {
		return
	}
	last, over := x.st.completed.get(id)
	switch {
	case over && last.turnedDown:
		x.doubt("/params/elicitationId", last.n, "the elicitation %q was not accepted", id)
	case over:
		x.report("/params/elicitationId", last.n, "the elicitation %q was over", id)
	case !x.st.completed.forgot:
		x.report("/params/elicitationId", 0, "there was no elicitation %q by URL", id)
	}
}

func contentMisfit(x *step, p *acpv1.CreateElicitationRequest, r *acpv1.CreateElicitationResponse) {
	accept, ok := r.Action.(*acpv1.ElicitationAcceptAction)
	form, isForm := p.Mode.(*acpv1.ElicitationFormMode)
	if !ok || !isForm {
		return
	}
	for _, name := range form.RequestedSchema.Required {
		if _, has := accept.Content[name]; !has {
			x.report("/result/content", x.req.n, "%q is required", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(accept.Content)) {
		schema, known := form.RequestedSchema.Properties[name]
		why := "not a property that was asked for"
		if known {
			why = misfit(schema, accept.Content[name])
		}
		if why != "" {
			x.report("/result/content/"+escapePointer(name), x.req.n, "%s", why)
		}
	}
}

// misfit says why the value does not fit the property's schema; "" if it does.
func misfit(schema acpv1.ElicitationPropertySchema, v acpv1.ElicitationContentValue) string {
	switch s := schema.(type) {
	case *acpv1.StringPropertySchema:
		return misfitString(s, v)
	case *acpv1.NumberPropertySchema:
		switch n := v.(type) {
		case acpv1.ElicitationNumber:
			return outOfRange(float64(n), s.Minimum, s.Maximum)
		case acpv1.ElicitationInteger:
			return outOfRange(float64(n), s.Minimum, s.Maximum)
		case acpv1.ElicitationString, acpv1.ElicitationBoolean, acpv1.ElicitationStrings:
		}
		return "not a number"
	case *acpv1.IntegerPropertySchema:
		switch n := v.(type) {
		case acpv1.ElicitationInteger:
			return outOfRange(int64(n), s.Minimum, s.Maximum)
		case acpv1.ElicitationNumber:
			if f := float64(n); f == float64(int64(f)) {
				return outOfRange(int64(f), s.Minimum, s.Maximum)
			}
		case acpv1.ElicitationString, acpv1.ElicitationBoolean, acpv1.ElicitationStrings:
		}
		return "not an integer"
	case *acpv1.BooleanPropertySchema:
		if _, ok := v.(acpv1.ElicitationBoolean); !ok {
			return "not a boolean"
		}
	case *acpv1.MultiSelectPropertySchema:
		return misfitList(s, v)
	case *acpv1.UnknownElicitationPropertySchema:
	}
	return ""
}

func misfitString(s *acpv1.StringPropertySchema, v acpv1.ElicitationContentValue) string {
	text, ok := v.(acpv1.ElicitationString)
	if !ok {
		return "not a string"
	}
	n := int64(len([]rune(string(text))))
	if s.MinLength != nil && n < int64(*s.MinLength) || s.MaxLength != nil && n > int64(*s.MaxLength) {
		return "too short or too long"
	}
	offered := slices.Clone(s.Enum)
	for _, o := range s.OneOf {
		offered = append(offered, o.Const)
	}
	if len(offered) > 0 && !slices.Contains(offered, string(text)) {
		return "not one of the values offered"
	}
	return ""
}

func misfitList(s *acpv1.MultiSelectPropertySchema, v acpv1.ElicitationContentValue) string {
	list, ok := v.(acpv1.ElicitationStrings)
	if !ok {
		return "not a list of strings"
	}
	if s.MinItems != nil && uint64(len(list)) < *s.MinItems || s.MaxItems != nil && uint64(len(list)) > *s.MaxItems {
		return "too few or too many items"
	}
	var offered []string
	switch items := s.Items.(type) {
	case *acpv1.StringMultiSelectItems:
		offered = items.Enum
	case *acpv1.TitledMultiSelectItems:
		for _, o := range items.AnyOf {
			offered = append(offered, o.Const)
		}
	case *acpv1.UnknownMultiSelectItems:
		return ""
	}
	if slices.ContainsFunc(list, func(item string) bool { return !slices.Contains(offered, item) }) {
		return "an item that was not offered"
	}
	return ""
}

func outOfRange[T cmp.Ordered](n T, low, high *T) string {
	if low != nil && n < *low || high != nil && n > *high {
		return "out of range"
	}
	return ""
}

func schemaIncomplete(x *step, p *acpv1.CreateElicitationRequest) {
	form, ok := p.Mode.(*acpv1.ElicitationFormMode)
	if !ok {
		return
	}
	const at = "/params/requestedSchema"
	s := form.RequestedSchema
	if s.Type == nil {
		x.report(at, 0, `the type "object" is missing`)
	}
	if s.Properties == nil {
		x.report(at, 0, "properties are missing")
	}
	for i, name := range s.Required {
		if _, has := s.Properties[name]; !has {
			x.report(index(at+"/required", i), 0, "%q is not a property", name)
		}
	}
}

func badURL(x *step, p *acpv1.CreateElicitationRequest) {
	m, ok := p.Mode.(*acpv1.ElicitationURLMode)
	if !ok {
		return
	}
	u, err := url.Parse(m.URL)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && (u.Scheme == "https" || u.Scheme == "http"):
		x.report("/params/url", 0, "not a valid URL")
		return
	case u.User != nil:
		x.report("/params/url", 0, "the URL carries credentials")
	}
	if host := u.Hostname(); u.Scheme != "https" && host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.") {
		x.doubt("/params/url", 0, "the scheme is %q, not https", u.Scheme)
	}
}
