package access

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// whyPart is the question why, and its answer.
type whyPart struct {
	Path, User, Right, On string
	Rights                []frame.Choice
	Asked, May            bool
	Answer                string
	Chains                [][]chainLink
	Others                []string
	Nearest               *chainLink // what would open the right, where nothing does
	Problem               string
}

// chainLink is one step of the way from somebody to a right, and since when it is there.
type chainLink struct {
	Icon, What, Name, Path, Note string
	Did, By                      string // since when: "joined" or "given", and by whom
	At                           time.Time
}

// rightNames is what the rights are called.
var rightNames = map[string]string{
	"read-workspace": "see it", "read-runs": "see runs", "queue-runs": "plan", "apply-runs": "confirm runs", "read-variables": "read variables",
	"write-variables": "write variables", "read-outputs": "read outputs", "read-state": "read state", "write-state": "write state", "lock": "lock",
	"force-unlock": "force unlock", "manage-tags": "tag", "update-workspace": "change settings", "delete-workspace": "delete",
	"manage-teams": "give access", "archive-change-requests": "archive change requests",
}

// fillWhy answers the question of the address.
func fillWhy(t *frame.OrgVisit, why *whyPart) error {
	*why = whyPart{Path: t.Path, User: t.Asked("subject"), Right: t.Asked("right"), On: t.Asked("on")}
	if why.Right == "" {
		why.Right = "apply-runs"
	}
	for _, r := range belay.Rights {
		why.Rights = append(why.Rights, frame.Choice{Value: r.Name, Text: rightNames[r.Name], On: r.Name == why.Right})
	}
	if why.User == "" || why.On == "" {
		return nil
	}
	found, err := t.UI.App.Why(t.Context(), t.Principal, t.Org.Name, why.User, why.Right, belay.WorkspaceRef{Organization: t.Org.Name, Name: why.On})
	switch belay.KindOf(err) {
	case belay.NotFound:
		why.Problem = "There is no such person or workspace in " + t.Org.Name + " that you may ask about."
		return nil
	case belay.Invalid:
		_, why.Problem = t.Describe(err)
		return nil
	}
	if err != nil {
		return err
	}
	why.Asked, why.May = true, found.May
	return answerWhy(t, why, &found)
}

// answerWhy says yes or no, and every way.
func answerWhy(t *frame.OrgVisit, why *whyPart, found *app.Reasons) error {
	switch {
	case found.User.Suspended:
		why.Answer = "No: " + found.User.Username + " is suspended."
	case found.SiteAdmin:
		why.Answer = "Yes: site admins may do everything."
	case !found.Member:
		why.Answer = "No: " + found.User.Username + " is not in " + t.Org.Name + "."
	case found.May:
		why.Answer = "Yes, in " + frame.Many(len(found.Ways), "way", "ways") + "."
	default:
		why.Answer = "No: no team of " + found.User.Username + " may."
		why.Nearest = nearest(t, why.Right, found)
	}
	givers, err := giversOf(t, found.Ways)
	for i := range found.Ways {
		why.Chains = append(why.Chains, chain(t, why, found, &found.Ways[i], givers))
	}
	for _, way := range found.Others {
		why.Others = append(why.Others, frame.OrSecret(way.Team.Name)+", "+levelWord(way.Grant))
	}
	return err
}

// giversOf is what those are called who gave what the ways lead through.
func giversOf(t *frame.OrgVisit, ways []belay.Way) (map[string]string, error) {
	var ids []string
	for i := range ways {
		ids = append(ids, ways[i].Grant.Given.By)
	}
	return t.Names(ids...)
}

// chain is the steps of one way.
func chain(t *frame.OrgVisit, why *whyPart, found *app.Reasons, way *belay.Way, givers map[string]string) []chainLink {
	team := chainLink{Icon: "users", What: "is in the team ", Name: frame.OrSecret(way.Team.Name), Did: "joined", At: way.Place.JoinedAt}
	if way.Place.ByGroups {
		team.By = "the groups of an identity provider"
	}
	if way.Team.ID != "" {
		team.Path = frame.OrganizationPath(t.Org.Name, "teams/") + way.Team.ID
	}
	level := chainLink{Icon: "shield", What: "which has ", Name: levelWord(way.Grant), Did: "given", At: way.Grant.Given.At, By: givers[way.Grant.Given.By]}
	switch way.Grant.Scope {
	case belay.OnOrganization:
		level.Note = "in the whole organization"
	case belay.OnProjects:
		level.Note, level.Path = "on its project", t.One(way.Grant.ScopeID)
	case belay.OnWorkspaces:
		level.Note, level.Path = "on the workspace itself", frame.WorkspacePath(t.Org.Name, found.Workspace.Name)+"/access"
	}
	return []chainLink{
		{Icon: "user", Name: found.User.Username}, team, level,
		{Icon: "stack", What: "which reaches ", Name: found.Workspace.Name, Path: frame.WorkspacePath(t.Org.Name, found.Workspace.Name)},
		{Icon: "check", What: "and opens: ", Name: rightNames[why.Right]},
	}
}

// levelWord is what a grant gives, in a word.
func levelWord(g belay.Grant) string {
	if g.Scope != belay.OnOrganization {
		return g.Level
	}
	if g.Level == belay.OwnersLevel {
		return "everything"
	}
	var on []string
	g.Switches().Each(func(name string, is bool) {
		if is {
			on = append(on, strings.ReplaceAll(name, "-", " "))
		}
	})
	return strings.Join(on, ", ")
}

// nearest is the least level on the project of a workspace that opens a right.
func nearest(t *frame.OrgVisit, right string, found *app.Reasons) *chainLink {
	need, _ := belay.RightNamed(right)
	for i := 0; i < len(projectLevels); i += 2 {
		given := belay.TeamProject{Level: projectLevels[i]}
		if given.Permissions().Has(need) {
			return &chainLink{What: "It takes " + projectLevels[i] + " on ", Name: "its project", Path: t.One(found.Workspace.ProjectID), Note: "through a team"}
		}
	}
	return nil
}
