package workspaces

import (
	"strings"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// runsPage is the runs of a workspace.
type runsPage struct {
	Runs  []RunRow
	Turns frame.Turns
}

// RunRow is one run in a list.
type RunRow struct {
	Path, Title, By string
	Status          StatusWord
	At              time.Time
	Counts          run.Counts
	HasCounts       bool
}

const runsPerPage = 50

func runsPath(organization, workspace string) string {
	return frame.WorkspacePath(organization, workspace) + "/runs"
}

// ShowBelow shows what lies two steps below an organization: a page of a workspace, or the
// way to a run from the shorter address that command lines print.
func ShowBelow(v *frame.Visit) {
	organization, a, b, c := v.PathValue("organization"), v.PathValue("a"), v.PathValue("b"), v.PathValue("c")
	switch {
	case b == "runs" && (a != "workspaces" || strings.HasPrefix(c, "run-")):
		v.Redirect(RunPath(organization, a, c))
	case a == "workspaces" && c == "overview":
		v.Redirect(frame.WorkspacePath(organization, b))
	case a == "workspaces" && c != "":
		v.SetPathValue("name", b)
		ShowTab(v, c)
	default:
		frame.NoPage(v)
	}
}

// runs is the page of a workspace's runs.
func (t *tabVisit) runs() (any, error) {
	page := t.Page(runsPerPage)
	list, total, err := t.UI.Runs.List(t.Context(), t.s, t.ref(), run.Query{Page: page})
	if err != nil {
		return nil, err
	}
	rows, err := RunRows(t.Visit, list)
	return runsPage{rows, t.Turns(runsPath(t.o.Name, t.w.Name), page, total)}, err
}

// RunRows is runs as rows of a table.
func RunRows(v *frame.Visit, list []runs.View) ([]RunRow, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].CreatedBy
	}
	names, err := v.Names(ids...)
	rows := make([]RunRow, len(list))
	for i := range list {
		r := &list[i]
		rows[i] = RunRow{
			Path: RunPath(r.Organization, r.Workspace, r.ID), Title: TitleOf(&r.Run), By: names[r.CreatedBy], Status: wordOf(&r.Run), At: r.CreatedAt,
			Counts: r.Plan.Counts, HasCounts: r.Plan.Status == run.PhaseFinished,
		}
	}
	return rows, err
}
