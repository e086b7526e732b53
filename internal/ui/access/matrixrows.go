package access

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// levelRank is how much a level gives; a custom one may be more or less than write.
var levelRank = map[string]int{"read": 1, "plan": 2, "custom": 3, "write": 4, "maintain": 5, "admin": 6}

// peopleRows turns the rows of teams into those of the people in them: each has the most that one of their teams has.
func peopleRows(t *frame.OrgVisit, page *matrixPage, teams []app.TeamView) error {
	members, total, _, err := t.UI.App.Memberships(t.Context(), t.Principal, t.Org.Name, belay.MembershipQuery{Status: "active", Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
	if err != nil {
		return err
	}
	of := map[string]*matrixRow{}
	for i := range teams {
		of[teams[i].ID] = &page.Rows[i]
	}
	ids := make([]string, len(members))
	for i := range members {
		ids[i] = members[i].UserID
	}
	names, err := t.Names(ids...)
	page.More = page.More || total > len(members)
	var rows []matrixRow
	for i := range members {
		var mine []*matrixRow
		for _, id := range members[i].TeamIDs {
			if row := of[id]; row != nil { // else nobody here sees it
				mine = append(mine, row)
			}
		}
		rows = append(rows, rowOfPerson(t, names[members[i].UserID], page.Projects, mine))
	}
	page.Rows = rows
	return err
}

// rowOfPerson is the most that the teams of somebody give in each project.
func rowOfPerson(t *frame.OrgVisit, name string, projects []matrixProject, teams []*matrixRow) matrixRow {
	row := matrixRow{Team: name, Path: frame.OrganizationPath(t.Org.Name, "members?search=") + name, Note: frame.Many(len(teams), "team", "teams")}
	for i, p := range projects {
		cell := matrixCell{Word: "–", Path: p.Path, Label: name + " in " + p.Name + ": nothing"}
		for _, team := range teams {
			if given := team.Cells[i]; levelRank[given.Word] > levelRank[cell.Word] {
				cell.Word, cell.Class, cell.Label = given.Word, given.Class, name+" in "+p.Name+": "+given.Word+", by "+team.Team
			}
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// matrixFile answers with the table as a file.
func matrixFile(t *frame.OrgVisit, page *matrixPage) {
	t.Download("text/csv; charset=utf-8", "access.csv")
	head := explorer.Row{Values: []any{map[bool]string{true: "person", false: "team"}[page.People]}}
	for _, p := range page.Projects {
		head.Values = append(head.Values, p.Name)
	}
	lines := explorer.AppendRow(nil, head, "")
	for i := range page.Rows {
		line := explorer.Row{Values: []any{page.Rows[i].Team}}
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
