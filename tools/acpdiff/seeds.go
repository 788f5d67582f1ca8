package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// maxSeed is the longest text that becomes a seed: longer ones would take the time of many instances.
const maxSeed = 4 << 10

// A collection is the seeds by definition, without repetition.
type collection struct {
	judge *judge
	seeds mutate.Seeds
	seen  map[string]bool
	n     int
}

func (c *collection) add(def string, v *mutate.Value) {
	raw := v.String()
	if key := def + " " + raw; len(raw) <= maxSeed && c.judge.schema.Place(def) != nil && !c.seen[key] {
		c.seen[key] = true
		c.seeds[def] = append(c.seeds[def], v)
		c.n++
	}
}

// moduleRoot returns the directory of the go.mod above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above: run this in the module")
		}
		dir = parent
	}
}

// goldens adds the golden files of a directory, named Type.*.json. One whose type is no definition is a variant: it becomes a seed of every union that it
// is an instance of.
func (c *collection) goldens(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	byName := map[string]string{}
	for _, def := range c.judge.schema.Defs() {
		byName[strings.ToLower(def)] = def
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		v, err := mutate.Parse(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		if def, ok := byName[strings.ToLower(name)]; ok {
			c.add(def, v)
			continue
		}
		for _, def := range c.judge.schema.Unions() {
			if c.judge.oracle.Def(def, raw) == nil {
				c.add(def, v)
			}
		}
	}
	return nil
}

// corpus adds params and results from the recorded traffic in a directory, if there is one. Frames may be wrong.
func (c *collection) corpus(dir string, surface *wire.Surface) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := c.transcript(file, surface); err != nil {
			return err
		}
	}
	return nil
}

func (c *collection) transcript(file string, surface *wire.Surface) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pending := map[string]*wire.Method{} // by sender of the answer and id
	n := 0
	for line := range bytes.Lines(content) {
		n++
		var record struct{ Dir, Raw string }
		if err := json.Unmarshal(line, &record); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if frame, err := mutate.Parse([]byte(record.Raw)); err == nil {
			c.frame(record.Dir, frame, surface, pending)
		}
	}
	return nil
}

func (c *collection) frame(dir string, frame *mutate.Value, surface *wire.Surface, pending map[string]*wire.Method) {
	method, id := frame.Get("method"), frame.Get("id")
	if method == nil || method.Kind != mutate.String {
		if m, result := pending[dir+frameID(id)], frame.Get("result"); m != nil && result != nil {
			c.add(m.Result, result)
		}
		return
	}
	m := surface.Notification(method.Content())
	if id != nil {
		m = surface.Request(method.Content())
		answer := map[string]string{"c2a": "a2c", "a2c": "c2a"}[dir]
		pending[answer+frameID(id)] = m
	}
	if params := frame.Get("params"); m != nil && params != nil {
		c.add(m.Params, params)
	}
}

func frameID(id *mutate.Value) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// readSeeds returns the goldens, and the traffic in a directory, which may be missing if it is the default one.
func readSeeds(j *judge, surface *wire.Surface, corpusDir string) (seeds mutate.Seeds, goldens, corpus int, err error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, 0, 0, err
	}
	c := &collection{judge: j, seeds: mutate.Seeds{}, seen: map[string]bool{}}
	if err := c.goldens(filepath.Join(root, "gen", "acp"+surface.Name, "testdata", "golden")); err != nil {
		return nil, 0, 0, err
	}
	goldens = c.n
	if corpusDir == "" {
		corpusDir = filepath.Join(root, "..", "shared", "corpus")
	} else if info, err := os.Stat(corpusDir); err != nil || !info.IsDir() {
		return nil, 0, 0, fmt.Errorf("corpus %s: %w", corpusDir, fs.ErrNotExist)
	}
	if err := c.corpus(corpusDir, surface); err != nil {
		return nil, 0, 0, err
	}
	return c.seeds, goldens, c.n - goldens, nil
}
