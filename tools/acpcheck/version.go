package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/acpwire/acpwire/schema"
)

// version describes the build, and what it judges by.
func version() string {
	var b strings.Builder
	fmt.Fprintf(&b, "acpcheck %s\n", buildVersion())
	for name := range surfaces {
		if source, err := schema.Source(name); err == nil {
			fmt.Fprintf(&b, "surface %s: %s %s, schema sha256 %.12s\n", name, source.Package, source.Version, source.SHA256)
		}
	}
	return b.String()
}

// buildVersion is that of the module, or "(devel)".
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
