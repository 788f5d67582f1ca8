package conform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
)

// A fragment is one rule's transcript as a part of a longer one.
type fragment struct {
	rule string
	// head are the lines to initialize, if they are not the usual ones; with them, the rest may break rules that it does not break alone.
	head []line
	rest []line
	// special is set if head is not usual.
	special bool
	// whole is set if other lines must not come between: the fragment is about unreadable lines, answers without an id, or time.
	whole bool
	want  []string
}

// fragments returns the good and the bad transcript of each rule, and the usual lines to initialize.
func fragments(t *testing.T) (good, bad []fragment, usual []line) {
	_, reference, _, _ := readRule(t, filepath.Join("testdata", "TOOL-2.txtar"))
	usual = reference[:2]
	for _, rule := range conform.Rules() {
		_, g, b, want := readRule(t, filepath.Join("testdata", rule.ID+".txtar"))
		good = append(good, newFragment(rule.ID, g, usual))
		f := newFragment(rule.ID, b, usual)
		for l := range strings.Lines(want) {
			_, l, _ = strings.Cut(l, ": ")
			f.want = append(f.want, strings.Fields(l)[1])
		}
		slices.Sort(f.want)
		f.want = slices.Compact(f.want)
		bad = append(bad, f)
	}
	return good, bad, usual
}

func newFragment(rule string, lines, usual []line) fragment {
	f := fragment{rule: rule, rest: lines, special: true}
	n := slices.IndexFunc(lines, func(l line) bool {
		return bytes.Contains(l.raw, []byte(`"agentCapabilities"`)) || bytes.Contains(l.raw, []byte(`"result":{"protocolVersion"`))
	})
	f.head, f.rest = lines[:n+1], lines[n+1:]
	if n == 1 && bytes.Equal(lines[0].raw, usual[0].raw) && bytes.Equal(lines[1].raw, usual[1].raw) {
		f.special = false
	}
	for _, l := range lines {
		var frame map[string]json.RawMessage
		if l.from == 0 || json.Unmarshal(l.raw, &frame) != nil || string(frame["id"]) == "null" {
			f.whole = true
		}
	}
	return f
}

// host reports whether the good transcript can be a part of any other.
func (f fragment) host() bool {
	return !f.special && !f.whole && !strings.HasPrefix(f.rule, "AUTH")
}

// numbered returns the lines with ids of their own, so that copies can stand beside each other.
func numbered(lines []line, n int) []line {
	out := slices.Clone(lines)
	for i, l := range out {
		d := json.NewDecoder(bytes.NewReader(l.raw))
		d.UseNumber()
		var v any
		if l.from == 0 || d.Decode(&v) != nil || d.More() || !json.Valid(l.raw) || !utf8.Valid(l.raw) {
			continue
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if e.Encode(renumber(v, "", n)) == nil {
			out[i].raw = bytes.TrimSpace(b.Bytes())
		}
	}
	return out
}

func renumber(v any, key string, n int) any {
	switch v := v.(type) {
	case map[string]any:
		_, frame := v["jsonrpc"]
		for k, inner := range v {
			if k == "id" && !frame {
				continue
			}
			v[k] = renumber(inner, k, n)
		}
	case []any:
		for i := range v {
			v[i] = renumber(v[i], key, n)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil && (key == "id" || key == "requestId") {
			return i + int64(1000*n)
		}
	case string:
		switch key {
		case "id", "requestId":
			if i, err := strconv.Atoi(v); err == nil {
				return strconv.Itoa(i + 1000*n)
			}
			return fmt.Sprintf("%s.%d", v, n)
		case "sessionId", "terminalId", "elicitationId", "cursor", "nextCursor":
			return fmt.Sprintf("%s.%d", v, n)
		}
	}
	return v
}

// merge mixes sequences at random; each stays in order.
func merge(r *rand.Rand, parts [][]line) []line {
	var out []line
	for len(parts) > 0 {
		i := r.IntN(len(parts))
		if len(parts[i]) == 0 {
			parts = slices.Delete(parts, i, i+1)
			continue
		}
		out = append(out, parts[i][0])
		parts[i] = parts[i][1:]
	}
	return out
}

// pick returns some hosts, numbered from 1.
func pick(r *rand.Rand, hosts []fragment, n int) (parts [][]line, names []string) {
	for i := range n {
		f := hosts[r.IntN(len(hosts))]
		parts = append(parts, numbered(f.rest, i+1))
		names = append(names, f.rule)
	}
	return parts, names
}

func rulesOf(list []conform.Finding) []string {
	found := map[string]bool{}
	for _, f := range list {
		found[f.Rule] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func hostsOf(good []fragment) (hosts []fragment) {
	for _, f := range good {
		if f.host() {
			hosts = append(hosts, f)
		}
	}
	return hosts
}

// rounds is how many random conversations are made of each kind.
const rounds = 40

// TestReordered mixes good conversations of many sessions on one connection, which changes the order of what may come in any order, and finds nothing.
func TestReordered(t *testing.T) {
	good, _, usual := fragments(t)
	hosts := hostsOf(good)
	if len(hosts) < 50 {
		t.Fatalf("only %d transcripts can be mixed", len(hosts))
	}
	for seed := range uint64(20 * rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		parts, names := pick(r, hosts, 6)
		if got := check(slices.Concat(usual, merge(r, parts)), complete); len(got) > 0 {
			t.Errorf("seed %d, %v: false alarm\n%s", seed, names, findings(got))
		}
	}
}

// TestMutations puts the reverse of each rule into good conversations at random. The checker names the rule, and no other that the fault does not break too.
func TestMutations(t *testing.T) {
	good, bad, usual := fragments(t)
	hosts := hostsOf(good)
	caught, total := 0, 0
	for _, f := range bad {
		t.Run(f.rule, func(t *testing.T) {
			for seed := range uint64(rounds) {
				total++
				r := rand.New(rand.NewPCG(seed, 2))
				parts, names := pick(r, hosts, 3)
				lines := f.insert(r, parts, usual)
				got := rulesOf(check(lines, complete))
				if !slices.Contains(got, f.rule) {
					t.Errorf("seed %d, in %v: not caught, got %v", seed, names, got)
					continue
				}
				caught++
				if f.special {
					continue // others may use what this one withholds
				}
				if diff := cmp.Diff(f.want, got); diff != "" {
					t.Errorf("seed %d, in %v: mismatch (-want +got):\n%s", seed, names, diff)
				}
			}
		})
	}
	t.Logf("%d of %d mutations caught, of %d rules", caught, total, len(bad))
}

// insert puts the fragment among the others.
func (f fragment) insert(r *rand.Rand, parts [][]line, usual []line) []line {
	head, rest := usual, numbered(f.rest, 0)
	if f.special {
		head = f.head
	}
	if f.whole {
		return slices.Concat(head, rest, merge(r, parts))
	}
	return slices.Concat(head, merge(r, append(parts, rest)))
}
