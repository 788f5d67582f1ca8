package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
)

// ruleFlags are the flags that choose rules, as they were given.
type ruleFlags struct {
	on, opinions bool
	only, skip   string
}

func (f *ruleFlags) declare(flags *flag.FlagSet) {
	flags.BoolVar(&f.on, "rules", true, "also check the rules of the conversation; --rules=false judges each frame by itself")
	flags.BoolVar(&f.opinions, "opinions", false, "also check the rules that are opinions")
	flags.StringVar(&f.only, "only", "", "`RULE,...`\treport findings of these rules only")
	flags.StringVar(&f.skip, "skip", "", "`RULE,...`\treport no findings of these rules")
}

// check checks the flags, sets the filter, and returns the rules for [judge.Options], nil if none are on.
func (f *ruleFlags) check(extent rules.Extent, filter *check.Filter) (func() judge.Rules, error) {
	var err error
	if filter.Only, err = ruleIDs("only", f.only); err != nil {
		return nil, err
	}
	if filter.Skip, err = ruleIDs("skip", f.skip); err != nil {
		return nil, err
	}
	if !f.on {
		return nil, nil
	}
	opts := conform.Options{Skip: filter.Skip, Opinions: f.opinions}
	for _, id := range filter.Only {
		if _, ok := conform.Explain(id); ok {
			opts.Only = append(opts.Only, id)
		}
	}
	if len(filter.Only) > 0 && len(opts.Only) == 0 {
		return nil, nil // rules of frames only
	}
	return rules.New(opts, extent), nil
}

// ruleIDs splits a list of rules and checks that there are such.
func ruleIDs(flag, list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	var ids []string
	for id := range strings.SplitSeq(list, ",") {
		id = strings.TrimSpace(id)
		r, ok := catalog.Find(id)
		switch {
		case !ok:
			return nil, fmt.Errorf("--%s: %w", flag, noRule(id))
		case r.Unchecked != "" && flag == "only":
			return nil, fmt.Errorf("--%s: rule %s is not checked: %s", flag, id, r.Unchecked)
		case r.Scope == catalog.ScopeSuite && flag == "only":
			return nil, fmt.Errorf("--%s: rule %s is not checked in recorded traffic; acpcheck test and test-client check it", flag, id)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// noRule is the error for an id that no rule has. It names the rule that was most likely meant.
func noRule(id string) error {
	for _, r := range catalog.Rules() {
		if strings.EqualFold(r.ID, id) {
			return fmt.Errorf("there is no rule %q; did you mean %s?", id, r.ID)
		}
	}
	if near := nearest(id); near != "" && plainID(id) == plainID(near) {
		return fmt.Errorf("there is no rule %q; did you mean %s?", id, near)
	}
	area, _, _ := strings.Cut(id, "-")
	var near []string
	for _, r := range catalog.Rules() {
		if name, _, ok := strings.Cut(r.ID, "-"); ok && strings.EqualFold(name, area) {
			near = append(near, r.ID)
		}
	}
	if len(near) > 0 {
		return fmt.Errorf("there is no rule %q; there are %s", id, strings.Join(slices.Compact(near), ", "))
	}
	if near := nearest(id); near != "" {
		return fmt.Errorf("there is no rule %q; did you mean %s?", id, near)
	}
	return fmt.Errorf("there is no rule %q; see acpcheck rules", id)
}
