package ui

import (
	"html/template"
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/markdown"
)

// requestPath is the page of one change request.
const requestPath = "/app/change-requests/{id}"

// requestPage is what the page of a change request shows.
type requestPage struct {
	ID, Workspace, By, At, ArchivedAt string
	Message                           template.HTML
}

func (u *UI) showChangeRequest(v *visit) {
	if s, ok := v.signedIn(); ok {
		u.listChangeRequest(v, s, http.StatusOK, "")
	}
}

func (u *UI) listChangeRequest(v *visit, s belay.Subject, status int, problem string) {
	id := v.PathValue("id")
	if !plainText(id) {
		v.refuse(belay.ErrNotFound)
		return
	}
	c, err := u.App.ChangeRequest(v.Context(), s, id)
	if err != nil {
		v.refuse(err)
		return
	}
	v.show(status, "changerequest", frame{Title: c.Subject, Error: problem, Visitor: s.Name, Page: requestPage{
		ID: c.ID, Workspace: c.WorkspaceName, By: c.CreatedByName, At: day(c.CreatedAt, ""), ArchivedAt: day(c.ArchivedAt, ""),
		Message: markdown.HTML(c.Message),
	}})
}

func (u *UI) archiveChangeRequest(v *visit) {
	own := v.ownForm()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	if !own {
		u.listChangeRequest(v, s, http.StatusForbidden, staleForm)
		return
	}
	id := v.PathValue("id")
	if !plainText(id) {
		v.refuse(belay.ErrNotFound)
		return
	}
	if _, err := u.App.ArchiveChangeRequest(v.Context(), s, id); err != nil && belay.KindOf(err) != belay.BadRequest {
		v.refuse(err)
		return
	}
	v.redirect("/app/change-requests/" + id) // which says when it was archived, now or before
}
