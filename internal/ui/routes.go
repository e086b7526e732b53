package ui

import (
	"sync"

	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/changes"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/organizations"
	"github.com/belayhq/belay/internal/ui/settings"
	"github.com/belayhq/belay/internal/ui/site"
	"github.com/belayhq/belay/internal/ui/variables"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// routes is every page and every form.
func routes(u *frame.UI) map[string]func(*frame.Visit) {
	read := sync.OnceValues(func() (*reference, error) { return readReference(u) }) // the first who asks waits, and no start
	all := map[string]func(*frame.Visit){
		"GET /{$}":                           func(v *frame.Visit) { v.Redirect(frame.HomePath) },
		"GET /app":                           func(v *frame.Visit) { v.Redirect(frame.HomePath) },
		"GET /app/{$}":                       organizations.Begin,
		"GET " + frame.OrganizationsPath:     organizations.ShowOrganizations,
		"POST " + frame.OrganizationsPath:    organizations.ActOnOrganizations,
		"GET " + referencePath:               func(v *frame.Visit) { showReference(v, read) },
		"GET " + frame.StaticPath + "{file}": (*frame.Visit).Static,
		"POST " + frame.ThemePath:            u.SetTheme,
		"GET " + frame.LivePath:              u.Live,
		"GET " + searchPath:                  search,
		"GET " + organizations.AuthorityPath: organizations.GiveAuthority,
		"GET " + access.ProfilePath:          access.ShowProfile,
		"POST " + access.ProfilePath:         access.SaveProfile,
		"GET " + access.MailedPath:           access.ShowMailed,
		"POST " + access.MailedPath:          access.SaveMailed,
		"GET " + site.SitePath:               func(v *frame.Visit) { v.Redirect(site.SitePath + "/health") },
		"GET " + site.ASitePath:              site.ShowSite,
		"POST " + site.ASitePath:             site.ActOnSite,
		"GET " + frame.SignInPath:            u.ShowSignIn,
		"POST " + frame.SignInPath:           u.SignIn,
		"POST /app/sign-out":                 u.SignOut,
		"GET " + frame.KeptPath:              u.ShowKept,
		"GET " + frame.LeavingPath + "{id}":  access.Leave,
		"GET " + frame.ComingPath + "{id}":   access.ComeBack,
		"GET " + access.ForgottenPath:        access.ShowForgotten,
		"POST " + access.ForgottenPath:       access.Forgotten,
		"GET " + access.ResetPath:            access.ShowReset,
		"POST " + access.ResetPath:           access.Reset,
		"GET " + access.InvitationPath:       access.ShowInvitation,
		"POST " + access.InvitationPath:      access.AcceptInvitation,
		"GET " + frame.WaysPath:              access.ShowWays,
		"POST " + frame.WaysPath:             access.LinkWay,
		"POST " + frame.WaysPath + "/end":    access.UnlinkWay,
		"GET " + frame.TokensPath:            u.ShowTokens,
		"POST " + frame.TokensPath:           u.CreateToken,
		"POST " + frame.TokensPath + "/end":  u.EndToken,
		"GET " + frame.LoginPath:             access.ShowLogin,
		"POST " + frame.LoginPath:            access.Login,

		"GET " + frame.OrganizationHome:                         organizations.ShowHome,
		"POST " + frame.OrganizationHome:                        organizations.PutOff,
		"GET " + frame.PartPath:                                 showPart,
		"POST " + frame.PartPath:                                actOnList,
		"GET " + frame.OnePartPath:                              u.OpenPart,
		"POST " + frame.OnePartPath:                             u.ActOnPart,
		"GET " + frame.AWorkspacePath:                           showWorkspace,
		"POST " + frame.AWorkspacePath + "/lock":                workspaces.Lock,
		"POST " + frame.AWorkspacePath + "/ask":                 workspaces.AskHolder,
		"POST " + frame.AWorkspacePath + "/start":               workspaces.StartRun,
		"POST " + frame.AWorkspacePath + "/unlock":              workspaces.Unlock,
		"POST " + frame.AWorkspacePath + "/force-unlock":        workspaces.ForceUnlock,
		"GET " + frame.AWorkspacePath + "/variables":            variables.Show,
		"POST " + frame.AWorkspacePath + "/variables/paste":     variables.Paste,
		"POST " + frame.AWorkspacePath + "/variables/copy":      variables.Copy,
		"POST " + frame.AWorkspacePath + "/variables":           variables.Save,
		"POST " + frame.AWorkspacePath + "/variables/delete":    variables.Delete,
		"GET " + frame.AWorkspacePath + "/state/{serial}":       func(v *frame.Visit) { workspaces.ShowTab(v, "state") },
		"GET " + frame.AWorkspacePath + "/state/{serial}/file":  workspaces.StateFile,
		"POST " + frame.AWorkspacePath + "/state/rollback":      workspaces.RollBack,
		"POST " + frame.AWorkspacePath + "/state/data":          workspaces.MoveState,
		"POST " + frame.AWorkspacePath + "/state/upload":        workspaces.UploadState,
		"POST " + frame.AWorkspacePath + "/state/{serial}/show": workspaces.ShowValue,
		"POST " + frame.AWorkspacePath + "/access":              workspaces.GiveAccess,
		"POST " + frame.AWorkspacePath + "/access/take":         workspaces.TakeAccess,
		"GET " + frame.AWorkspacePath + "/settings":             settings.Show,
		"GET " + frame.AWorkspacePath + "/settings/{section}":   settings.Show,
		"POST " + frame.AWorkspacePath + "/settings":            settings.Save,
		"POST " + frame.AWorkspacePath + "/health":              workspaces.Assess,
		"POST " + frame.AWorkspacePath + "/settings/delete":     settings.Delete,
		"GET " + frame.BelowPath:                                workspaces.ShowBelow,
		"GET " + frame.ARunPath:                                 workspaces.ShowRun,
		"POST " + frame.ARunPath + "/{act}":                     workspaces.ActOnRun,

		"/": frame.NoPage,
	}
	for path, to := range leads {
		all["GET "+path] = func(v *frame.Visit) { v.Redirect(to(v)) }
	}
	if u.OffersRequests() {
		all["GET "+frame.RequestsPath+"/new"] = changes.ShowFiling
		all["POST "+frame.RequestsPath+"/preview"] = changes.PreviewFiling
		all["POST "+frame.RequestsPath] = changes.FileRequests
		all["POST "+frame.RequestPath+"/archive"] = changes.Archive
		all["POST "+frame.RequestPath+"/take"] = changes.TakeRequest
		all["POST "+frame.RequestPath+"/release"] = changes.ReleaseRequest
	}
	return all
}

// showPart shows a list of an organization, or one change request. An organization may be
// called change-requests: its lists come first, and no id of a change request is like theirs.
func showPart(v *frame.Visit) {
	organization, part := v.PathValue("organization"), v.PathValue("part")
	switch {
	case part == "workspaces":
		organizations.ShowWorkspaces(v)
	case part == "start":
		organizations.ShowStart(v)
	case part == "change-requests" && v.UI.OffersRequests():
		changes.ShowRequests(v)
	case organization == "change-requests" && v.UI.OffersRequests():
		changes.ShowRequest(v, part)
	default:
		v.UI.OpenPart(v)
	}
}

// actOnList does what a form of a list of an organization asks for.
func actOnList(v *frame.Visit) {
	if v.PathValue("part") == "workspaces" {
		organizations.ActOnWorkspaces(v)
		return
	}
	v.UI.ActOnPart(v)
}

// showWorkspace shows a workspace, or the form of a new one.
func showWorkspace(v *frame.Visit) {
	if v.PathValue("name") != organizations.FreshName {
		workspaces.ShowTab(v, "")
		return
	}
	v.SetPathValue("part", "workspaces")
	v.SetPathValue("id", organizations.FreshName)
	v.UI.OpenPart(v)
}
