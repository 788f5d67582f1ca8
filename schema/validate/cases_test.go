package validate_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/acpwire/acpwire/schema/validate"
)

// sharedFile opens a file of the shared material beside the repository, or skips the test.
func sharedFile(t *testing.T, elements ...string) *os.File {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the package")
		}
		dir = parent
	}
	name := filepath.Join(append([]string{dir, "..", "shared"}, elements...)...)
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the shared cases are not there: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// An envelope is the little of a frame that the test dispatches on.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// judgeFrame judges the body of a frame; pending holds the methods of the requests by direction and id. It reports false
// for a frame that has nothing to judge.
func judgeFrame(v *validate.Validator, dir string, raw []byte, pending map[string]string) (err error, judged bool) {
	var frame envelope
	if err := json.Unmarshal(raw, &frame); err != nil {
		return err, false
	}
	switch {
	case frame.Method != "":
		if frame.ID != nil {
			pending[dir+string(frame.ID)] = frame.Method
		}
		return v.Params(frame.Method, frame.Params), true
	case frame.Error != nil:
		return v.Error(frame.Error), true
	case frame.Result != nil:
		other := map[string]string{"a2c": "c2a", "c2a": "a2c"}[dir]
		method, ok := pending[other+string(frame.ID)]
		if !ok {
			return nil, false
		}
		return v.Result(method, frame.Result), true
	default:
		return nil, false
	}
}

// The strict verdicts of the shared cases that one frame decides. What the envelope decides is not this package's matter.
func TestSharedCases(t *testing.T) {
	f := sharedFile(t, "cases", "cases.jsonl")
	v := newValidator(t, "v1")
	schemaFaults, valid := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			ID, Level string
			Strict    []string
			Rule      []string
			Lines     []struct {
				Dir, Raw string
				Setup    bool
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Level != "frame" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			pending := map[string]string{}
			i := 0
			for _, line := range c.Lines {
				err, judged := judgeFrame(v, line.Dir, []byte(line.Raw), pending)
				if line.Setup {
					continue
				}
				verdict, rule := c.Strict[i], c.Rule[i]
				i++
				var wrong *validate.DataError
				switch {
				case rule == "schema":
					schemaFaults++
					if !errors.As(err, &wrong) {
						t.Errorf("%s\nwant a schema fault, got %v", line.Raw, err)
					}
				case verdict == "valid":
					valid++
					if err != nil || !judged {
						t.Errorf("%s\nwant valid, got %v, judged %t", line.Raw, err, judged)
					}
				case rule == "method":
					// Also a known method on the wrong side.
					if errors.As(err, &wrong) {
						t.Errorf("%s\nwant no schema fault, got %v", line.Raw, err)
					}
				}
			}
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if schemaFaults < 20 || valid < 20 {
		t.Errorf("only %d schema faults and %d valid frames in the cases", schemaFaults, valid)
	}
}

// Real agents' traffic: every frame that the recorded verdicts call a schema fault is one here, and no valid frame is.
func TestSharedCorpus(t *testing.T) {
	verdicts := sharedFile(t, "corpus", "verdicts.ndjson")
	v := newValidator(t, "v1")
	type place struct {
		File string
		Line int
	}
	rules := map[place]string{}
	for lines := bufio.NewScanner(verdicts); lines.Scan(); {
		var verdict struct {
			place
			Rule string
		}
		if err := json.Unmarshal(lines.Bytes(), &verdict); err != nil {
			t.Fatal(err)
		}
		rules[verdict.place] = verdict.Rule
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(verdicts.Name()), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	frames, faults := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pending := map[string]string{}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for at := (place{File: filepath.Base(name)}); lines.Scan(); {
			at.Line++
			var line struct{ Dir, Raw string }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			err, judged := judgeFrame(v, line.Dir, []byte(line.Raw), pending)
			frames++
			switch rule := rules[at]; rule {
			case "schema":
				faults++
				if wrong := (*validate.DataError)(nil); !errors.As(err, &wrong) {
					t.Errorf("%v: want a schema fault, got %v", at, err)
				}
			case "":
				if unknown := (*validate.UnknownMethodError)(nil); judged && err != nil && !errors.As(err, &unknown) {
					t.Errorf("%v: want valid, got %v", at, err)
				}
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if frames < 1000 || faults < 50 {
		t.Errorf("only %d frames and %d schema faults in the corpus", frames, faults)
	}
}
