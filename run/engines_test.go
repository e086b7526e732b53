package run_test

import (
	"slices"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// TestEnginesAreOrderedAsVersions: 1.10 comes after 1.9, and a beta before its release.
func TestEnginesAreOrderedAsVersions(t *testing.T) {
	t.Parallel()
	want := []string{"1.10.1", "1.10.0", "1.10.0-beta1", "1.9.8", "1.9.0", "nightly"}
	var list []belay.EngineVersion
	for _, name := range []string{"1.9.0", "nightly", "1.10.0-beta1", "1.10.1", "1.9.8", "1.10.0"} {
		list = append(list, belay.EngineVersion{Version: name, Enabled: true})
	}
	run.SortEngines(list)
	for i := range list {
		if list[i].Version != want[i] {
			t.Errorf("place %d has %s, want %s", i, list[i].Version, want[i])
		}
	}
}

// TestEnginesAreSupportedFromAVersionOn moves the oldest that is supported up and down: what was deprecated for
// another reason stays so.
func TestEnginesAreSupportedFromAVersionOn(t *testing.T) {
	t.Parallel()
	list := []belay.EngineVersion{
		{Version: "1.8.0", Enabled: true}, {Version: "1.9.0", Enabled: true}, {Version: "1.10.0", Enabled: true},
		{Version: "1.10.1", Enabled: true, Deprecated: true, DeprecatedReason: "it loses locks"}, {Version: "1.11.0", Enabled: true, Official: true},
	}
	move := func(from, supported string, old ...string) {
		t.Helper()
		for _, e := range run.SupportFrom(list, from) {
			list[slices.IndexFunc(list, func(have belay.EngineVersion) bool { return have.Version == e.Version })] = e
		}
		if again := run.SupportFrom(list, from); len(again) > 0 {
			t.Errorf("once more changes %v", again)
		}
		for i := range list {
			if e := &list[i]; e.Deprecated != (slices.Contains(old, e.Version) || e.Version == "1.10.1") || e.Version == "1.10.1" && e.DeprecatedReason != "it loses locks" {
				t.Errorf("from %s on: %+v", from, *e)
			}
		}
		if got := run.SupportedFrom(belay.NewEngines(list)); got != supported {
			t.Errorf("from %s on, supported from %q, want %q", from, got, supported)
		}
	}
	move("1.10.0", "1.10.0", "1.8.0", "1.9.0")
	move("1.9.0", "1.9.0", "1.8.0")
	move("1.8.0", "")
}
