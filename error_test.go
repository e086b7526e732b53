package belay_test

import (
	"testing"

	"github.com/belayhq/belay"
)

func TestEveryKindOfRefusalHasATitle(t *testing.T) {
	t.Parallel()
	for _, kind := range belay.Kinds() {
		if belay.Refuse(kind, "").Title == "" {
			t.Errorf("the kind of refusal %d has no title: add it to titles", kind)
		}
	}
}
