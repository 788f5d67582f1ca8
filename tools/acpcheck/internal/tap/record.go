package tap

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A recorder writes a transcript, one record a line and each at once.
type recorder struct {
	w io.Writer
	b []byte
}

// line records a line without its line end.
func (r *recorder) line(from transcript.Direction, at time.Duration, line []byte) error {
	r.b = fmt.Appendf(r.b[:0], `{"t":%d,"dir":%q,"raw":`, at.Milliseconds(), from.String())
	r.b = appendRaw(r.b, line)
	r.b = append(r.b, "}\n"...)
	_, err := r.w.Write(r.b)
	return err
}

// appendRaw appends the line as a JSON string. Bytes that are not UTF-8 stand in it as they are, which is how package transcript reads them.
func appendRaw(b, line []byte) []byte {
	if utf8.Valid(line) {
		if text, err := json.Marshal(string(line)); err == nil {
			return append(b, text...)
		}
	}
	b = append(b, '"')
	for _, c := range line {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
