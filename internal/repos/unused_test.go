package repos_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/store"
)

// TestAFetchThatIsWantedAgainStays: what nobody used for long is forgotten, but not under whoever has just asked for it.
func TestAFetchThatIsWantedAgainStays(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		ref, _ := h.pushed(http.StatusOK)
		h.settle()
		c := h.runsOf(ref)[0].ConfigurationVersionID
		h.pass(365 * 24 * time.Hour)
		h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
			made, err := tx.Peek().ConfigurationVersion(c)
			if err != nil {
				return err
			}
			hook, err := tx.Peek().Hook(made.Ingress.HookID)
			if err != nil {
				return err
			}
			f, err := tx.WantFetch(hook.ID, hook.OrganizationID, made.Ingress.CommitSHA, made.Ingress.Ref, made.Ingress.Submodules)
			if err != nil {
				return err
			}
			if _, err := tx.PruneRepositories(tx.Now, tx.Now, tx.Now); err != nil {
				return err
			}
			_, err = tx.Peek().Fetch(f.ID)
			return err
		}))
	})
}
