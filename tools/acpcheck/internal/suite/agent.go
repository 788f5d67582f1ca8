package suite

import "slices"

// AgentScenarios returns the scenarios for agents, area by area.
func AgentScenarios() []Scenario {
	return slices.Concat(handshakeScenarios, malformedScenarios, methodScenarios, sessionScenarios, promptScenarios, cancelScenarios, permissionScenarios,
		capabilityScenarios, settingScenarios, loadScenarios, concurrencyScenarios, loadTestScenarios, shutdownScenarios)
}
