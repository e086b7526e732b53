package ui

import (
	"net/http"

	"github.com/belayhq/belay"
)

// organizationsPage is the page that a person starts at.
type organizationsPage struct {
	Search        string
	Requests      bool // the edition has change requests
	Organizations []organizationRow
	Turns         turns
}

type organizationRow struct {
	Name, Workspaces, ChangeRequests string // its name, and where its lists are
	Counted                          bool   // the visitor sees all of its workspaces
	Count                            int
}

func (u *UI) showOrganizations(v *visit) {
	s, ok := v.signedIn()
	if !ok {
		return
	}
	page := organizationsPage{Search: v.asked("search"), Requests: u.offersRequests()}
	at := v.page(pageSize)
	list, total, err := u.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: page.Search, Page: at})
	if err != nil {
		v.refuse(err)
		return
	}
	for _, o := range list {
		page.Organizations = append(page.Organizations, organizationRow{
			Name: o.Name, Workspaces: organizationPath(o.Name, "workspaces"), ChangeRequests: organizationPath(o.Name, "change-requests"),
			Counted: o.Can.Has(belay.ReadWorkspace), Count: o.WorkspaceCount,
		})
	}
	page.Turns = v.turns(homePath, at, total)
	v.show(http.StatusOK, "organizations", frame{Title: "Organizations", Visitor: s.Name, Page: page})
}
