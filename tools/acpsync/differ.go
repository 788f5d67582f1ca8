package main

import (
	"bytes"
	"fmt"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// firstDifference says where have first departs from want: "LINE: at POINTER: ...". The two must differ.
func firstDifference(have, want []byte) string {
	haveLines, wantLines := bytes.Split(have, []byte{'\n'}), bytes.Split(want, []byte{'\n'})
	i := 0
	for i < len(haveLines) && i < len(wantLines) && bytes.Equal(haveLines[i], wantLines[i]) {
		i++
	}
	where := fmt.Sprintf("%d: ", i+1)
	haveTree, err := jsontree.Parse(have)
	if err != nil {
		return where + fmt.Sprintf("not JSON: %v", err)
	}
	if wantTree, err := jsontree.Parse(want); err == nil {
		if pointer, why := treeDifference(haveTree, wantTree, "#"); why != "" {
			return where + fmt.Sprintf("at %s: %s", pointer, why)
		}
	}
	return where + fmt.Sprintf("only the layout differs: %s expected, %s found", lineAt(wantLines, i), lineAt(haveLines, i))
}

func lineAt(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "the end"
	}
	return fmt.Sprintf("%q", cut(string(lines[i])))
}

// treeDifference finds the first difference in source order; why is empty if the trees are equal.
func treeDifference(have, want *jsontree.Node, pointer string) (at, why string) {
	if have.Kind != want.Kind || have.Raw != want.Raw {
		return pointer, fmt.Sprintf("%s expected, %s found", summary(want), summary(have))
	}
	for i := range min(len(have.Members), len(want.Members)) {
		h, w := have.Members[i], want.Members[i]
		if h.RawName != w.RawName {
			return pointer, fmt.Sprintf("member %s expected, %s found", w.RawName, h.RawName)
		}
		if at, why := treeDifference(h.Value, w.Value, pointer+"/"+jsontree.EscapePointer(h.Name)); why != "" {
			return at, why
		}
	}
	if h, w := len(have.Members), len(want.Members); h != w {
		return pointer, fmt.Sprintf("%d members expected, %d found", w, h)
	}
	for i := range min(len(have.Items), len(want.Items)) {
		if at, why := treeDifference(have.Items[i], want.Items[i], fmt.Sprintf("%s/%d", pointer, i)); why != "" {
			return at, why
		}
	}
	if h, w := len(have.Items), len(want.Items); h != w {
		return pointer, fmt.Sprintf("%d elements expected, %d found", w, h)
	}
	return "", ""
}

func summary(n *jsontree.Node) string {
	switch {
	case n.IsObject():
		return "an object"
	case n.IsArray():
		return "an array"
	}
	return cut(n.Raw)
}

// cut shortens a value to what fits in a message.
func cut(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "..."
	}
	return s
}
