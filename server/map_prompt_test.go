package server

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

var acceptsAll = Accepts{Images: true, Audio: true, Embedded: true}

func TestMapPrompt(t *testing.T) {
	image := &acpv1.ImageContent{Data: "aGk=", MIMEType: "image/png"}
	audio := &acpv1.AudioContent{Data: "aGk", MIMEType: "audio/wav"}
	text := &acpv1.EmbeddedResource{Resource: &acpv1.TextResourceContents{URI: "file:///w/a.go#L2-L3", MIMEType: new("text/x-go"), Text: "package a"}}
	blob := &acpv1.EmbeddedResource{Resource: &acpv1.BlobResourceContents{URI: "https://example.com/a.pdf", Blob: "AAE="}}
	tests := []struct {
		name    string
		accepts Accepts
		block   acpv1.ContentBlock
		want    []Part
		dropped []Dropped
	}{
		{"text", Accepts{}, &acpv1.TextContent{Text: " hi\n"}, []Part{&TextPart{Text: " hi\n"}}, nil},
		{"annotations", Accepts{}, &acpv1.TextContent{Text: "hi", Annotations: &acpv1.Annotations{}}, []Part{&TextPart{Text: "hi"}},
			[]Dropped{{Path: "/0/annotations", What: "annotations", Why: "parts have none", Cause: DropUnmapped}}},
		{"image", acceptsAll, image, []Part{&ImagePart{MIMEType: "image/png", Data: []byte("hi")}}, nil},
		{"image not taken", Accepts{Audio: true, Embedded: true}, image, []Part{},
			[]Dropped{{Path: "/0", What: "image", Why: "the agent takes no images", Cause: DropUnsupported}}},
		{"image by URI", acceptsAll, &acpv1.ImageContent{MIMEType: "image/png", URI: new("https://example.com/a.png")},
			[]Part{&ImagePart{MIMEType: "image/png", URI: "https://example.com/a.png"}}, nil},
		{"image without data", acceptsAll, &acpv1.ImageContent{MIMEType: "image/png"}, []Part{},
			[]Dropped{{Path: "/0/data", What: "image", Why: "it has no data", Cause: DropMalformed}}},
		{"image that is not base64", acceptsAll, &acpv1.ImageContent{Data: "data:image/png;base64,aGk=", MIMEType: "image/png"}, []Part{},
			[]Dropped{{Path: "/0/data", What: "image", Why: "its data is not base64", Cause: DropMalformed}}},
		{"image that is not base64, with a URI", acceptsAll, &acpv1.ImageContent{Data: "a$==", MIMEType: "image/png", URI: new("https://e/a")},
			[]Part{&ImagePart{MIMEType: "image/png", URI: "https://e/a"}},
			[]Dropped{{Path: "/0/data", What: "image data", Why: "its data is not base64", Became: "an image by URI", Cause: DropMalformed}}},
		{"image with a path for a type", acceptsAll, &acpv1.ImageContent{Data: "AA==", MIMEType: "image/../../x"}, []Part{&ImagePart{Data: []byte{0}}},
			[]Dropped{{Path: "/0/mimeType", What: "MIME type", Why: "it is none", Became: "no MIME type", Cause: DropMalformed}}},
		{"image with dots for a type", acceptsAll, &acpv1.ImageContent{Data: "AA==", MIMEType: "image/.."}, []Part{&ImagePart{Data: []byte{0}}},
			[]Dropped{{Path: "/0/mimeType", What: "MIME type", Why: "it is none", Became: "no MIME type", Cause: DropMalformed}}},
		{"audio without padding", acceptsAll, audio, []Part{&AudioPart{MIMEType: "audio/wav", Data: []byte("hi")}}, nil},
		{"audio not taken", Accepts{Images: true, Embedded: true}, audio, []Part{},
			[]Dropped{{Path: "/0", What: "audio", Why: "the agent takes no audio", Cause: DropUnsupported}}},
		{"audio cut short", acceptsAll, &acpv1.AudioContent{Data: "aGkxx", MIMEType: "audio/wav"}, []Part{},
			[]Dropped{{Path: "/0/data", What: "audio", Why: "its data is not base64", Cause: DropMalformed}}},
		{"link", Accepts{}, &acpv1.ResourceLink{
			URI: "file:///w/a%20b.go#L12", Name: "a b.go", Title: new("T"), Description: new("D"), MIMEType: new("text/plain; charset=utf-8"), Size: new(int64(7)),
		}, []Part{&ResourcePart{
			URI: "file:///w/a%20b.go#L12", Name: "a b.go", Title: "T", Description: "D", MIMEType: "text/plain; charset=utf-8", Size: 7,
			Path: "/w/a b.go", Lines: LineRange{12, 12},
		}}, nil},
		{"link to no file", Accepts{}, &acpv1.ResourceLink{URI: "https://example.com/o/1", Name: "report.csv"},
			[]Part{&ResourcePart{URI: "https://example.com/o/1", Name: "report.csv"}}, nil},
		{"link with a bad escape", Accepts{}, &acpv1.ResourceLink{URI: "file:///w/%zz", Name: "n"}, []Part{&ResourcePart{URI: "file:///w/%zz", Name: "n"}},
			[]Dropped{{Path: "/0/uri", What: "path", Why: "a percent escape is malformed", Became: "a URI alone", Cause: DropMalformed}}},
		{"link to line zero", Accepts{}, &acpv1.ResourceLink{URI: "file:///w/a#L0", Name: "a"}, []Part{&ResourcePart{URI: "file:///w/a#L0", Name: "a", Path: "/w/a"}},
			[]Dropped{{Path: "/0/uri", What: "lines", Why: "lines count from 1", Became: "the whole file", Cause: DropMalformed}}},
		{"link of negative size", Accepts{}, &acpv1.ResourceLink{URI: "x:y", Name: "a", Size: new(int64(-1))}, []Part{&ResourcePart{URI: "x:y", Name: "a"}},
			[]Dropped{{Path: "/0/size", What: "size", Why: "it is negative", Became: "an unknown size", Cause: DropMalformed}}},
		{"document", acceptsAll, text, []Part{&DocumentPart{
			URI: "file:///w/a.go#L2-L3", MIMEType: "text/x-go", Path: "/w/a.go", Lines: LineRange{2, 3}, Text: "package a",
		}}, nil},
		{"document not taken", Accepts{Images: true, Audio: true}, text, []Part{&ResourcePart{
			URI: "file:///w/a.go#L2-L3", Name: "a.go", MIMEType: "text/x-go", Path: "/w/a.go", Lines: LineRange{2, 3},
		}}, []Dropped{{Path: "/0/resource", What: "document contents", Why: "the agent takes no embedded resources", Became: "a link", Cause: DropUnsupported}}},
		{"blob", acceptsAll, blob, []Part{&DocumentPart{URI: "https://example.com/a.pdf", Data: []byte{0, 1}}}, nil},
		{"empty blob", acceptsAll, &acpv1.EmbeddedResource{Resource: &acpv1.BlobResourceContents{URI: "x:y"}},
			[]Part{&DocumentPart{URI: "x:y", Data: []byte{}}}, nil},
		{"blob not taken", Accepts{}, blob, []Part{&ResourcePart{URI: "https://example.com/a.pdf", Name: "https://example.com/a.pdf"}},
			[]Dropped{{Path: "/0/resource", What: "document contents", Why: "the agent takes no embedded resources", Became: "a link", Cause: DropUnsupported}}},
		{"blob that is not base64", acceptsAll, &acpv1.EmbeddedResource{Resource: &acpv1.BlobResourceContents{URI: `file:///C:/w/a.bin`, Blob: "-_"}},
			[]Part{&ResourcePart{URI: `file:///C:/w/a.bin`, Name: "a.bin", Path: `C:\w\a.bin`}},
			[]Dropped{{Path: "/0/resource/blob", What: "document data", Why: "its data is not base64", Became: "a link", Cause: DropMalformed}}},
		{"no resource", acceptsAll, &acpv1.EmbeddedResource{}, []Part{},
			[]Dropped{{Path: "/0", What: "document", Why: "there is no resource", Cause: DropMalformed}}},
		{"unknown", acceptsAll, &acpv1.UnknownContentBlock{Tag: "video"}, []Part{},
			[]Dropped{{Path: "/0", What: "content", Why: "its type is unknown", Cause: DropUnmapped}}},
		{"nil", acceptsAll, nil, []Part{}, []Dropped{{Path: "/0", What: "content", Why: "there is none", Cause: DropMalformed}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := partsOf([]acpv1.ContentBlock{tt.block}, tt.accepts)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.dropped, dropped); diff != "" {
				t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMapPromptOrder(t *testing.T) {
	got, dropped := partsOf([]acpv1.ContentBlock{
		&acpv1.TextContent{Text: "a"}, &acpv1.AudioContent{Data: "AA==", MIMEType: "audio/wav"}, &acpv1.TextContent{Text: "b"},
	}, Accepts{})
	if diff := cmp.Diff([]Part{&TextPart{"a"}, &TextPart{"b"}}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if len(dropped) != 1 || dropped[0].String() != "/1: audio: the agent takes no audio" {
		t.Errorf("dropped %v", dropped)
	}
}
