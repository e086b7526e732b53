package organizations

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// organizationsPage is the page that a person starts at.
type organizationsPage struct {
	Search        string
	Requests      bool // the edition has change requests
	Organizations []organizationRow
	Turns         frame.Turns
}

type organizationRow struct {
	Name, Home, Workspaces, ChangeRequests string // its name, and where it and its lists are
	Counted                                bool   // the visitor sees all of its workspaces
	Count                                  int
}

// ShowOrganizations lists the organizations of the visitor.
func ShowOrganizations(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := organizationsPage{Search: v.Asked("search"), Requests: v.UI.OffersRequests()}
	at := v.Page(frame.PageSize)
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: page.Search, Page: at})
	if err != nil {
		v.Refuse(err)
		return
	}
	for _, o := range list {
		page.Organizations = append(page.Organizations, organizationRow{
			Name: o.Name, Home: strings.TrimSuffix(frame.OrganizationPath(o.Name, ""), "/"), Workspaces: frame.OrganizationPath(o.Name, "workspaces"), ChangeRequests: frame.OrganizationPath(o.Name, "change-requests"),
			Counted: o.Can.Has(belay.ReadWorkspace), Count: o.WorkspaceCount,
		})
	}
	page.Turns = v.Turns(frame.HomePath, at, total)
	v.Show(http.StatusOK, "organizations", frame.Frame{Title: "Organizations", Visitor: s.Name, Page: page})
}
