package organizations

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// FreshName is in an address where the name of a workspace would be; no name is like it.
const FreshName = "~new"

// WorkspaceActs is what the form of a new workspace does.
var WorkspaceActs = map[string]frame.Act{"new": createWorkspace}

// NewWorkspace is the form of a workspace that is to be.
func NewWorkspace(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != FreshName || !t.May(belay.CreateWorkspace) {
		return nil, belay.ErrNotFound
	}
	list, _, err := t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	if err != nil {
		return nil, err
	}
	var projects []string
	for i := range list {
		if p := &list[i]; p.Can.Has(belay.CreateWorkspace) {
			projects = append(projects, p.ID, p.Name)
		}
	}
	form := &frame.FormPart{Do: "new", Submit: "Make it", Fields: []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Hint: "letters, digits, - and _", Max: 90, Required: true, Code: true},
		{Kind: "text", Name: "description", Label: "What it is for", Max: 512},
		{Kind: "select", Name: "project", Label: "Project", Choices: frame.Options(t.Org.DefaultProjectID, projects...)},
		{Kind: "select", Name: "mode", Label: "Where its runs happen", Choices: frame.Options("", "", "as its project has it", string(belay.RemoteExecution), "here", string(belay.LocalExecution), "with whoever uses it")},
	}}
	page := &frame.Sheet{Title: "New workspace", Sub: "A workspace is also made when a configuration that names it is used first.", Acts: []frame.ActLink{{Text: "The first steps", Icon: "term", Path: frame.OrganizationPath(t.Org.Name, "start")}}, Main: []frame.Card{{ID: "new", Title: "The workspace", Form: form}}}
	return t.Sheet(page)
}

func createWorkspace(t *frame.OrgVisit) (string, error) {
	p := belay.WorkspacePatch{Name: patch.Of(t.Given("name")), Description: patch.Of(t.Given("description")), ProjectID: patch.Of(t.Given("project"))}
	if mode := belay.ExecutionMode(t.Given("mode")); mode != "" {
		p.ExecutionMode = patch.Of(mode)
	}
	w, err := t.UI.App.CreateWorkspace(t.Context(), t.Principal, t.Org.Name, p)
	return frame.WorkspacePath(t.Org.Name, w.Name), err
}
