package runs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/belayhq/belay/internal/secret"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// Secrets is the sensitive values that a run was given, as they may stand in what is shown of
// its plan. The longest come first.
func (m *Room) Secrets(ctx context.Context, r *run.Run) (found []string, err error) {
	var variables []run.JobVariable
	err = m.DB.View(ctx, func(v *store.View) error {
		sealed, err := v.RunInputs(r.ID)
		if err != nil || sealed == "" {
			return err
		}
		raw, err := m.Ring.Unseal(sealed, r.ID)
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &variables)
	})
	found = secret.Of(variables)
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(found), err
}
