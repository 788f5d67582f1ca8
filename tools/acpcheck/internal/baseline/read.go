package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Read reads a list. now decides which entries have expired. Errors name the file and the line.
func Read(name string, now time.Time) (*List, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	l := &List{Name: name}
	if text := bytes.TrimSpace(b); len(text) > 0 && text[0] == '{' {
		err = l.lines(b, now)
	} else {
		err = l.yaml(b, now)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *List) add(e *Entry, line int, now time.Time) error {
	e.line = line
	if err := e.check(now); err != nil {
		return fmt.Errorf("%s:%d: %w", l.Name, line, err)
	}
	l.entries = append(l.entries, e)
	return nil
}

// lines reads one JSON object a line.
func (l *List) lines(b []byte, now time.Time) error {
	line := 0
	for text := range bytes.Lines(b) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		e := &Entry{}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(e); err != nil {
			return fmt.Errorf("%s:%d: %w", l.Name, line, err)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: more than one value in a line", l.Name, line)
		}
		if err := l.add(e, line, now); err != nil {
			return err
		}
	}
	return nil
}

// yaml reads a sequence of entries.
func (l *List) yaml(b []byte, now time.Time) error {
	file, err := parser.ParseBytes(b, 0)
	if err != nil {
		return fmt.Errorf("%s: %s", l.Name, yaml.FormatError(err, false, false))
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.NullNode); ok {
			continue
		}
		if _, ok := doc.Body.(*ast.CommentGroupNode); ok {
			continue
		}
		list, ok := doc.Body.(*ast.SequenceNode)
		if !ok {
			return fmt.Errorf("%s:%d: expected a list of entries", l.Name, doc.Body.GetToken().Position.Line)
		}
		for _, node := range list.Values {
			line := node.GetToken().Position.Line
			if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
				line = m.Values[0].Key.GetToken().Position.Line
			}
			e := &Entry{}
			if err := yaml.NodeToValue(node, e, yaml.DisallowUnknownField()); err != nil {
				return fmt.Errorf("%s:%d: %s", l.Name, line, yaml.FormatError(err, false, false))
			}
			if err := l.add(e, line, now); err != nil {
				return err
			}
		}
	}
	return nil
}
