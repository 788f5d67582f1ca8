package main

import (
	"errors"
	"fmt"
	"strings"
)

var errQuote = errors.New("a quote is not closed")

// words splits a line into words like a shell: spaces separate, quotes of either kind join, and a backslash takes the next character as it is, but not within
// single quotes. Nothing else is special.
func words(line string) ([]string, error) {
	var list []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				list = append(list, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errQuote
	}
	if escaped {
		return nil, errors.New("a backslash is at the end")
	}
	if inWord {
		list = append(list, word.String())
	}
	return list, nil
}

// expand replaces $NAME and ${NAME} by what getenv returns. A variable without a value is an error, which does not show the text.
func expand(text string, getenv func(string) string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after := variable(rest)
		if name == "" {
			out.WriteByte('$')
			text = rest
			continue
		}
		value := getenv(name)
		if value == "" {
			return "", fmt.Errorf("the environment variable %s is not set", name)
		}
		out.WriteString(value)
		text = after
	}
}

// variable reads the name behind a dollar sign. It is empty if there is none.
func variable(s string) (name, rest string) {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, ok = strings.Cut(inner, "}")
		if !ok || !isName(name) {
			return "", s
		}
		return name, rest
	}
	n := 0
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	if !isName(s[:n]) {
		return "", s
	}
	return s[:n], s[n:]
}

// isName reports whether s can be the name of an environment variable.
func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
