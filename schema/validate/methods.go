package validate

import (
	"strconv"
)

// A Kind says whether a method is answered.
type Kind string

// The kinds of methods.
const (
	// KindRequest is for methods that have a result.
	KindRequest Kind = "request"
	// KindNotification is for methods that have none.
	KindNotification Kind = "notification"
)

// A Method is one method of the protocol. The same name may stand for a request and a notification in unstable surfaces.
type Method struct {
	// Name is the method as on the wire, such as "session/prompt".
	Name string
	// Side is who handles it: "agent", "client", "proxy", or "protocol" for both.
	Side string
	// Kind is request or notification.
	Kind Kind
	// Params is the $defs entry of the params.
	Params string
	// Result is the $defs entry of the result, empty for notifications.
	Result string
}

// A messageList is a list of definitions in an envelope: what the x-method of a definition stands for.
type messageList struct {
	defs    []string
	pointer string
}

// A methodReader reads the method table from the envelopes, because x-method alone does not tell params from result.
type methodReader struct {
	defs map[string]any
	// The lists by the title of the envelope in the root's list of messages.
	requests, responses, notifications []messageList
	methods                            []Method
	used                               map[string]bool
}

// readMethods returns the methods of a schema, in its order: requests of every side, then notifications. A schema
// without messages at its root has none.
func readMethods(root map[string]any) ([]Method, error) {
	r := &methodReader{used: map[string]bool{}}
	r.defs, _ = root["$defs"].(map[string]any)
	sides, _ := root["anyOf"].([]any)
	for i, side := range sides {
		if err := r.side(side, "/anyOf/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	if err := r.link(); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(r.defs) {
		if m, _ := r.defs[name].(map[string]any); m["x-method"] != nil && !r.used[name] {
			return nil, schemaErrorf("/$defs/"+escapeToken(name), "method %s is in no list of messages", show(m["x-method"]))
		}
	}
	return r.methods, nil
}

// side reads one sender's messages: three envelopes, or notifications written out.
func (r *methodReader) side(node any, pointer string) error {
	m, _ := node.(map[string]any)
	envelopes, _ := m["anyOf"].([]any)
	if envelopes == nil {
		return r.add(&r.notifications, m, "params", pointer)
	}
	for i, envelope := range envelopes {
		at := pointer + "/anyOf/" + strconv.Itoa(i)
		e, _ := envelope.(map[string]any)
		name := soleRef(e)
		def, _ := r.defs[name].(map[string]any)
		in := "/$defs/" + escapeToken(name)
		var err error
		switch e["title"] {
		case "Request":
			err = r.add(&r.requests, def, "params", in)
		case "Notification":
			err = r.add(&r.notifications, def, "params", in)
		case "Response":
			err = r.response(def, in)
		default:
			err = schemaErrorf(at, "a message that is no Request, Response or Notification: title %s", show(e["title"]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *methodReader) response(def map[string]any, pointer string) error {
	kinds, _ := def["anyOf"].([]any)
	for i, kind := range kinds {
		if k, _ := kind.(map[string]any); k["title"] == "Result" {
			return r.add(&r.responses, k, "result", pointer+"/anyOf/"+strconv.Itoa(i))
		}
	}
	return schemaErrorf(pointer, "a Response without a Result")
}

// add collects the definitions listed for a property of an envelope.
func (r *methodReader) add(to *[]messageList, envelope map[string]any, property, pointer string) error {
	properties, _ := envelope["properties"].(map[string]any)
	list := messageList{pointer: pointer + "/properties/" + property}
	list.defs = listed(properties[property])
	if len(list.defs) == 0 {
		return schemaErrorf(list.pointer, "no messages")
	}
	*to = append(*to, list)
	return nil
}

// listed returns the definitions in nested lists of alternatives.
func listed(node any) []string {
	m, _ := node.(map[string]any)
	if name := soleRef(m); name != "" {
		return []string{name}
	}
	var names []string
	alternatives, _ := m["anyOf"].([]any)
	for _, alternative := range alternatives {
		names = append(names, listed(alternative)...)
	}
	return names
}

// soleRef returns the definition that a schema refers to, directly or as the only entry of allOf, or "".
func soleRef(m map[string]any) string {
	if all, ok := m["allOf"].([]any); ok && len(all) == 1 {
		m, _ = all[0].(map[string]any)
	}
	name, _ := refName(m["$ref"])
	return name
}

// link builds the methods: a request's result is the response with the same method.
func (r *methodReader) link() error {
	results := map[string]string{}
	err := r.each(r.responses, func(name, method, _ string) error {
		if other, ok := results[method]; ok {
			return schemaErrorf("/$defs/"+escapeToken(name), "method %q has the results %s and %s", method, other, name)
		}
		results[method] = name
		return nil
	})
	if err != nil {
		return err
	}
	err = r.each(r.requests, func(name, method, side string) error {
		result, ok := results[method]
		if !ok {
			return schemaErrorf("/$defs/"+escapeToken(name), "request %q has no result", method)
		}
		return r.method(Method{Name: method, Side: side, Kind: KindRequest, Params: name, Result: result})
	})
	if err != nil {
		return err
	}
	return r.each(r.notifications, func(name, method, side string) error {
		return r.method(Method{Name: method, Side: side, Kind: KindNotification, Params: name})
	})
}

func (r *methodReader) method(m Method) error {
	if _, ok := findMethod(r.methods, m.Kind, m.Name); ok {
		return schemaErrorf("/$defs/"+escapeToken(m.Params), "%s %q has two definitions of its params", m.Kind, m.Name)
	}
	r.methods = append(r.methods, m)
	return nil
}

// each visits the definitions of lists that belong to a method. One without a method is for extensions and must accept anything.
func (r *methodReader) each(lists []messageList, visit func(name, method, side string) error) error {
	for _, list := range lists {
		for _, name := range list.defs {
			def, _ := r.defs[name].(map[string]any)
			method, _ := def["x-method"].(string)
			side, _ := def["x-side"].(string)
			if method == "" && onlyKeys(def) {
				continue
			}
			if method == "" || side == "" {
				return schemaErrorf(list.pointer, "message %s has no x-method and x-side", name)
			}
			r.used[name] = true
			if err := visit(name, method, side); err != nil {
				return err
			}
		}
	}
	return nil
}

func findMethod(methods []Method, kind Kind, name string) (Method, bool) {
	for _, m := range methods {
		if m.Kind == kind && m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}
