package e2e_test

import (
	"hash/fnv"
	"testing"
)

// databases is what a test runs on: SQLite and PostgreSQL. In the short form, in which the race
// detector makes everything ten times slower, it is one of them, by the name of the test: what
// the detector looks for is in what both have in common, or in the half of the tests that is left.
func databases(t *testing.T) []string {
	t.Helper()
	both := []string{"sqlite", "postgres"}
	if !testing.Short() {
		return both
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(t.Name())) // never fails
	one := sum.Sum32() % 2
	return both[one : one+1]
}
