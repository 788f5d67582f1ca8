package transcript

import (
	"strings"
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for name, test := range map[string]struct {
		line  string
		timed bool
		want  time.Duration
	}{
		"milliseconds":      {`{"t":1500,"dir":"c2a","raw":"{}"}`, true, 1500 * time.Millisecond},
		"behind the frame":  {`{"raw":"{}","t": 2 }`, true, 2 * time.Millisecond},
		"zero":              {`{"t":0,"raw":"{}"}`, true, 0},
		"none":              {`{"dir":"c2a","raw":"{}"}`, false, 0},
		"a date":            {`{"t":"2026-01-01","raw":"{}"}`, false, 0},
		"a fraction":        {`{"t":1.5,"raw":"{}"}`, false, 0},
		"negative":          {`{"t":-1,"raw":"{}"}`, false, 0},
		"too large":         {`{"t":123456789012345,"raw":"{}"}`, false, 0},
		"of a frame itself": {`{"t":1,"jsonrpc":"2.0"}`, false, 0},
	} {
		l, err := NewReader(strings.NewReader(test.line), 1000).Next()
		if err != nil || l.Fault != "" || l.Timed != test.timed || l.Time != test.want {
			t.Errorf("%s: %v %v, fault %q, error %v; want %v %v", name, l.Timed, l.Time, l.Fault, err, test.timed, test.want)
		}
	}
}
