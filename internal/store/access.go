package store

import (
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// grantsOf is the one statement that finds all rights of the teams in mine.
func grantsOf(mine text) text {
	return `SELECT 'organization', t.id, CASE WHEN t.name = 'owners' THEN 'owners' ELSE '' END, t.organization_access
		FROM teams t WHERE t.organization_id = ? AND t.id IN (` + mine + `)
		UNION ALL SELECT 'project', g.project_id, g.access, g.custom
		FROM team_projects g WHERE g.organization_id = ? AND g.team_id IN (` + mine + `)
		UNION ALL SELECT 'workspace', g.workspace_id, g.access, g.custom
		FROM team_workspaces g WHERE g.organization_id = ? AND g.team_id IN (` + mine + `)`
}

var (
	// Only who has come in has the rights of its teams.
	userGrants = grantsOf(`SELECT c.team_id FROM team_members c JOIN organization_memberships m
		ON m.user_id = c.user_id AND m.organization_id = c.organization_id AND m.status = 'active' WHERE c.user_id = ?`) +
		` UNION ALL SELECT 'organization', '', 'member', ''
		FROM organization_memberships WHERE organization_id = ? AND user_id = ? AND status = 'active'`
	teamGrants = grantsOf("?")
)

// Access is what a principal may do in an organization, which may refuse its token.
func (v *reads) Access(s belay.Principal, o belay.Organization) (belay.Access, error) {
	access, err := v.rights(s, o)
	if err == nil {
		err = o.Admit(s, access)
	}
	if err != nil {
		return belay.Access{}, err
	}
	return access, nil
}

// rights reads the grants in one statement, and keeps them until the organization's access
// generation moves.
func (v *reads) rights(s belay.Principal, o belay.Organization) (belay.Access, error) {
	if access, known := belay.AccessWithoutGrants(s, o); known {
		return access, nil
	}
	if s.Issuer != nil {
		return v.issuedRights(s, o)
	}
	key := s.ID + ":" + strconv.FormatBool(s.ByOrganization) + ":" + o.ID + ":" + strconv.FormatInt(o.AccessGeneration, 10)
	if access, ok := (*v.mine)[key]; ok {
		return access, nil
	}
	if access, ok := v.db.access.Get(key); ok {
		return access, nil
	}
	grants, err := v.grants(s, o)
	if err != nil {
		return belay.Access{}, err
	}
	access := belay.NewAccess(s, grants)
	if *v.mine == nil {
		*v.mine = map[string]belay.Access{}
	}
	(*v.mine)[key] = access
	if !v.InTx() { // a transaction may yet be undone, and its generation with it
		v.db.access.Add(key, access)
	}
	return access, nil
}

// issuedRights is what the token of a run opens that somebody issued: its issuer is asked for its
// rights whenever it is used.
func (v *reads) issuedRights(s belay.Principal, o belay.Organization) (belay.Access, error) {
	issuer, err := v.rights(*s.Issuer, o)
	if err != nil {
		return belay.Access{}, err
	}
	project, _, err := sqldb.Value[string](v, v.SQL("SELECT project_id FROM workspaces WHERE id = ? AND organization_id = ?", s.WorkspaceID, o.ID))
	return belay.IssuedAccess(s, issuer.OnWorkspace(s.WorkspaceID, project)), err
}

func (v *reads) grants(s belay.Principal, o belay.Organization) ([]belay.Grant, error) {
	var q *query
	switch s.Kind {
	case belay.UserPrincipal:
		q = v.SQL(userGrants, o.ID, s.ID, o.ID, s.ID, o.ID, s.ID, o.ID, s.ID)
	case belay.TeamPrincipal:
		q = v.SQL(teamGrants, o.ID, s.ID, o.ID, s.ID, o.ID, s.ID)
	default:
		return nil, nil
	}
	return sqldb.Collect(v, q, func(g *belay.Grant) []any {
		return []any{&g.Scope, &g.ScopeID, &g.Level, opener{g}}
	})
}

// opener reads what was chosen one by one for a grant whose scope and level were read
// before. Text that can't be read opens nothing.
type opener struct{ *belay.Grant }

// Scan reads the level as it is kept.
func (o opener) Scan(src any) error {
	switch o.Scope {
	case belay.OnOrganization:
		return chosen[belay.OrganizationAccess](o.Grant, src)
	case belay.OnProjects:
		return chosen[belay.ProjectAccess](o.Grant, src)
	default:
		return chosen[belay.WorkspaceAccess](o.Grant, src)
	}
}

func chosen[A belay.Opener](g *belay.Grant, src any) error {
	var a A
	if sqldb.JSON(&a).Scan(src) == nil {
		g.Custom = a
	}
	return nil
}

// FillGrants reads what teams open, for those who would change them. Of the levels on single workspaces, of which a team may
// have thousands, it reads those that are asked for: all, or those on some workspaces.
func (v *reads) FillGrants(list []belay.Team, on belay.Scope) error {
	ids := base.IDsOf(list, func(t *belay.Team) string { return t.ID })
	type given struct {
		teamID string
		belay.Grant
	}
	q := v.SQL("SELECT t.id, 'organization', t.id, CASE WHEN t.name = 'owners' THEN 'owners' ELSE '' END, t.organization_access, '', CASE WHEN t.name = 'owners' THEN t.created_at ELSE t.access_given_at END, t.access_given_by FROM teams t WHERE t.id")
	q.In("", ids).Add(" UNION ALL SELECT g.team_id, 'project', g.project_id, g.access, g.custom, '', g.given_at, g.given_by FROM team_projects g WHERE g.team_id").In("", ids)
	if on.Everything || on.Workspaces != nil {
		q.Add(` UNION ALL SELECT g.team_id, 'workspace', g.workspace_id, g.access, g.custom, w.project_id, g.given_at, g.given_by
			FROM team_workspaces g JOIN workspaces w ON w.id = g.workspace_id WHERE g.team_id`).In("", ids)
	}
	if !on.Everything && on.Workspaces != nil {
		q.In(" AND g.workspace_id", on.Workspaces)
	}
	found, err := sqldb.Collect(v, q, func(g *given) []any {
		return []any{&g.teamID, &g.Scope, &g.ScopeID, &g.Level, opener{&g.Grant}, &g.ProjectID, sqldb.Millis(&g.Given.At), &g.Given.By}
	})
	of := make(map[string][]belay.Grant, len(list))
	for _, g := range found {
		of[g.teamID] = append(of[g.teamID], g.Grant)
	}
	for i := range list {
		list[i].Grants = of[list[i].ID]
	}
	return err
}

// Askable is somebody or a workspace that a question about access may be of.
type Askable struct {
	Workspace bool
	Name      string
	Part      string // the id of a team of the person, or of the workspace's project; empty: none
}

// Askable is the first people who have come into an organization, or the one user of them, each once for each of some
// teams that it is in, and the first workspaces within a scope, by name: at most so many of both.
func (v *reads) Askable(o belay.Organization, userID string, teams []string, seen belay.Scope, most int) ([]Askable, error) {
	q := v.SQL("SELECT FALSE AS workspace, come.username AS name, COALESCE(c.team_id, '') AS part FROM (SELECT u.id, u.username FROM organization_memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = ? AND m.status = 'active'", o.ID)
	if userID != "" {
		q.Add(" AND m.user_id = ?", userID)
	}
	q.Add(" ORDER BY m.email, m.id").First(most).In(") come LEFT JOIN team_members c ON c.user_id = come.id AND c.team_id", teams)
	q.Add(" UNION ALL SELECT TRUE, f.name, f.project_id FROM (SELECT w.name, w.project_id FROM workspaces w WHERE w.organization_id = ?", o.ID)
	if !seen.Everything {
		q.In(" AND (w.id", seen.Workspaces).In(" OR w.project_id", seen.Projects).Add(")")
	}
	q.Add(" ORDER BY w.name").First(most).Add(") f ORDER BY workspace, name")
	return sqldb.Collect(v, q, func(a *Askable) []any { return []any{&a.Workspace, &a.Name, &a.Part} })
}
