package runs

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/run"
)

// runChecks is what the checks of operators came to in a run.
var runChecks = &doc.Noun[run.Check, struct{}]{
	Type: "run-checks",
	ID:   func(c *run.Check) string { return c.ID },
	Attributes: doc.Attributes[run.Check, struct{}]{
		{Name: "name", Show: doc.Value(func(c *run.Check) string { return c.Name })},
		{Name: "stage", Show: doc.Among(func(c *run.Check) run.CheckStage { return c.Stage }, run.CheckStages...)},
		{Name: "enforcement-level", Show: doc.Among(func(c *run.Check) run.Enforcement { return c.Enforcement }, run.Advisory, run.Mandatory)},
		{Name: "status", Show: doc.Among(func(c *run.Check) run.CheckStatus { return c.Status }, run.CheckPassed, run.CheckFailed, run.CheckErrored)},
		{Name: "exit-code", Show: doc.Value(func(c *run.Check) int { return c.ExitCode })},
		{Name: "reason", Show: doc.Maybe(func(c *run.Check) string { return c.Reason })},
		{Name: "output", Show: doc.Maybe(func(c *run.Check) string { return c.Output })},
		{Name: "started-at", Show: doc.Value(func(c *run.Check) time.Time { return c.BeganAt })},
		{Name: "finished-at", Show: doc.Value(func(c *run.Check) time.Time { return c.EndedAt })},
	},
	Relations: []doc.Relation[run.Check, struct{}]{
		doc.To[run.Check, struct{}]("run", "runs", func(c *run.Check) string { return c.RunID }),
	},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Run + "/run-checks", Status: http.StatusOK, Do: door.ListingWholly(runChecks, a.listRunChecks), Needs: belay.ReadRuns, Does: "List what the checks of its runners came to in a run"},
	}
})

// listRunChecks is all results of a run: there are few.
func (a *Verbs) listRunChecks(r *door.Request) ([]run.Check, int, error) {
	list, err := a.Runs.Checks(r.Context(), r.Principal, r.Param("run_id"))
	return list, len(list), err
}
