package ui

import (
	"strings"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// runsPage is the runs of a workspace.
type runsPage struct {
	Runs  []runRow
	Turns turns
}

type runRow struct {
	Path, Title, By string
	Status          statusWord
	At              time.Time
	Counts          run.Counts
	HasCounts       bool
}

const runsPerPage = 50

func runsPath(organization, workspace string) string {
	return workspacePath(organization, workspace) + "/runs"
}

// showBelow shows what lies two steps below an organization: a page of a workspace, or the
// way to a run from the shorter address that command lines print.
func (u *UI) showBelow(v *visit) {
	organization, a, b, c := v.PathValue("organization"), v.PathValue("a"), v.PathValue("b"), v.PathValue("c")
	switch {
	case b == "runs" && (a != "workspaces" || strings.HasPrefix(c, "run-")):
		v.redirect(runPath(organization, a, c))
	case a == "workspaces" && c == "overview":
		v.redirect(workspacePath(organization, b))
	case a == "workspaces" && c != "":
		v.SetPathValue("name", b)
		u.showTab(v, c)
	default:
		noPage(v)
	}
}

// runs is the page of a workspace's runs.
func (t *tabVisit) runs() (any, error) {
	page := t.page(runsPerPage)
	list, total, err := t.ui.Runs.List(t.Context(), t.s, t.ref(), run.Query{Page: page})
	if err != nil {
		return nil, err
	}
	rows, err := t.runRows(list)
	return runsPage{rows, t.turns(runsPath(t.o.Name, t.w.Name), page, total)}, err
}

// runRows is runs as rows of a table.
func (v *visit) runRows(list []runs.View) ([]runRow, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].CreatedBy
	}
	names, err := v.names(ids...)
	rows := make([]runRow, len(list))
	for i := range list {
		r := &list[i]
		rows[i] = runRow{
			Path: runPath(r.Organization, r.Workspace, r.ID), Title: titleOf(&r.Run), By: names[r.CreatedBy], Status: wordOf(&r.Run), At: r.CreatedAt,
			Counts: r.Plan.Counts, HasCounts: r.Plan.Status == run.PhaseFinished,
		}
	}
	return rows, err
}
