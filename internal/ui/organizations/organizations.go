package organizations

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// organizationsPage is the page that a person starts at.
type organizationsPage struct {
	Search        string
	Requests      bool // the edition has change requests
	Organizations []organizationRow
	Turns         frame.Turns
	Name, Email   string // of the organization that is to be made
}

type organizationRow struct {
	Name, Home, Workspaces, ChangeRequests string // its name, and where it and its lists are
	Counted                                bool   // the visitor sees all of its workspaces
	Count                                  int
}

// ShowOrganizations lists the organizations of the visitor.
func ShowOrganizations(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		listOrganizations(v, s, http.StatusOK, "", organizationsPage{Search: v.Asked("search")})
	}
}

// CreateOrganization makes an organization that the visitor owns, and goes to its home.
func CreateOrganization(v *frame.Visit) {
	own := v.OwnForm()
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	page := organizationsPage{Name: v.Given("name"), Email: v.Given("email")}
	if !own {
		listOrganizations(v, s, http.StatusForbidden, frame.StaleForm, page)
		return
	}
	made, err := v.UI.App.CreateOrganization(v.Context(), s, belay.OrganizationPatch{Name: patch.Of(page.Name), Email: patch.Of(page.Email)})
	if err != nil {
		if status, text := v.Describe(err); status < http.StatusInternalServerError {
			listOrganizations(v, s, status, text, page)
			return
		}
		v.Refuse(err)
		return
	}
	v.Redirect(frame.OrganizationHomePath(made.Name))
}

func listOrganizations(v *frame.Visit, s belay.Principal, status int, problem string, page organizationsPage) {
	page.Requests = v.UI.OffersRequests()
	at := v.Page(frame.PageSize)
	list, total, err := v.UI.App.Organizations(v.Context(), s, belay.OrganizationQuery{Name: page.Search, Page: at})
	if err != nil {
		v.Refuse(err)
		return
	}
	for _, o := range list {
		page.Organizations = append(page.Organizations, organizationRow{
			Name: o.Name, Home: frame.OrganizationHomePath(o.Name), Workspaces: frame.OrganizationPath(o.Name, "workspaces"), ChangeRequests: frame.OrganizationPath(o.Name, "change-requests"),
			Counted: o.Can.Has(belay.ReadWorkspace), Count: o.WorkspaceCount,
		})
	}
	page.Turns = v.Turns(frame.HomePath, at, total)
	v.Show(status, "organizations", frame.Frame{Title: "Organizations", Error: problem, Visitor: s.Name, Page: page})
}
