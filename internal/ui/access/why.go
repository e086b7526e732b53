package access

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// whyPart is the question why, and its answer.
type whyPart struct {
	Path, User, Right, On string
	Rights                []frame.Choice
	People, Workspaces    []frame.Choice // that may be asked about, as suggestions
	Asked, May            bool
	Answer                string
	Chains                [][]chainLink
	Others                []string
	Nearest               []chainLink // what would open the right, where nothing does
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
	why.Path, why.User, why.Right, why.On = t.Path, t.Asked("subject"), t.Asked("right"), t.Asked("on")
	if why.Right == "" {
		why.Right = "apply-runs"
	}
	for _, r := range belay.Rights {
		why.Rights = append(why.Rights, frame.Choice{Value: r.Name, Text: rightNames[r.Name], On: r.Name == why.Right})
	}
	if why.User == "" || why.On == "" {
		return nil
	}
	found, err := t.UI.App.Why(t.Context(), t.Principal, app.WhyQuery{Organization: t.Org.Name, Right: why.Right, User: why.User, Team: why.User, Workspace: why.On, Project: why.On})
	switch belay.KindOf(err) {
	case belay.NotFound:
		why.Problem = "There is no such person or workspace in " + t.Org.Name + " that you may ask about, and no such team or project."
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

// mostSuggested is how many people and how many workspaces are suggested.
const mostSuggested = 100

// suggest adds whom and what may be asked about: people with their teams and workspaces with their project, by which they
// are found, too, then teams and projects.
func suggest(why *whyPart, read func() ([]app.Askable, error), teams []belay.Team, projects []app.ProjectView) error {
	names := map[string]string{}
	for i := range teams {
		names[teams[i].ID] = teams[i].Name
	}
	for i := range projects {
		names[projects[i].ID] = projects[i].Name
	}
	list, err := read()
	for _, a := range list {
		into := &why.People
		if a.Workspace {
			into = &why.Workspaces
		}
		if last := len(*into) - 1; last >= 0 && (*into)[last].Value == a.Name { // in one more team
			(*into)[last].Text += ", " + names[a.Part]
		} else {
			*into = append(*into, frame.Choice{Value: a.Name, Text: names[a.Part]})
		}
	}
	for i := range teams {
		why.People = append(why.People, frame.Choice{Value: teams[i].Name, Text: "team"})
	}
	for i := range projects {
		why.Workspaces = append(why.Workspaces, frame.Choice{Value: projects[i].Name, Text: "project"})
	}
	return err
}

// askable reads the people of some teams and the workspaces that may be asked about; a file has none of them.
func askable(t *frame.OrgVisit, teams []string) func() ([]app.Askable, error) {
	if asFile(t) {
		return nil
	}
	return frame.Soon(t.Visit, func() ([]app.Askable, error) {
		return t.UI.App.Askable(t.Context(), t.Principal, t.Org.Name, teams, mostSuggested)
	})
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
		if why.Answer = "No: no team of " + found.User.Username + " may."; found.Team.ID != "" {
			why.Answer = "No: " + found.Team.Name + " may not."
		}
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
		level.Note, level.Path = "on "+projectWord(found), t.One(way.Grant.ScopeID)
	case belay.OnWorkspaces:
		level.Note, level.Path = "on the workspace itself", frame.WorkspacePath(t.Org.Name, found.Workspace.Name)+"/access"
	}
	where := chainLink{Icon: "stack", What: "which reaches ", Name: found.Workspace.Name, Path: frame.WorkspacePath(t.Org.Name, found.Workspace.Name)}
	if found.Project.ID != "" {
		where = chainLink{Icon: "folder", What: "which reaches all of ", Name: found.Project.Name, Path: t.One(found.Project.ID)}
	}
	links := []chainLink{team, level, where, {Icon: "check", What: "and opens: ", Name: rightNames[why.Right]}}
	if found.Team.ID != "" {
		links[0].What, links[0].Did = "The team ", ""
		return links
	}
	return append([]chainLink{{Icon: "user", Name: found.User.Username}}, links...)
}

// projectWord is what the project is called that a question is about, or that its workspace is in.
func projectWord(found *app.Reasons) string {
	if found.Project.ID != "" {
		return "the project"
	}
	return "its project"
}

// levelWord is what a grant gives, in a word.
func levelWord(g belay.Grant) string {
	if g.Scope != belay.OnOrganization {
		return g.Level
	}
	if g.Level == belay.OwnersLevel {
		return "everything"
	}
	return accessText(g.Switches())
}

// workspaceLevels are the levels that a workspace gives by itself.
var workspaceLevels = []string{"read", "plan", "write", "admin"}

// nearest is the least levels that open a right: on the workspace that the question is about, and on its project.
func nearest(t *frame.OrgVisit, right string, found *app.Reasons) (ways []chainLink) {
	need, _ := belay.RightNamed(right)
	if found.Project.ID == "" {
		for _, level := range workspaceLevels {
			given := belay.TeamWorkspace{Level: level}
			if given.Permissions().Has(need) {
				ways = append(ways, chainLink{What: level + " on ", Name: "the workspace itself", Path: frame.WorkspacePath(t.Org.Name, found.Workspace.Name) + "/access"})
				break
			}
		}
	}
	for i := 0; i < len(projectLevels); i += 2 {
		given := belay.TeamProject{Level: projectLevels[i]}
		if given.Permissions().Has(need) {
			return append(ways, chainLink{What: projectLevels[i] + " on ", Name: projectWord(found), Path: t.One(found.Workspace.ProjectID)})
		}
	}
	return ways
}
