package ui

import (
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// action is something that may be done at once: a way, or a form that a button sends.
type action struct {
	Text, Note, Icon, Path string
	Form                   string // the secret that it carries; empty: it is a way
	Fields                 []frame.Setting
}

// actionsOn is what the visitor may do with a workspace.
func actionsOn(v *frame.Visit, s belay.Principal, organization string, w *app.WorkspaceView) (list []action) {
	path := frame.WorkspacePath(organization, w.Name)
	way := func(text, icon, to string) {
		list = append(list, action{Text: text + " " + w.Name, Icon: icon, Path: to})
	}
	form := func(text, icon, to string, fields ...frame.Setting) {
		list = append(list, action{Text: text + " " + w.Name, Icon: icon, Path: path + to, Form: v.FormSecret(), Fields: fields})
	}
	if w.CurrentRunID != "" && w.Can.Has(belay.ReadRuns) {
		if workspaces.WaitsToBeConfirmed(w) && w.Can.Has(belay.ApplyRuns) {
			way("Review the plan of", "pause", workspaces.RunPath(organization, w.Name, w.CurrentRunID))
		} else {
			way("Open the current run of", "play", workspaces.RunPath(organization, w.Name, w.CurrentRunID))
		}
	}
	switch lock := workspaces.LockOf(s, w); {
	case lock.MayLock:
		form("Lock", "lock", "/lock")
	case lock.MayUnlock:
		form("Unlock", "unlock", "/unlock")
	}
	if w.Can.Has(belay.QueueRuns) && w.Mode() != belay.LocalExecution {
		form("Plan", "play", "/start", frame.Setting{Name: "kind", Value: "plan-only"})
	}
	for _, tab := range []struct {
		need             belay.Permission
		text, icon, path string
	}{
		{belay.ReadState, "State of", "stack", "/state"}, {belay.ReadVariables, "Variables of", "sliders", "/variables"}, {belay.UpdateWorkspace, "Settings of", "gear", "/settings"},
	} {
		if w.Can.Has(tab.need) {
			way(tab.text, tab.icon, path+tab.path)
		}
	}
	return list
}

// actionsIn is what the visitor may do in an organization; words is what is looked for, and whether it is found.
func actionsIn(v *frame.Visit, o *app.OrganizationView, words string, found bool) (list []action) {
	if o.Can.Has(belay.CreateWorkspace) {
		list = append(list, action{Text: "New workspace", Icon: "plus", Path: frame.OrganizationPath(o.Name, "workspaces/~new")})
	}
	if v.UI.OffersRequests() && o.Can.Has(belay.CreateChangeRequests) {
		path := frame.OrganizationPath(o.Name, "change-requests/new")
		list = append(list, action{Text: "File change requests", Icon: "flag", Path: path})
		if question, err := explorer.WorkspacesWhoseName(words); err == nil && words != "" && found {
			list = append(list, action{Text: "File change requests on what has “" + words + "” in its name", Icon: "flag", Path: path + "?query=" + url.QueryEscape(string(question.JSON()))})
		}
	}
	if o.Can.Has(belay.ReadExplorer) {
		list = append(list, action{Text: "Ask the explorer", Icon: "compass", Path: frame.OrganizationPath(o.Name, "explorer")})
	}
	return list
}

// mostActions is how many actions are offered beside what was found.
const mostActions = 4

// searchActions adds what may be done: with the best of the workspaces that were found, with the one whose page the
// visitor comes from, and in the organization.
func searchActions(v *frame.Visit, s belay.Principal, o *app.OrganizationView, page *searchPage) error {
	var of []*app.WorkspaceView
	if page.best != nil {
		of = append(of, page.best)
	}
	if name := workspaceAt(v.Asked("at"), o.Name); name != "" && (page.best == nil || page.best.Name != name) {
		w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{Organization: o.Name, Name: name})
		switch {
		case err == nil:
			of = append(of, &w)
		case belay.KindOf(err) != belay.NotFound:
			return err
		}
	}
	for _, w := range of {
		list := actionsOn(v, s, o.Name, w)
		if page.kind == onlyActions || w != page.best {
			list = slices.DeleteFunc(list, func(a action) bool { return !fitsWords(a.Text, page.ask) })
		}
		if page.kind != onlyActions {
			list = list[:min(len(list), mostActions)]
		}
		page.Acts = append(page.Acts, list...)
	}
	general := append(actionsIn(v, o, page.ask, page.best != nil && page.kind == everything),
		action{Text: "New token of yours", Icon: "key", Path: frame.TokensPath}, action{Text: "Your profile and sessions", Icon: "user", Path: access.ProfilePath})
	page.Acts = append(page.Acts, slices.DeleteFunc(general, func(a action) bool { return !fitsWords(a.Text, page.ask) })...)
	return nil
}

// workspaceAt is the workspace whose page an address is; empty: none of the organization's.
func workspaceAt(address, organization string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name, found := strings.CutPrefix(at.Path, frame.OrganizationPath(organization, "workspaces/"))
	name, _, _ = strings.Cut(name, "/")
	if !found || strings.HasPrefix(name, "~") {
		return ""
	}
	return name
}

// fitsWords says whether a text has all of some words in it.
func fitsWords(text, words string) bool {
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(strings.ToLower(text), word) {
			return false
		}
	}
	return true
}
