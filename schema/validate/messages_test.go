package validate_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/schema/validate"
)

var update = flag.Bool("update", false, "write the golden files")

// The golden file has, for each case, the input (a line with surface, kind and method or definition, then the value) and
// the violations: each as printed, then its keyword and schema path.
func TestMessages(t *testing.T) {
	const golden = "testdata/messages.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	validators := map[string]*validate.Validator{}
	for _, surface := range []string{"v1", "v2"} {
		validators[surface] = newValidator(t, surface)
	}
	out := &txtar.Archive{Comment: archive.Comment}
	for i := 0; i < len(archive.Files); i++ {
		in := archive.Files[i]
		name, ok := strings.CutSuffix(in.Name, "/in")
		if !ok {
			t.Fatalf("%s: expected an /in", in.Name)
		}
		var want string
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == name+"/want" {
			i++
			want = string(archive.Files[i].Data)
		} else if !*update {
			t.Fatalf("%s has no /want", in.Name)
		}
		got := messagesOf(t, validators, string(in.Data))
		out.Files = append(out.Files, in, txtar.File{Name: name + "/want", Data: []byte(got)})
		if *update {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func messagesOf(t *testing.T, validators map[string]*validate.Validator, in string) string {
	t.Helper()
	head, value, _ := strings.Cut(in, "\n")
	words := strings.Fields(head)
	if len(words) != 3 || validators[words[0]] == nil {
		t.Fatalf("bad first line %q", head)
	}
	v, raw := validators[words[0]], []byte(strings.TrimSpace(value))
	var err error
	switch words[1] {
	case "params":
		err = v.Params(words[2], raw)
	case "result":
		err = v.Result(words[2], raw)
	case "def":
		err = v.Def(words[2], raw)
	default:
		t.Fatalf("bad kind %q", words[1])
	}
	var wrong *validate.DataError
	if !errors.As(err, &wrong) {
		t.Fatalf("%s: want a data error, got %v", head, err)
	}
	var b strings.Builder
	for _, violation := range wrong.Violations {
		fmt.Fprintf(&b, "%s\n    %s %s\n", violation, violation.Keyword, violation.SchemaPath)
		if strings.Contains(violation.Expected, "SECRET") {
			t.Errorf("%s: Expected holds data of the input: %s", head, violation.Expected)
		}
	}
	return b.String()
}

func TestDataErrorText(t *testing.T) {
	v := newValidator(t, "v1")
	var wrong *validate.DataError
	if err := v.Params("session/cancel", nil); !errors.As(err, &wrong) {
		t.Fatalf("want a data error, got %v", err)
	}
	if got, want := wrong.Error(), `not a valid CancelNotification: missing required "sessionId" (CancelNotification)`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := v.Params("authenticate", []byte(`{"methodId":5,"_meta":[]}`)); !errors.As(err, &wrong) {
		t.Fatalf("want a data error, got %v", err)
	}
	if got, want := wrong.Error(), `not a valid AuthenticateRequest: /_meta: expected object or null (AuthenticateRequest._meta), got an array (and 1 more)`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := wrong.List(), "/_meta: expected object or null (AuthenticateRequest._meta), got an array\n/methodId: expected string (AuthMethodId), got 5\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSyntaxErrorText(t *testing.T) {
	v := newValidator(t, "v1")
	for _, test := range []struct {
		name, raw string
		offset    int64
		pointer   string
		reason    string
	}{
		{"cut off", `{"a":{"b":[1,`, 13, "/a/b", "unexpected end"},
		{"empty", ``, 0, "", "unexpected end"},
		{"trailing", `{} []`, 4, "", "data after the value"},
		{"duplicate", `{"a":{"b":1,"b":2}}`, 12, "/a/b", "duplicate object member name"},
		{"UTF-8", "{\"a\":\"x\xff\"}", 7, "/a", "invalid UTF-8"},
		{"deep", strings.Repeat("[", 10001), 10000, strings.Repeat("/0", 10000), "exceeded max depth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := v.Def("LogoutRequest", []byte(test.raw))
			var fault *validate.SyntaxError
			if !errors.As(err, &fault) {
				t.Fatalf("want a syntax error, got %v", err)
			}
			if fault.Offset != test.offset || fault.Pointer != test.pointer || !strings.Contains(fault.Reason, test.reason) {
				t.Errorf("got %d, %.50q, %q, want %d, %.50q, %q", fault.Offset, fault.Pointer, fault.Reason, test.offset, test.pointer, test.reason)
			}
			if text := err.Error(); len(text) > 200 || !strings.HasPrefix(text, "not JSON: ") {
				t.Errorf("text is %q", text)
			}
		})
	}
}
