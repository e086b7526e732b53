package organizations

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
)

// ProjectActs is what the forms of projects do.
var ProjectActs = map[string]frame.Act{"new": newProject, "save": saveProject, "delete": deleteProject}

// Projects is the page of an organization's projects, or of one of them.
func Projects(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return project(t)
	}
	at := t.Page(frame.PageSize)
	search := t.Asked("search")
	list, total, err := t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Search: search, Page: at})
	if err != nil {
		return nil, err
	}
	loads, err := loadsOf(t, list)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of projects", "Project", "+Workspaces", "+-Resources", "Runs that wait", "+-Teams", "-Default execution")
	for i := range list {
		p := &list[i]
		name := frame.Link(p.Name, t.One(p.ID))
		name.Sub = p.Description
		mode, _ := p.Execution()
		load := loads[p.ID]
		if load == nil && p.Can.Has(belay.ReadWorkspace.And(belay.ReadRuns)) {
			load = &projectLoad{} // it is empty
		}
		g.Row(nil, name, frame.Link(frame.Count(p.WorkspaceCount), workspacesOf(t, p)), load.managed(), load.waiting(workspacesOf(t, p)), frame.Amount(p.TeamCount), frame.Words(frame.WordOf(string(mode), executionModes...)))
	}
	main := frame.Card{ID: "projects", Title: "Projects", Note: frame.Many(total, "project", "projects"), Grid: g, Empty: "There is no project that you see.", Turns: t.Turns(t.Path, at, total)}
	if t.May(belay.CreateProject) {
		main.Closed, main.Form = true, &frame.FormPart{Do: "new", Submit: "New project", Fields: projectFields("", "")}
	}
	return t.Sheet(&frame.Sheet{Title: "Projects", Sub: "Workspaces that belong together, and the teams that come to all of them.", Searchable: true, Search: search, Main: []frame.Card{main}})
}

// projectLoad is what there is in a project, as far as the visitor may read it.
type projectLoad struct{ resources, confirm, queued int }

// loadsOf is that of each project where the visitor may read something.
func loadsOf(t *frame.OrgVisit, list []app.ProjectView) (map[string]*projectLoad, error) {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	groups, err := t.UI.Runs.InProjects(t.Context(), t.Principal, t.Org.Name, ids)
	loads := map[string]*projectLoad{}
	for _, g := range groups {
		load := loads[g.ProjectID]
		if load == nil {
			load = &projectLoad{}
			loads[g.ProjectID] = load
		}
		load.resources += g.Resources
		switch status := run.Status(g.RunStatus); {
		case status.Resting():
			load.confirm += g.Count
		case status != "":
			load.queued += g.Count
		}
	}
	return loads, err
}

// managed is a cell with how many resources there are; of nothing that may be read nothing is said.
func (l *projectLoad) managed() frame.Cell {
	if l == nil {
		return frame.Cell{}
	}
	return frame.Amount(l.resources)
}

// waiting is a cell with what waits, each a way to its workspaces.
func (l *projectLoad) waiting(path string) (c frame.Cell) {
	if l == nil {
		return c
	}
	if l.confirm > 0 {
		c.Links = append(c.Links, frame.Crumb{Name: frame.Count(l.confirm) + " to confirm", Path: path + "&run=confirm"})
	}
	if l.queued > 0 {
		c.Links = append(c.Links, frame.Crumb{Name: frame.Count(l.queued) + " in the queue", Path: path + "&run=running"})
	}
	if c.Links == nil {
		c.Text = "none"
	}
	return c
}

func projectFields(name, description string) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Value: name, Max: 40, Required: true},
		{Kind: "text", Name: "description", Label: "What it is for", Value: description, Max: 256},
	}
}

// workspacesOf is the address of the workspaces of a project.
func workspacesOf(t *frame.OrgVisit, p *app.ProjectView) string {
	return frame.OrganizationPath(t.Org.Name, "workspaces?project=") + url.QueryEscape(p.Name)
}

// theProject is the project that the address names.
func theProject(t *frame.OrgVisit) (app.ProjectView, error) {
	p, err := t.UI.App.Project(t.Context(), t.Principal, t.ID)
	return p, access.Ours(t, p.OrganizationID, err)
}

// project is the page of one project.
func project(t *frame.OrgVisit) (*frame.View, error) {
	p, err := theProject(t)
	if err != nil {
		return nil, err
	}
	list, total, err := t.UI.App.Workspaces(t.Context(), t.Principal, t.Org.Name, belay.WorkspaceQuery{Projects: []string{p.ID}, Page: belay.Page{Number: 1, Size: frame.PageSize}})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of workspaces", "Workspace", "Run", "-Lock", "+-Resources", "Last change")
	for i := range list {
		w := &list[i]
		status, lock := frame.Cell{}, frame.Cell{Text: "Unlocked"}
		if word := workspaces.StatusOf(w); word != nil {
			status = frame.Cell{Text: word.Text, Pill: word.Class, Icon: word.Icon}
			if status.Pill == "" {
				status.Pill = "idle"
			}
		}
		if l := workspaces.LockOf(t.Principal, w); l.Held {
			lock = frame.Cell{Text: l.Word(), Pill: "lock", Icon: "lock"}
		}
		g.Row(nil, frame.Link(w.Name, frame.WorkspacePath(t.Org.Name, w.Name)), status, lock, frame.Amount(w.ResourceCount), frame.Moment(w.LatestChangeAt))
	}
	mode, _ := p.Execution()
	page := &frame.Sheet{Title: p.Name, Sub: p.Description, Main: []frame.Card{{ID: "workspaces", Title: "Workspaces", Note: frame.Many(total, "workspace", "workspaces"), Grid: g, Empty: "There is no workspace in it that you see."}}}
	page.Acts = []frame.ActLink{{Text: "All in the list", Icon: "stack", Path: workspacesOf(t, &p)}}
	if t.May(belay.ManageTeams.And(belay.ReadEveryMember)) {
		page.Acts = append(page.Acts, frame.ActLink{Text: "Who may do what", Icon: "shield", Path: frame.OrganizationPath(t.Org.Name, "access/") + p.ID})
	}
	page.Side = append(page.Side, frame.Card{ID: "about", Title: "About", Facts: []frame.Setting{{Name: "Runs", Value: frame.WordOf(string(mode), executionModes...)}, {Name: "Teams", Value: frame.Count(p.TeamCount)}, {Name: "Made", Value: frame.Minute(p.CreatedAt)}, {Name: "Id", Value: p.ID}}})
	if p.Can.Has(belay.UpdateProject) {
		page.Side = append(page.Side, frame.Card{ID: "change", Title: "Change it", Form: &frame.FormPart{Do: "save", Submit: "Save", Changes: true, Fields: projectFields(p.Name, p.Description)}})
	}
	if p.Can.Has(belay.DeleteProject) {
		page.Side = append(page.Side, frame.Card{ID: "delete", Title: "Delete it", Form: &frame.FormPart{Do: "delete", Submit: "Delete this project", Risk: true, Note: "Only a project without workspaces can be deleted."}})
	}
	return t.Sheet(page)
}

func projectPatch(t *frame.OrgVisit) belay.ProjectPatch {
	return belay.ProjectPatch{Name: t.Edited("name"), Description: t.Edited("description")}
}

func newProject(t *frame.OrgVisit) (string, error) {
	p, err := t.UI.App.CreateProject(t.Context(), t.Principal, t.Org.Name, projectPatch(t))
	return t.One(p.ID), err
}

func saveProject(t *frame.OrgVisit) (string, error) {
	p, err := theProject(t)
	if err == nil {
		err = t.Overtaken(projectFields(p.Name, p.Description))
	}
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.UpdateProject(t.Context(), t.Principal, p.ID, projectPatch(t))
	return t.Here(), err
}

func deleteProject(t *frame.OrgVisit) (string, error) {
	p, err := theProject(t)
	if err != nil {
		return "", err
	}
	return t.Path, t.UI.App.DeleteProject(t.Context(), t.Principal, p.ID)
}
