package server

import (
	"math"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// locationsOf maps the places that a tool call is about. Relative paths are taken from cwd.
func locationsOf(locations []Location, cwd string) ([]acpv1.ToolCallLocation, []Dropped) {
	l := newLosses()
	return wireLocations(locations, cwd, l), *l.list
}

func wireLocations(locations []Location, cwd string, l losses) []acpv1.ToolCallLocation {
	var out []acpv1.ToolCallLocation
	for i, loc := range locations {
		l := l.index(i)
		path, ok := absPath(cwd, l.text(loc.Path))
		if !ok {
			l.add(DropMalformed, "location", "its path cannot be made absolute", "")
			continue
		}
		w := acpv1.ToolCallLocation{Path: path}
		switch {
		case loc.Line < 0 || int64(loc.Line) > math.MaxUint32:
			l.at("line").add(DropMalformed, "line", "it is out of range", "no line")
		case loc.Line > 0:
			w.Line = new(uint32(loc.Line))
		}
		out = append(out, w)
	}
	return out
}
