package store

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
)

// TeamLevels is the levels that teams have on projects, and on how many workspaces they have one of their own.
type TeamLevels struct {
	OnProjects map[string]map[string]string // by team and project
	Own        map[string]int               // workspaces, by team
	Workspaces int                          // that any of the teams has a level of its own on
	Alone      []OwnLevel                   // on the workspaces asked for, by their names
	Found      int                          // how many workspaces there are to ask for; 0 on a page behind their last
}

// OwnLevel is a level that a team has on a workspace by itself.
type OwnLevel struct{ Workspace, TeamID, Level string }

// OwnQuery is which workspaces the levels of their own are read of: a page, by name, of those within a scope that have a text
// in their names.
type OwnQuery struct {
	Page  belay.Page // of no size: none
	Seen  belay.Scope
	Named string
}

// TeamLevels counts the workspaces, of which a team may have very many.
func (v *reads) TeamLevels(teams []string, want OwnQuery) (TeamLevels, error) {
	const own text = " FROM team_workspaces g WHERE g.team_id"
	q := v.SQL("SELECT g.team_id, g.project_id, g.access, '', 0 FROM team_projects g WHERE g.team_id").In("", teams)
	q.Add(" UNION ALL SELECT g.team_id, '', '', '', count(*)"+own).In("", teams).Add(" GROUP BY g.team_id")
	q.Add(" UNION ALL SELECT '', '', '', '', count(DISTINCT g.workspace_id)"+own).In("", teams)
	if want.Page.Size > 0 {
		q.Add(" UNION ALL SELECT g.team_id, '', g.access, f.name, f.found FROM (SELECT d.id, d.name, count(*) OVER () AS found FROM (SELECT DISTINCT w.id, w.name FROM team_workspaces g JOIN workspaces w ON w.id = g.workspace_id WHERE g.team_id").In("", teams)
		if !want.Seen.Everything {
			q.In(" AND (w.id", want.Seen.Workspaces).In(" OR w.project_id", want.Seen.Projects).Add(")")
		}
		if want.Named != "" {
			q.Add(" AND ").Like("w.name", sqldb.Contains(want.Named))
		}
		q.Add(") d ORDER BY d.name").Page(want.Page).In(") f JOIN team_workspaces g ON g.workspace_id = f.id WHERE g.team_id", teams)
	}
	type level struct {
		OwnLevel
		project string
		count   int
	}
	found, err := sqldb.Collect(v, q, func(l *level) []any { return []any{&l.TeamID, &l.project, &l.Level, &l.Workspace, &l.count} })
	levels := TeamLevels{OnProjects: map[string]map[string]string{}, Own: map[string]int{}}
	for _, l := range found {
		switch {
		case l.TeamID == "":
			levels.Workspaces = l.count
		case l.Workspace != "":
			levels.Alone, levels.Found = append(levels.Alone, l.OwnLevel), l.count
		case l.project == "":
			levels.Own[l.TeamID] = l.count
		case levels.OnProjects[l.TeamID] == nil:
			levels.OnProjects[l.TeamID] = map[string]string{l.project: l.Level}
		default:
			levels.OnProjects[l.TeamID][l.project] = l.Level
		}
	}
	slices.SortStableFunc(levels.Alone, func(a, b OwnLevel) int { return strings.Compare(a.Workspace, b.Workspace) })
	return levels, err
}
