package access

import (
	"testing"

	"github.com/belayhq/belay"
)

// TestRightsHaveWords has no page show what the API calls rights.
func TestRightsHaveWords(t *testing.T) {
	t.Parallel()
	belay.OrganizationAccess{}.Each(func(name string, _ bool) {
		if switchWords[name].word == "" {
			t.Errorf("%s has no word", name)
		}
	})
	for _, r := range belay.Rights {
		if rightNames[r.Name] == "" {
			t.Errorf("%s has no word", r.Name)
		}
	}
}
