package ui

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

var settingActs = map[string]act{"general": (*orgVisit).saveGeneral, "runs": (*orgVisit).saveDefaults, "limit": (*orgVisit).saveLimit, "delete": (*orgVisit).deleteOrganization}

var executionModes = []string{string(belay.RemoteExecution), "on the server's runners", string(belay.AgentExecution), "on agents", string(belay.LocalExecution), "nowhere: on people's machines"}

// settings is the page of what the owners of an organization set.
func (t *orgVisit) settings() (*view, error) {
	if t.id != "" {
		return nil, belay.ErrNotFound
	}
	o := &t.o
	page := &sheet{Title: "Settings", Sub: "Of the organization " + o.Name, Main: []card{
		{ID: "general", Title: "General", Form: &formPart{Do: "general", Submit: "Save", Fields: []formField{
			{Kind: "text", Name: "name", Label: "Name", Hint: "addresses and configurations name it", Value: o.Name, Max: 90, Required: true, Code: true},
			{Kind: "email", Name: "email", Label: "E-mail address", Value: o.Email, Max: 255, Required: true},
			{Kind: "check", Name: "user-tokens", Label: "Tokens of users are taken here", On: o.UserTokensEnabled},
			{Kind: "check", Name: "force-delete", Label: "Admins of a workspace may delete it with its resources still there", On: o.AllowForceDelete},
			{Kind: "check", Name: "recoverable", Label: "Deleted workspaces are kept for a time, to be brought back", On: o.RecoverableItems},
		}}},
		{ID: "defaults", Title: "Defaults of workspaces", Form: &formPart{Do: "runs", Submit: "Save defaults", Fields: []formField{
			{Kind: "select", Name: "mode", Label: "Runs happen", Choices: options(string(o.DefaultExecutionMode), executionModes...)},
			{Kind: "check", Name: "sharing", Label: "New workspaces share their state with all others", On: o.GlobalRemoteState},
		}}},
		t.limitCard(),
	}}
	page.Side = []card{{ID: "facts", Title: "About", Facts: []setting{{"Id", o.ID}, {"Made", o.CreatedAt.Format("2006-01-02")}, {"Workspaces", count(o.WorkspaceCount)}}}}
	if t.may(belay.DeleteOrganization) {
		page.Side = append(page.Side, card{ID: "delete", Title: "Delete", Text: "Everything in it goes with it: workspaces, states, runs, teams.", Form: &formPart{
			Do: "delete", Submit: "Delete " + o.Name, Risk: true, Fields: []formField{{Kind: "text", Name: "confirm", Label: "Name of the organization", Max: 90, Required: true, Code: true}},
		}})
	}
	return t.sheet(page)
}

func (t *orgVisit) changeOrganization(p belay.OrganizationPatch) (string, error) {
	o, err := t.ui.App.UpdateOrganization(t.Context(), t.s, t.o.Name, p)
	return organizationPath(o.Name, "settings"), err
}

func (t *orgVisit) saveGeneral() (string, error) {
	return t.changeOrganization(belay.OrganizationPatch{
		Name: patch.Of(t.given("name")), Email: patch.Of(t.given("email")), UserTokensEnabled: t.ticked("user-tokens"),
		AllowForceDelete: t.ticked("force-delete"), RecoverableItems: t.ticked("recoverable"),
	})
}

func (t *orgVisit) saveDefaults() (string, error) {
	return t.changeOrganization(belay.OrganizationPatch{
		DefaultExecutionMode: patch.Of(belay.ExecutionMode(t.PostFormValue("mode"))), GlobalRemoteState: t.ticked("sharing"),
	})
}

// limitCard is how many plans and applies go on at once.
func (t *orgVisit) limitCard() card {
	hint, typed := "empty: any number", ""
	if site := t.ui.Runs.RunLimit; site > 0 {
		hint = "empty: " + count(site) + ", the most that this site allows"
	}
	if t.o.RunLimit > 0 {
		typed = strconv.Itoa(t.o.RunLimit)
	}
	return card{ID: "limit", Title: "Runs at once", Text: "What is above it waits until there is room.", Form: &formPart{
		Do: "limit", Submit: "Save limit", Fields: []formField{{Kind: "number", Name: "limit", Label: "Plans and applies at once", Hint: hint, Value: typed}},
	}}
}

func (t *orgVisit) saveLimit() (string, error) {
	limit := patch.Null[int]()
	if typed := t.given("limit"); typed != "" {
		n, err := strconv.Atoi(typed)
		if err != nil {
			return "", belay.Refuse(belay.Invalid, "The limit is a whole number, or empty.")
		}
		limit = patch.Of(n)
	}
	return t.changeOrganization(belay.OrganizationPatch{RunLimit: limit})
}

func (t *orgVisit) deleteOrganization() (string, error) {
	if t.PostFormValue("confirm") != t.o.Name {
		return "", belay.Refuse(belay.Invalid, "Type the name of the organization to delete it.")
	}
	return homePath, t.ui.App.DeleteOrganization(t.Context(), t.s, t.o.Name)
}
