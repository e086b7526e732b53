package ui

import (
	"net/url"

	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// leads is addresses that people guess or have from elsewhere, and where what they mean is.
var leads = map[string]func(*frame.Visit) string{
	frame.OrganizationsPath + "/~new": fixed(frame.OrganizationsPath + "#new"),
	"/app/~/invite/{code}": func(v *frame.Visit) string {
		return access.InvitationPath + "?link=" + url.QueryEscape(v.PathValue("code"))
	},
	access.ProfilePath + "/tokens":              fixed(frame.TokensPath),
	access.ProfilePath + "/sessions":            fixed(access.ProfilePath + "#browsers"),
	frame.OrganizationHome + "/~more":           below("more"),
	frame.OrganizationHome + "/changes/~single": below("change-requests"),
	frame.OrganizationHome + "/changes/~new":    below("change-requests/new"),
	frame.ARunPath + "/plan":                    logOf("plan"),
	frame.ARunPath + "/apply":                   logOf("apply"),
}

func fixed(path string) func(*frame.Visit) string {
	return func(*frame.Visit) string { return path }
}

// below is a page of the organization that the address names.
func below(part string) func(*frame.Visit) string {
	return func(v *frame.Visit) string {
		return frame.OrganizationPath(v.PathValue("organization"), part)
	}
}

// logOf is where on its page the log of a run's phase begins.
func logOf(phase string) func(*frame.Visit) string {
	return func(v *frame.Visit) string {
		return workspaces.RunPath(v.PathValue("organization"), v.PathValue("name"), v.PathValue("id")) + "#log-" + phase
	}
}
