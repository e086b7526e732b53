package changes

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// requestPage is what the page of a change request shows.
type requestPage struct {
	Path, Workspace, WorkspacePath, By string
	At, ArchivedAt                     time.Time
	MayArchive                         bool
	Assignee                           string
	AssignedAt                         time.Time
	Run                                string // the page of the last run that was applied for it
	Message                            template.HTML
}

// ShowRequest shows a change request.
func ShowRequest(v *frame.Visit, id string) {
	if s, ok := v.SignedIn(); ok {
		showRequestTo(v, s, id, http.StatusOK, "")
	}
}

func showRequestTo(v *frame.Visit, s belay.Principal, id string, status int, problem string) {
	c, err := v.UI.App.ChangeRequest(v.Context(), s, id)
	if err != nil {
		v.Refuse(err)
		return
	}
	w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{ID: c.WorkspaceID})
	if err != nil {
		v.Refuse(err)
		return
	}
	at, err := v.PlaceOf(s, w.Organization.Name, "changes")
	if err != nil {
		v.Refuse(err)
		return
	}
	page := requestPage{
		Path: frame.OnePath(c.ID), Workspace: w.Name, WorkspacePath: frame.WorkspacePath(w.Organization.Name, w.Name),
		By: c.CreatedByName, At: c.CreatedAt, ArchivedAt: c.ArchivedAt, Message: markdown.HTML(c.Message),
		Assignee: c.AssigneeName, AssignedAt: c.AssignedAt,
		MayArchive: c.ArchivedAt.IsZero() && w.Can.Has(belay.ArchiveChangeRequests),
	}
	if c.RunID != "" && w.Can.Has(belay.ReadRuns) {
		page.Run = workspaces.RunPath(w.Organization.Name, w.Name, c.RunID)
	}
	v.Show(status, "changerequest", frame.Frame{
		Title: c.Subject, Error: problem, Visitor: s.Name, Crumbs: []frame.Crumb{{Name: "Change requests", Path: frame.OrganizationPath(w.Organization.Name, "change-requests")}}, Place: at, Page: page,
	})
}

// Archive takes a change request out of the backlog, and comes back to where it was shown. One
// that is archived already stays so: what is shown next says since when.
func Archive(v *frame.Visit) { withRequest(v, v.UI.App.ArchiveChangeRequest, belay.BadRequest) }

// TakeRequest says that the visitor is on a change request. Of one that somebody else just took
// the page says who.
func TakeRequest(v *frame.Visit) { withRequest(v, v.UI.App.TakeChangeRequest, belay.Conflict) }

// ReleaseRequest gives a change request back that was taken.
func ReleaseRequest(v *frame.Visit) { withRequest(v, v.UI.App.ReleaseChangeRequest, belay.BadRequest) }

// withRequest does something with the change request of the address; one kind of refusal is
// what its page shows anyway.
func withRequest(v *frame.Visit, do func(context.Context, belay.Principal, string) (backlog.ChangeRequest, error), shown belay.Kind) {
	status, problem := v.ReadForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	id := v.PathValue("id")
	if problem != "" {
		showRequestTo(v, s, id, status, problem)
		return
	}
	if _, err := do(v.Context(), s, id); err != nil && belay.KindOf(err) != shown {
		v.Refuse(err)
		return
	}
	if back := v.PostFormValue("return"); back != "" {
		v.Redirect(frame.OwnPath(back))
		return
	}
	v.Redirect(frame.OnePath(id))
}
