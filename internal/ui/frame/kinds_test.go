package frame

import (
	"testing"

	"github.com/belayhq/belay"
)

func TestEveryKindOfRefusalHasAStatus(t *testing.T) {
	t.Parallel()
	for _, kind := range belay.Kinds() {
		if statuses[kind] == 0 {
			t.Errorf("the kind of refusal %d (%q) has no status in the pages: add it to statuses", kind, belay.Refuse(kind, "").Title)
		}
	}
	if known := len(belay.Kinds()); len(statuses) != known {
		t.Errorf("%d statuses for %d kinds", len(statuses), known)
	}
}
