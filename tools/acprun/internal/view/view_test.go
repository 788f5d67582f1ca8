package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var update = flag.Bool("update", false, "write what is shown into the golden files")

// events reads the events of an archive, one a line: the kind, a space, and JSON. The JSON of an update is the update itself, of text the text that the agent says.
func events(t *testing.T, in []byte) []Event {
	t.Helper()
	var list []Event
	for line := range strings.Lines(string(in)) {
		kind, body, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		e, err := event(kind, []byte(body))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}

func event(kind string, body []byte) (Event, error) {
	var e Event
	switch kind {
	case "text":
		var text string
		err := json.Unmarshal(body, &text)
		return &Update{SessionID: "s", Update: acpv1.MessageText(text)}, err
	case "update":
		var n acpv1.SessionNotification
		params := join(`{"sessionId":"s","update":`, string(body), `}`)
		_, err := wire.Decode(params, &n, &wire.DecodeOptions{Lenient: true, KeepUnknownVariants: true})
		return &Update{SessionID: n.SessionID, Update: n.Update}, err
	case "asked":
		var p acpv1.RequestPermissionRequest
		err := wire.Unmarshal(join(`{"sessionId":"s",`, string(body[1:])), &p)
		return &Asked{ToolCall: &p.ToolCall, Options: p.Options}, err
	case "answered":
		e = new(Answered)
	case "file":
		e = new(File)
	case "started":
		e = new(Started)
	case "output":
		e = new(Output)
	case "exited":
		e = new(Exited)
	case "end":
		e = new(End)
	case "session":
		e = new(Session)
	case "agent":
		e = new(Agent)
	default:
		return nil, errors.New("unknown kind")
	}
	return e, json.Unmarshal(body, e)
}

func join(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

// TestGolden shows the events of each archive's file "in" in every format: "text", "color" with the escape character as a symbol, and "json".
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	rel := func(path string) string { return strings.TrimPrefix(path, "/project/") }
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			list := events(t, []byte(files["in"]))
			golden := txtar.Archive{Comment: archive.Comment, Files: []txtar.File{{Name: "in", Data: []byte(files["in"])}}}
			for _, f := range []struct {
				name   string
				format Format
			}{{"text", &Text{Rel: rel}}, {"color", &Text{Rel: rel, Color: true}}, {"json", JSON{}}} {
				var b []byte
				for _, e := range list {
					b = f.format.Append(b, e)
				}
				got := strings.ReplaceAll(string(b), "\x1b", "␛")
				golden.Files = append(golden.Files, txtar.File{Name: f.name, Data: []byte(got)})
				if diff := cmp.Diff(files[f.name], got); diff != "" && !*update {
					t.Errorf("%s: mismatch (-want +got):\n%s", f.name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(&golden), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, in, clean, visible, oneLine string }{
		{"plain", "a\tb\nc", "a\tb\nc", "a\tb\nc", "a b c"},
		{"accents, CJK, emoji with joiners", "é 漢 👩‍👩‍👧", "é 漢 👩‍👩‍👧", "é 漢 👩‍👩‍👧", "é 漢 👩‍👩‍👧"},
		{"colours", "\x1b[31mred\x1b[0m", "red", "␛[31mred␛[0m", "␛[31mred␛[0m"},
		{"cursor", "\x1b[2J\x1b[1;1Hx", "x", "␛[2J␛[1;1Hx", "␛[2J␛[1;1Hx"},
		{"title", "\x1b]0;evil\x07x\x1b]8;;u\x1b\\y", "xy", "␛]0;evil␇x␛]8;;u␛\\y", "␛]0;evil␇x␛]8;;u␛\\y"},
		{"sequence that does not end", "\x1b[31", "␛[31", "␛[31", "␛[31"},
		{"line ends", "a\r\nb\rc", "a\nb␍c", "a␍\nb␍c", "a b␍c"},
		{"backspace and delete", "a\bb\x7f", "a␈b␡", "a␈b␡", "a␈b␡"},
		{"C1 control", "a\u009b31m", "a\ufffd31m", "a\ufffd31m", "a\ufffd31m"},
		{"reversed text", "a\u202eb\u2066c\u200f", "a\ufffdb\ufffdc\ufffd", "a\ufffdb\ufffdc\ufffd", "a\ufffdb\ufffdc\ufffd"},
		{"line separator", "a\u2028b", "a\ufffdb", "a\ufffdb", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{Clean(tt.in), Visible(tt.in), OneLine(tt.in)}
			if diff := cmp.Diff([]string{tt.clean, tt.visible, tt.oneLine}, got); diff != "" {
				t.Errorf("Clean, Visible, OneLine: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLong checks that long content is cut, with a word about it.
func TestLong(t *testing.T) {
	text := new(Text)
	lines := strings.Repeat("x\n", 1000)
	var b []byte
	b = text.Append(b, &Update{Update: &acpv1.ToolCall{ToolCallID: "1", Title: "T", Content: []acpv1.ToolCallContent{
		acpv1.ToolText(lines), &acpv1.Diff{Path: "f", NewText: lines},
	}}})
	b = text.Append(b, &Started{Terminal: "t", Command: "c"})
	for range 4 {
		b = text.Append(b, &Output{Terminal: "t", Text: strings.Repeat("y\n", 250)})
	}
	b = text.Append(b, &Output{Terminal: "t", Text: strings.Repeat("z", 1<<20)}) // never a line end
	b = text.Append(b, &Exited{Terminal: "t"})
	got := string(b)
	for want, n := range map[string]int{
		"    x\n": maxText, "    +x\n": maxDiff - 1, "  │ y\n": maxOutput,
		"    … 950 more lines not shown\n": 1, "    … 801 more lines not shown\n": 1, "  │ … 901 more lines not shown\n": 1,
	} {
		if c := strings.Count(got, want); c != n {
			t.Errorf("%q stands there %d times, want %d", want, c, n)
		}
	}
}

// TestHold checks that what is shown meanwhile comes after the release, in order, and that there is a limit.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w syncBuffer
		p := NewPrinter(&w, &Text{})
		say := func(text string) { p.Show(&Update{Update: acpv1.MessageText(text)}) }
		say("a")
		first, second := p.Hold(), p.Hold()
		say("b")
		first()
		first()
		say("c")
		if got := w.String(); got != "a" {
			t.Errorf("while held: %q", got)
		}
		second()
		if got := w.String(); got != "abc" {
			t.Errorf("after the release: %q", got)
		}
		release := p.Hold()
		say(strings.Repeat("x", maxHeld+1))
		var waiting sync.WaitGroup
		shown := false
		waiting.Go(func() {
			say("y")
			shown = true
		})
		synctest.Wait()
		if shown {
			t.Error("more was held than the limit")
		}
		release()
		waiting.Wait()
		if got := w.String(); !strings.HasSuffix(got, "xy") {
			t.Errorf("after the release: ends in %q", got[len(got)-10:])
		}
	})
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type failingWriter struct{ n int }

func (w *failingWriter) Write([]byte) (int, error) {
	w.n++
	return 0, io.ErrClosedPipe
}

func TestFailed(t *testing.T) {
	w := new(failingWriter)
	p := NewPrinter(w, JSON{})
	select {
	case <-p.Failed():
		t.Error("failed before it wrote")
	default:
	}
	for range 3 {
		p.Show(&End{})
	}
	<-p.Failed()
	if err := p.Err(); !errors.Is(err, io.ErrClosedPipe) || w.n != 1 {
		t.Errorf("error %v after %d writes, want %v after 1", err, w.n, io.ErrClosedPipe)
	}
}

// TestJSONIsComplete checks that each event is an object on a line, whatever it holds.
func TestJSONIsComplete(t *testing.T) {
	nested := &acpv1.AgentMessageChunk{Content: &acpv1.UnknownContentBlock{Tag: "video", Raw: wire.Raw(`{"type":"video"}`)}}
	for _, e := range []Event{
		&Agent{Result: &acpv1.InitializeResponse{ProtocolVersion: 1}}, &Session{ID: "s\n"}, &Update{Update: acpv1.MessageText("\u2028\x00\"")}, &Update{Update: nested},
		&Asked{ToolCall: &acpv1.ToolCallUpdate{}}, &Answered{}, &File{}, &Started{}, &Output{Text: "\n"}, &Exited{}, &End{Error: "\n"},
	} {
		line := JSON{}.Append(nil, e)
		var object struct{ Type string }
		if err := json.Unmarshal(line, &object); err != nil || object.Type != e.kind() || bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Errorf("%T: %q: type %q, error %v", e, line, object.Type, err)
		}
	}
}

func ExampleText() {
	text := new(Text)
	out := text.Append(nil, &Update{Update: acpv1.ThoughtText("easy")})
	out = text.Append(out, &Update{Update: acpv1.MessageText("42")})
	fmt.Println(string(out))
	// Output:
	// ~ easy
	//
	// 42
}
