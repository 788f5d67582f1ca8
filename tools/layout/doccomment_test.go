package layout

var docCases = []ruleCase{
	{"documented, private or not importable", `
-- gen/wire/doc.go --
// Package wire is documented here.
package wire
-- gen/wire/a.go --
package wire

// A Frame is a line.
type Frame struct{ Size int }

// Len returns the size.
func (f *Frame) Len() int { return f.Size }

func (s scanner[T]) Next() {}

type scanner[T any] struct{}

// Reader reads.
type Reader interface {
	// Read reads one.
	Read()
	Close() // Close ends it.
	reset()
	Frame
}

// Limits of a frame.
const (
	MaxDepth = 1
	MaxSize  = 2
)

const (
	// MinDepth is the least.
	MinDepth = 1
	MinSize  = 2 // of a frame
	internal = 3
)

// ErrA and ErrB are errors.
var ErrA, ErrB error

type (
	// The Kind of a frame.
	Kind int
)
-- gen/wire/a_test.go --
package wire

func TestA() {}
-- tools/acpgen/main.go --
// Command acpgen generates.
package main

func Exported() {}
`, nil},
	{"nothing documented", `
-- gen/wire/a.go --
package wire

type Frame struct{}

func (f *Frame) Len() int { return 0 }

func (f List[T]) Len() int { return 0 }

func New() {}

const MaxDepth = 1

const (
	a     = 1
	MaxA  = 2
)

var (
	ErrA error
)

// The group.
type (
	List[T any] []T
)

// Reader reads.
type Reader interface {
	Read()
}
-- tools/acpgen/main.go --
package main
-- tools/layout/a.go --
package layout

func Load() {}
`, []string{
		"gen/wire/a.go:1: no file of package wire has a package comment",
		"gen/wire/a.go:3: exported Frame has no doc comment",
		"gen/wire/a.go:5: exported Len has no doc comment",
		"gen/wire/a.go:7: exported Len has no doc comment",
		"gen/wire/a.go:9: exported New has no doc comment",
		"gen/wire/a.go:11: exported MaxDepth has no doc comment",
		"gen/wire/a.go:15: exported MaxA has no doc comment",
		"gen/wire/a.go:19: exported ErrA has no doc comment",
		"gen/wire/a.go:24: exported List has no doc comment",
		"gen/wire/a.go:29: exported Read has no doc comment",
		"tools/acpgen/main.go:1: no file of package main has a package comment",
		"tools/layout/a.go:1: no file of package layout has a package comment",
		"tools/layout/a.go:3: exported Load has no doc comment",
	}},
	{"comments that speak of something else", `
-- gen/wire/a.go --
// Package wires is another one.
package wire

// Frames are lines.
type Frame struct{}

//sumtype:decl
type Content interface{}

// returns the size.
func Len() {}
`, []string{
		"gen/wire/a.go:2: no file of package wire has a package comment",
		"gen/wire/a.go:5: the doc comment of Frame does not start with Frame",
		"gen/wire/a.go:8: exported Content has no doc comment",
		"gen/wire/a.go:11: the doc comment of Len does not start with Len",
	}},
}
