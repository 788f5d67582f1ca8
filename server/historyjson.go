package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The JSON of a history's entries, as stores keep them. Each union has a "type" member. Members are only ever added.

type entryJSON struct {
	Role      Role        `json:"role"`
	MessageID string      `json:"messageId,omitzero"`
	Time      time.Time   `json:"time,omitzero"`
	Blocks    []blockJSON `json:"blocks"`
}

type blockJSON struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitzero"`
	Part      *partJSON       `json:"part,omitzero"`
	ID        string          `json:"id,omitzero"`
	Name      string          `json:"name,omitzero"`
	Title     string          `json:"title,omitzero"`
	Kind      ToolKind        `json:"kind,omitzero"`
	Input     json.RawMessage `json:"input,omitzero"`
	Locations []locationJSON  `json:"locations,omitzero"`
	Items     []itemJSON      `json:"items,omitzero"`
	Todos     []todoJSON      `json:"todos,omitzero"`
	Output    json.RawMessage `json:"output,omitzero"`
	Failed    bool            `json:"failed,omitzero"`
}

type todoJSON struct {
	Text     string       `json:"text"`
	Status   TodoStatus   `json:"status,omitzero"`
	Priority TodoPriority `json:"priority,omitzero"`
}

type locationJSON struct {
	Path string `json:"path"`
	Line int    `json:"line,omitzero"`
}

type itemJSON struct {
	Type       string    `json:"type"`
	Text       string    `json:"text,omitzero"`
	Part       *partJSON `json:"part,omitzero"`
	Path       string    `json:"path,omitzero"`
	Old        *string   `json:"old,omitzero"`
	New        string    `json:"new,omitzero"`
	TerminalID string    `json:"terminalId,omitzero"`
}

type partJSON struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitzero"`
	URI         string `json:"uri,omitzero"`
	Name        string `json:"name,omitzero"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	MIMEType    string `json:"mimeType,omitzero"`
	Path        string `json:"path,omitzero"`
	First       int    `json:"first,omitzero"`
	Last        int    `json:"last,omitzero"`
	Size        int64  `json:"size,omitzero"`
	Data        []byte `json:"data,omitzero"`
}

var errNil = errors.New("it is nil")

// encodeEntry returns the entry as JSON. Torn is not in it: the store knows.
func encodeEntry(e Entry) (json.RawMessage, error) {
	w := entryJSON{Role: e.Role, MessageID: e.MessageID, Time: e.Time.UTC(), Blocks: make([]blockJSON, 0, len(e.Blocks))}
	for i, b := range e.Blocks {
		wb, err := encodeBlock(b)
		if err != nil {
			return nil, fmt.Errorf("/blocks/%d: %w", i, err)
		}
		w.Blocks = append(w.Blocks, wb)
	}
	return json.Marshal(w)
}

// decodeEntry reads what encodeEntry wrote.
func decodeEntry(data json.RawMessage) (Entry, error) {
	var w entryJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return Entry{}, err
	}
	if w.Role != UserRole && w.Role != AgentRole {
		return Entry{}, errors.New("/role: unknown role " + strconv.Quote(string(w.Role)))
	}
	e := Entry{Role: w.Role, MessageID: w.MessageID, Time: w.Time}
	for i, wb := range w.Blocks {
		b, err := wb.block()
		if err != nil {
			return Entry{}, fmt.Errorf("/blocks/%d: %w", i, err)
		}
		e.Blocks = append(e.Blocks, b)
	}
	return e, nil
}

func encodeBlock(b Block) (blockJSON, error) {
	switch b := b.(type) {
	case *TextBlock:
		return blockJSON{Type: "text", Text: b.Text}, nil
	case *ThinkingBlock:
		return blockJSON{Type: "thinking", Text: b.Text}, nil
	case *MediaBlock:
		p, err := encodePart(b.Part)
		return blockJSON{Type: "media", Part: p}, err
	case *ToolCallBlock:
		w := blockJSON{Type: "tool_call", ID: b.ID, Name: b.Name, Title: b.Title, Kind: b.Kind, Input: b.Input}
		for _, l := range b.Locations {
			w.Locations = append(w.Locations, locationJSON(l))
		}
		return w, nil
	case *ToolResultBlock:
		w := blockJSON{Type: "tool_result", ID: b.CallID, Output: b.Result.Output, Failed: b.Failed}
		for i, item := range b.Result.Items {
			wi, err := encodeItem(item)
			if err != nil {
				return blockJSON{}, fmt.Errorf("/items/%d: %w", i, err)
			}
			w.Items = append(w.Items, wi)
		}
		return w, nil
	case *PlanBlock:
		w := blockJSON{Type: "plan"}
		for _, t := range b.Todos {
			w.Todos = append(w.Todos, todoJSON(t))
		}
		return w, nil
	}
	return blockJSON{}, errNil
}

func (w *blockJSON) block() (Block, error) {
	switch w.Type {
	case "text":
		return &TextBlock{w.Text}, nil
	case "thinking":
		return &ThinkingBlock{w.Text}, nil
	case "media":
		p, err := w.Part.part()
		return &MediaBlock{p}, err
	case "tool_call":
		b := &ToolCallBlock{ID: w.ID, Name: w.Name, Title: w.Title, Kind: w.Kind, Input: w.Input}
		for _, l := range w.Locations {
			b.Locations = append(b.Locations, Location(l))
		}
		return b, nil
	case "tool_result":
		b := &ToolResultBlock{CallID: w.ID, Failed: w.Failed, Result: Result{Output: w.Output}}
		for i, wi := range w.Items {
			item, err := wi.item()
			if err != nil {
				return nil, fmt.Errorf("/items/%d: %w", i, err)
			}
			b.Result.Items = append(b.Result.Items, item)
		}
		return b, nil
	case "plan":
		b := &PlanBlock{}
		for _, t := range w.Todos {
			b.Todos = append(b.Todos, Todo(t))
		}
		return b, nil
	}
	return nil, unknownType(w.Type)
}

func encodeItem(item Item) (itemJSON, error) {
	switch item := item.(type) {
	case *TextItem:
		return itemJSON{Type: "text", Text: item.Text}, nil
	case *MediaItem:
		p, err := encodePart(item.Part)
		return itemJSON{Type: "media", Part: p}, err
	case *DiffItem:
		return itemJSON{Type: "diff", Path: item.Path, Old: item.Old, New: item.New}, nil
	case *TerminalItem:
		return itemJSON{Type: "terminal", TerminalID: item.TerminalID, Text: item.Output}, nil
	}
	return itemJSON{}, errNil
}

func (w *itemJSON) item() (Item, error) {
	switch w.Type {
	case "text":
		return &TextItem{w.Text}, nil
	case "media":
		p, err := w.Part.part()
		return &MediaItem{p}, err
	case "diff":
		return &DiffItem{Path: w.Path, Old: w.Old, New: w.New}, nil
	case "terminal":
		return &TerminalItem{TerminalID: w.TerminalID, Output: w.Text}, nil
	}
	return nil, unknownType(w.Type)
}

func encodePart(p Part) (*partJSON, error) {
	switch p := p.(type) {
	case *TextPart:
		return &partJSON{Type: "text", Text: p.Text}, nil
	case *ImagePart:
		return &partJSON{Type: "image", MIMEType: p.MIMEType, Data: p.Data, URI: p.URI}, nil
	case *AudioPart:
		return &partJSON{Type: "audio", MIMEType: p.MIMEType, Data: p.Data}, nil
	case *DocumentPart:
		return &partJSON{Type: "document", URI: p.URI, MIMEType: p.MIMEType, Path: p.Path, First: p.Lines.First, Last: p.Lines.Last, Text: p.Text, Data: p.Data}, nil
	case *ResourcePart:
		return &partJSON{
			Type: "resource", URI: p.URI, Name: p.Name, Title: p.Title, Description: p.Description, MIMEType: p.MIMEType, Path: p.Path,
			First: p.Lines.First, Last: p.Lines.Last, Size: p.Size,
		}, nil
	}
	return nil, errNil
}

func (w *partJSON) part() (Part, error) {
	if w == nil {
		return nil, errors.New("/part: missing")
	}
	lines := LineRange{w.First, w.Last}
	switch w.Type {
	case "text":
		return &TextPart{w.Text}, nil
	case "image":
		return &ImagePart{MIMEType: w.MIMEType, Data: w.Data, URI: w.URI}, nil
	case "audio":
		return &AudioPart{MIMEType: w.MIMEType, Data: w.Data}, nil
	case "document":
		return &DocumentPart{URI: w.URI, MIMEType: w.MIMEType, Path: w.Path, Lines: lines, Text: w.Text, Data: w.Data}, nil
	case "resource":
		return &ResourcePart{
			URI: w.URI, Name: w.Name, Title: w.Title, Description: w.Description, MIMEType: w.MIMEType, Path: w.Path, Lines: lines, Size: w.Size,
		}, nil
	}
	return nil, unknownType(w.Type)
}

func unknownType(t string) error { return errors.New("/type: unknown type " + strconv.Quote(t)) }
