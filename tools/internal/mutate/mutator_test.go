package mutate

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func newMutator(s *Schema, seed uint64) *Mutator {
	return New(s, nil, rand.New(rand.NewPCG(1, seed)))
}

// TestMutations applies each mutation alone, many times, to one instance. Every result must be different in the way that the mutation says, and every
// pattern must come up in some.
func TestMutations(t *testing.T) {
	const chunk = `{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1.5,"currency":"EUR"}}}`
	tests := []struct {
		mutation Mutation
		want     []string // patterns
	}{
		{Drop, []string{`^\{"update"`, `"sessionUpdate":"usage_update","size"`, `"cost":\{"currency"`}},
		{Add, []string{`"_own":`, `"":`}},
		{Extra, []string{`"_meta":`, `"content":`, `"mimeType":`}},
		{Retype, []string{`"update":\[\{"sessionUpdate"`, `"used":"1"`, `"used":\[1\]`, `"sessionId":s,`}},
		{Nullify, []string{`"update":null`, `"currency":null`}},
		{Tag, []string{`"sessionUpdate":"tool_call"`, `"sessionUpdate":"allow_once"`, `"sessionUpdate":"[a-z_]*\\u00`, `"type":`}},
		{Const, []string{`"USAGE_UPDATE"`, `"usage_update "`, `"usage_updat"`, `""`, `"sessionUpdate":"plan"`}},
		{Range, []string{`"used":-0[,}]`, `"size":18446744073709551616[,}]`, `"used":1\.0[,}]`, `"amount":1e400[,}]`, `"used":7e3[,}]`, `"size":4294967295\.5`}},
		{Case, []string{`"SessionId"`, `"SESSIONID"`, `"\x{17f}e\x{17f}\x{17f}ionId"`, `"sessionId":"s".*"sessionid":"s"`}},
		{Duplicate, []string{`"used":1.*"used":`, `"sessionUpdate":.*"sessionUpdate":`, `"us\\u0065d":`}},
		{Reorder, []string{`"sessionUpdate":"usage_update"\}\}$`, `^\{"update"`, `\{"currency"`}},
		{Deep, []string{`\[\[\[`, `(\{"[^"]*":){3}`}},
		{Empty, []string{`"update":\{\}`, `"sessionId":""`, `"used":0`, `"sessionId":\[\]`}},
		{Huge, []string{`aaaaaaaaaaaaaaaaaaaa`, `"_aa":.*"_za":`}},
		{Graft, []string{`"update":"s"`, `"cost":\{"sessionId"`, `"amount":\{`}},
		{Text, []string{`\\ud800`, `"s[^"]+"`, `"currency":""`, `"\\u`}},
		{Space, []string{`[{:,] `, "\n", `"\t:`}},
	}
	s := load(t, "v1")
	for _, test := range tests {
		t.Run(string(test.mutation), func(t *testing.T) {
			m := newMutator(s, 1)
			i := slices.Index(Mutations(), test.mutation)
			var results []string
			for range 2500 {
				v, err := Parse([]byte(chunk))
				if err != nil {
					t.Fatal(err)
				}
				target := &target{root: v, place: s.Place("SessionNotification")}
				m.slots = collect(target, m.slots[:0])
				if !weights[i].apply(m, target) {
					t.Fatal("does not apply")
				}
				results = append(results, target.root.String())
			}
			for _, pattern := range test.want {
				re := regexp.MustCompile(pattern)
				if !slices.ContainsFunc(results, re.MatchString) {
					t.Errorf("nothing matches %s; the first results are\n%s", pattern, strings.Join(results[:10], "\n"))
				}
			}
			if same := len(slices.DeleteFunc(slices.Clone(results), func(r string) bool { return r != chunk })); same > len(results)/3 {
				t.Errorf("%d of %d results are no different", same, len(results))
			}
		})
	}
}

func TestBreakText(t *testing.T) {
	m := newMutator(load(t, "v1"), 1)
	broken := 0
	for range 1000 {
		if !json.Valid(m.breakText([]byte(`{"a":[1,2],"b":"c"}`))) {
			broken++
		}
	}
	if broken < 700 {
		t.Errorf("%d of 1000 texts are not JSON, want most", broken)
	}
	if got := m.breakText(nil); len(got) > 0 {
		t.Errorf("an empty text became %q", got)
	}
}

// TestNotApplicable shows that a mutation that finds nothing to change is not reported.
func TestNotApplicable(t *testing.T) {
	s := load(t, "v1")
	m := newMutator(s, 1)
	for range 2000 {
		raw, done := m.Mutate("SessionId", &Value{Kind: Number, Text: "1"})
		if len(done) == 1 && (done[0] == Drop || done[0] == Duplicate || done[0] == Case || done[0] == Tag) {
			t.Fatalf("%q is the result of %q on a number", raw, done)
		}
	}
}

// TestMutatorDeterministic makes the same instances twice, from seeds, and finds the seeds unchanged.
func TestMutatorDeterministic(t *testing.T) {
	s := load(t, "v1")
	plan, err := Parse([]byte(`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"c","priority":"low","status":"pending"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	before := plan.String()
	seeds := Seeds{"SessionNotification": {plan}}
	run := func() (texts [][]byte, kinds map[Mutation]int) {
		kinds = map[Mutation]int{}
		m := New(s, seeds, rand.New(rand.NewPCG(3, 4)))
		for range 3000 {
			raw, done := m.Instance("SessionNotification")
			texts = append(texts, bytes.Clone(raw))
			if len(done) < 1 || len(done) > 3 {
				t.Fatalf("%d mutations, want one to three", len(done))
			}
			for _, mutation := range done {
				kinds[mutation]++
			}
		}
		return texts, kinds
	}
	first, kinds := run()
	second, _ := run()
	if i := slices.IndexFunc(first, func(raw []byte) bool { return !bytes.Equal(raw, second[0]) }); i != 1 {
		t.Error("the first instance of the second run is not that of the first, or the instances of a run are all the same")
	}
	if !slices.EqualFunc(first, second, bytes.Equal) {
		t.Error("two runs with the same seed made different instances")
	}
	if after := plan.String(); after != before {
		t.Errorf("a seed was changed to %s", after)
	}
	if !slices.ContainsFunc(first, func(raw []byte) bool { return bytes.Contains(raw, []byte(`"content":"c","priority":"low"`)) }) {
		t.Error("no instance started from the seed")
	}
	for _, mutation := range Mutations() {
		if kinds[mutation] == 0 {
			t.Errorf("mutation %q was never applied", mutation)
		}
	}
}

// TestDeepLimits wants nesting on both sides of the 10,000 levels that a tokenizer allows.
func TestDeepLimits(t *testing.T) {
	s := load(t, "v1")
	m := newMutator(s, 1)
	below, above := false, false
	for range 2000 {
		target := &target{root: str("s"), place: s.Place("SessionId")}
		m.slots = collect(target, m.slots[:0])
		m.deep(target)
		depth := strings.Count(target.root.String(), "[")
		below = below || depth > 9980 && depth <= 10000
		above = above || depth > 10000
	}
	if !below || !above {
		t.Errorf("nesting just below the limit: %v, above: %v; want both", below, above)
	}
}

// TestTextLimits keeps instances small enough for a judge, also after several mutations that make them large.
func TestTextLimits(t *testing.T) {
	s := load(t, "v1")
	m := newMutator(s, 1)
	huge := slices.Index(Mutations(), Huge)
	for range 200 {
		target := &target{root: m.Base("SessionNotification"), place: s.Place("SessionNotification")}
		for range 3 {
			m.slots = collect(target, m.slots[:0])
			weights[huge].apply(m, target)
		}
		if n := len(target.root.String()); n > 1<<18+1<<14 {
			t.Fatalf("an instance has %d bytes", n)
		}
	}
}
