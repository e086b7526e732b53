package api

import (
	"time"

	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/run"
)

// runChecks is what the checks of operators came to in a run.
var runChecks = &noun[run.Check, struct{}]{
	typ: "run-checks",
	id:  func(c *run.Check) string { return c.ID },
	attributes: attributes[run.Check, struct{}]{
		{name: "name", show: value(func(c *run.Check) string { return c.Name })},
		{name: "stage", show: among(func(c *run.Check) run.CheckStage { return c.Stage }, run.CheckStages...)},
		{name: "enforcement-level", show: among(func(c *run.Check) run.Enforcement { return c.Enforcement }, run.Advisory, run.Mandatory)},
		{name: "status", show: among(func(c *run.Check) run.CheckStatus { return c.Status }, run.CheckPassed, run.CheckFailed, run.CheckErrored)},
		{name: "exit-code", show: value(func(c *run.Check) int { return c.ExitCode })},
		{name: "reason", show: maybe(func(c *run.Check) string { return c.Reason })},
		{name: "output", show: maybe(func(c *run.Check) string { return c.Output })},
		{name: "started-at", show: value(func(c *run.Check) time.Time { return c.BeganAt })},
		{name: "finished-at", show: value(func(c *run.Check) time.Time { return c.EndedAt })},
	},
	relations: []relation[run.Check, struct{}]{
		to[run.Check, struct{}]("run", "runs", func(c *run.Check) string { return c.RunID }),
	},
}

// among shows a word that is one of some.
func among[D any, T ~string](get func(*D) T, words ...T) reader[D] {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return reader[D]{func(d *D) any { return string(get(d)) }, openapi.Of[string]().One(all...)}
}

// listRunChecks is all results of a run: there are few.
func (a *API) listRunChecks(r *request) ([]run.Check, int, error) {
	list, err := a.Runs.Checks(r.Context(), r.subject, r.param("run_id"))
	return list, len(list), err
}
