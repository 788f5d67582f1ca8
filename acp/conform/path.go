package conform

import (
	"path"
	"strings"
)

// isAbsolute reports whether the path is absolute on some system: the other side's is not known.
func isAbsolute(p string) bool {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) >= 3 && isLetter(p[0]) && p[1] == ':' && (p[2] == '/' || p[2] == '\\')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// clean brings spellings of one path together: separators, dots, and the case of what looks like a path of Windows.
func clean(p string) string {
	if len(p) >= 2 && isLetter(p[0]) && p[1] == ':' || strings.HasPrefix(p, `\\`) {
		p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	}
	return path.Clean(p)
}

// alike reports whether one path ends as the other does, as one that was resolved by links often does.
func alike(p, q string) bool {
	p, q = clean(p), clean(q)
	return strings.HasSuffix(p, q) || strings.HasSuffix(q, p)
}

// within reports whether p is root or below it, by name.
func within(p, root string) bool {
	p, root = clean(p), clean(root)
	return root == "/" || p == root || strings.HasPrefix(p, root+"/")
}

// escapePointer escapes a name for a JSON pointer.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
