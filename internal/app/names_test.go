package app

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// TestReadingNamesRestsForOthers reads new names while two tenants are there, which is not done in a moment, and goes on when told to end.
func TestReadingNamesRestsForOthers(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		if a.db.Engine() != "sqlite" {
			return // PostgreSQL reads names by itself
		}
		for i := range 170 { // some forty transactions
			_, err := a.CreateWorkspace(t.Context(), a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("payments-eu-%04d", i))})
			a.must(err)
		}
		for _, tenant := range []string{"one", "two"} {
			a.Tenants().As(t.Context(), tenant)
		}
		ctx, stop := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer stop()
		a.readNames(ctx)
		if _, more, err := a.db.ReadNames(t.Context(), besideOthers); err != nil || !more || ctx.Err() == nil {
			t.Errorf("names are left: %t, %v; it ended by itself: %t", more, err, ctx.Err() == nil)
		}
	})
}
