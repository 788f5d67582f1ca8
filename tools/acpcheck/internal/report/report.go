// Package report writes what the judges found, for people and for programs.
package report

import (
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// A Place is where a frame stands.
type Place struct {
	// File is the name of the transcript.
	File string
	// Line counts from 1.
	Line int
	// Frame is the frame, without the record around it. It is nil if the line holds none.
	Frame []byte
}

// A Formatter turns verdicts into text. It keeps no state between calls and is safe for concurrent use.
type Formatter interface {
	// Findings appends the findings of a frame.
	Findings(b []byte, at Place, v *judge.Verdict) []byte
	// Verdict appends the verdict on a frame.
	Verdict(b []byte, at Place, v *judge.Verdict) []byte
	// Summary appends the summary of the whole run.
	Summary(b []byte, s Summary) []byte
}

// A FileFormatter also has something to say about each file.
type FileFormatter interface {
	Formatter
	// File appends what there is to say about a file as a whole, behind its findings.
	File(b []byte, name string, s Summary) []byte
}

// A Noter also has a form for remarks about the run.
type Noter interface {
	Formatter
	// Note appends a remark.
	Note(b []byte, text string) []byte
}

// A Document is a format whose output makes sense only as a whole. Its findings are held in memory until the end.
type Document interface {
	Formatter
	// Document returns the document around all that was appended.
	Document(body []byte, s Summary) []byte
}

// A Summary counts what was checked and found.
type Summary struct {
	// Files is the number of transcripts that were read.
	Files int
	// Frames is the number of lines that are not blank: the sum of Valid, Repaired and Invalid.
	Frames int
	// Valid, Repaired and Invalid count frames by their lenient verdict; Valid are those that are strictly valid.
	Valid, Repaired, Invalid int
	// Errors and Warnings count findings.
	Errors, Warnings int
	// Known counts findings that the baseline excuses. They are not among the Errors and Warnings.
	Known int
	// Unknown counts members that the schema does not name, in frames of all verdicts.
	Unknown int
	// Bytes is how much was read.
	Bytes int64
	// Elapsed is how long it took.
	Elapsed time.Duration
}

// Count adds one frame.
func (s *Summary) Count(v *judge.Verdict) {
	s.Frames++
	switch v.Lenient {
	case judge.Valid:
		s.Valid++
	case judge.Repaired:
		s.Repaired++
	case judge.Invalid:
		s.Invalid++
	}
	s.CountFindings(v)
	s.Unknown += v.Unknown
}

// CountFindings adds the findings of a verdict on a frame that was counted before.
func (s *Summary) CountFindings(v *judge.Verdict) {
	for i := range v.Findings {
		switch v.Findings[i].Severity {
		case judge.Error:
			s.Errors++
		case judge.Warning:
			s.Warnings++
		}
	}
}

// Add adds the counts of another summary.
func (s *Summary) Add(o Summary) {
	s.Files += o.Files
	s.Frames += o.Frames
	s.Valid += o.Valid
	s.Repaired += o.Repaired
	s.Invalid += o.Invalid
	s.Errors += o.Errors
	s.Warnings += o.Warnings
	s.Known += o.Known
	s.Unknown += o.Unknown
	s.Bytes += o.Bytes
}
