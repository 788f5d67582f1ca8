package diff

import (
	"strings"

	"github.com/acpwire/acpwire/tools/internal/goname"
)

// typeName returns the Go type generated from a definition, or "" for the JSON-RPC envelopes and the empty extension
// definitions, which have none.
func typeName(definition string, n *node) string {
	if n.docsIgnore || n.form() == formAny && strings.HasPrefix(definition, "Ext") {
		return ""
	}
	return goname.Of(definition)
}
