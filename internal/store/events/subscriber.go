package events

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/notices"
)

// place is where a way from a configuration to a workspace ends: which column of a workspace names
// it, which column of all others does, and where the teams stand that have access to it.
type place struct{ ofWorkspace, own, access sqldb.Text }

var places = map[belay.GrantScope]place{
	belay.OnWorkspaces: {"id", "workspace_id", "team_workspaces"},
	belay.OnProjects:   {"project_id", "project_id", "team_projects"},
}

// addSubscribers selects the configurations (n) that what concerns the rows of targets (x, with
// workspace_id and project_id) is told to, once for every way that leads to them.
func addSubscribers(q *sqldb.Query, columns sqldb.Text, t notices.Telling) *sqldb.Query {
	for i, r := range t.Reaches {
		if i > 0 {
			q.Add(" UNION ")
		}
		q.Add("SELECT " + columns + " FROM targets x JOIN ")
		p := places[r.Place]
		if r.Team {
			q.Add(p.access + " t ON t." + p.own + " = x." + p.own + " JOIN notifications n ON n.team_id = t.team_id")
		} else {
			q.Add("notifications n ON n." + p.own + " = x." + p.own)
		}
		addWanted(q.Add(" WHERE "), t)
	}
	return q
}

// addWanted is the condition of the configurations (n) that ask to be told.
func addWanted(q *sqldb.Query, t notices.Telling) *sqldb.Query {
	if t.Wanted == notices.TriggerChangeRequest { // which has a column, and an index
		return q.Add("n.enabled AND n.on_change_request")
	}
	return q.Add("n.enabled AND n.triggers LIKE CAST(? AS TEXT)", `%"`+t.Wanted+`"%`)
}

// addSubscribed is the condition of the workspaces (w) that a configuration is told of.
func addSubscribed(q *sqldb.Query, t notices.Telling, n *notices.Notification) *sqldb.Query {
	q.Add("(FALSE")
	for _, r := range t.Reaches {
		from, p := r.From(n), places[r.Place]
		switch {
		case from == "":
		case r.Team:
			q.Add(" OR w."+p.ofWorkspace+" IN (SELECT t."+p.own+" FROM "+p.access+" t WHERE t.team_id = ?)", from)
		default:
			q.Add(" OR w."+p.ofWorkspace+" = ?", from)
		}
	}
	return q.Add(")")
}

// addTold is the condition of the configurations (n) that what concerns one workspace is told to,
// if none of the ways is a team's.
func addTold(q *sqldb.Query, t notices.Telling, w *belay.Workspace) *sqldb.Query {
	addWanted(q, t).Add(" AND (FALSE")
	for _, r := range t.Reaches {
		at := map[belay.GrantScope]string{belay.OnWorkspaces: w.ID, belay.OnProjects: w.ProjectID}[r.Place]
		q.Add(" OR n."+places[r.Place].own+" = ?", at)
	}
	return q.Add(")")
}

// addMailedTeams selects the ids of the teams whose members a configuration mails: its own, or those with
// access to its project or workspace.
func addMailedTeams(q *sqldb.Query, n *notices.Notification) *sqldb.Query {
	if n.TeamID != "" {
		return q.Add("SELECT id FROM teams WHERE id = ?", n.TeamID)
	}
	begin := sqldb.Text("")
	for _, r := range notices.MailedTeams {
		p := places[r.Place]
		switch {
		case n.WorkspaceID != "":
			q.Add(begin+"SELECT t.team_id FROM "+p.access+" t JOIN workspaces w ON w."+p.ofWorkspace+" = t."+p.own+" WHERE w.id = ?", n.WorkspaceID)
		case r.Place == belay.OnProjects:
			q.Add(begin+"SELECT t.team_id FROM "+p.access+" t WHERE t."+p.own+" = ?", n.ProjectID)
		default:
			continue
		}
		begin = " UNION "
	}
	return q
}
