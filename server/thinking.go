package server

// A ThinkingLevel says how much a model is to reason before it answers. Engines may have others than those of this package.
type ThinkingLevel string

// The levels, from the least to the most.
const (
	ThinkingOff    ThinkingLevel = "off"
	ThinkingLow    ThinkingLevel = "low"
	ThinkingMedium ThinkingLevel = "medium"
	ThinkingHigh   ThinkingLevel = "high"
)

// ThinkingOptionID is the id of the setting that [ThinkingOption] returns.
const ThinkingOptionID = "thought_level"

// ThinkingOption returns the setting with which a client chooses the level, for [Configurer]: SetConfigOption then gets the level as the ID of the value. If there are no
// levels, those of this package are offered. If current is empty, the first of them holds; if it is none of them, it is offered as the first.
func ThinkingOption(current ThinkingLevel, levels ...ThinkingLevel) ConfigOption {
	if len(levels) == 0 {
		levels = []ThinkingLevel{ThinkingOff, ThinkingLow, ThinkingMedium, ThinkingHigh}
	}
	if current == "" {
		current = levels[0]
	}
	o := ConfigOption{ID: ThinkingOptionID, Name: "Thinking", Category: CategoryThoughtLevel, Current: string(current)}
	for _, l := range levels {
		o.Choices = append(o.Choices, ConfigChoice{Value: string(l), Name: l.name()})
	}
	if !o.has(o.Current) {
		o.Choices = append([]ConfigChoice{{Value: o.Current, Name: current.name()}}, o.Choices...)
	}
	return o
}

// name is what the user reads; empty for levels of the engine's own, whose values are shown.
func (l ThinkingLevel) name() string {
	switch l {
	case ThinkingOff:
		return "Off"
	case ThinkingLow:
		return "Low"
	case ThinkingMedium:
		return "Medium"
	case ThinkingHigh:
		return "High"
	}
	return ""
}
