package jsontree

import (
	"slices"
	"strings"
)

// Format writes the tree as JSON text: members in order, scalars exactly as they were read, two spaces of indentation,
// arrays of scalars on one line, a newline at the end. Equal trees give equal bytes.
func (n *Node) Format() []byte {
	return append(n.appendTo(nil, 0), '\n')
}

func (n *Node) appendTo(dst []byte, depth int) []byte {
	switch {
	case n.IsObject():
		return n.appendObject(dst, depth)
	case n.IsArray():
		return n.appendArray(dst, depth)
	}
	return append(dst, n.Raw...)
}

func (n *Node) appendObject(dst []byte, depth int) []byte {
	if len(n.Members) == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, '{')
	for i, m := range n.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendLine(dst, depth+1)
		dst = append(dst, m.RawName...)
		dst = append(dst, ": "...)
		dst = m.Value.appendTo(dst, depth+1)
	}
	return append(appendLine(dst, depth), '}')
}

func (n *Node) appendArray(dst []byte, depth int) []byte {
	nested := slices.ContainsFunc(n.Items, func(item *Node) bool {
		return len(item.Members) > 0 || len(item.Items) > 0
	})
	dst = append(dst, '[')
	for i, item := range n.Items {
		switch {
		case nested && i > 0:
			dst = append(dst, ',')
		case i > 0:
			dst = append(dst, ", "...)
		}
		if nested {
			dst = appendLine(dst, depth+1)
		}
		dst = item.appendTo(dst, depth+1)
	}
	if nested {
		dst = appendLine(dst, depth)
	}
	return append(dst, ']')
}

func appendLine(dst []byte, depth int) []byte {
	return append(append(dst, '\n'), strings.Repeat("  ", depth)...)
}
