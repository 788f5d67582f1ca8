package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A view is an [acp.Tap] that makes one short line of each frame that the client receives: "< METHOD PARAMS" or "= METHOD RESULT". What is the same in every frame
// is left out, and so are cancellations of calls that may have been answered already.
type view struct {
	mu      sync.Mutex
	methods map[string]string // of requests, by id
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
	return v.buf.String()
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
	text(available()), `"COMMANDS"`, text(modes), `"MODES"`, text(permissionOptions), `"OPTIONS"`,
	`"sessionId":"session-1",`, ``, `"sessionUpdate":`, ``,
)

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
