//go:build race

package interop

// raceEnabled makes the programs under test be built like the test.
const raceEnabled = true
