package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// An instance is the text of a value of a definition. It need not be JSON.
type instance struct {
	Def  string `json:"def"`
	Text []byte `json:"text"`
}

// A verdict is what the SDK says of an instance.
type verdict struct {
	// Verdict is "accepted", "rejected" or "syntax".
	Verdict string
	// Value is what the SDK made of it, as JSON text.
	Value string
	// Issues are what it has against it.
	Issues []issue
}

type issue struct {
	Code    string
	Path    []any
	Message string
}

func (v verdict) accepted() bool { return v.Verdict == "accepted" }

// String returns the verdict in one line.
func (v verdict) String() string {
	if v.accepted() {
		return v.Value
	}
	return fmt.Sprintf("%s %v", v.Verdict, v.Issues)
}

// A sdkJudge is a running lenient.mjs.
type sdkJudge struct {
	in  io.Writer
	out *bufio.Reader
}

const judgeTimeout = 30 * time.Minute

func startJudge(t *testing.T) *sdkJudge {
	t.Helper()
	node := requireNode(t)
	// Not the test's own context, which ends before the process is waited for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), judgeTimeout)
	cmd := exec.CommandContext(ctx, node, "lenient.mjs")
	cmd.Dir = nodeDir
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil || stderr.Len() > 0 {
			t.Errorf("lenient.mjs: %v\n%s", err, &stderr)
		}
	})
	return &sdkJudge{in: in, out: bufio.NewReaderSize(out, 1<<16)}
}

// judge returns the verdicts on a batch of instances, in order.
func (j *sdkJudge) judge(batch []instance) ([]verdict, error) {
	written := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(j.in, 1<<16)
		e := json.NewEncoder(w)
		for _, in := range batch {
			if err := e.Encode(in); err != nil {
				written <- err
				return
			}
		}
		written <- w.Flush()
	}()
	verdicts := make([]verdict, len(batch))
	for i := range verdicts {
		line, err := j.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("verdict %d of %d, on a %s: %w", i, len(batch), batch[i].Def, err)
		}
		if err := json.Unmarshal(line, &verdicts[i]); err != nil {
			return nil, err
		}
	}
	return verdicts, <-written
}

// A result is what our lenient decoder says of an instance.
type result struct {
	report wire.Report
	err    error
	// value is what it made of it, encoded again.
	value string
	// broken says what is wrong with that value, whatever the SDK says.
	broken string
}

func (r *result) accepted() bool { return r.err == nil }

// String returns the result in one line.
func (r *result) String() string {
	if r.accepted() {
		return fmt.Sprintf("%s repairs %v", r.value, r.report.Repairs)
	}
	return "rejected " + r.err.Error()
}

// manyViolations is more than any instance has, so that no repair goes without being listed.
const manyViolations = 1 << 20

func decode(in instance) *result {
	message := messages[in.Def]()
	var r result
	r.report, r.err = wire.Decode(in.Text, message, &wire.DecodeOptions{Lenient: true, MaxViolations: manyViolations})
	if r.err != nil {
		return &r
	}
	encoded, err := wire.Marshal(message)
	r.value = string(encoded)
	if err != nil {
		r.broken = "what was decoded cannot be encoded: " + err.Error()
		return &r
	}
	again := messages[in.Def]()
	if err := wire.Unmarshal(encoded, again); err != nil {
		r.broken = "what was repaired is not valid: " + err.Error()
	} else if b, err := wire.Marshal(again); err != nil || string(b) != r.value {
		r.broken = fmt.Sprintf("encoded again it is %s, %v", b, err)
	}
	return &r
}

// messages makes an empty value for each definition that is params or a result.
var messages = func() map[string]func() wire.Message {
	messages := map[string]func() wire.Message{}
	for _, m := range acpv1.Surface.Methods {
		messages[m.Params] = m.NewParams
		if !m.IsNotification() {
			messages[m.Result] = m.NewResult
		}
	}
	return messages
}()
