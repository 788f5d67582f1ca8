package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A view is an [acp.Tap] that makes one short line of each frame that the client receives: "< METHOD PARAMS" or "= METHOD RESULT". What is the same in every frame
// is left out, and so are cancellations of calls that may have been answered already.
type view struct {
	mu      sync.Mutex
	methods map[string]string // of requests, by id
	dir     string            // the name of a directory, which is left out
	buf     strings.Builder
}

type frame struct {
	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage
}

// Sent notes which method an answer will belong to.
func (v *view) Sent(line []byte) {
	f := parse(line)
	v.mu.Lock()
	defer v.mu.Unlock()
	if f.Method != "" && f.ID != nil {
		v.methods[string(f.ID)] = f.Method
	}
}

// Received adds a line to the view.
func (v *view) Received(line []byte) {
	f := parse(line)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case f.Method == acpv1.MethodCancelRequest:
	case f.Method != "":
		fmt.Fprintf(&v.buf, "  < %s %s\n", f.Method, short(f.Params))
	case f.Error != nil:
		fmt.Fprintf(&v.buf, "  = %s error %s\n", v.methods[string(f.ID)], f.Error)
	default:
		fmt.Fprintf(&v.buf, "  = %s %s\n", v.methods[string(f.ID)], short(f.Result))
	}
}

func (v *view) take() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.buf.Reset()
	if v.dir == "" {
		return v.buf.String()
	}
	return strings.ReplaceAll(v.buf.String(), v.dir, "DIR")
}

// A checkedView is a view that also checks the conversation.
type checkedView struct {
	*view
	rules   *conform.Tap
	crashed bool // the agent was made to leave questions open
}

func (v *checkedView) Sent(line []byte) {
	v.rules.Sent(line)
	v.view.Sent(line)
}

func (v *checkedView) Received(line []byte) {
	v.rules.Received(line)
	v.view.Received(line)
}

func parse(line []byte) frame {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		f.Error = fmt.Appendf(nil, "%q: %v", line, err)
	}
	return f
}

// abbreviations stand for values that are the same wherever they are.
var abbreviations = strings.NewReplacer(
	text(wireCommands()), `"COMMANDS"`, text(wireModes()), `"MODES"`, text(wireChoices()), `"OPTIONS"`,
	`"sessionId":"session-1",`, ``, `"sessionUpdate":`, ``,
)

func wireCommands() []acpv1.AvailableCommand {
	var list []acpv1.AvailableCommand
	for _, c := range commandList() {
		a := acpv1.AvailableCommand{Name: c.name, Description: c.about}
		if c.hint != "" {
			a.Input = &acpv1.UnstructuredCommandInput{Hint: c.hint}
		}
		list = append(list, a)
	}
	return list
}

func wireModes() []acpv1.SessionMode {
	var list []acpv1.SessionMode
	for _, m := range new(engine).Modes(nil) {
		list = append(list, acpv1.SessionMode{ID: acpv1.SessionModeID(m.ID), Name: m.Name, Description: &m.Description})
	}
	return list
}

// wireChoices are the options of a permission that can be given for good.
func wireChoices() []acpv1.PermissionOption {
	return []acpv1.PermissionOption{
		{OptionID: "allow_once", Name: "Allow", Kind: acpv1.PermissionOptionKindAllowOnce},
		{OptionID: "allow_always", Name: "Always allow", Kind: acpv1.PermissionOptionKindAllowAlways},
		{OptionID: "reject_once", Name: "Reject", Kind: acpv1.PermissionOptionKindRejectOnce},
		{OptionID: "reject_always", Name: "Always reject", Kind: acpv1.PermissionOptionKindRejectAlways},
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// short is a body with its abbreviations, and config options as nothing but their values.
func short(body json.RawMessage) string {
	var any map[string]json.RawMessage
	if json.Unmarshal(body, &any) == nil {
		if update, ok := any["update"]; ok {
			any["update"] = json.RawMessage(shortOptions(update))
			body = json.RawMessage(text(any))
		}
	}
	return abbreviations.Replace(string(bytes.TrimSpace([]byte(shortOptions(body)))))
}

func shortOptions(body json.RawMessage) string {
	var holder struct{ ConfigOptions json.RawMessage }
	var options []struct {
		ID           string
		CurrentValue any
	}
	if json.Unmarshal(body, &holder) != nil || json.Unmarshal(holder.ConfigOptions, &options) != nil {
		return string(body)
	}
	var words []string
	for _, o := range options {
		words = append(words, fmt.Sprintf("%s=%v", o.ID, o.CurrentValue))
	}
	return strings.Replace(string(body), string(holder.ConfigOptions), text(strings.Join(words, " ")), 1)
}
