package access

import (
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// lookAtChange leads to what a change of a level would do, before it is made.
func lookAtChange(t *frame.OrgVisit) (string, error) {
	return t.Here() + "?" + url.Values{"change": {t.PostFormValue("id")}, "to": {t.PostFormValue("choice")}}.Encode(), nil
}

// changeAsked is the level that the address asks to change, as it is and as it would be.
func changeAsked(t *frame.OrgVisit, list []belay.TeamProject) (was, will belay.TeamProject, asked bool) {
	at := slices.IndexFunc(list, func(g belay.TeamProject) bool { return g.ID == t.Asked("change") })
	if at < 0 {
		return was, will, false
	}
	was, will = list[at], list[at]
	return was, will, will.Apply(belay.TeamProjectPatch{Level: patch.Of(t.Asked("to"))}) == nil
}

// changeAlert is what the change of a level that the address asks for would do, and the button that makes it.
func changeAlert(t *frame.OrgVisit, p *app.ProjectView, list []belay.TeamProject) ([]frame.Alert, error) {
	was, will, asked := changeAsked(t, list)
	if !asked {
		return nil, nil
	}
	people, err := peopleOf(t, &will)
	return []frame.Alert{{
		Class: "wait", Icon: "alert", Text: changeText(&was, &will, p, people),
		Form: &frame.RowForm{Do: "agree", Text: "Give " + will.Level, Hidden: []frame.Setting{{Name: "id", Value: will.ID}, {Name: "level", Value: will.Level}}},
	}}, err
}

// changeText is what people of a team may do from a change on, and what they may not any more.
func changeText(was, will *belay.TeamProject, p *app.ProjectView, people string) string {
	before, after := workspaces.RightsText(was.Permissions()), workspaces.RightsText(will.Permissions())
	not := func(list, in []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(list), func(right string) bool { return slices.Contains(in, right) }), ", ")
	}
	text := "From " + was.Level + " to " + will.Level + ", in " + frame.Many(p.WorkspaceCount, "workspace", "workspaces") + " of " + p.Name + ": " + people
	gained, lost := not(after, before), not(before, after)
	switch {
	case gained != "" && lost != "":
		return text + " may now " + gained + ", and no longer " + lost + " through this team."
	case gained != "":
		return text + " may now " + gained + "."
	case lost != "":
		return text + " may no longer " + lost + " through this team."
	default:
		return text + " may do the same as before."
	}
}
