package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// frames returns each value as it goes on the wire, and checks that the encoder takes it.
func frames[T json.Marshaler](t *testing.T, values []T) string {
	t.Helper()
	var b strings.Builder
	for _, v := range values {
		line, err := v.MarshalJSON()
		if err != nil {
			t.Fatalf("%#v cannot be sent: %v", v, err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// reports returns each Dropped on a line.
func reports(dropped []Dropped) string {
	var b strings.Builder
	for _, d := range dropped {
		b.WriteString(string(d.Cause) + " " + d.String() + "\n")
	}
	return b.String()
}

func TestMapContent(t *testing.T) {
	tests := []struct {
		name          string
		item          Item
		want, dropped string
	}{
		{"text", &TextItem{"hi"}, `{"type":"content","content":{"type":"text","text":"hi"}}`, ""},
		{"text that is not UTF-8", &TextItem{"a\xffb"}, `{"type":"content","content":{"type":"text","text":"a` + "\uFFFD" + `b"}}`,
			"malformed /items/0: text: it is not UTF-8; became text with U+FFFD in it"},
		{"image", &MediaItem{&ImagePart{MIMEType: "image/png", Data: []byte("hi"), URI: "x:y"}},
			`{"type":"content","content":{"type":"image","data":"aGk=","mimeType":"image/png","uri":"x:y"}}`, ""},
		{"image by URI", &MediaItem{&ImagePart{MIMEType: "image/png", URI: "https://example.com/a.png"}},
			`{"type":"content","content":{"type":"resource_link","mimeType":"image/png","name":"https://example.com/a.png","uri":"https://example.com/a.png"}}`,
			"unmapped /items/0: image: it has no data; became a link"},
		{"image without anything", &MediaItem{&ImagePart{}}, "", "malformed /items/0: image: it has neither data nor a URI"},
		{"image without a type", &MediaItem{&ImagePart{Data: []byte("hi")}},
			`{"type":"content","content":{"type":"image","data":"aGk=","mimeType":"application/octet-stream"}}`,
			"malformed /items/0: MIME type: it is none; became application/octet-stream"},
		{"audio", &MediaItem{&AudioPart{MIMEType: "audio/wav", Data: []byte("hi")}},
			`{"type":"content","content":{"type":"audio","data":"aGk=","mimeType":"audio/wav"}}`, ""},
		{"audio without data", &MediaItem{&AudioPart{MIMEType: "audio/wav"}}, "", "malformed /items/0: audio: it has no data"},
		{"document", &MediaItem{&DocumentPart{Path: "/w/a b.go", Lines: LineRange{2, 3}, Text: "x"}},
			`{"type":"content","content":{"type":"resource","resource":{"text":"x","uri":"file:///w/a%20b.go#L2-L3"}}}`, ""},
		{"document of bytes", &MediaItem{&DocumentPart{URI: "x:y", MIMEType: "a/b", Data: []byte("hi")}},
			`{"type":"content","content":{"type":"resource","resource":{"blob":"aGk=","mimeType":"a/b","uri":"x:y"}}}`, ""},
		{"document without a URI", &MediaItem{&DocumentPart{Text: "x"}}, `{"type":"content","content":{"type":"text","text":"x"}}`,
			"unmapped /items/0: document: it has no URI; became text"},
		{"document of bytes without a URI", &MediaItem{&DocumentPart{Data: []byte("x")}}, "", "malformed /items/0: document: it has no URI"},
		{"link", &MediaItem{&ResourcePart{URI: "file:///w/a.go", Size: 3, Title: "T"}},
			`{"type":"content","content":{"type":"resource_link","name":"a.go","size":3,"title":"T","uri":"file:///w/a.go"}}`, ""},
		{"link to nothing", &MediaItem{&ResourcePart{Name: "x"}}, "", "malformed /items/0: link: it has no URI"},
		{"no part", &MediaItem{}, "", "malformed /items/0: part: there is none"},
		{"diff", &DiffItem{Path: "a.go", Old: new("a"), New: "b"}, `{"type":"diff","path":"/w/a.go","oldText":"a","newText":"b"}`, ""},
		{"diff of a new file", &DiffItem{Path: "/x/a.go", New: "b"}, `{"type":"diff","path":"/x/a.go","newText":"b"}`, ""},
		{"diff of an empty file", &DiffItem{Path: "/x/a.go", Old: new(""), New: "b"}, `{"type":"diff","path":"/x/a.go","oldText":"","newText":"b"}`, ""},
		{"diff of nothing", &DiffItem{New: "b"}, "", "malformed /items/0: diff: its path cannot be made absolute"},
		{"terminal", &TerminalItem{TerminalID: "t1"}, `{"type":"terminal","terminalId":"t1"}`, ""},
		{"terminal of no client", &TerminalItem{}, "", "malformed /items/0: terminal: it has no id"},
		{"nil", nil, "", "malformed /items/0: item: there is none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := contentOf(Result{Items: []Item{tt.item}}, "/w")
			if diff := cmp.Diff(tt.want, strings.TrimSpace(frames(t, got))); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.dropped, strings.TrimSpace(reports(dropped))); diff != "" {
				t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMapContentBack shows that what a client shows of a part means the part.
func TestMapContentBack(t *testing.T) {
	for _, p := range []Part{
		&TextPart{Text: "x"},
		&ImagePart{MIMEType: "image/png", Data: []byte{1, 2}, URI: "https://e/a"},
		&AudioPart{MIMEType: "audio/wav", Data: []byte{1, 2}},
		&DocumentPart{URI: "file:///w/a.go#L3", Path: "/w/a.go", Lines: LineRange{3, 3}, MIMEType: "text/plain", Text: "x"},
		&DocumentPart{URI: "x:y", Data: []byte{1}},
		&ResourcePart{URI: "file:///w/a.go", Path: "/w/a.go", Name: "n", Title: "t", Description: "d", MIMEType: "text/plain", Size: 4},
	} {
		l := newLosses()
		got, dropped := partsOf([]acpv1.ContentBlock{blockOf(p, l)}, acceptsAll)
		if diff := cmp.Diff([]Part{p}, got); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		if len(dropped)+len(*l.list) > 0 {
			t.Errorf("%T: dropped %v %v", p, dropped, *l.list)
		}
	}
}

func TestMapRawJSON(t *testing.T) {
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"object", `{"a": 1.50}`, true},
		{"cut short", `{"a"`, false},
		{"two values", `1 2`, false},
		{"a name twice", `{"a":1,"a":2}`, false},
		{"not UTF-8", "\"\xff\"", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLosses()
			got := rawJSON(json.RawMessage(tt.in), "tool input", l)
			if ok := string(got) == tt.in; ok != tt.ok || ok == (len(*l.list) > 0) {
				t.Errorf("got %q, dropped %v", got, *l.list)
			}
		})
	}
}
