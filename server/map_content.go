package server

import (
	"encoding/base64"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

const binaryMIMEType = "application/octet-stream"

// contentOf maps what a tool produced to what a client shows of it. Relative paths are taken from cwd.
// https://agentclientprotocol.com/protocol/tool-calls#content
func contentOf(r Result, cwd string) ([]acpv1.ToolCallContent, []Dropped) {
	l := newLosses()
	return toolContent(r, cwd, true, l.at("items")), *l.list
}

// toolContent leaves out terminals if they are not live: their ids mean nothing any more.
func toolContent(r Result, cwd string, live bool, l losses) []acpv1.ToolCallContent {
	var out []acpv1.ToolCallContent
	for i, item := range r.Items {
		if c := toolItem(item, cwd, live, l.index(i)); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// toolItem returns nil for what is dropped.
func toolItem(item Item, cwd string, live bool, l losses) acpv1.ToolCallContent {
	switch item := item.(type) {
	case *TextItem:
		return acpv1.ToolText(l.text(item.Text))
	case *MediaItem:
		if b := blockOf(item.Part, l); b != nil {
			return &acpv1.Content{Content: b}
		}
	case *DiffItem:
		if d := wireDiff(item, cwd, l); d != nil {
			return d
		}
	case *TerminalItem:
		switch {
		case item.TerminalID == "":
			l.add(DropMalformed, "terminal", "it has no id", "")
		case !live && item.Output != "":
			l.add(DropUnmapped, "terminal", "it was released", "its output")
			return acpv1.ToolText(l.text(item.Output))
		case !live:
			l.add(DropUnmapped, "terminal", "it was released", "")
		default:
			return &acpv1.Terminal{TerminalID: acpv1.TerminalID(item.TerminalID)}
		}
	case nil:
		l.add(DropMalformed, "item", "there is none", "")
	}
	return nil
}

// blockOf returns nil for what is dropped.
func blockOf(p Part, l losses) acpv1.ContentBlock {
	switch p := p.(type) {
	case *TextPart:
		return &acpv1.TextContent{Text: l.text(p.Text)}
	case *ImagePart:
		return imageBlock(p, l)
	case *AudioPart:
		if len(p.Data) == 0 {
			l.add(DropMalformed, "audio", "it has no data", "")
			return nil
		}
		return &acpv1.AudioContent{Data: base64.StdEncoding.EncodeToString(p.Data), MIMEType: requiredMIMEType(p.MIMEType, l)}
	case *DocumentPart:
		return documentBlock(p, l)
	case *ResourcePart:
		return linkBlock(p, l)
	case nil:
		l.add(DropMalformed, "part", "there is none", "")
	}
	return nil
}

func imageBlock(p *ImagePart, l losses) acpv1.ContentBlock {
	if len(p.Data) > 0 {
		return &acpv1.ImageContent{
			Data: base64.StdEncoding.EncodeToString(p.Data), MIMEType: requiredMIMEType(p.MIMEType, l), URI: optional(l.text(p.URI)),
		}
	}
	if p.URI == "" {
		l.add(DropMalformed, "image", "it has neither data nor a URI", "")
		return nil
	}
	l.add(DropUnmapped, "image", "it has no data", "a link")
	return linkBlock(&ResourcePart{URI: p.URI, MIMEType: p.MIMEType}, l)
}

func documentBlock(p *DocumentPart, l losses) acpv1.ContentBlock {
	uri := uriOf(p.URI, p.Path, p.Lines)
	mimeType := optional(optionalMIMEType(p.MIMEType, l))
	switch {
	case uri == "" && p.Data == nil:
		l.add(DropUnmapped, "document", "it has no URI", "text")
		return &acpv1.TextContent{Text: l.text(p.Text)}
	case uri == "":
		l.add(DropMalformed, "document", "it has no URI", "")
		return nil
	case p.Data != nil:
		return &acpv1.EmbeddedResource{Resource: &acpv1.BlobResourceContents{
			URI: l.text(uri), MIMEType: mimeType, Blob: base64.StdEncoding.EncodeToString(p.Data),
		}}
	}
	return &acpv1.EmbeddedResource{Resource: &acpv1.TextResourceContents{URI: l.text(uri), MIMEType: mimeType, Text: l.text(p.Text)}}
}

func linkBlock(p *ResourcePart, l losses) acpv1.ContentBlock {
	uri := uriOf(p.URI, p.Path, p.Lines)
	if uri == "" {
		l.add(DropMalformed, "link", "it has no URI", "")
		return nil
	}
	b := &acpv1.ResourceLink{
		URI: l.text(uri), Name: l.text(p.Name), Title: optional(l.text(p.Title)), Description: optional(l.text(p.Description)),
		MIMEType: optional(optionalMIMEType(p.MIMEType, l)),
	}
	if b.Name == "" {
		b.Name = nameOf(uri, p.Path)
	}
	if p.Size > 0 {
		b.Size = new(p.Size)
	}
	return b
}

func uriOf(uri, path string, lines LineRange) string {
	if uri == "" && isAbsPath(path) {
		return fileURI(path, lines)
	}
	return uri
}

func nameOf(uri, path string) string {
	if path == "" {
		path, _, _ = parseFileURI(uri)
	}
	if path == "" {
		return uri
	}
	return baseName(path)
}

func requiredMIMEType(s string, l losses) string {
	if validMIMEType(s) {
		return s
	}
	l.add(DropMalformed, "MIME type", "it is none", binaryMIMEType)
	return binaryMIMEType
}

func optionalMIMEType(s string, l losses) string {
	if s == "" || validMIMEType(s) {
		return s
	}
	l.add(DropMalformed, "MIME type", "it is none", "no MIME type")
	return ""
}

// optional returns nil for an empty string.
func optional[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

// rawJSON returns b if it can go on the wire as it is.
func rawJSON(b []byte, what string, l losses) wire.Raw {
	if len(b) == 0 {
		return nil
	}
	var r wire.Raw
	if err := wire.Unmarshal(b, &r); err != nil {
		l.add(DropMalformed, what, "it is not strict JSON", "")
		return nil
	}
	return r
}
