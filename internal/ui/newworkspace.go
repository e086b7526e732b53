package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// freshName is in an address where the name of a workspace would be; no name is like it.
const freshName = "~new"

var workspaceActs = map[string]act{"new": (*orgVisit).createWorkspace}

// newWorkspace is the form of a workspace that is to be.
func (t *orgVisit) newWorkspace() (*view, error) {
	if t.id != freshName || !t.may(belay.CreateWorkspace) {
		return nil, belay.ErrNotFound
	}
	list, _, err := t.ui.App.Projects(t.Context(), t.s, t.o.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	if err != nil {
		return nil, err
	}
	var projects []string
	for i := range list {
		if p := &list[i]; p.Can.Has(belay.CreateWorkspace) {
			projects = append(projects, p.ID, p.Name)
		}
	}
	form := &formPart{Do: "new", Submit: "Make it", Fields: []formField{
		{Kind: "text", Name: "name", Label: "Name", Hint: "letters, digits, - and _", Max: 90, Required: true, Code: true},
		{Kind: "text", Name: "description", Label: "What it is for", Max: 512},
		{Kind: "select", Name: "project", Label: "Project", Choices: options(t.o.DefaultProjectID, projects...)},
		{Kind: "select", Name: "mode", Label: "Where its runs happen", Choices: options("", "", "as its project has it", string(belay.RemoteExecution), "here", string(belay.LocalExecution), "with whoever uses it")},
	}}
	page := &sheet{Title: "New workspace", Sub: "A workspace is also made when a configuration that names it is used first.", Main: []card{{ID: "new", Title: "The workspace", Form: form}}}
	return t.sheet(page)
}

func (t *orgVisit) createWorkspace() (string, error) {
	p := belay.WorkspacePatch{Name: patch.Of(t.given("name")), Description: patch.Of(t.given("description")), ProjectID: patch.Of(t.given("project"))}
	if mode := belay.ExecutionMode(t.given("mode")); mode != "" {
		p.ExecutionMode = patch.Of(mode)
	}
	w, err := t.ui.App.CreateWorkspace(t.Context(), t.s, t.o.Name, p)
	return workspacePath(t.o.Name, w.Name), err
}
