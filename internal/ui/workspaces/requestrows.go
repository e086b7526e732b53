package workspaces

import (
	"html/template"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// RequestsPart is a list of change requests, in either page that has one.
type RequestsPart struct {
	Shown       bool // the visitor may read them, and the edition has them
	ByWorkspace bool // each names its workspace
	MayArchive  bool
	Return      string // where archiving comes back to
	Form        string // the secret of the forms
	List        []requestRow
	Shows       []shownRequests // of one workspace: which of them are shown
	Turns       frame.Turns
}

type requestRow struct {
	ID, Subject, By, Workspace, WorkspacePath, Path string
	At, ArchivedAt                                  time.Time
	ArchivedBy, Assignee, Campaign                  string
	Message                                         template.HTML
}

// shownRequests is a choice of change requests; its page shows them.
type shownRequests struct {
	Text, Path string
	Count      int // 0: it is not told
	Here       bool
}

// fillRequests adds the newest open change requests of a workspace to its overview.
func (t *tabVisit) fillRequests(page *overviewPage) error {
	if t.w.OpenChangeRequests == 0 || !t.UI.OffersRequests() || !t.w.Can.Has(belay.ReadChangeRequests) {
		return nil
	}
	open := false
	want := backlog.ChangeRequestQuery{Archived: &open, Page: belay.Page{Number: 1, Size: latestRequests}}
	list, _, err := t.UI.App.WorkspaceChangeRequests(t.Context(), t.s, t.ref(), want)
	for i := range list {
		row := InboxOf(&list[i])
		row.Where = "" // it is here
		page.Waiting = append(page.Waiting, row)
	}
	return err
}

// requests is the page of a workspace's change requests: those that are open, unless the address asks for
// those that are done.
func (t *tabVisit) requests() (any, error) {
	at, done := t.Page(RequestsPerPage), t.Asked("show") == "archived"
	list, total, err := t.UI.App.WorkspaceChangeRequests(t.Context(), t.s, t.ref(), backlog.ChangeRequestQuery{Archived: &done, Page: at})
	if err != nil {
		return nil, err
	}
	path := t.path + "/change-requests"
	part, err := RequestsShown(t.Visit, t.o.Name, list)
	for i := range list {
		if list[i].ActionID != "" && t.o.Can.Has(belay.ReadExplorer) {
			part.List[i].Campaign = frame.OrganizationPath(t.o.Name, "changes/") + list[i].ActionID
		}
	}
	part.MayArchive, part.Return, part.Turns = t.w.Can.Has(belay.ArchiveChangeRequests), path, t.Turns(path, at, total)
	part.Shows = []shownRequests{{"Open", path, t.w.OpenChangeRequests, !done}, {"Archived", path + "?show=archived", 0, done}}
	return part, err
}

// Done says that those are shown that are archived.
func (p RequestsPart) Done() bool { return len(p.Shows) > 0 && p.Shows[len(p.Shows)-1].Here }

// RequestsShown is a list of change requests, ready to be shown.
func RequestsShown(v *frame.Visit, organization string, list []backlog.ChangeRequest) (RequestsPart, error) {
	part := RequestsPart{Shown: true, Form: v.FormSecret()}
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ArchivedBy
	}
	names, err := v.Names(ids...)
	for _, c := range list {
		part.List = append(part.List, requestRow{
			ID: c.ID, Subject: c.Subject, By: c.CreatedByName, At: c.CreatedAt, Message: markdown.HTML(c.Message),
			Workspace: c.WorkspaceName, WorkspacePath: frame.WorkspacePath(organization, c.WorkspaceName),
			ArchivedAt: c.ArchivedAt, ArchivedBy: names[c.ArchivedBy], Assignee: c.AssigneeName,
			Path: frame.OnePath(c.ID),
		})
	}
	return part, err
}

// InboxRow is one thing that waits for somebody.
type InboxRow struct {
	Class, Icon, Title, Where, By, Path, Button string
	ActPath                                     string // where the button leads; empty: to the path
	Later                                       string // by which a home puts it off
	Of                                          int    // how many others are with it
	At                                          time.Time
	Counts                                      run.Counts
	HasCounts                                   bool
}

// InboxOf is a change request that waits.
func InboxOf(c *backlog.ChangeRequest) InboxRow {
	return InboxRow{Class: "", Icon: "flag", Title: c.Subject, Where: c.WorkspaceName, By: c.CreatedByName, Path: frame.OnePath(c.ID), Button: "Show", At: c.CreatedAt}
}
