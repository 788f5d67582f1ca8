package codec

import (
	"encoding/json"

	coder "github.com/coder/acp-go-sdk"

	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

// coderNew returns a new value of coder's type for the payload.
func coderNew(p *payload.Payload) any {
	switch p.Def {
	case "SessionNotification":
		return new(coder.SessionNotification)
	case "PromptRequest":
		return new(coder.PromptRequest)
	case "RequestPermissionRequest":
		return new(coder.RequestPermissionRequest)
	case "NewSessionResponse":
		return new(coder.NewSessionResponse)
	}
	return nil
}

func coderDecoder(p *payload.Payload) decoder {
	return func(b []byte) (any, error) {
		v := coderNew(p)
		err := json.Unmarshal(b, v)
		return v, err
	}
}

// A coderMessage is the frame as coder's connection reads it: params and results are read a second time, by the method's handler.
type coderMessage struct {
	JSONRPC string              `json:"jsonrpc"`
	ID      *json.RawMessage    `json:"id,omitempty"`
	Method  string              `json:"method,omitempty"`
	Params  json.RawMessage     `json:"params,omitempty"`
	Result  json.RawMessage     `json:"result,omitempty"`
	Error   *coder.RequestError `json:"error,omitempty"`
}

func coderFrameDecoder(p *payload.Payload) decoder {
	return func(b []byte) (any, error) {
		var m coderMessage
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		body := m.Params
		if m.Method == "" {
			body = m.Result
		}
		v := coderNew(p)
		err := json.Unmarshal(body, v)
		return v, err
	}
}
