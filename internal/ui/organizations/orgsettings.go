package organizations

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/site"
)

// SettingActs is what the forms of settings do.
var SettingActs = map[string]frame.Act{
	"general": saveGeneral, "runs": saveDefaults, "limit": saveLimit, "delete": deleteOrganization,
	"retention": saveRetention, "reserve": reserveTag, "release": releaseTag, "recover": recoverWorkspace,
}

var executionModes = []string{string(belay.RemoteExecution), "on the server's runners", string(belay.AgentExecution), "on agents", string(belay.LocalExecution), "nowhere: on people's machines"}

// Settings is the page of what the owners of an organization set.
func Settings(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return nil, belay.ErrNotFound
	}
	o := &t.Org
	page := &frame.Sheet{Title: "Settings", Sub: "Of the organization " + o.Name, Main: []frame.Card{
		{ID: "general", Title: "General", Form: &frame.FormPart{Do: "general", Submit: "Save", Changes: true, Fields: generalFields(&o.Organization)}},
		{ID: "defaults", Title: "Defaults of workspaces", Form: &frame.FormPart{Do: "runs", Submit: "Save defaults", Changes: true, Fields: defaultsFields(&o.Organization)}},
		limitCard(t),
	}}
	reserved, err := reservedCard(t)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, reserved)
	if t.UI.App.Edition().Offers(site.DataRetention) {
		page.Main = append(page.Main, retentionCard(t))
	}
	deleted, err := deletedCard(t)
	if err != nil {
		return nil, err
	}
	page.Main = append(page.Main, deleted...)
	page.Side = []frame.Card{{ID: "facts", Title: "About", Facts: []frame.Setting{{Name: "Id", Value: o.ID}, {Name: "Made", Value: o.CreatedAt.Format("2006-01-02")}, {Name: "Workspaces", Value: frame.Count(o.WorkspaceCount)}}}}
	if t.May(belay.DeleteOrganization) {
		page.Side = append(page.Side, frame.Card{ID: "delete", Title: "Delete", Text: "Everything in it goes with it: workspaces, states, runs, teams.", Form: &frame.FormPart{
			Do: "delete", Submit: "Delete " + o.Name, Risk: true, Fields: []frame.FormField{{Kind: "text", Name: "confirm", Label: "Name of the organization", Max: 90, Required: true, Code: true}},
		}})
	}
	return t.Sheet(page)
}

func generalFields(o *belay.Organization) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Hint: "addresses and configurations name it", Value: o.Name, Max: 90, Required: true, Code: true},
		{Kind: "email", Name: "email", Label: "E-mail address", Value: o.Email, Max: 255, Required: true},
		{Kind: "check", Name: "user-tokens", Label: "Tokens of users are taken here", On: o.UserTokensEnabled},
		{Kind: "check", Name: "force-delete", Label: "Admins of a workspace may delete it with its resources still there", On: o.AllowForceDelete},
		{Kind: "check", Name: "recoverable", Label: "Deleted workspaces are kept for a time, to be brought back", On: o.RecoverableItems},
	}
}

func defaultsFields(o *belay.Organization) []frame.FormField {
	return []frame.FormField{
		{Kind: "select", Name: "mode", Label: "Runs happen", Choices: frame.Options(string(o.DefaultExecutionMode), executionModes...)},
		{Kind: "check", Name: "sharing", Label: "New workspaces share their state with all others", On: o.GlobalRemoteState},
	}
}

// changeOrganization changes what a form changed of what it showed, which is other fields by now.
func changeOrganization(t *frame.OrgVisit, now []frame.FormField, p belay.OrganizationPatch) (string, error) {
	if err := t.Overtaken(now); err != nil {
		return "", err
	}
	o, err := t.UI.App.UpdateOrganization(t.Context(), t.Principal, t.Org.Name, p)
	return frame.OrganizationPath(o.Name, "settings"), err
}

func saveGeneral(t *frame.OrgVisit) (string, error) {
	return changeOrganization(t, generalFields(&t.Org.Organization), belay.OrganizationPatch{
		Name: t.Edited("name"), Email: t.Edited("email"), UserTokensEnabled: t.Ticked("user-tokens"),
		AllowForceDelete: t.Ticked("force-delete"), RecoverableItems: t.Ticked("recoverable"),
	})
}

func saveDefaults(t *frame.OrgVisit) (string, error) {
	p := belay.OrganizationPatch{GlobalRemoteState: t.Ticked("sharing")}
	if !t.Kept("mode") {
		p.DefaultExecutionMode = patch.Of(belay.ExecutionMode(t.PostFormValue("mode")))
	}
	return changeOrganization(t, defaultsFields(&t.Org.Organization), p)
}

// limitCard is how many plans and applies go on at once.
func limitCard(t *frame.OrgVisit) frame.Card {
	return frame.Card{ID: "limit", Title: "Runs at once", Text: "What is above it waits until there is room.", Form: &frame.FormPart{
		Do: "limit", Submit: "Save limit", Changes: true, Fields: limitFields(t),
	}}
}

func limitFields(t *frame.OrgVisit) []frame.FormField {
	hint, typed := "empty: any number", ""
	if site := t.UI.Runs.RunLimit; site > 0 {
		hint = "empty: " + frame.Count(site) + ", the most that this site allows"
	}
	if t.Org.RunLimit > 0 {
		typed = strconv.Itoa(t.Org.RunLimit)
	}
	return []frame.FormField{{Kind: "number", Name: "limit", Label: "Plans and applies at once", Hint: hint, Value: typed}}
}

func saveLimit(t *frame.OrgVisit) (string, error) {
	limit := patch.Null[int]()
	if typed := t.Given("limit"); typed != "" {
		n, err := strconv.Atoi(typed)
		if err != nil {
			return "", belay.Refuse(belay.Invalid, "The limit is a whole number, or empty.")
		}
		limit = patch.Of(n)
	}
	return changeOrganization(t, limitFields(t), belay.OrganizationPatch{RunLimit: limit})
}

func deleteOrganization(t *frame.OrgVisit) (string, error) {
	if t.PostFormValue("confirm") != t.Org.Name {
		return "", belay.Refuse(belay.Invalid, "Type the name of the organization to delete it.")
	}
	return frame.OrganizationsPath, t.UI.App.DeleteOrganization(t.Context(), t.Principal, t.Org.Name)
}
