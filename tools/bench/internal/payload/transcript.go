package payload

import (
	"bufio"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// conversation is what stands before and behind the updates of a transcript.
var conversation = [2][]string{
	{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}},"clientInfo":{"name":"bench","version":"0"}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false},"agentInfo":{"name":"bench","version":"0"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/me/project","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"` + string(session) + `"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + string(session) + `","prompt":[{"type":"text","text":"Explain the table."}]}}`,
	},
	{`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`},
}

// WriteTranscript writes one turn of at least size bytes, a frame a line, nearly all of it streamed chunks of an answer. It returns how much it wrote.
func WriteTranscript(w io.Writer, size int64) (frames, written int64, err error) {
	chunks, err := chunkFrames()
	if err != nil {
		return 0, 0, err
	}
	t := transcript{w: bufio.NewWriterSize(w, 1<<20)}
	for _, frame := range conversation[0] {
		t.line([]byte(frame))
	}
	var frame []byte
	for i := 0; t.written < size && t.err == nil; i++ {
		frame = append(frame[:0], chunks[i%len(chunks)]...)
		frame = strconv.AppendInt(frame, int64(i/chunksPerMessage), 10)
		t.line(append(frame, `"}}}`...))
	}
	for _, frame := range conversation[1] {
		t.line([]byte(frame))
	}
	if t.err == nil {
		t.err = t.w.Flush()
	}
	return t.frames, t.written, t.err
}

type transcript struct {
	w               *bufio.Writer
	frames, written int64
	err             error // of a full disk, say; it stays
}

func (t *transcript) line(frame []byte) {
	if t.err != nil {
		return
	}
	if _, t.err = t.w.Write(frame); t.err == nil {
		t.err = t.w.WriteByte('\n')
	}
	t.frames++
	t.written += int64(len(frame)) + 1
}

// chunksPerMessage is how many chunks in a row have the same id; the thoughts among them have one of their own.
const chunksPerMessage = 64

// chunkFrames returns frames of chunks without what comes after the beginning of their message ids.
func chunkFrames() ([][]byte, error) {
	var list [][]byte
	for i, text := range Chunks(4096) {
		kind, id := "agent_message_chunk", "msg_"
		if i%8 == 7 {
			kind, id = "agent_thought_chunk", "thought_"
		}
		frame := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + string(session) + `","update":{"sessionUpdate":"` + kind + `","content":{"type":"text","text":`)
		frame, err := jsontext.AppendQuote(frame, text)
		if err != nil {
			return nil, err
		}
		list = append(list, append(frame, `},"messageId":"`+id...))
	}
	return list, nil
}
