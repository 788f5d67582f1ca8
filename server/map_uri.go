package server

import (
	"errors"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The reasons why a file URI names no path.
var (
	errURINotFile  = errors.New("it is no file URI")
	errURIEscape   = errors.New("a percent escape is malformed")
	errURISlash    = errors.New("it escapes a path separator")
	errURIBytes    = errors.New("its path is not UTF-8, or has a NUL")
	errURIRelative = errors.New("its path is not absolute")
	errURILines    = errors.New("lines count from 1")
)

// parseFileURI returns the absolute path that a file URI names, and the lines that its fragment does. Paths of Windows are known by their drive or host, whatever
// this machine runs. An absolute path without a scheme, which some clients send, is taken as well.
//
// The error is errURINotFile for what means something else. With errURILines, the path is good.
func parseFileURI(uri string) (string, LineRange, error) {
	if isAbsPath(uri) {
		return parseBarePath(uri)
	}
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return "", LineRange{}, errURINotFile
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	p, err := pathOfURI(rest)
	if err != nil {
		return "", LineRange{}, err
	}
	lines, err := parseLines(fragment)
	return p, lines, err
}

func parseBarePath(s string) (string, LineRange, error) {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return "", LineRange{}, errURIBytes
	}
	if i := strings.LastIndexByte(s, '#'); i > 0 {
		// A # may be part of a name: only a range of lines is a fragment here.
		if lines, err := parseLines(s[i+1:]); err == nil && lines != (LineRange{}) {
			return cleanPath(s[:i]), lines, nil
		}
	}
	return cleanPath(s), LineRange{}, nil
}

// pathOfURI returns the path of what stands between "file:" and the query.
func pathOfURI(s string) (string, error) {
	s = strings.ReplaceAll(s, `\`, "/")
	host := ""
	if after, ok := strings.CutPrefix(s, "//"); ok {
		host, s, _ = strings.Cut(after, "/")
		s = "/" + s
	}
	host, err := url.PathUnescape(host)
	if err != nil {
		return "", errURIEscape
	}
	p, err := url.PathUnescape(s)
	if err != nil {
		return "", errURIEscape
	}
	if !utf8.ValidString(host+p) || strings.ContainsRune(host+p, 0) {
		return "", errURIBytes
	}
	windows := true
	switch {
	case driveOf(host): // file://C:/x
		p = host + p
	case host != "" && !strings.EqualFold(host, "localhost"):
		if strings.ContainsAny(host, `/\`) {
			return "", errURISlash
		}
		p = "//" + host + p
	case strings.HasPrefix(p, "/") && driveOf(p[1:]):
		p = p[1:]
	default:
		windows = driveOf(p)
	}
	upper := strings.ToUpper(s)
	if strings.Contains(upper, "%2F") || windows && strings.Contains(upper, "%5C") {
		return "", errURISlash
	}
	if windows {
		if p[1] == '|' {
			p = p[:1] + ":" + p[2:]
		}
		p = strings.ReplaceAll(p, "/", `\`)
	}
	if !isAbsPath(p) {
		return "", errURIRelative
	}
	return cleanPath(p), nil
}

// driveOf reports whether s is a drive of Windows or begins with one. A vertical bar is the colon of old URIs.
func driveOf(s string) bool {
	if len(s) < 2 || s[1] != ':' && s[1] != '|' {
		return false
	}
	letter := s[0] | 0x20
	return 'a' <= letter && letter <= 'z' && (len(s) == 2 || s[2] == '/' || s[2] == '\\')
}

// parseLines reads the fragments that editors put behind a file: L12, L12-L20, L12-20, L12:20, and each with columns, such as L12C3-L20C5. Another fragment, which
// names something else, is no range.
func parseLines(fragment string) (LineRange, error) {
	var lines LineRange
	rest, ok := strings.CutPrefix(fragment, "L")
	if !ok {
		return lines, nil
	}
	first, rest, ok := cutLine(rest)
	if !ok {
		return lines, nil
	}
	last := first
	if rest != "" {
		if rest[0] != '-' && rest[0] != ':' {
			return lines, nil
		}
		if last, rest, ok = cutLine(strings.TrimPrefix(rest[1:], "L")); !ok || rest != "" {
			return lines, nil
		}
	}
	if first < 1 || last < 1 {
		return lines, errURILines
	}
	return LineRange{First: min(first, last), Last: max(first, last)}, nil
}

// cutLine cuts a line number, and a column if there is one.
func cutLine(s string) (line int, rest string, ok bool) {
	digits, rest := cutDigits(s)
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, s, false
	}
	if rest != "" && (rest[0] == 'C' || rest[0] == ',') {
		column, after := cutDigits(rest[1:])
		if column == "" {
			return 0, s, false
		}
		rest = after
	}
	return int(n), rest, true
}

func cutDigits(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest
}

// fileURI returns the file URI of an absolute path.
func fileURI(p string, lines LineRange) string {
	if isWindowsPath(p) {
		p = strings.ReplaceAll(p, `\`, "/")
		if !strings.HasPrefix(p, "//") {
			p = "/" + p
		}
	}
	u := url.URL{Scheme: "file", Path: p}
	if host, ok := strings.CutPrefix(p, "//"); ok {
		host, rest, _ := strings.Cut(host, "/")
		u.Host, u.Path = host, "/"+rest
	}
	switch {
	case lines.First < 1:
	case lines.Last <= lines.First:
		u.Fragment = "L" + strconv.Itoa(lines.First)
	default:
		u.Fragment = "L" + strconv.Itoa(lines.First) + "-L" + strconv.Itoa(lines.Last)
	}
	return u.String()
}

// baseName returns the last name of a path.
func baseName(p string) string {
	if isWindowsPath(p) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Base(p)
}
