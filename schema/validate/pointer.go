package validate

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var (
	tokenEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	tokenUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escapeToken(token string) string {
	return tokenEscaper.Replace(token)
}

// pointerOf undoes the URL escapes that the library puts on pointers.
func pointerOf(libraryLocation string) string {
	if pointer, err := url.PathUnescape(libraryLocation); err == nil {
		return pointer
	}
	return libraryLocation
}

// libraryToken escapes a token the way the library does.
func libraryToken(token string) string {
	return url.PathEscape(escapeToken(token))
}

// lookup returns what a pointer points to in a decoded value.
func lookup(value any, pointer string) any {
	for pointer != "" {
		var token string
		token, pointer = cutToken(pointer)
		switch v := value.(type) {
		case map[string]any:
			value = v[tokenUnescaper.Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
