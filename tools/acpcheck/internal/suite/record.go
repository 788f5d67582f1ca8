package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/wire"
)

// Record writes the frames of a result into a directory, as transcripts for acpcheck validate: one file for each connection.
func Record(dir string, r *Result) error {
	for i, frames := range r.Connections {
		name := fmt.Sprintf("%s-%s-%d.jsonl", r.Area, r.Name, i+1)
		if err := recordConnection(filepath.Join(dir, name), frames); err != nil {
			return err
		}
	}
	return nil
}

func recordConnection(name string, frames []Frame) (err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for i := range frames {
		out := frames[i].Line
		// A line that a JSON string cannot hold stands there as it is.
		if utf8.Valid(out) {
			dir := "c2a"
			if frames[i].From == wire.AgentSide {
				dir = "a2c"
			}
			if out, err = json.Marshal(struct {
				T   int64  `json:"t"` // milliseconds since the start
				Dir string `json:"dir"`
				Raw string `json:"raw"`
			}{frames[i].At.Milliseconds(), dir, string(out)}); err != nil {
				return err
			}
		}
		if _, err := f.Write(append(out[:len(out):len(out)], '\n')); err != nil {
			return err
		}
	}
	return nil
}
