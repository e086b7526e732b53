package run

import (
	"github.com/belayhq/belay"
	"time"
)

// MaxRunTriggers is how many workspaces may trigger runs of one workspace.
const MaxRunTriggers = 20

// RunTrigger connects two workspaces: a run that is applied in the source queues one in
// the workspace.
type RunTrigger struct {
	ID            string
	WorkspaceID   string
	SourceID      string
	WorkspaceName string // read with the row
	SourceName    string // read with the row
	CreatedAt     time.Time
}

// CheckRunTrigger refuses a trigger that can't be: of a workspace by itself, or one more
// than there may be. had is how many the workspace has.
func CheckRunTrigger(w, source *belay.Workspace, had int) error {
	var problems belay.Problems
	switch {
	case w.ID == source.ID:
		problems.At(belay.Related("sourceable"), "A workspace can't trigger runs of itself")
	case had >= MaxRunTriggers:
		problems.At("", "A workspace can have at most %d run triggers", MaxRunTriggers)
	}
	return problems.Err()
}
