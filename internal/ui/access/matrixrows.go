package access

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// levelRank is how much a level gives; a custom one may be more or less than write.
var levelRank = map[string]int{"read": 1, "plan": 2, "custom": 3, "write": 4, "maintain": 5, "admin": 6}

// peopleRows turns the rows of teams into those of the people in them: each has the most that one of their teams has.
func peopleRows(t *frame.OrgVisit, page *matrixPage, teams []belay.Team, read func() ([]app.MembershipView, error)) error {
	members, err := read()
	if err != nil {
		return err
	}
	of := map[string]*matrixRow{}
	for i := range teams {
		of[teams[i].ID] = &page.Rows[i]
	}
	if len(members) > workspaces.TeamsAtOnce {
		page.More, members = true, members[:workspaces.TeamsAtOnce]
	}
	var rows []matrixRow
	for i := range members {
		var mine []*matrixRow
		for _, id := range members[i].TeamIDs {
			if row := of[id]; row != nil { // else nobody here sees it
				mine = append(mine, row)
			}
		}
		rows = append(rows, rowOfPerson(t, page, members[i].Username, mine))
	}
	page.Rows = rows
	return nil
}

// readMembers reads the people of the rows, where they are of people.
func readMembers(t *frame.OrgVisit, page *matrixPage) func() ([]app.MembershipView, error) {
	if page.RowsAre != "people" {
		return nil
	}
	want := belay.MembershipQuery{Status: "active", Search: page.Search, Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce + 1}}
	return frame.Soon(t.Visit, func() ([]app.MembershipView, error) {
		return t.UI.App.MembersInTeams(t.Context(), t.Principal, t.Org.Name, want)
	})
}

// rowOfPerson is the most that the teams of somebody give in each project of the page.
func rowOfPerson(t *frame.OrgVisit, page *matrixPage, name string, teams []*matrixRow) matrixRow {
	row := matrixRow{Name: name, Path: frame.OrganizationPath(t.Org.Name, "members?search=") + name, Note: frame.Many(len(teams), "team", "teams") + page.Seen}
	if len(teams) == 0 && page.Seen != "" {
		row.Note = "no team" + page.Seen
	}
	for i := range page.Projects {
		most, by := "", ""
		for _, team := range teams {
			if given := team.Cells[i].Word; levelRank[given] > levelRank[most] {
				most, by = given, team.Name
			}
		}
		row.Cells = append(row.Cells, cellOf(most, most+", by "+by, "nothing"+page.Seen))
	}
	return row
}

// asFile says that the table is asked for as a file.
func asFile(t *frame.OrgVisit) bool { return t.Asked("as") == "csv" }

// matrixFile answers with the table as a file.
func matrixFile(t *frame.OrgVisit, page *matrixPage) {
	t.Download("text/csv; charset=utf-8", "access.csv")
	head := explorer.Row{Values: []any{strings.ToLower(page.Head)}}
	for _, p := range page.Projects {
		head.Values = append(head.Values, p.Name)
	}
	lines := explorer.AppendRow(nil, head, "")
	for i := range page.Rows {
		line := explorer.Row{Values: []any{page.Rows[i].Name}}
		for _, cell := range page.Rows[i].Cells {
			var level any
			if levelRank[cell.Word] > 0 {
				level = cell.Word
			}
			line.Values = append(line.Values, level)
		}
		lines = explorer.AppendRow(lines, line, "")
	}
	_, _ = t.Writer.Write(lines) // to a browser that may have gone
}

// workspaceRows turns the rows into workspaces that teams have levels of their own on, and the columns into these teams.
func workspaceRows(t *frame.OrgVisit, page *matrixPage, levels *app.LevelsView) {
	page.Projects, page.Rows = nil, nil
	var ids []string
	for i := range levels.Teams {
		if team := &levels.Teams[i]; levels.Own[team.ID] > 0 {
			ids = append(ids, team.ID)
			page.Projects = append(page.Projects, matrixProject{team.Name, frame.OrganizationPath(t.Org.Name, "teams/") + team.ID, team.PeopleCount})
		}
	}
	at, found := workspacesAt(t), levels.Found
	if found == 0 && at.Number > 1 { // behind the last page nothing is counted: the way leads to the first
		found = 1
	}
	page.Turns = t.Turns(t.Path, at, found)
	for alone := levels.Alone; len(alone) > 0; {
		name, of := alone[0].Workspace, map[string]string{}
		for ; len(alone) > 0 && alone[0].Workspace == name; alone = alone[1:] {
			of[alone[0].TeamID] = alone[0].Level
		}
		path := frame.WorkspacePath(t.Org.Name, name) + "/access"
		row := matrixRow{Name: name, Path: path, Note: frame.Many(len(of), "team of its own", "teams of its own") + page.Seen}
		for _, id := range ids {
			row.Cells = append(row.Cells, cellOf(of[id], of[id], "nothing of its own"))
		}
		page.Rows = append(page.Rows, row)
	}
}
