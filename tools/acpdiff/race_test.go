//go:build race

package main

// slowdown is how much the race detector costs the short run.
const slowdown = 10
