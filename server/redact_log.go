package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/acpwire/acpwire/server/internal/secret"
)

// A vault knows the secrets of all connections, so that they can be kept out of the log.
type vault struct {
	mu       sync.Mutex
	values   map[*connection][]string
	redactor atomic.Pointer[secret.Redactor] // nil: to be made of the values
}

// add keeps values until the connection is forgotten.
func (v *vault) add(c *connection, values []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.values == nil {
		v.values = make(map[*connection][]string)
	}
	known := v.values[c]
	for _, value := range values {
		if !slices.Contains(known, value) {
			known = append(known, value)
		}
	}
	if len(known) > len(v.values[c]) {
		v.values[c] = known
		v.redactor.Store(nil)
	}
}

func (v *vault) forget(c *connection) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.values[c]) > 0 {
		delete(v.values, c)
		v.redactor.Store(nil)
	}
}

func (v *vault) redact() *secret.Redactor {
	if r := v.redactor.Load(); r != nil {
		return r
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []string
	for _, values := range v.values {
		all = append(all, values...)
	}
	r := secret.New(all)
	v.redactor.Store(&r)
	return &r
}

// keepSecrets returns a redactor for one session, and keeps the secrets out of the log from now on.
func (c *connection) keepSecrets(servers []MCPServer) secret.Redactor {
	values := secretsOf(servers)
	c.server.secrets.add(c, values)
	return secret.New(values)
}

// A redactingHandler passes records on without the secrets.
type redactingHandler struct {
	next    slog.Handler
	secrets *vault
}

// Enabled implements [slog.Handler].
func (h *redactingHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h *redactingHandler) Handle(ctx context.Context, r slog.Record) error {
	redactor := h.secrets.redact()
	clean := slog.NewRecord(r.Time, r.Level, redactor.Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(redactor, a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements [slog.Handler].
func (h *redactingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	redactor := h.secrets.redact()
	attrs = slices.Clone(attrs)
	for i, a := range attrs {
		attrs[i] = redactAttr(redactor, a)
	}
	return &redactingHandler{h.next.WithAttrs(attrs), h.secrets}
}

// WithGroup implements [slog.Handler].
func (h *redactingHandler) WithGroup(name string) slog.Handler {
	return &redactingHandler{h.next.WithGroup(name), h.secrets}
}

// redactAttr leaves a value as it is unless its text holds a secret; then it becomes the text.
func redactAttr(redactor *secret.Redactor, a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindGroup:
		group := slices.Clone(a.Value.Group())
		for i, member := range group {
			group[i] = redactAttr(redactor, member)
		}
		a.Value = slog.GroupValue(group...)
	case slog.KindString, slog.KindAny:
		text := a.Value.String()
		if err, ok := a.Value.Any().(error); ok {
			text = err.Error()
		} else if a.Value.Kind() == slog.KindAny {
			text = fmt.Sprintf("%+v", a.Value.Any())
		}
		if clean := redactor.Redact(text); clean != text {
			a.Value = slog.StringValue(clean)
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindTime, slog.KindUint64, slog.KindLogValuer:
	}
	return a
}
