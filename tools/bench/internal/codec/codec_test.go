package codec

import (
	"bytes"
	"testing"

	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

// TestCases shows that no benchmark measures an error path.
func TestCases(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range cases(t, Ops()...) {
		if seen[c.ID()] {
			t.Errorf("there are two %s", c.ID())
		}
		seen[c.ID()] = true
		t.Run(c.ID(), func(t *testing.T) {
			if err := c.Run(); err != nil {
				t.Fatal(err)
			}
			if err := c.Verify(); err != nil { // with memory that was used before
				t.Fatal(err)
			}
		})
	}
}

// TestQuoteCopy keeps the encoders' baseline honest: it writes the very bytes that our encoder writes, and it quotes the text.
func TestQuoteCopy(t *testing.T) {
	payloads, err := payload.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range payloads {
		list, err := segments(p.JSON)
		if err != nil {
			t.Fatal(err)
		}
		got, err := quoteCopier(list)()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, p.JSON) {
			t.Errorf("%s: the baseline writes other bytes than our encoder", p.Name)
		}
		if len(list) < 3 {
			t.Errorf("%s: %d segments: the strings were not found", p.Name, len(list))
		}
	}
}

func BenchmarkDecode(b *testing.B)   { run(b, Decode) }
func BenchmarkValidate(b *testing.B) { run(b, Validate) }
func BenchmarkEncode(b *testing.B)   { run(b, Encode) }
func BenchmarkFrame(b *testing.B)    { run(b, Frame) }

func run(b *testing.B, op string) {
	for _, c := range cases(b, op) {
		b.Run(c.Name(), c.Bench)
	}
}

func cases(tb testing.TB, ops ...string) []*Case {
	tb.Helper()
	list, err := Cases(ops...)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}
