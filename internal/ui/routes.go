package ui

import "sync"

// routes is every page and every form.
func (u *UI) routes() map[string]func(*visit) {
	read := sync.OnceValues(u.readReference) // the first who asks waits, and no start
	all := map[string]func(*visit){
		"GET /{$}":                     func(v *visit) { v.redirect(homePath) },
		"GET /app":                     func(v *visit) { v.redirect(homePath) },
		"GET /app/{$}":                 u.showOrganizations,
		"GET " + referencePath:         func(v *visit) { v.showReference(read) },
		"GET " + staticPath + "{file}": (*visit).static,
		"POST " + themePath:            u.setTheme,
		"GET " + livePath:              u.live,
		"GET " + searchPath:            u.search,
		"GET " + profilePath:           u.showProfile,
		"POST " + profilePath:          u.saveProfile,
		"GET " + sitePath:              func(v *visit) { v.redirect(sitePath + "/health") },
		"GET " + aSitePath:             u.showSite,
		"POST " + aSitePath:            u.actOnSite,
		"GET " + signInPath:            u.showSignIn,
		"POST " + signInPath:           u.signIn,
		"POST /app/sign-out":           u.signOut,
		"GET " + leavingPath + "{id}":  u.leave,
		"GET " + comingPath + "{id}":   u.comeBack,
		"GET " + forgottenPath:         u.showForgotten,
		"POST " + forgottenPath:        u.forgotten,
		"GET " + resetPath:             u.showReset,
		"POST " + resetPath:            u.reset,
		"GET " + invitationPath:        u.showInvitation,
		"POST " + invitationPath:       u.acceptInvitation,
		"GET " + waysPath:              u.showWays,
		"POST " + waysPath:             u.linkWay,
		"POST " + waysPath + "/end":    u.unlinkWay,
		"GET " + tokensPath:            u.showTokens,
		"POST " + tokensPath:           u.createToken,
		"POST " + tokensPath + "/end":  u.endToken,
		"GET " + loginPath:             u.showLogin,
		"POST " + loginPath:            u.login,

		"GET " + organizationHome:                      u.showHome,
		"GET " + partPath:                              u.showPart,
		"POST " + partPath:                             u.actOnList,
		"GET " + onePartPath:                           u.openPart,
		"POST " + onePartPath:                          u.actOnPart,
		"GET " + aWorkspacePath:                        u.showWorkspace,
		"POST " + aWorkspacePath + "/lock":             u.lock,
		"POST " + aWorkspacePath + "/start":            u.startRun,
		"POST " + aWorkspacePath + "/unlock":           u.unlock,
		"POST " + aWorkspacePath + "/force-unlock":     u.forceUnlock,
		"POST " + aWorkspacePath + "/variables":        u.saveVariable,
		"POST " + aWorkspacePath + "/variables/delete": u.deleteVariable,
		"GET " + aWorkspacePath + "/state/{serial}":    func(v *visit) { u.showTab(v, "state") },
		"POST " + aWorkspacePath + "/state/rollback":   u.rollBack,
		"POST " + aWorkspacePath + "/access":           u.giveAccess,
		"POST " + aWorkspacePath + "/access/take":      u.takeAccess,
		"POST " + aWorkspacePath + "/settings":         u.saveSettings,
		"POST " + aWorkspacePath + "/health":           u.assess,
		"POST " + aWorkspacePath + "/settings/delete":  u.deleteWorkspace,
		"GET " + belowPath:                             u.showBelow,
		"GET " + aRunPath:                              u.showRun,
		"POST " + aRunPath + "/{act}":                  u.actOnRun,

		"/": noPage,
	}
	if u.offersRequests() {
		all["GET "+requestsPath+"/new"] = u.showFiling
		all["POST "+requestsPath+"/preview"] = u.previewFiling
		all["POST "+requestsPath] = u.file
		all["POST "+requestPath+"/archive"] = u.archive
		all["POST "+requestPath+"/take"] = u.takeRequest
		all["POST "+requestPath+"/release"] = u.releaseRequest
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
		u.openPart(v)
	}
}

// actOnList does what a form of a list of an organization asks for.
func (u *UI) actOnList(v *visit) {
	if v.PathValue("part") == "workspaces" {
		u.actOnWorkspaces(v)
		return
	}
	u.actOnPart(v)
}

// showWorkspace shows a workspace, or the form of a new one.
func (u *UI) showWorkspace(v *visit) {
	if v.PathValue("name") != freshName {
		u.showTab(v, "")
		return
	}
	v.SetPathValue("part", "workspaces")
	v.SetPathValue("id", freshName)
	u.openPart(v)
}
