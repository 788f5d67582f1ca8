package layout

import (
	"bytes"
	"fmt"
	"unicode"
)

// The parts are joined here so that this file keeps its own rule.
var (
	machinePaths = []string{"/" + "work/", "/" + "root/", "/tmp/" + "brief"}

	registryHosts = []string{
		"registry." + "npmjs.org", "registry." + "yarnpkg.com", "npm." + "pkg.github.com",
		"proxy." + "golang.org", "sum." + "golang.org", "goproxy." + "io", "goproxy." + "cn",
		"pypi." + "org", "files." + "pythonhosted.org", "crates." + "io", "rubygems." + "org",
		"api.nuget." + "org", "repo.maven." + "apache.org", "repo1." + "maven.org", "deb." + "debian.org",
	}
)

// foreignNames reads every file, not only Go source. A binary file, known by a zero byte, is left out.
func foreignNames(r *Repo) []Finding {
	var findings []Finding
	for _, f := range r.Files {
		if bytes.IndexByte(f.Src, 0) >= 0 {
			continue
		}
		for _, p := range machinePaths {
			for line := range occurrences(f.Src, p, startsPath) {
				findings = append(findings, Finding{f.Path, line, fmt.Sprintf("%s is a path of one machine", p)})
			}
		}
		for _, host := range registryHosts {
			for line := range occurrences(f.Src, host, startsHost) {
				findings = append(findings, Finding{f.Path, line, fmt.Sprintf("%s is a registry's host: its client knows it", host)})
			}
		}
	}
	return findings
}

// occurrences yields the line of each occurrence of the text whose preceding byte, 0 at the start, is accepted.
func occurrences(src []byte, text string, before func(byte) bool) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for offset := 0; ; {
			i := bytes.Index(src[offset:], []byte(text))
			if i < 0 {
				return
			}
			at := offset + i
			offset = at + len(text)
			var prev byte
			if at > 0 {
				prev = src[at-1]
			}
			if before(prev) && !yield(1+bytes.Count(src[:at], []byte("\n"))) {
				return
			}
		}
	}
}

// startsPath tells an absolute path from the middle of a longer one, such as a URL's or ${HOME}'s.
func startsPath(prev byte) bool {
	return !isWordByte(prev) && !bytes.ContainsRune([]byte(".-~})]*>"), rune(prev))
}

func startsHost(prev byte) bool { return !isWordByte(prev) && prev != '-' }

func isWordByte(b byte) bool {
	return b == '_' || b < unicode.MaxASCII && (unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)))
}
