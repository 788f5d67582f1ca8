package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
)

// resultOf maps a tool's result. Structured content becomes Output.
func resultOf(r *sdk.CallToolResult) (server.Result, error) {
	var out server.Result
	for i, content := range r.Content {
		item, err := itemOf(content)
		if err != nil {
			return server.Result{}, fmt.Errorf("content %d of the result: %w", i, err)
		}
		out.Items = append(out.Items, item)
	}
	if r.StructuredContent != nil {
		output, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return server.Result{}, fmt.Errorf("structured content: %w", err)
		}
		out.Output = output
	}
	return out, nil
}

func itemOf(content sdk.Content) (server.Item, error) {
	switch c := content.(type) {
	case *sdk.TextContent:
		return &server.TextItem{Text: c.Text}, nil
	case *sdk.ImageContent:
		return &server.MediaItem{Part: &server.ImagePart{MIMEType: c.MIMEType, Data: c.Data}}, nil
	case *sdk.AudioContent:
		return &server.MediaItem{Part: &server.AudioPart{MIMEType: c.MIMEType, Data: c.Data}}, nil
	case *sdk.ResourceLink:
		part := &server.ResourcePart{URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Path: filePath(c.URI)}
		if c.Size != nil {
			part.Size = *c.Size
		}
		return &server.MediaItem{Part: part}, nil
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return nil, fmt.Errorf("a resource without contents")
		}
		part := &server.DocumentPart{URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Path: filePath(c.Resource.URI), Text: c.Resource.Text}
		if c.Resource.Blob != nil {
			part.Text, part.Data = "", c.Resource.Blob
		}
		return &server.MediaItem{Part: part}, nil
	default:
		return nil, fmt.Errorf("content of type %T, which no tool's result may have", content)
	}
}

// filePath returns the path of a file URI, or nothing.
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' && strings.HasPrefix(path, "/") {
		return path[1:] // a drive letter of Windows
	}
	return path
}
