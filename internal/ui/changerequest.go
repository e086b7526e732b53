package ui

import (
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/markdown"
)

// requestPage is what the page of a change request shows.
type requestPage struct {
	Path, Workspace, WorkspacePath, By string
	At, ArchivedAt                     time.Time
	MayArchive                         bool
	Run                                string // the page of the last run that was applied for it
	Message                            template.HTML
}

// onePath is the address of a change request's page.
func onePath(id string) string { return homePath + "change-requests/" + url.PathEscape(id) }

func (u *UI) showRequest(v *visit, id string) {
	if s, ok := v.signedIn(); ok {
		v.showRequestTo(s, id, http.StatusOK, "")
	}
}

func (v *visit) showRequestTo(s belay.Subject, id string, status int, problem string) {
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
		MayArchive: c.ArchivedAt.IsZero() && w.Can.Has(belay.ArchiveChangeRequests),
	}
	if c.RunID != "" && w.Can.Has(belay.ReadRuns) {
		page.Run = runPath(w.Organization.Name, w.Name, c.RunID)
	}
	v.show(status, "changerequest", frame{
		Title: c.Subject, Error: problem, Visitor: s.Name, Crumbs: []crumb{{"Change requests", organizationPath(w.Organization.Name, "change-requests")}}, Place: at, Page: page,
	})
}

// archive takes a change request out of the backlog, and comes back to where it was shown.
func (u *UI) archive(v *visit) {
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
	// One that is archived already stays so: what is shown next says since when.
	if _, err := u.App.ArchiveChangeRequest(v.Context(), s, id); err != nil && belay.KindOf(err) != belay.BadRequest {
		v.refuse(err)
		return
	}
	if back := v.PostFormValue("return"); back != "" {
		v.redirect(ownPath(back))
		return
	}
	v.redirect(onePath(id))
}
