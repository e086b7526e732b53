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
	homePath   = "/app/"
	signInPath = "/app/sign-in"
	tokensPath = "/app/settings/tokens"
	loginPath  = "/oauth/authorization"

	partPath       = "/app/{organization}/{part}"
	aWorkspacePath = "/app/{organization}/workspaces/{name}"
	requestsPath   = "/app/{organization}/change-requests"
	requestPath    = "/app/change-requests/{id}"
)

// routes is every page and every form.
func (u *UI) routes() map[string]func(*visit) {
	all := map[string]func(*visit){
		"GET /{$}":                    func(v *visit) { v.redirect(homePath) },
		"GET /app":                    func(v *visit) { v.redirect(homePath) },
		"GET /app/{$}":                u.showOrganizations,
		"GET /app/style.css":          func(v *visit) { v.file("style.css", "text/css; charset=utf-8") },
		"GET /app/icon.svg":           func(v *visit) { v.file("icon.svg", "image/svg+xml") },
		"GET " + signInPath:           u.showSignIn,
		"POST " + signInPath:          u.signIn,
		"POST /app/sign-out":          u.signOut,
		"GET " + tokensPath:           u.showTokens,
		"POST " + tokensPath:          u.createToken,
		"POST " + tokensPath + "/end": u.endToken,
		"GET " + loginPath:            u.showLogin,
		"POST " + loginPath:           u.login,

		"GET " + partPath:                          u.showPart,
		"GET " + aWorkspacePath:                    u.showWorkspace,
		"POST " + aWorkspacePath + "/lock":         u.lock,
		"POST " + aWorkspacePath + "/unlock":       u.unlock,
		"POST " + aWorkspacePath + "/force-unlock": u.forceUnlock,

		"/": noPage,
	}
	if u.offersRequests() {
		all["GET "+requestsPath+"/new"] = u.showFiling
		all["POST "+requestsPath+"/preview"] = u.previewFiling
		all["POST "+requestsPath] = u.file
		all["POST "+requestPath+"/archive"] = u.archive
	}
	return all
}

// showPart shows a list of an organization, or one change request. An organization may be
// called change-requests: its lists come first, and no id of a change request is like theirs.
func (u *UI) showPart(v *visit) {
	organization, part := v.PathValue("organization"), v.PathValue("part")
	switch {
	case part == "workspaces":
		u.showWorkspaces(v)
	case part == "change-requests" && u.offersRequests():
		u.showRequests(v)
	case organization == "change-requests" && u.offersRequests():
		u.showRequest(v, part)
	default:
		noPage(v)
	}
}

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
