package transcript

// A Direction says who sent a frame.
type Direction uint8

// The directions. The zero value is for a frame whose sender is not known.
const (
	// Unknown: nothing says who sent the frame.
	Unknown Direction = iota
	// ClientToAgent is what the client wrote.
	ClientToAgent
	// AgentToClient is what the agent wrote.
	AgentToClient
)

// String returns "c2a", "a2c", or "" if the direction is unknown.
func (d Direction) String() string {
	switch d {
	case ClientToAgent:
		return "c2a"
	case AgentToClient:
		return "a2c"
	case Unknown:
	}
	return ""
}

// Reverse returns the direction of the answer to a request sent in direction d.
func (d Direction) Reverse() Direction {
	switch d {
	case ClientToAgent:
		return AgentToClient
	case AgentToClient:
		return ClientToAgent
	case Unknown:
	}
	return Unknown
}

// ParseDirection returns the direction of that name, and whether there is one.
func ParseDirection(s string) (Direction, bool) {
	switch s {
	case "c2a":
		return ClientToAgent, true
	case "a2c":
		return AgentToClient, true
	}
	return Unknown, false
}
