package workspaces

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// againPart is the form that has a run's workspace do the same once more, with the configuration that it has now.
type againPart struct{ Path, Message, Kind, Targets, Replaces, Variables string }

// againOf is for those who may plan, when a run is over; nil: it is not, or it destroyed everything, which nobody
// asks for by one button. One whose variables are of several lines is begun by the API.
func againOf(r *runs.View) *againPart {
	severalLines := func(v run.Variable) bool { return strings.ContainsAny(v.Value, "\r\n") }
	if !r.Status.Final() || r.IsDestroy || !r.Can.Has(belay.QueueRuns) || slices.ContainsFunc(r.Variables, severalLines) {
		return nil
	}
	part := &againPart{
		Path: frame.WorkspacePath(r.Organization, r.Workspace) + "/start", Message: r.Message,
		Targets: strings.Join(r.Targets, "\n"), Replaces: strings.Join(r.Replaces, "\n"), Variables: variableLines(r.Variables),
	}
	switch {
	case r.RefreshOnly:
		part.Kind = "refresh"
	case r.PlanOnly:
		part.Kind = "plan-only"
	}
	return part
}

// mostOfCommit is how many runs of the same commit a page shows.
const mostOfCommit = 6

// runOfCommit is another run of the commit of a run.
type runOfCommit struct {
	Path, Workspace string
	Status          StatusWord
}

// fillCommit adds the other runs of its commit in the organization, of those that the visitor may read.
func fillCommit(v *frame.Visit, s belay.Principal, r *runs.View, page *runPage) error {
	if r.CommitSHA == "" {
		return nil
	}
	list, _, err := v.UI.Runs.ListOfOrganization(v.Context(), s, r.Organization, run.Query{WholeCommit: r.CommitSHA, Briefly: true, Page: belay.Page{Number: 1, Size: mostOfCommit + 1}})
	for i := range list {
		if other := &list[i]; other.ID != r.ID && len(page.OfCommit) < mostOfCommit {
			page.OfCommit = append(page.OfCommit, runOfCommit{RunPath(other.Organization, other.Workspace, other.ID), other.Workspace, wordOf(&other.Run)})
		}
	}
	if len(list) > mostOfCommit {
		page.AllOfCommit = frame.OrganizationPath(r.Organization, "runs") + "?search=" + r.CommitSHA
	}
	return err
}
