package variables

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// TestACopyThatStopsSaysHowFarItCame, since those before it are done; one to a single workspace says what was wrong alone.
func TestACopyThatStopsSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	v := &visit{&workspaces.Opened{Visit: &frame.Visit{}}}
	locked := belay.Refuse(belay.Conflict, "it is locked")
	for _, one := range []struct {
		done int
		to   []string
		want string
	}{
		{0, []string{"one"}, "it is locked"}, {0, []string{"one", "two"}, "Copied to 0 of 2 workspaces; not to one: it is locked"},
		{2, []string{"one", "two", "three"}, "Copied to 2 of 3 workspaces; not to three: it is locked"},
	} {
		if _, said := v.Describe(v.stoppedAt(locked, one.done, one.to)); said != one.want {
			t.Errorf("%q, not %q", said, one.want)
		}
	}
}
