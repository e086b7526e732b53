package frame

import (
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay/backlog"
)

// ViewPaths is the addresses of saved views of the list of workspaces. Of those that ask the same all but the first
// say which they are, so that one of them is the one that is shown.
func ViewPaths(organization string, list []backlog.WorkspaceView) []string {
	paths, plain := make([]string, len(list)), OrganizationPath(organization, "workspaces?")
	for i := range list {
		paths[i] = plain + list[i].Query
		if slices.Contains(paths[:i], paths[i]) {
			paths[i] += whichView + url.QueryEscape(list[i].ID)
		}
	}
	return paths
}

const whichView = "&view="

// ViewHere is which of the addresses of views is asked for; -1: none. One that names a view that is gone, or no
// longer asks that, is the first that asks the same.
func ViewHere(paths []string, asked string) int {
	if at := slices.Index(paths, asked); at >= 0 {
		return at
	}
	plain, _, _ := strings.Cut(asked, whichView)
	return slices.Index(paths, plain)
}

// ListAsked is the address of the list of workspaces as a view keeps it, where the page is that list; else empty.
func (v *Visit) ListAsked(organization string) string {
	path := OrganizationPath(organization, "workspaces")
	if v.URL.Path != path {
		return ""
	}
	asked := path + "?" + backlog.ViewQuery(v.URL.Query())
	if which := v.Asked("view"); which != "" {
		asked += whichView + url.QueryEscape(which)
	}
	return asked
}
