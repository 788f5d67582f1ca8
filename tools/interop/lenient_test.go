package interop

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// defaultInstances is enough for each divergence to occur.
const defaultInstances = 2000

var (
	instances = flag.Int("instances", defaultInstances, "how many mutated instances of each method's params and result the SDK judges")
	seed      = flag.Uint64("seed", 1, "what the instances are drawn from")
)

// protocol is the schema as the mutator sees it.
var protocol = func() *mutate.Schema {
	s, err := mutate.Load("v1")
	if err != nil {
		panic(err)
	}
	return s
}()

// TestLenientMatchesSDK holds lenient decoding to the SDK's own parsers: both accept the same instances of every method's params and result, make the same
// of them, and what we report as repaired is what the SDK changed. See disagreements for what "the same" means, and divergences for what must differ.
func TestLenientMatchesSDK(t *testing.T) {
	judge := startJudge(t)
	explained := map[string]int{}
	var found []*finding
	total, accepted, repaired := 0, 0, 0
	for batch := range generate(judge) {
		if batch.err != nil {
			t.Fatal(batch.err)
		}
		for i, v := range batch.verdicts {
			f := examine(batch.instances[i], v)
			total++
			if v.accepted() {
				accepted++
			}
			if f.ours.accepted() && len(f.ours.report.Repairs) > 0 {
				repaired++
			}
			if f.faults != nil {
				found = append(found, f)
			}
		}
	}
	found = explain(t, judge, found, explained)
	t.Logf("%d instances, %d accepted by the SDK, %d repaired by us; differences by their reason: %v", total, accepted, repaired, explained)
	kinds := map[string]int{}
	for _, f := range found {
		if kinds[f.kind()]++; kinds[f.kind()] > 1 {
			continue
		}
		f = shrink(t, judge, f)
		t.Errorf("%s %s\n%s\nSDK:  %v\nours: %v", f.Def, cut(string(f.Text)), strings.Join(f.faults, "\n"), f.sdk, f.ours)
	}
	for kind, n := range kinds {
		t.Logf("%d of the kind %s", n, kind)
	}
	for _, d := range divergences {
		if explained[d.name] == 0 && *instances >= defaultInstances {
			t.Errorf("the divergence %q explains nothing: remove it", d.name)
		}
	}
}

// A batch is some instances with the SDK's verdicts.
type batch struct {
	instances []instance
	verdicts  []verdict
	err       error
}

// generate makes the instances and has them judged while the caller looks at the batch before. Each method's share is split between params and result by
// how much there is to get wrong. A quarter starts from the examples of divergences, which are rare otherwise.
func generate(judge *sdkJudge) <-chan batch {
	batches := make(chan batch, 2)
	go func() {
		defer close(batches)
		seeds := mutate.Seeds{}
		for _, d := range divergences {
			if example, err := mutate.Parse(d.example.Text); err == nil {
				seeds[d.example.Def] = append(seeds[d.example.Def], example)
			}
		}
		for i, m := range acpv1.Surface.Methods {
			random := rand.New(rand.NewPCG(*seed, uint64(i)))
			mutator := mutate.New(protocol, seeds, random)
			var b batch
			size := protocol.Size(m.Params) + protocol.Size(m.Result)
			for range *instances {
				def := m.Params
				if random.IntN(size) >= protocol.Size(m.Params) {
					def = m.Result
				}
				text, _ := mutator.Instance(def)
				b.instances = append(b.instances, instance{def, text})
			}
			b.verdicts, b.err = judge.judge(b.instances)
			batches <- b
			if b.err != nil {
				return
			}
		}
	}()
	return batches
}

// kind is the same for instances whose difference has, most likely, the same cause.
func (f *finding) kind() string {
	at, what, _ := strings.Cut(f.faults[0], ": ")
	at = at[:strings.LastIndexByte(at, '/')+1]
	if len(f.ours.report.Violations) > 0 {
		v := f.ours.report.Violations[0]
		what = v.Keyword + " " + v.Schema
	}
	first, _, _ := strings.Cut(what, ",")
	return f.Def + " " + at + " " + first
}

// examine decodes an instance and compares that with the SDK's verdict.
func examine(in instance, sdk verdict) *finding {
	ours := decode(in)
	return &finding{in, ours, sdk, disagreements(in, ours, sdk)}
}

// explain takes one divergence after the other out of instances, counts by divergence those on which the two then agree, and returns the others.
func explain(t *testing.T, judge *sdkJudge, found []*finding, explained map[string]int) []*finding {
	t.Helper()
	for _, d := range divergences {
		var rest []*finding
		var without []instance
		for _, f := range found {
			if text := d.without(f); text != nil {
				without = append(without, instance{f.Def, text})
			} else {
				rest = append(rest, f)
			}
		}
		for _, f := range examineAll(t, judge, without) {
			if f.faults == nil {
				explained[d.name]++
			} else {
				rest = append(rest, f)
			}
		}
		found = rest
	}
	return found
}

func examineAll(t *testing.T, judge *sdkJudge, batch []instance) []*finding {
	t.Helper()
	verdicts, err := judge.judge(batch)
	if err != nil {
		t.Fatal(err)
	}
	findings := make([]*finding, len(batch))
	for i, in := range batch {
		findings[i] = examine(in, verdicts[i])
	}
	return findings
}

// shrink leaves out of an instance what is not needed for the two to disagree.
func shrink(t *testing.T, judge *sdkJudge, f *finding) *finding {
	t.Helper()
	for {
		smaller := smallest(t, judge, f)
		if smaller == nil {
			return f
		}
		f = smaller
	}
}

// smallest returns the first reduction of an instance on which the two disagree without a listed reason, or nil.
func smallest(t *testing.T, judge *sdkJudge, f *finding) *finding {
	t.Helper()
	for some := range slices.Chunk(reductions(f.instance), 16) {
		for _, g := range examineAll(t, judge, some) {
			if g.faults != nil && len(explain(t, judge, []*finding{g}, map[string]int{})) > 0 {
				return g
			}
		}
	}
	return nil
}

// reductions returns an instance with less in one of its objects or arrays: nothing, one half or the other, or all but one, the outermost first.
func reductions(in instance) []instance {
	root, err := mutate.Parse(in.Text)
	if err != nil {
		return nil
	}
	var halved, all []instance
	visit("", nil, root, func(_ string, _ *mutate.Place, v *mutate.Value) {
		members, items := v.Members, v.Items
		n := len(members) + len(items)
		without := func(i, j int) instance {
			if len(members) > 0 {
				v.Members = slices.Concat(members[:i], members[j:])
			} else {
				v.Items = slices.Concat(items[:i], items[j:])
			}
			return instance{in.Def, root.Append(nil)}
		}
		if n > 1 {
			halved = append(halved, without(0, n), without(0, n/2), without(n/2, n))
		}
		for i := range n {
			all = append(all, without(i, i+1))
		}
		v.Members, v.Items = members, items
	})
	return append(halved, all...)
}

// TestDivergences shows each divergence on an instance that has nothing else: what the two say, and that they agree without it.
func TestDivergences(t *testing.T) {
	judge := startJudge(t)
	for _, d := range divergences {
		t.Run(d.name, func(t *testing.T) {
			f := examineAll(t, judge, []instance{d.example})[0]
			if diff := cmp.Diff(d.ours, summary(f.ours)); diff != "" {
				t.Errorf("ours: mismatch (-want +got)\n%s", cut(diff))
			}
			if diff := cmp.Diff(d.sdk, sdkSummary(f.sdk)); diff != "" {
				t.Errorf("SDK: mismatch (-want +got)\n%s", cut(diff))
			}
			if f.faults == nil {
				t.Error("they agree")
			}
			text := d.without(f)
			if text == nil {
				t.Fatal("not found in the example")
			}
			if g := examineAll(t, judge, []instance{{f.Def, text}})[0]; g.faults != nil {
				t.Errorf("without it, on %s, they still differ: %v\nSDK:  %v\nours: %v", cut(string(text)), g.faults, g.sdk, g.ours)
			}
		})
	}
}

// summary is the value with its repairs, or the place and kind of the first violation.
func summary(r *result) string {
	if !r.accepted() {
		v := r.report.Violations[0]
		if v.Rule == wire.RuleJSON {
			return v.Pointer + ": json"
		}
		return v.Pointer + ": " + v.Keyword
	}
	s := r.value
	for _, fix := range r.report.Repairs {
		s += fmt.Sprintf(" [%s %s]", fix.Pointer, fix.Action)
	}
	return s
}

// sdkSummary is the value, or the code of the first issue.
func sdkSummary(v verdict) string {
	if v.accepted() || len(v.Issues) == 0 {
		return v.Value
	}
	return v.Issues[0].Code
}

// cut shortens a text for a message.
func cut(s string) string {
	const limit = 4000
	if len(s) > limit {
		return s[:limit] + "..."
	}
	return s
}
