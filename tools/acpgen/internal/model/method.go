package model

import (
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// A role is what a definition is to its method.
type role string

const (
	requestParams      role = "params of a request"
	requestResult      role = "result of a request"
	notificationParams role = "params of a notification"
)

// handlers tell which side handles what stands in the envelopes of each root branch: the peer handles requests and notifications,
// and the sender's own results answer what it handles itself.
var handlers = map[string]map[role]Side{
	"Agent":         {requestParams: SideClient, requestResult: SideAgent, notificationParams: SideClient},
	"Client":        {requestParams: SideAgent, requestResult: SideClient, notificationParams: SideAgent},
	"ProtocolLevel": {notificationParams: SideProtocol},
	"Proxy":         {requestParams: SideProxy, requestResult: SideProxy, notificationParams: SideProxy},
}

// methods reads the method table from the lists in the JSON-RPC envelopes at the root. A name can be there twice, as a request and as
// a notification, or once for each side.
func (b *builder) methods() {
	t := &methodTable{b: b, envelopes: map[string]bool{}, listed: map[string]bool{}}
	root := b.in.Root
	if len(root.AnyOf) == 0 {
		b.errorf(root.Pointer, "expected anyOf with the envelopes of each side")
	}
	b.only(root, "the root", nil, "$schema", "$defs", "anyOf")
	for _, n := range root.AnyOf {
		t.side(n)
	}
	for _, d := range b.in.Defs {
		if d.Node.DocsIgnore && !t.envelopes[d.Name] {
			b.errorf(d.Node.Pointer, "x-docs-ignore on a definition that is no envelope: it would get no type")
		}
		if d.Node.Method == "" && d.Node.Side != "" {
			b.errorf(d.Node.Pointer, "x-side without x-method")
		}
		if d.Node.Method != "" && !t.listed[d.Name] {
			b.errorf(d.Node.Pointer, "x-method %q, but no envelope lists the definition", d.Node.Method)
		}
	}
	t.complete()
}

// A methodTable collects methods from the envelopes.
type methodTable struct {
	b       *builder
	entries []*methodEntry
	// envelopes and listed are the names of the definitions seen in each place.
	envelopes, listed map[string]bool
}

// A methodEntry is a method being collected, with the place that named it first.
type methodEntry struct {
	method       Method
	notification bool
	pointer      string
}

func (t *methodTable) list(branches []*load.Node, sender string, r role) {
	for _, n := range branches {
		name, ok := t.b.ref(n, nil)
		if !ok {
			t.b.errorf(n.Pointer, "expected the $ref of a definition with x-method")
			continue
		}
		d := t.b.in.Def(name)
		if isExt(&load.Property{Name: name, Node: d}) {
			continue
		}
		t.add(n, name, d, sender, r)
	}
}

// add records what a definition is to its method.
func (t *methodTable) add(n *load.Node, name string, d *load.Node, sender string, r role) {
	if d.Method == "" || d.Side == "" {
		t.b.errorf(d.Pointer, "listed at %s, but has no x-method and x-side", n.Pointer)
		return
	}
	side := Side(d.Side)
	if want, ok := handlers[sender][r]; !ok || want != side {
		t.b.errorf(d.Pointer, "x-side is %q, but it is listed as the %s that side %s sends", side, r, sender)
	}
	if t.listed[name] {
		t.b.errorf(n.Pointer, "%q is listed twice", name)
		return
	}
	t.listed[name] = true
	e := t.entry(d.Method, side, r == notificationParams, d.Pointer)
	field := &e.method.Params
	if r == requestResult {
		field = &e.method.Result
	}
	if *field != "" {
		t.b.errorf(d.Pointer, "%q is the %s of %q already", *field, r, d.Method)
	}
	*field = name
}

func (t *methodTable) entry(name string, side Side, notification bool, pointer string) *methodEntry {
	i := slices.IndexFunc(t.entries, func(e *methodEntry) bool {
		return e.method.Name == name && e.method.Side == side && e.notification == notification
	})
	if i >= 0 {
		return t.entries[i]
	}
	e := &methodEntry{method: Method{Name: name, Side: side}, notification: notification, pointer: pointer}
	t.entries = append(t.entries, e)
	return e
}

// complete checks that every request has both halves and hands the methods over.
func (t *methodTable) complete() {
	for _, e := range t.entries {
		if !e.notification && (e.method.Params == "" || e.method.Result == "") {
			t.b.errorf(e.pointer, "the request %q has params %q and result %q: one is missing", e.method.Name, e.method.Params, e.method.Result)
		}
		t.b.out.Methods = append(t.b.out.Methods, &e.method)
	}
}
