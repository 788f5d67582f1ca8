package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
)

var rulesCommand = command{
	name:    "rules",
	summary: "list the rules that are checked",
	help: `usage: acpcheck rules [--format text|json]

Lists the rules of frames, those of the conversation, those that cannot be checked from recorded traffic, and those that
acpcheck test and test-client check.
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		format := flags.String("format", "text", "`text|json`\tfor people, or one record a line")
		return func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("rules: unexpected argument %q; see acpcheck rules --help", args[0])
			}
			return listRules(std.out, *format)
		}
	},
}

var explainCommand = command{
	name:    "explain",
	summary: "tell what a rule asks for, and where it comes from",
	help: `usage: acpcheck explain [--format text|json] RULE...
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		format := flags.String("format", "text", "`text|json`\tfor people, or one record a line")
		return func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("explain: a rule is missing; see acpcheck rules")
			}
			return explainRules(std.out, *format, args)
		}
	},
}

func listRules(w io.Writer, format string) error {
	var asJSON bool
	if err := choose("format", format, &asJSON, map[string]bool{"text": false, "json": true}); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	if asJSON {
		return writeRules(w, catalog.Rules())
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range catalog.Rules() {
		severity := r.Severity
		if r.Unchecked != "" {
			severity = "unchecked"
		}
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, severity, r.By, r.Doc); err != nil {
			return err
		}
	}
	return t.Flush()
}

func explainRules(w io.Writer, format string, ids []string) error {
	var asJSON bool
	if err := choose("format", format, &asJSON, map[string]bool{"text": false, "json": true}); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	var list []catalog.Rule
	for _, id := range ids {
		r, ok := catalog.Find(id)
		if !ok {
			return fmt.Errorf("explain: %w", noRule(id))
		}
		list = append(list, r)
	}
	if asJSON {
		return writeRules(w, list)
	}
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		explain(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func explain(b *strings.Builder, r catalog.Rule) {
	fmt.Fprintf(b, "%s: %s\n\n", r.ID, r.Doc)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-12s%s\n", name, value)
		}
	}
	severity := r.Severity
	switch {
	case r.Unchecked != "":
		severity = ""
	case r.Severity == "opinion":
		severity += ", off unless --opinions or --only asks for it"
	}
	line("severity", severity)
	line("wording", r.Level)
	line("broken by", r.By)
	if r.Unchecked == "" {
		line("decided by", map[string]string{
			"frame": "one frame", catalog.ScopeConversation: "the conversation so far", catalog.ScopeSuite: "a program at work: acpcheck test, acpcheck test-client",
		}[r.Scope])
	}
	line("limits", r.Limit)
	line("not checked", r.Unchecked)
	line("page", r.Page)
}

func writeRules(w io.Writer, list []catalog.Rule) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range list {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
