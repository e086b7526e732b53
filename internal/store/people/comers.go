package people

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// Comer is a team of an organization, and what it is given on a workspace and on its project: without an id nothing.
type Comer struct {
	Team    belay.Team
	Own     belay.TeamWorkspace
	Project belay.TeamProject
}

// mostComers is how many teams are looked at that may come to a workspace.
const mostComers = 300

// Comers is the teams of the organization of a workspace, those first that are given something on it or its project.
func (v *View) Comers(w *belay.Workspace) ([]Comer, error) {
	q := v.SQL(`SELECT t.id, t.name, t.visibility, t.organization_access, COALESCE(w.id, ''), COALESCE(w.access, ''), COALESCE(w.custom, ''),
			COALESCE(p.id, ''), COALESCE(p.access, ''), COALESCE(p.custom, '')
		FROM teams t LEFT JOIN team_workspaces w ON w.team_id = t.id AND w.workspace_id = ? LEFT JOIN team_projects p ON p.team_id = t.id AND p.project_id = ?
		WHERE t.organization_id = ? ORDER BY (w.id IS NULL), (p.id IS NULL), t.name LIMIT ? + 0`, w.ID, w.ProjectID, w.OrganizationID, mostComers)
	return sqldb.Collect(v, q, func(c *Comer) []any {
		return []any{
			&c.Team.ID, &c.Team.Name, &c.Team.Visibility, sqldb.JSON(&c.Team.Access), &c.Own.ID, &c.Own.Level, sqldb.JSON(&c.Own.Custom),
			&c.Project.ID, &c.Project.Level, sqldb.JSON(&c.Project.Custom),
		}
	})
}

// Peopled is somebody in a team, and of how many.
type Peopled struct {
	TeamID, Username string
	Of               int
}

// PeopleOf is the first of those who are in some teams and have come in, by user name; by team.
func (v *View) PeopleOf(teamIDs []string, most int) (map[string][]Peopled, error) {
	q := v.SQL(`SELECT f.team_id, f.username, f.people FROM (SELECT c.team_id, u.username, count(*) OVER (PARTITION BY c.team_id) AS people,
			row_number() OVER (PARTITION BY c.team_id ORDER BY u.username) AS place
		FROM team_members c JOIN users u ON u.id = c.user_id WHERE NOT u.invited AND c.team_id`).In("", teamIDs).Add(") f WHERE f.place <= ? ORDER BY f.team_id, f.place", most)
	list, err := sqldb.Collect(v, q, func(p *Peopled) []any { return []any{&p.TeamID, &p.Username, &p.Of} })
	by := map[string][]Peopled{}
	for _, p := range list {
		by[p.TeamID] = append(by[p.TeamID], p)
	}
	return by, err
}
