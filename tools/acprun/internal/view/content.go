package view

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// describe returns the text of a block, or what stands for it.
func describe(b acpv1.ContentBlock) string {
	switch b := b.(type) {
	case *acpv1.TextContent:
		return Clean(b.Text)
	case *acpv1.ImageContent:
		return fmt.Sprintf("[image %s, %s]", OneLine(b.MIMEType), size(decoded(b.Data)))
	case *acpv1.AudioContent:
		return fmt.Sprintf("[audio %s, %s]", OneLine(b.MIMEType), size(decoded(b.Data)))
	case *acpv1.ResourceLink:
		return fmt.Sprintf("[link %s %s]", OneLine(b.Name), OneLine(b.URI))
	case *acpv1.EmbeddedResource:
		return resource(b.Resource)
	case *acpv1.UnknownContentBlock:
		return fmt.Sprintf("[%s]", OneLine(b.Tag))
	}
	return ""
}

func resource(r acpv1.EmbeddedResourceResource) string {
	switch r := r.(type) {
	case *acpv1.TextResourceContents:
		return fmt.Sprintf("[resource %s, %s]", OneLine(r.URI), size(len(r.Text)))
	case *acpv1.BlobResourceContents:
		return fmt.Sprintf("[resource %s, %s]", OneLine(r.URI), size(decoded(r.Blob)))
	}
	return ""
}

// decoded is the size of what base64 text stands for.
func decoded(base64 string) int {
	return len(strings.TrimRight(base64, "=")) * 3 / 4
}

func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// count is n of a thing, which has a plain plural.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
