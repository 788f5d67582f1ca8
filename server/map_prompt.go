package server

import (
	"encoding/base64"
	"errors"
	"mime"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// partsOf maps the content of a prompt. What the engine does not accept is dropped, or becomes a link if it has a URI.
// https://agentclientprotocol.com/protocol/content
func partsOf(blocks []acpv1.ContentBlock, accepts Accepts) ([]Part, []Dropped) {
	l := newLosses()
	parts := make([]Part, 0, len(blocks))
	for i, b := range blocks {
		if p := partOf(b, accepts, l.index(i)); p != nil {
			parts = append(parts, p)
		}
	}
	return parts, *l.list
}

// partOf returns nil for what is dropped.
func partOf(b acpv1.ContentBlock, accepts Accepts, l losses) Part {
	switch b := b.(type) {
	case *acpv1.TextContent:
		noteAnnotations(b.Annotations, l)
		return &TextPart{Text: b.Text}
	case *acpv1.ImageContent:
		noteAnnotations(b.Annotations, l)
		if !accepts.Images {
			l.add(DropUnsupported, "image", "the agent takes no images", "")
			return nil
		}
		return imagePartOf(b, l)
	case *acpv1.AudioContent:
		noteAnnotations(b.Annotations, l)
		if !accepts.Audio {
			l.add(DropUnsupported, "audio", "the agent takes no audio", "")
			return nil
		}
		return audioPartOf(b, l)
	case *acpv1.ResourceLink:
		noteAnnotations(b.Annotations, l)
		return resourcePartOf(b, l)
	case *acpv1.EmbeddedResource:
		noteAnnotations(b.Annotations, l)
		return embeddedPartOf(b, accepts, l)
	case *acpv1.UnknownContentBlock:
		l.add(DropUnmapped, "content", "its type is unknown", "")
	case nil:
		l.add(DropMalformed, "content", "there is none", "")
	}
	return nil
}

func noteAnnotations(a *acpv1.Annotations, l losses) {
	if a != nil {
		l.at("annotations").add(DropUnmapped, "annotations", "parts have none", "")
	}
}

func imagePartOf(b *acpv1.ImageContent, l losses) Part {
	p := &ImagePart{MIMEType: mimeTypeOf(b.MIMEType, l), URI: valueOr(b.URI, "")}
	data, err := decodeBase64(b.Data)
	switch {
	case err == nil && len(data) > 0:
		p.Data = data
	case p.URI == "":
		l.at("data").add(DropMalformed, "image", dataFault(err), "")
		return nil
	case err != nil:
		l.at("data").add(DropMalformed, "image data", dataFault(err), "an image by URI")
	}
	return p
}

func audioPartOf(b *acpv1.AudioContent, l losses) Part {
	data, err := decodeBase64(b.Data)
	if err != nil || len(data) == 0 {
		l.at("data").add(DropMalformed, "audio", dataFault(err), "")
		return nil
	}
	return &AudioPart{MIMEType: mimeTypeOf(b.MIMEType, l), Data: data}
}

func resourcePartOf(b *acpv1.ResourceLink, l losses) Part {
	p := &ResourcePart{
		URI: b.URI, Name: b.Name,
		Title: valueOr(b.Title, ""), Description: valueOr(b.Description, ""), Size: valueOr(b.Size, 0),
	}
	if b.MIMEType != nil {
		p.MIMEType = mimeTypeOf(*b.MIMEType, l)
	}
	if p.Size < 0 {
		p.Size = 0
		l.at("size").add(DropMalformed, "size", "it is negative", "an unknown size")
	}
	p.Path, p.Lines = locate(b.URI, l)
	return p
}

func embeddedPartOf(b *acpv1.EmbeddedResource, accepts Accepts, l losses) Part {
	switch r := b.Resource.(type) {
	case *acpv1.TextResourceContents:
		l = l.at("resource")
		p := &DocumentPart{URI: r.URI, Text: r.Text}
		p.MIMEType, p.Path, p.Lines = describe(r.MIMEType, r.URI, l)
		if !accepts.Embedded {
			return linkInstead(p, l)
		}
		return p
	case *acpv1.BlobResourceContents:
		l = l.at("resource")
		p := &DocumentPart{URI: r.URI}
		p.MIMEType, p.Path, p.Lines = describe(r.MIMEType, r.URI, l)
		if !accepts.Embedded {
			return linkInstead(p, l)
		}
		data, err := decodeBase64(r.Blob)
		if err != nil {
			l.at("blob").add(DropMalformed, "document data", dataFault(err), "a link")
			return linkTo(p)
		}
		p.Data = data
		return p
	case nil:
		l.add(DropMalformed, "document", "there is no resource", "")
	}
	return nil
}

// linkInstead keeps of a document that it is there: every agent takes links.
func linkInstead(p *DocumentPart, l losses) Part {
	l.add(DropUnsupported, "document contents", "the agent takes no embedded resources", "a link")
	return linkTo(p)
}

func linkTo(p *DocumentPart) *ResourcePart {
	name := p.URI
	if p.Path != "" {
		name = baseName(p.Path)
	}
	return &ResourcePart{URI: p.URI, Name: name, MIMEType: p.MIMEType, Path: p.Path, Lines: p.Lines}
}

func describe(mimeType *string, uri string, l losses) (string, string, LineRange) {
	m := ""
	if mimeType != nil {
		m = mimeTypeOf(*mimeType, l)
	}
	p, lines := locate(uri, l)
	return m, p, lines
}

// locate reads a URI. It loses nothing with a URI that names no file.
func locate(uri string, l losses) (string, LineRange) {
	p, lines, err := parseFileURI(uri)
	switch {
	case err == nil || errors.Is(err, errURINotFile):
	case errors.Is(err, errURILines):
		l.at("uri").add(DropMalformed, "lines", err.Error(), "the whole file")
	default:
		l.at("uri").add(DropMalformed, "path", err.Error(), "a URI alone")
	}
	return p, lines
}

// mimeTypeOf returns s if it is a MIME type, and nothing otherwise: engines may make file names or headers of it.
func mimeTypeOf(s string, l losses) string {
	if validMIMEType(s) {
		return s
	}
	l.at("mimeType").add(DropMalformed, "MIME type", "it is none", "no MIME type")
	return ""
}

func validMIMEType(s string) bool {
	m, _, err := mime.ParseMediaType(s)
	if err != nil {
		return false
	}
	top, sub, ok := strings.Cut(m, "/")
	return ok && startsAlphanumeric(top) && startsAlphanumeric(sub)
}

func startsAlphanumeric(s string) bool {
	if s == "" {
		return false
	}
	c := s[0] | 0x20
	return 'a' <= c && c <= 'z' || '0' <= s[0] && s[0] <= '9'
}

// decodeBase64 takes the standard alphabet, with padding or without.
func decodeBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "\r\n")
	if len(s)%4 == 0 || strings.HasSuffix(s, "=") || strings.ContainsAny(s, "\r\n") {
		return base64.StdEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

func dataFault(err error) string {
	if err != nil {
		return "its data is not base64"
	}
	return "it has no data"
}

func valueOr[T any](p *T, other T) T {
	if p == nil {
		return other
	}
	return *p
}
