package access

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// switchWords is what each right in the whole organization is called, and of those that open something here what that is.
var switchWords = map[string]struct{ word, says string }{
	"manage-workspaces":          {"manage all workspaces", "makes, changes and deletes them, and gives access to them"},
	"manage-projects":            {"manage all projects", "makes, changes and deletes them, with their workspaces"},
	"read-workspaces":            {"see all workspaces", "with runs, variables and states"},
	"read-projects":              {"see all projects", "with their workspaces"},
	"manage-vcs-settings":        {"manage connections", "to repositories, and SSH keys"},
	"manage-membership":          {"manage members", "invites people, and puts them into teams"},
	"manage-teams":               {"manage teams", "makes teams, and gives them what it has itself"},
	"manage-organization-access": {"manage rights", "says what teams may in the whole organization"},
	"access-secret-teams":        {"see secret teams", "those that hide from others"},
	"manage-agent-pools":         {"manage agents", "pools, with their tokens and agents"},
	"manage-policies":            {word: "manage policies"},
	"manage-policy-overrides":    {word: "override policies"},
	"delegate-policy-overrides":  {word: "let others override policies"},
	"manage-modules":             {word: "manage private modules"},
	"manage-providers":           {word: "manage private providers"},
	"manage-run-tasks":           {word: "manage run tasks"},
	"manage-public-modules":      {word: "manage public modules"},
	"manage-public-providers":    {word: "manage public providers"},
	"manage-registry-components": {word: "manage components of the registry"},
}

// rightsCard is what the team may do in the whole organization. Who gives that is offered what is on, and what they may give.
func rightsCard(t *frame.OrgVisit, team *app.TeamView, giver string, gives bool) frame.Card {
	card := frame.Card{ID: "rights", Title: "In the whole organization"}
	if at := team.AccessGiven.At; !at.IsZero() {
		card.Note = "given " + frame.Ago(at, t.UI.Now()) + byWhom(giver)
	}
	if !gives {
		card.Text = frame.OrNone(switchesText(&team.Team))
		return card
	}
	var fields []frame.FormField
	used, kept := frame.FormField{Kind: "checks", Name: "switch", Label: "It may"}, frame.FormField{Kind: "checks", Name: "switch", Label: "Kept for other programs; they open nothing here"}
	team.Team.Access.Each(func(name string, on bool) {
		choice, into := frame.Choice{Value: name, Text: switchWords[name].word, On: on}, &kept
		if says := switchWords[name].says; says != "" {
			choice.Text, into = choice.Text+": "+says, &used
		}
		if on || team.Access.Everywhere.Gives(belay.SwitchedOn(name).Permissions()) {
			into.Choices = append(into.Choices, choice)
		}
	})
	for _, f := range []frame.FormField{used, kept} {
		if f.Choices != nil {
			fields = append(fields, f)
		}
	}
	card.Form = &frame.FormPart{Do: "rights", Submit: "Save rights", Changes: true, Fields: fields}
	return card
}

func saveTeamRights(t *frame.OrgVisit) (string, error) {
	switches := map[string]bool{}
	belay.OrganizationAccess{}.Each(func(name string, _ bool) {
		if !t.KeptChoice("switch", name) {
			switches[name] = slices.Contains(t.PostForm["switch"], name)
		}
	})
	to, err := changeTeam(t, func(*frame.OrgVisit, *belay.Team) []frame.FormField { return nil }, belay.TeamPatch{Access: patch.Of(switches)})
	if belay.KindOf(err) == belay.Invalid {
		_, why := t.Describe(err)
		for name, called := range switchWords { // what is too much, as the page calls it
			why = strings.ReplaceAll(why, name, called.word)
		}
		err = belay.Refuse(belay.Invalid, "%s", why)
	}
	return to, err
}
