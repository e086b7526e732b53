package frame

import (
	"net/http"
	"net/url"

	"github.com/belayhq/belay/site"
)

// Paths of the pages.
const (
	HomePath    = "/app/"
	SignInPath  = "/app/sign-in"
	TokensPath  = "/app/settings/tokens"
	LoginPath   = "/oauth/authorization"
	LeavingPath = "/app/~/sign-in/"  // with the id of the provider that people go to
	ComingPath  = "/oauth/callback/" // with the id of the provider that people come back from
	WaysPath    = "/app/settings/sign-in"
	ThemePath   = "/app/~/theme"
	KeptPath    = "/app/~/kept" // a form that was set aside

	OrganizationsPath = "/app/~/organizations"

	OrganizationHome = "/app/{organization}"
	PartPath         = "/app/{organization}/{part}"
	OnePartPath      = PartPath + "/{id}"
	AWorkspacePath   = "/app/{organization}/workspaces/{name}"
	BelowPath        = "/app/{organization}/{a}/{b}/{c}"
	ARunPath         = AWorkspacePath + "/runs/{id}"
	RequestsPath     = "/app/{organization}/change-requests"
	RequestPath      = "/app/change-requests/{id}"
)

// OffersRequests says whether the server's edition has change requests.
func (u *UI) OffersRequests() bool { return u.App.Edition().Offers(site.ChangeRequests) }

// OffersAssessments says whether the server's edition assesses the health of workspaces.
func (u *UI) OffersAssessments() bool { return u.App.Edition().Offers(site.Assessments) }

// NoPage says that there is no such page.
func NoPage(v *Visit) { v.Problem(http.StatusNotFound, "There is no such page.") }

// OrganizationPath is the address of a list of an organization.
func OrganizationPath(organization, part string) string {
	return OrganizationHomePath(organization) + "/" + part
}

// OrganizationHomePath is the address of an organization's own page.
func OrganizationHomePath(organization string) string { return HomePath + url.PathEscape(organization) }

// WorkspacePath is the address of a workspace's page.
func WorkspacePath(organization, name string) string {
	return OrganizationPath(organization, "workspaces/") + url.PathEscape(name)
}

// RunPath is the address of a run of a workspace.
func RunPath(organization, workspace, id string) string {
	return WorkspacePath(organization, workspace) + "/runs/" + url.PathEscape(id)
}

// OnePath is the address of a change request's page.
func OnePath(id string) string { return HomePath + "change-requests/" + url.PathEscape(id) }
