package check

import (
	"slices"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/baseline"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// A Filter says which findings count. The zero value keeps all that are not said twice. It is safe for concurrent use.
type Filter struct {
	// Only are the rules whose findings count. If empty, those of all rules do.
	Only []string
	// Skip are the rules whose findings do not count.
	Skip []string
	// Baseline, if not nil, holds findings that are known and do not count.
	Baseline *baseline.List
	// Draft, if not nil, takes the findings that count, for a new baseline.
	Draft *baseline.Draft
}

// Keep takes out of the verdict the findings that do not count, and returns how many of them are known. A finding that repeats one of the judges' counts only if
// it is asked for by name.
func (f *Filter) Keep(file string, v *judge.Verdict) (known int) {
	v.Findings = slices.DeleteFunc(v.Findings, func(found judge.Finding) bool {
		named := slices.Contains(f.Only, string(found.Rule))
		switch {
		case !named && (len(f.Only) > 0 || found.Repeats), f.skips(found.Rule):
			return true
		case f.Baseline != nil && f.Baseline.Known(file, v, &found):
			known++
			return true
		}
		if f.Draft != nil {
			f.Draft.Add(file, v, &found)
		}
		return false
	})
	return known
}

// counts reports whether findings of the rule can count.
func (f *Filter) counts(rule string) bool {
	return !slices.Contains(f.Skip, rule) && (len(f.Only) == 0 || slices.Contains(f.Only, rule))
}

func (f *Filter) skips(rule wire.Rule) bool { return slices.Contains(f.Skip, string(rule)) }
