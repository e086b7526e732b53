package e2e_test

import (
	"testing"

	"github.com/belayhq/belay/internal/storetest"
)

// databases is what a test runs on; see storetest.Engines.
func databases(t *testing.T) []string {
	t.Helper()
	return storetest.Engines(t)
}
