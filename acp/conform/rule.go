package conform

import (
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
)

// site is where the pages of the specification are.
const site = "https://agentclientprotocol.com/protocol/"

// A Level is how the specification words a rule.
type Level string

// The levels.
const (
	// Must is MUST, MUST NOT, or "must" in plain words.
	Must Level = "MUST"
	// Should is SHOULD or SHOULD NOT.
	Should Level = "SHOULD"
	// Implied follows from the text, which has no normative word for it.
	Implied Level = "implied"
	// Ours is not in the text: an opinion, or a remark of the checker's own.
	Ours Level = "ours"
)

// A Rule is one thing that a side must or should do.
type Rule struct {
	// ID is short and stable, such as "TOOL-2".
	ID string
	// Level is how the specification words it.
	Level Level
	// Severity is that of its findings unless they say otherwise.
	Severity Severity
	// By is the side that can break it.
	By wire.Side
	// Doc is the rule in one sentence.
	Doc string
	// Page is the address of the page of the specification.
	Page string
	// Limit says what of the rule is not checked, and why. It is empty if all of it is.
	Limit string

	hooks []hook
}

// An UncheckedRule is a rule that no conversation can show to be broken.
type UncheckedRule struct {
	// ID, Doc and Page are those of a [Rule].
	ID, Doc, Page string
	// By is the side that can break it.
	By wire.Side
	// Why says what one would have to know.
	Why string
}

// A point is where in the life of a frame a rule looks at it.
type point uint8

const (
	onAny     point = iota // every valid frame
	onFault                // a frame that is invalid by itself; the key is the rule that it breaks
	onRequest              // a valid request or notification; the key is its method, or "" for all
	onResult               // a valid result; the key is the method of its request
	onFailure              // a valid error response; the key is the method of its request, or "" for all
	onUpdate               // a session/update; the key is a tag, or "" for all
	onEnd
)

// A hook runs a check at a point.
type hook struct {
	at    point
	key   string
	check func(x *step)
}

// params calls check with the params of the method.
func params[T any](method string, check func(x *step, p *T)) hook {
	return hook{onRequest, method, func(x *step) {
		if p, ok := any(x.f.Value).(*T); ok {
			check(x, p)
		}
	}}
}

// result calls check with the result of the method and the params of the request.
func result[P, R any](method string, check func(x *step, p *P, r *R)) hook {
	return hook{onResult, method, func(x *step) {
		r, ok := any(x.f.Value).(*R)
		p, asked := any(x.req.params).(*P)
		if ok && asked {
			check(x, p, r)
		}
	}}
}

// failure calls check for each error response to the method; an empty method is any.
func failure(method string, check func(x *step)) hook { return hook{onFailure, method, check} }

// update calls check for each session/update of type T.
func update[T any](tag string, check func(x *step, u *T)) hook {
	return hook{onUpdate, tag, func(x *step) {
		if u, ok := any(x.update).(*T); ok {
			check(x, u)
		}
	}}
}

// anyUpdate calls check for each session/update.
func anyUpdate(check func(x *step)) hook { return hook{onUpdate, "", check} }

// anyFrame calls check for each valid frame.
func anyFrame(check func(x *step)) hook { return hook{onAny, "", check} }

// anyRequest calls check for each valid request and notification.
func anyRequest(check func(x *step)) hook { return hook{onRequest, "", check} }

// atEnd calls check once the conversation is over.
func atEnd(check func(x *step)) hook { return hook{onEnd, "", check} }

// fault reports frames that are invalid by themselves and were put down to the rule with this id.
func fault(id string) hook {
	return hook{onFault, id, func(x *step) { x.reportFault() }}
}

// A bound is a hook and its rule.
type bound struct {
	rule  *Rule
	check func(x *step)
}

// A table finds the hooks for a frame. It is not changed once made.
type table struct {
	any, end                                   []bound
	fault, request, result, failure, updateFor map[string][]bound
}

var allRules = slices.Concat(transportRules, initRules, sessionRules, pathRules, turnRules, cancelRules, permissionRules, toolRules, fileRules, terminalRules,
	modeRules, configRules, updateRules, extensionRules, elicitationRules, authRules, listRules, deleteRules, ownRules)

// newTable binds the rules that the options leave on.
func newTable(on func(*Rule) bool) *table {
	t := &table{fault: map[string][]bound{}, request: map[string][]bound{}, result: map[string][]bound{}, failure: map[string][]bound{}, updateFor: map[string][]bound{}}
	for i := range allRules {
		r := &allRules[i]
		if !on(r) {
			continue
		}
		for _, h := range r.hooks {
			b := bound{r, h.check}
			switch h.at {
			case onAny:
				t.any = append(t.any, b)
			case onFault:
				t.fault[h.key] = append(t.fault[h.key], b)
			case onRequest:
				t.request[h.key] = append(t.request[h.key], b)
			case onResult:
				t.result[h.key] = append(t.result[h.key], b)
			case onFailure:
				t.failure[h.key] = append(t.failure[h.key], b)
			case onUpdate:
				t.updateFor[h.key] = append(t.updateFor[h.key], b)
			case onEnd:
				t.end = append(t.end, b)
			}
		}
	}
	return t
}

// run runs the hooks that concern a frame.
func (t *table) run(x *step) {
	if x.fault != "" {
		x.runAll(t.fault[x.fault])
	}
	if !x.sound() {
		return
	}
	x.runAll(t.any)
	if x.foreign {
		return
	}
	switch x.f.Kind {
	case acp.KindRequest, acp.KindNotification:
		x.runAll(t.request[""])
		x.runAll(t.request[x.f.Method])
		if x.update != nil {
			x.runAll(t.updateFor[""])
			x.runAll(t.updateFor[x.tag])
		}
	case acp.KindResponse:
		if x.req != nil {
			x.runAll(t.result[x.req.name])
		}
	case acp.KindError:
		if x.req != nil {
			x.runAll(t.failure[""])
			x.runAll(t.failure[x.req.name])
		}
	case acp.KindUnknown:
	}
}

func (x *step) runAll(list []bound) {
	for _, b := range list {
		x.rule = b.rule
		b.check(x)
	}
}

// Rules returns all rules that are checked, in the order of the specification's areas.
func Rules() []Rule {
	rules := slices.Clone(allRules)
	for i := range rules {
		rules[i].hooks = nil
	}
	return rules
}

// Explain returns the rule with this id.
func Explain(id string) (Rule, bool) {
	i := slices.IndexFunc(allRules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	r := allRules[i]
	r.hooks = nil
	return r, true
}

// Unchecked returns the rules that cannot be checked from the frames of one connection, and why.
func Unchecked() []UncheckedRule { return slices.Clone(uncheckedRules) }
