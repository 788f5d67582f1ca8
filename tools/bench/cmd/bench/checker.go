package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/acpwire/acpwire/tools/bench/internal/codec"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// scanChild reads the tokens of each line of a file: -scan FILE.
func scanChild(_ context.Context, args []string, _ io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: bench -scan FILE")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewReaderSize(f, 256<<10) // far longer than any line of the transcript
	var s codec.Scanner
	frames, tokens := 0, 0
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			_, err := fmt.Fprintln(stdout, frames, tokens)
			return err
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		n, err := s.Scan(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return fmt.Errorf("line %d: %w", frames+1, err)
		}
		frames++
		tokens += n
	}
}

const checkerText = `"acpcheck validate --judge generated --rules=false" on a transcript of streamed chunks, %s in %s frames, against a process that reads the tokens of the
same file line by line with one jsontext decoder; and the same with the rules of the conversation, which are on by default. GOMAXPROCS is 1 for all. %d rounds; the file was in
the page cache. Ratios are of processor time.
`

// The targets are of processor time: the programs use one core, and other processes would distort wall time.
var (
	checkerTarget = report.Target{What: "acpcheck / token scan", Limit: 3}
	rulesTarget   = report.Target{What: "acpcheck with rules / without", Limit: 2}
)

const checkerMemory = 200e6

func measureChecker(ctx context.Context, o *options, progress func(string)) (_ string, err error) {
	dir, checker, program, err := prepare(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "transcript.jsonl")
	frames, size, err := writeTranscript(file, o.size)
	if err != nil {
		return "", err
	}
	rounds := min(o.rounds, 5)
	var scan, check, rules measurements
	for round := range rounds + 1 {
		count := round > 0 // the first one reads the file from the disk, if it is not cached
		err := cmp.Or(
			scan.run(ctx, count, program, "-scan", file),
			check.run(ctx, count, checker, "validate", "--judge", "generated", "--rules=false", file),
			rules.run(ctx, count, checker, "validate", "--judge", "generated", "--fail-on", "warning", file),
		)
		if err != nil {
			return "", err
		}
		progress(fmt.Sprintf("round %d of %d", round, rounds))
	}
	var b strings.Builder
	fmt.Fprintf(&b, checkerText, report.Size(float64(size)), report.Count(float64(frames)), rounds)
	targets := report.NewTargetTable()
	checkerTarget.Row(targets, report.Size(float64(size)), report.Ratios(check.cpu, scan.cpu))
	rulesTarget.Row(targets, report.Size(float64(size)), report.Ratios(rules.cpu, check.cpu))
	memory := max(report.Median(check.peak), report.Median(rules.peak))
	fmt.Fprintf(&b, "\n%s\nPeak memory of acpcheck: %s, target at most %s: %s.\n", targets, report.Size(memory), report.Size(checkerMemory), verdict(memory <= checkerMemory))
	t := report.Table{Head: []string{"program", "wall time", "CPU time", "MB/s", "frames/s", "peak memory", "wall / scan", "CPU / scan"}}
	for _, row := range []struct {
		name string
		m    *measurements
	}{{"token scan", &scan}, {"acpcheck", &check}, {"acpcheck with rules", &rules}} {
		wall := report.Median(row.m.wall)
		t.Add(row.name, report.Duration(wall), report.Duration(report.Median(row.m.cpu)), report.Count(float64(size)/wall*1e3), report.Count(float64(frames)/wall*1e9),
			report.Size(report.Median(row.m.peak)), report.Times(report.Median(report.Ratios(row.m.wall, scan.wall))), report.Times(report.Median(report.Ratios(row.m.cpu, scan.cpu))))
	}
	fmt.Fprintf(&b, "\n%s", t.String())
	return b.String(), nil
}

// prepare makes a temporary folder, with acpcheck in it, and returns the paths of the folder, of acpcheck and of this program.
func prepare(ctx context.Context) (dir, checker, program string, err error) {
	if program, err = self(); err != nil {
		return "", "", "", err
	}
	if dir, err = os.MkdirTemp("", "acpwire-bench-"); err != nil {
		return "", "", "", err
	}
	if checker, err = buildTool(ctx, dir, "acpcheck"); err != nil {
		return "", "", "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, checker, program, nil
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "NOT MET"
}

// measurements are what a program took, by round: times in nanoseconds, memory in bytes.
type measurements struct{ wall, cpu, peak []float64 }

// run adds a round.
func (m *measurements) run(ctx context.Context, count bool, name string, args ...string) error {
	_, u, err := process.Run(ctx, []string{"GOMAXPROCS=1"}, name, args...)
	if err == nil && count {
		m.wall, m.cpu, m.peak = append(m.wall, float64(u.Wall)), append(m.cpu, float64(u.CPU)), append(m.peak, float64(u.Peak))
	}
	return err
}

func writeTranscript(file string, size int64) (frames, written int64, err error) {
	f, err := os.Create(file)
	if err != nil {
		return 0, 0, err
	}
	frames, written, err = payload.WriteTranscript(f, size)
	return frames, written, errors.Join(err, f.Close())
}

// buildTool builds one of acpwire's programs into dir.
func buildTool(ctx context.Context, dir, name string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/acpwire/acpwire").Output()
	if err != nil {
		return "", fmt.Errorf("finding acpwire's source: %w (run the command in tools/bench)", err)
	}
	program := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./tools/"+name)
	cmd.Dir = strings.TrimSpace(string(root))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return program, nil
}
