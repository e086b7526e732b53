package ui

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/markdown"
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

func (u *UI) showRequest(v *visit, id string) {
	if s, ok := v.signedIn(); ok {
		v.showRequestTo(s, id, http.StatusOK, "")
	}
}

func (v *visit) showRequestTo(s belay.Principal, id string, status int, problem string) {
	c, err := v.ui.App.ChangeRequest(v.Context(), s, id)
	if err != nil {
		v.refuse(err)
		return
	}
	w, err := v.ui.App.Workspace(v.Context(), s, belay.WorkspaceRef{ID: c.WorkspaceID})
	if err != nil {
		v.refuse(err)
		return
	}
	at, err := v.placeOf(s, w.Organization.Name, "changes")
	if err != nil {
		v.refuse(err)
		return
	}
	page := requestPage{
		Path: onePath(c.ID), Workspace: w.Name, WorkspacePath: workspacePath(w.Organization.Name, w.Name),
		By: c.CreatedByName, At: c.CreatedAt, ArchivedAt: c.ArchivedAt, Message: markdown.HTML(c.Message),
		Assignee: c.AssigneeName, AssignedAt: c.AssignedAt,
		MayArchive: c.ArchivedAt.IsZero() && w.Can.Has(belay.ArchiveChangeRequests),
	}
	if c.RunID != "" && w.Can.Has(belay.ReadRuns) {
		page.Run = runPath(w.Organization.Name, w.Name, c.RunID)
	}
	v.show(status, "changerequest", frame{
		Title: c.Subject, Error: problem, Visitor: s.Name, Crumbs: []crumb{{"Change requests", organizationPath(w.Organization.Name, "change-requests")}}, Place: at, Page: page,
	})
}

// archive takes a change request out of the backlog, and comes back to where it was shown. One
// that is archived already stays so: what is shown next says since when.
func (u *UI) archive(v *visit) { v.withRequest(u.App.ArchiveChangeRequest, belay.BadRequest) }

// takeRequest says that the visitor is on a change request. Of one that somebody else just took
// the page says who.
func (u *UI) takeRequest(v *visit) { v.withRequest(u.App.TakeChangeRequest, belay.Conflict) }

func (u *UI) releaseRequest(v *visit) { v.withRequest(u.App.ReleaseChangeRequest, belay.BadRequest) }

// withRequest does something with the change request of the address; one kind of refusal is
// what its page shows anyway.
func (v *visit) withRequest(do func(context.Context, belay.Principal, string) (belay.ChangeRequest, error), shown belay.Kind) {
	status, problem := v.form()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	id := v.PathValue("id")
	if problem != "" {
		v.showRequestTo(s, id, status, problem)
		return
	}
	if _, err := do(v.Context(), s, id); err != nil && belay.KindOf(err) != shown {
		v.refuse(err)
		return
	}
	if back := v.PostFormValue("return"); back != "" {
		v.redirect(ownPath(back))
		return
	}
	v.redirect(onePath(id))
}
