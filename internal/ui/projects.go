package ui

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
)

var projectActs = map[string]act{"new": (*orgVisit).newProject, "save": (*orgVisit).saveProject, "delete": (*orgVisit).deleteProject}

// projects is the page of an organization's projects, or of one of them.
func (t *orgVisit) projects() (*view, error) {
	if t.id != "" {
		return t.project()
	}
	at := t.page(pageSize)
	search := t.asked("search")
	list, total, err := t.ui.App.Projects(t.Context(), t.s, t.o.Name, belay.ProjectQuery{Search: search, Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of projects", "Project", "+Workspaces", "+-Teams", "-Runs", "-Made")
	for i := range list {
		p := &list[i]
		name := link(p.Name, t.one(p.ID))
		name.Sub = p.Description
		mode, _ := p.Execution()
		g.row(nil, name, link(count(p.WorkspaceCount), t.workspacesOf(p)), amount(p.TeamCount), words(string(mode)), moment(p.CreatedAt))
	}
	main := card{ID: "projects", Title: "Projects", Note: many(total, "project", "projects"), Grid: g, Empty: "There is no project that you see.", Turns: t.turns(t.path, at, total)}
	if t.may(belay.CreateProject) {
		main.Closed, main.Form = true, &formPart{Do: "new", Submit: "New project", Fields: projectFields("", "")}
	}
	return t.sheet(&sheet{Title: "Projects", Sub: "Workspaces that belong together, and the teams that come to all of them.", Searchable: true, Search: search, Main: []card{main}})
}

func projectFields(name, description string) []formField {
	return []formField{
		{Kind: "text", Name: "name", Label: "Name", Value: name, Max: 40, Required: true},
		{Kind: "text", Name: "description", Label: "What it is for", Value: description, Max: 256},
	}
}

// workspacesOf is the address of the workspaces of a project.
func (t *orgVisit) workspacesOf(p *app.ProjectView) string {
	return organizationPath(t.o.Name, "workspaces?project=") + url.QueryEscape(p.Name)
}

// theProject is the project that the address names.
func (t *orgVisit) theProject() (app.ProjectView, error) {
	p, err := t.ui.App.Project(t.Context(), t.s, t.id)
	return p, t.ours(p.OrganizationID, err)
}

// project is the page of one project.
func (t *orgVisit) project() (*view, error) {
	p, err := t.theProject()
	if err != nil {
		return nil, err
	}
	list, total, err := t.ui.App.Workspaces(t.Context(), t.s, t.o.Name, belay.WorkspaceQuery{Projects: []string{p.ID}, Page: belay.Page{Number: 1, Size: pageSize}})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of workspaces", "Workspace", "Run", "-Lock", "+-Resources", "Last change")
	for i := range list {
		w := &list[i]
		status, lock := cell{}, cell{Text: "Unlocked"}
		if word := statusOf(w); word != nil {
			status = cell{Text: word.Text, Pill: word.Class, Icon: word.Icon}
			if status.Pill == "" {
				status.Pill = "idle"
			}
		}
		if l := lockOf(t.s, w); l.Held {
			lock = cell{Text: l.Word(), Pill: "lock", Icon: "lock"}
		}
		g.row(nil, link(w.Name, workspacePath(t.o.Name, w.Name)), status, lock, amount(w.ResourceCount), moment(w.LatestChangeAt))
	}
	mode, _ := p.Execution()
	page := &sheet{Title: p.Name, Sub: p.Description, Main: []card{{ID: "workspaces", Title: "Workspaces", Note: many(total, "workspace", "workspaces"), Grid: g, Empty: "There is no workspace in it that you see."}}}
	page.Acts = []actLink{{Text: "All in the list", Icon: "stack", Path: t.workspacesOf(&p)}}
	if t.may(belay.ManageTeams | belay.ReadEveryMember) {
		page.Acts = append(page.Acts, actLink{Text: "Who may do what", Icon: "shield", Path: organizationPath(t.o.Name, "access/") + p.ID})
	}
	page.Side = append(page.Side, card{ID: "about", Title: "About", Facts: []setting{{"Runs", string(mode)}, {"Teams", count(p.TeamCount)}, {"Made", minute(p.CreatedAt)}, {"Id", p.ID}}})
	if p.Can.Has(belay.UpdateProject) {
		page.Side = append(page.Side, card{ID: "change", Title: "Change it", Form: &formPart{Do: "save", Submit: "Save", Fields: projectFields(p.Name, p.Description)}})
	}
	if p.Can.Has(belay.DeleteProject) {
		page.Side = append(page.Side, card{ID: "delete", Title: "Delete it", Form: &formPart{Do: "delete", Submit: "Delete this project", Risk: true, Note: "Only a project without workspaces can be deleted."}})
	}
	return t.sheet(page)
}

func (t *orgVisit) projectPatch() belay.ProjectPatch {
	return belay.ProjectPatch{Name: patch.Of(t.given("name")), Description: patch.Of(t.given("description"))}
}

func (t *orgVisit) newProject() (string, error) {
	p, err := t.ui.App.CreateProject(t.Context(), t.s, t.o.Name, t.projectPatch())
	return t.one(p.ID), err
}

func (t *orgVisit) saveProject() (string, error) {
	p, err := t.theProject()
	if err != nil {
		return "", err
	}
	_, err = t.ui.App.UpdateProject(t.Context(), t.s, p.ID, t.projectPatch())
	return t.here(), err
}

func (t *orgVisit) deleteProject() (string, error) {
	p, err := t.theProject()
	if err != nil {
		return "", err
	}
	return t.path, t.ui.App.DeleteProject(t.Context(), t.s, p.ID)
}
