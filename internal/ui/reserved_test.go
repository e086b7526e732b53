package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/organizations"
)

// TestNoNameStandsBehindAPage: what an address says where the name of an organization or of a workspace would stand is
// reserved, or is no name at all.
func TestNoNameStandsBehindAPage(t *testing.T) {
	t.Parallel()
	door, err := frame.New(frame.Config{App: app.New(app.Config{})}, parts(), watches())
	if err != nil {
		t.Fatal(err)
	}
	at := func(pattern string, n int) string { // what stands there, unless it is any name
		_, path, _ := strings.Cut(pattern, " ")
		if words := strings.Split(path, "/"); len(words) > n && !strings.HasPrefix(words[n], "{") {
			return words[n]
		}
		return ""
	}
	var fixed []string
	for pattern := range routes(door) {
		if word := at(pattern, 2); strings.Contains(pattern, " "+frame.HomePath) && word != "" && word != "~" && !slices.Contains(fixed, word) {
			fixed = append(fixed, word)
		}
		if word := at(pattern, 4); strings.Contains(pattern, " "+frame.OrganizationHome+"/workspaces/") && word != "" {
			t.Errorf("a workspace that is called %s can't be opened: %s", word, pattern)
		}
	}
	if slices.Sort(fixed); !slices.Equal(fixed, belay.ReservedNames) {
		t.Errorf("pages have %q of their own where the name of an organization stands, reserved are %q", fixed, belay.ReservedNames)
	}
	var w belay.Problems
	if belay.CheckPlainName(&w, organizations.FreshName, 90); w.Err() == nil {
		t.Errorf("a workspace may be called %s, where the form of a new one is", organizations.FreshName)
	}
}
