package ui

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/belayhq/belay"
)

// Paths of the pages.
const (
	homePath    = "/app/"
	signInPath  = "/app/sign-in"
	tokensPath  = "/app/settings/tokens"
	loginPath   = "/oauth/authorization"
	leavingPath = "/app/~/sign-in/"  // with the id of the provider that people go to
	comingPath  = "/oauth/callback/" // with the id of the provider that people come back from
	waysPath    = "/app/settings/sign-in"
	themePath   = "/app/~/theme"

	organizationHome = "/app/{organization}"
	partPath         = "/app/{organization}/{part}"
	onePartPath      = partPath + "/{id}"
	aWorkspacePath   = "/app/{organization}/workspaces/{name}"
	belowPath        = "/app/{organization}/{a}/{b}/{c}"
	aRunPath         = aWorkspacePath + "/runs/{id}"
	requestsPath     = "/app/{organization}/change-requests"
	requestPath      = "/app/change-requests/{id}"
)

// offersRequests says whether the server's edition has change requests.
func (u *UI) offersRequests() bool { return u.App.Edition().Offers(belay.ChangeRequests) }

func noPage(v *visit) { v.problem(http.StatusNotFound, "There is no such page.") }

// readable says whether an address is text that can be asked for: no database keeps other.
func readable(address *url.URL) bool {
	query, err := url.QueryUnescape(address.RawQuery)
	return err == nil && plain(address.Path) && plain(query)
}

func plain(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// organizationPath is the address of a list of an organization.
func organizationPath(organization, part string) string {
	return homePath + url.PathEscape(organization) + "/" + part
}

// workspacePath is the address of a workspace's page.
func workspacePath(organization, name string) string {
	return organizationPath(organization, "workspaces/") + url.PathEscape(name)
}

// onePath is the address of a change request's page.
func onePath(id string) string { return homePath + "change-requests/" + url.PathEscape(id) }
