package model

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// side reads one branch of the root: the envelopes of one sender, or the protocol's own notifications in place.
func (t *methodTable) side(n *load.Node) {
	if handlers[n.Title] == nil {
		t.b.errorf(n.Pointer, "unknown side %q", n.Title)
		return
	}
	if len(n.AnyOf) == 0 {
		t.members(n, "jsonrpc", "method", "params")
		t.params(n, n.Title, notificationParams)
		return
	}
	t.members(n, "jsonrpc")
	for _, e := range n.AnyOf {
		name, ok := t.b.ref(e, nil)
		if !ok {
			t.b.errorf(e.Pointer, "expected the $ref of an envelope")
			continue
		}
		t.envelope(e, name, n.Title)
	}
}

// envelope reads the definition of one kind of message.
func (t *methodTable) envelope(at *load.Node, name, sender string) {
	n := t.b.in.Def(name)
	if !n.DocsIgnore {
		t.b.errorf(n.Pointer, "the envelope is not marked x-docs-ignore")
	}
	t.envelopes[name] = true
	switch at.Title {
	case "Request":
		t.members(n, "id", "method", "params")
		t.params(n, sender, requestParams)
	case "Notification":
		t.members(n, "method", "params")
		t.params(n, sender, notificationParams)
	case "Response":
		t.result(n, sender)
	default:
		t.b.errorf(at.Pointer, "unknown envelope %q", at.Title)
	}
}

// members checks that an envelope has the members that the connection, which is written by hand, knows.
func (t *methodTable) members(n *load.Node, want ...string) {
	var got []string
	for _, p := range n.Properties {
		got = append(got, p.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.b.errorf(n.Pointer, "the envelope has the members %s, expected %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// params reads the list under params: anyOf with the list and null.
func (t *methodTable) params(envelope *load.Node, sender string, r role) {
	p := envelope.Property("params")
	if p == nil || len(p.AnyOf) != 2 || len(p.AnyOf[0].AnyOf) == 0 || !isNull(p.AnyOf[1]) {
		t.b.errorf(envelope.Pointer, "expected params with a list of definitions, or null")
		return
	}
	t.list(p.AnyOf[0].AnyOf, sender, r)
}

// result reads the two branches of a response: a result with the list, and an error.
func (t *methodTable) result(envelope *load.Node, sender string) {
	if len(envelope.AnyOf) != 2 || envelope.AnyOf[0].Title != "Result" || envelope.AnyOf[1].Title != "Error" {
		t.b.errorf(envelope.Pointer, "expected the branches Result and Error")
		return
	}
	t.members(envelope.AnyOf[0], "id", "result")
	t.members(envelope.AnyOf[1], "error", "id")
	r := envelope.AnyOf[0].Property("result")
	if r == nil || len(r.AnyOf) == 0 {
		t.b.errorf(envelope.AnyOf[0].Pointer, "expected a result with a list of definitions")
		return
	}
	t.list(r.AnyOf, sender, requestResult)
}
