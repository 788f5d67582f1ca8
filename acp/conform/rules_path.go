package conform

import (
	"net/url"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var pathRules = []Rule{
	{ID: "PATH-1", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc:   "Every file path is absolute.",
		Limit: "Fields with a rule of their own are reported under that rule; here it is the URIs of resources that name a file, as warnings.",
		hooks: []hook{
			params(acpv1.MethodPrompt, func(x *step, p *acpv1.PromptRequest) {
				for i, b := range p.Prompt {
					x.fileURI(index("/params/prompt", i), b)
				}
			}),
			update(tagUserChunk, func(x *step, u *acpv1.UserMessageChunk) { x.fileURI("/params/update/content", u.Content) }),
			update(tagAgentChunk, func(x *step, u *acpv1.AgentMessageChunk) { x.fileURI("/params/update/content", u.Content) }),
			update(tagThoughtChunk, func(x *step, u *acpv1.AgentThoughtChunk) { x.fileURI("/params/update/content", u.Content) }),
		}},
	{ID: "PATH-2", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc: "Lines are counted from 1.",
		hooks: []hook{params(acpv1.MethodReadTextFile, func(x *step, p *acpv1.ReadTextFileRequest) {
			if p.Line != nil && *p.Line == 0 {
				x.report("/params/line", 0, "there is no line 0")
			}
		})}},
}

// fileURI reports a resource whose URI is a relative path.
func (x *step) fileURI(pointer string, b acpv1.ContentBlock) {
	uri := ""
	switch b := b.(type) {
	case *acpv1.ResourceLink:
		uri, pointer = b.URI, pointer+"/uri"
	case *acpv1.EmbeddedResource:
		pointer += "/resource/uri"
		switch r := b.Resource.(type) {
		case *acpv1.TextResourceContents:
			uri = r.URI
		case *acpv1.BlobResourceContents:
			uri = r.URI
		}
	case *acpv1.TextContent, *acpv1.ImageContent, *acpv1.AudioContent, *acpv1.UnknownContentBlock:
		return
	}
	if isAbsolute(uri) {
		return
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
	case u.Scheme == "" && uri != "" && !strings.HasPrefix(uri, "#"):
		x.doubt(pointer, 0, "%q is neither a URI nor an absolute path", uri)
	case strings.EqualFold(u.Scheme, "file") && u.Opaque != "":
		x.doubt(pointer, 0, "%q names a file by a relative path", uri)
	}
}
