package server

import (
	"errors"
	"testing"
)

func TestMapFileURI(t *testing.T) {
	tests := []struct {
		name, uri string
		path      string
		lines     LineRange
		err       error
	}{
		{"plain", "file:///w/a.go", "/w/a.go", LineRange{}, nil},
		{"localhost", "file://localhost/w/a.go", "/w/a.go", LineRange{}, nil},
		{"scheme in capitals", "FILE:///w/a.go", "/w/a.go", LineRange{}, nil},
		{"no authority", "file:/w/a.go", "/w/a.go", LineRange{}, nil},
		{"line", "file:///w/a.go#L12", "/w/a.go", LineRange{12, 12}, nil},
		{"lines", "file:///w/a.go#L12-L20", "/w/a.go", LineRange{12, 20}, nil},
		{"lines, short", "file:///w/a.go#L12-20", "/w/a.go", LineRange{12, 20}, nil},
		{"lines with a colon", "file:///w/a.go#L12:20", "/w/a.go", LineRange{12, 20}, nil},
		{"lines with columns", "file:///w/a.go#L12C3-L20C5", "/w/a.go", LineRange{12, 20}, nil},
		{"line with a comma column", "file:///w/a.go#L12,7", "/w/a.go", LineRange{12, 12}, nil},
		{"lines backwards", "file:///w/a.go#L20-L12", "/w/a.go", LineRange{12, 20}, nil},
		{"query before the fragment", "file:///w/a.go?symbol=Main#L3", "/w/a.go", LineRange{3, 3}, nil},
		{"another fragment", "file:///w/a.md#Lines", "/w/a.md", LineRange{}, nil},
		{"a fragment cut short", "file:///w/a.md#L12-", "/w/a.md", LineRange{}, nil},
		{"a line too large", "file:///w/a.md#L99999999999", "/w/a.md", LineRange{}, nil},
		{"line zero", "file:///w/a.go#L0", "/w/a.go", LineRange{}, errURILines},
		{"escapes", "file:///w/a%20b%23%25.go", "/w/a b#%.go", LineRange{}, nil},
		{"escaped letters beyond ASCII", "file:///w/%C3%A9.go", "/w/é.go", LineRange{}, nil},
		{"letters beyond ASCII", "file:///w/é.go", "/w/é.go", LineRange{}, nil},
		{"plus is no space", "file:///w/a+b.go", "/w/a+b.go", LineRange{}, nil},
		{"dots", "file:///w/../etc/./a", "/etc/a", LineRange{}, nil},
		{"escaped dots", "file:///w/%2e%2e/etc", "/etc", LineRange{}, nil},
		{"escaped backslash is a name's", "file:///w/a%5Cb", `/w/a\b`, LineRange{}, nil},
		{"bad escape", "file:///w/%zz", "", LineRange{}, errURIEscape},
		{"escape cut short", "file:///w/a%2", "", LineRange{}, errURIEscape},
		{"escaped slash", "file:///w/a%2Fb", "", LineRange{}, errURISlash},
		{"NUL", "file:///w/a%00b", "", LineRange{}, errURIBytes},
		{"not UTF-8", "file:///w/%FF", "", LineRange{}, errURIBytes},
		{"relative", "file:a.go", "", LineRange{}, errURIRelative},
		{"empty", "file:", "", LineRange{}, errURIRelative},
		{"drive", "file:///C:/w/a.go#L2", `C:\w\a.go`, LineRange{2, 2}, nil},
		{"escaped drive", "file:///c%3A/w/a%20b.go", `c:\w\a b.go`, LineRange{}, nil},
		{"drive with a bar", "file:///C|/w", `C:\w`, LineRange{}, nil},
		{"drive as authority", "file://C:/w/a.go", `C:\w\a.go`, LineRange{}, nil},
		{"drive with backslashes", `file:///C:\w\a.go`, `C:\w\a.go`, LineRange{}, nil},
		{"drive with dots", "file:///C:/w/../../x", `C:\x`, LineRange{}, nil},
		{"drive root", "file:///C:/", `C:\`, LineRange{}, nil},
		{"drive, escaped backslash", "file:///C:/w%5C..%5Cx", "", LineRange{}, errURISlash},
		{"host", "file://wsl.localhost/Ubuntu/w", `\\wsl.localhost\Ubuntu\w`, LineRange{}, nil},
		{"four slashes are no host", "file:////w/a", "/w/a", LineRange{}, nil},
		{"bare path", "/w/a.go", "/w/a.go", LineRange{}, nil},
		{"bare path with lines", "/w/a.go#L3-L4", "/w/a.go", LineRange{3, 4}, nil},
		{"bare path with a hash", "/w/a#b.go", "/w/a#b.go", LineRange{}, nil},
		{"bare path of Windows", `C:\w\a.go`, `C:\w\a.go`, LineRange{}, nil},
		{"http", "https://example.com/w/a.go#L3", "", LineRange{}, errURINotFile},
		{"something else", "a.go", "", LineRange{}, errURINotFile},
		{"nothing", "", "", LineRange{}, errURINotFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, lines, err := parseFileURI(tt.uri)
			if path != tt.path || lines != tt.lines || !errors.Is(err, tt.err) {
				t.Errorf("parseFileURI(%q) = %q, %v, %v; want %q, %v, %v", tt.uri, path, lines, err, tt.path, tt.lines, tt.err)
			}
		})
	}
}

// TestMapFileURIBack shows that the URI made of a path names it.
func TestMapFileURIBack(t *testing.T) {
	for _, path := range []string{"/w/a b#c%?.go", "/w/é/日本", `C:\w\a b.go`, `\\server\share\a#.go`, "/"} {
		for _, lines := range []LineRange{{}, {3, 3}, {3, 9}} {
			uri := fileURI(path, lines)
			gotPath, gotLines, err := parseFileURI(uri)
			if gotPath != path || gotLines != lines || err != nil {
				t.Errorf("%q, %v became %q, and that %q, %v, %v", path, lines, uri, gotPath, gotLines, err)
			}
		}
	}
}

func FuzzMapFileURI(f *testing.F) {
	for _, s := range []string{"file:///w/a%20b#L1-L2", `file://C:\w`, "file:////a/b", "file://h", `\\h`, "C|/", "file:C|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, lines, err := parseFileURI(s)
		if err != nil && !errors.Is(err, errURILines) {
			if path != "" {
				t.Errorf("%q: a path %q with %v", s, path, err)
			}
			return
		}
		if !isAbsPath(path) || cleanPath(path) != path {
			t.Errorf("%q: %q is not absolute and clean", s, path)
		}
		if lines.First > lines.Last || lines.First < 0 {
			t.Errorf("%q: lines %v", s, lines)
		}
	})
}

func TestMapAbsPath(t *testing.T) {
	tests := []struct {
		name, cwd, path, want string
		ok                    bool
	}{
		{"absolute", "/w", "/x/../y", "/y", true},
		{"relative", "/w", "a/./b", "/w/a/b", true},
		{"up", "/w", "../a", "/a", true},
		{"relative on a drive", `C:\w`, `a\b`, `C:\w\a\b`, true},
		{"up on a drive", `C:\w`, `..\..\a`, `C:\a`, true},
		{"relative on a host", `\\h\s`, `a`, `\\h\s\a`, true},
		{"empty", "/w", "", "", false},
		{"NUL", "/w", "a\x00", "", false},
		{"no working directory", "", "a", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := absPath(tt.cwd, tt.path); got != tt.want || ok != tt.ok {
				t.Errorf("absPath(%q, %q) = %q, %v; want %q, %v", tt.cwd, tt.path, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestMapWithin(t *testing.T) {
	tests := []struct {
		root, path string
		want       bool
	}{
		{"/w", "/w", true}, {"/w", "/w/a", true}, {"/w", "/ww", false}, {"/w", "/", false}, {"/", "/a", true},
		{`C:\w`, `c:\W\a`, true}, {`C:\w`, `C:\ww`, false}, {`C:\`, `C:\a`, true}, {`C:\w`, `D:\w`, false}, {`\\h\s`, `\\h\s\a`, true},
	}
	for _, tt := range tests {
		if got := within(tt.root, tt.path); got != tt.want {
			t.Errorf("within(%q, %q) = %v", tt.root, tt.path, got)
		}
	}
}
