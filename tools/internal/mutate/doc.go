// Package mutate makes test instances from a schema of package schema: valid ones that reach every definition, member and variant, and damaged ones whose
// damage the schema suggests. It is for tests and tools that compare two judges of the same data, or one judge with itself.
//
//	s, err := mutate.Load("v1")
//	...
//	pcg := rand.NewPCG(1, 2)
//	m := mutate.New(s, seeds, rand.New(pcg))
//	raw, what := m.Instance("SessionNotification")
//
// Everything is a function of the random source, so an instance is found again by its seed. Instances are trees ([Value]) that keep what JSON text can say
// and Go values cannot: the order of members, duplicate names, the spelling of numbers and strings, white space.
package mutate
