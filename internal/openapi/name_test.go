package openapi_test

import (
	"testing"

	"github.com/belayhq/belay/internal/openapi"
)

// TestNamesThatProgramsTakeForOneAreToldApart: a client that is made from the document would
// not compile.
func TestNamesThatProgramsTakeForOneAreToldApart(t *testing.T) {
	t.Parallel()
	text := openapi.Of[string]()
	is := openapi.Object().Add("created-at", text, true).Add("created_at", text, true).Add("created", text, true)
	operation := &openapi.Operation{}
	for _, name := range []string{"filter[current-run][status]", "filter[current_run][status]", "q"} {
		operation.Take(openapi.Parameter{Name: name})
	}
	for name, want := range map[string]string{"created-at": "", "created_at": "CreatedAt2", "created": ""} {
		if got := is.Properties[name].GoName; got != want {
			t.Errorf("%s is called %q, not %q", name, got, want)
		}
	}
	for i, want := range []string{"", "FilterCurrentRunStatus2", ""} {
		if got := operation.Parameters[i]; got.GoName != want {
			t.Errorf("%s is called %q, not %q", got.Name, got.GoName, want)
		}
	}
	if text.GoName != "" {
		t.Error("the schema that both share was changed")
	}
}
