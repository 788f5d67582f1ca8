package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// traffic is a transcript of streamed chunks, as frames or as records.
func traffic(b *testing.B, size int, records bool) []byte {
	b.Helper()
	words := strings.Fields("an agent streams its answer in small pieces and each of them is a notification of about two hundred bytes")
	var out bytes.Buffer
	for i := 0; out.Len() < size; i++ {
		text := strings.Join(words[i%10:i%10+i%7+1], " ")
		frame := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, text)
		if records {
			raw, err := json.Marshal(frame)
			if err != nil {
				b.Fatal(err)
			}
			frame = fmt.Sprintf(`{"t":%d,"dir":"a2c","raw":%s}`, i, raw)
		}
		out.WriteString(frame + "\n")
	}
	return out.Bytes()
}

// BenchmarkThroughput compares acpcheck with a bare scan over the same transcript by the tokenizer that most strict parsers stand on.
func BenchmarkThroughput(b *testing.B) {
	for name, records := range map[string]bool{"frames": false, "records": true} {
		in := traffic(b, 16<<20, records)
		b.Run(name+"/acpcheck", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(b.Context(), []string{"validate", "--judge", "generated"}, bytes.NewReader(in), io.Discard, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/tokens", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			d := jsontext.NewDecoder(strings.NewReader(""))
			for b.Loop() {
				for line := range bytes.Lines(in) {
					d.Reset(bytes.NewBuffer(line))
					var err error
					for err == nil {
						_, err = d.ReadToken()
					}
					if !errors.Is(err, io.EOF) {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
