package view

import (
	"encoding/json"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// JSON shows each event as one object on one line. Its member "type" says what it is.
type JSON struct{}

// Append appends the event to b.
func (JSON) Append(b []byte, e Event) []byte {
	object, err := json.Marshal(e)
	if err != nil {
		// What the agent sent was repaired and has no exact form, such as a variant that nobody knows within another.
		object, err = json.Marshal(struct {
			Error string `json:"error"`
		}{err.Error()})
	}
	if err != nil || len(object) < len(`{}`) {
		return b
	}
	b = append(b, `{"type":"`...)
	b = append(b, e.kind()...)
	b = append(b, '"')
	if members := object[1:]; members[0] != '}' {
		b = append(b, ',')
	}
	b = append(b, object[1:]...)
	return append(b, '\n')
}

// MarshalJSON returns the update as it was on the wire, but for what the client does not know.
func (u *Update) MarshalJSON() ([]byte, error) {
	var update []byte
	var err error
	if unknown, ok := u.Update.(*acpv1.UnknownSessionUpdate); ok {
		update = unknown.Raw
	} else if update, err = u.Update.MarshalJSON(); err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		SessionID acpv1.SessionID `json:"sessionId"`
		Replayed  bool            `json:"replayed,omitempty"`
		Update    json.RawMessage `json:"update"`
	}{u.SessionID, u.Replayed, update})
}

// MarshalJSON returns the tool call as it was on the wire, where it has no tag.
func (a *Asked) MarshalJSON() ([]byte, error) {
	call, err := wire.Marshal(a.ToolCall)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		ToolCall json.RawMessage          `json:"toolCall"`
		Options  []acpv1.PermissionOption `json:"options"`
	}{call, a.Options})
}
