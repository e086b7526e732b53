package ui

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

var setActs = map[string]act{
	"new": (*orgVisit).newSet, "save": (*orgVisit).saveSet, "delete": (*orgVisit).deleteSet, "variable": (*orgVisit).saveSetVariable, "drop": (*orgVisit).dropSetVariable,
	"apply": (*orgVisit).applySet, "withdraw": (*orgVisit).withdrawSet,
}

// variableSets is the page of an organization's variable sets, or of one of them.
func (t *orgVisit) variableSets() (*view, error) {
	if t.id != "" {
		return t.variableSet()
	}
	at := t.page(pageSize)
	list, total, err := t.ui.App.VariableSets(t.Context(), t.s, t.o.Name, belay.VariableSetQuery{Search: t.asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of variable sets", "Set", "+Variables", "For", "-Over others", "-Changed")
	for i := range list {
		set := &list[i]
		name := link(set.Name, t.one(set.ID))
		name.Sub = set.Description
		g.row(nil, name, amount(len(set.VariableIDs)), words(reachText(set)), words(yesNo(set.Priority)), moment(set.UpdatedAt))
	}
	main := card{
		ID: "sets", Title: "Variable sets", Note: many(total, "set", "sets"), Grid: g, Turns: t.turns(t.path, at, total),
		Empty: "There is no variable set that you see. One gives the same variables to many workspaces.",
	}
	if t.may(belay.ManageVariableSets) {
		main.Closed, main.Form = true, &formPart{Do: "new", Submit: "New variable set", Fields: setFields(&belay.VariableSet{})}
	}
	return t.sheet(&sheet{Title: "Variable sets", Sub: "Variables that many workspaces share.", Main: []card{main}})
}

// reachText is which workspaces get a set.
func reachText(set *belay.VariableSet) string {
	switch {
	case set.Global && set.ProjectID != "":
		return "all workspaces of its project"
	case set.Global:
		return "all workspaces"
	}
	var parts []string
	if n := len(set.ProjectIDs); n > 0 {
		parts = append(parts, many(n, "project", "projects"))
	}
	if n := len(set.WorkspaceIDs); n > 0 {
		parts = append(parts, many(n, "workspace", "workspaces"))
	}
	return orNone(strings.Join(parts, ", "))
}

func setFields(set *belay.VariableSet) []formField {
	return []formField{
		{Kind: "text", Name: "name", Label: "Name", Value: set.Name, Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Value: set.Description, Max: 512},
		{Kind: "check", Name: "global", Label: "For all workspaces", On: set.Global}, {Kind: "check", Name: "priority", Label: "It wins over variables of workspaces", On: set.Priority},
	}
}

// theSet is the variable set that the address names.
func (t *orgVisit) theSet() (belay.VariableSet, error) {
	set, err := t.ui.App.VariableSet(t.Context(), t.s, t.id)
	return set, t.ours(set.OrganizationID, err)
}

func (t *orgVisit) variableSet() (*view, error) {
	set, err := t.theSet()
	if err != nil {
		return nil, err
	}
	variables, err := t.ui.App.SetVariables(t.Context(), t.s, set.ID)
	if err != nil {
		return nil, err
	}
	g := newGrid("Table of variables", "Key", "Value", "-Kind")
	for i := range variables {
		v := &variables[i]
		key, value := cell{Text: v.Key, Code: true, Sub: v.Description}, words(cut(v.Value, longestValue))
		if v.Sensitive {
			value = cell{Text: "hidden", Icon: "eyeoff", Pill: "lock"}
		}
		var forms []rowForm
		if set.Manageable {
			forms = []rowForm{{Do: "drop", Text: "Delete", Of: v.Key, Risk: true, Hidden: []setting{{"variable", v.ID}}}}
		}
		g.row(forms, key, value, words(variableKinds[v.Category]))
	}
	main := card{ID: "variables", Title: "Variables", Note: many(len(variables), "variable", "variables"), Grid: g, Empty: "It has no variable."}
	page := &sheet{Title: set.Name, Sub: set.Description}
	reach, err := t.setReach(&set)
	if err != nil {
		return nil, err
	}
	if set.Manageable {
		main.Form = &formPart{Do: "variable", Submit: "Add or change", Note: "A key that is there already is changed.", Fields: []formField{
			{Kind: "text", Name: "key", Label: "Key", Max: 128, Required: true, Code: true}, {Kind: "area", Name: "value", Label: "Value", Code: true},
			{Kind: "select", Name: "category", Label: "Kind", Choices: options("", belay.EngineVariable, "Input of the configuration", belay.EnvironmentVariable, "Environment of the engine")},
			{Kind: "check", Name: "hcl", Label: "The value is an expression (HCL)"}, {Kind: "check", Name: "sensitive", Label: "Sensitive: nobody reads the value afterwards"},
		}}
		page.Side = append(page.Side, card{ID: "settings", Title: "Settings", Form: &formPart{Do: "save", Submit: "Save", Fields: setFields(&set)}})
	}
	page.Main = []card{main}
	page.Side = append([]card{reach}, page.Side...)
	if set.Manageable {
		page.Side = append(page.Side, card{ID: "delete", Title: "Delete", Text: "Its workspaces get its variables no more.", Form: &formPart{Do: "delete", Submit: "Delete " + set.Name, Risk: true}})
	}
	return t.sheet(page)
}

// setReach is which projects and workspaces get a set, and how that is changed.
func (t *orgVisit) setReach(set *belay.VariableSet) (card, error) {
	c := card{ID: "reach", Title: "Who gets it", Note: reachText(set)}
	if set.Global {
		return c, nil
	}
	projects, _, err := t.ui.App.Projects(t.Context(), t.s, t.o.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	if err != nil {
		return c, err
	}
	g := newGrid("Table of what gets it", "Name", "Kind")
	withdraw := func(kind, id, name string) []rowForm {
		if !set.Manageable {
			return nil
		}
		return []rowForm{{Do: "withdraw", Text: "Take away", Of: "from " + name, Risk: true, Hidden: []setting{{kind, id}}}}
	}
	var left []string
	for i := range projects {
		if p := &projects[i]; slices.Contains(set.ProjectIDs, p.ID) {
			g.row(withdraw("project", p.ID, p.Name), link(p.Name, organizationPath(t.o.Name, "access/")+p.ID), words("project"))
		} else {
			left = append(left, p.ID, p.Name)
		}
	}
	if n := len(set.WorkspaceIDs); n > 0 {
		found, err := t.ui.App.WorkspacesOfSet(t.Context(), t.s, set.ID, pageSize)
		if err != nil {
			return c, err
		}
		for i := range found {
			g.row(withdraw("workspace", found[i].ID, found[i].Name), link(found[i].Name, workspacePath(t.o.Name, found[i].Name)), words("workspace"))
		}
	}
	c.Grid = g
	if set.Manageable {
		c.Form = &formPart{Do: "apply", Submit: "Give it", Fields: []formField{
			{Kind: "select", Name: "project", Label: "To a project", Choices: options("", append([]string{"", "none"}, left...)...)},
			{Kind: "text", Name: "workspace", Label: "Or to a workspace", Hint: "its whole name", Max: 90, Code: true},
		}}
	}
	return c, nil
}

func setPatch(v *visit) belay.VariableSetPatch {
	return belay.VariableSetPatch{
		Name: patch.Of(v.given("name")), Description: patch.Of(v.given("description")), Global: v.ticked("global"), Priority: v.ticked("priority"),
	}
}

func (t *orgVisit) newSet() (string, error) {
	set, err := t.ui.App.CreateVariableSet(t.Context(), t.s, t.o.Name, setPatch(t.visit))
	return t.one(set.ID), err
}

func (t *orgVisit) saveSet() (string, error) {
	_, err := t.ui.App.UpdateVariableSet(t.Context(), t.s, t.id, setPatch(t.visit))
	return t.here(), err
}

func (t *orgVisit) deleteSet() (string, error) {
	return t.path, t.ui.App.DeleteVariableSet(t.Context(), t.s, t.id)
}

// saveSetVariable adds a variable, or changes the one of its key and kind.
func (t *orgVisit) saveSetVariable() (string, error) {
	list, err := t.ui.App.SetVariables(t.Context(), t.s, t.id)
	if err != nil {
		return "", err
	}
	key, category := t.given("key"), t.PostFormValue("category")
	p := belay.VariablePatch{Key: patch.Of(key), Value: patch.Of(t.typed("value")), Category: patch.Of(category), HCL: t.ticked("hcl")}
	if t.PostFormValue("sensitive") != "" {
		p.Sensitive = patch.Of(true)
	}
	at := slices.IndexFunc(list, func(v belay.Variable) bool { return v.Key == key && v.Category == category })
	if at < 0 {
		_, err = t.ui.App.CreateSetVariable(t.Context(), t.s, t.id, p)
	} else {
		_, err = t.ui.App.UpdateSetVariable(t.Context(), t.s, t.id, list[at].ID, p)
	}
	return t.here(), err
}

func (t *orgVisit) dropSetVariable() (string, error) {
	return t.here(), t.ui.App.DeleteSetVariable(t.Context(), t.s, t.id, t.PostFormValue("variable"))
}

func (t *orgVisit) applySet() (string, error) {
	var projects, workspaces []string
	if id := t.PostFormValue("project"); id != "" {
		projects = []string{id}
	}
	if name := t.given("workspace"); name != "" {
		w, err := t.ui.App.Workspace(t.Context(), t.s, belay.WorkspaceRef{Organization: t.o.Name, Name: name})
		if belay.KindOf(err) == belay.NotFound {
			err = belay.Refuse(belay.Invalid, "There is no workspace “%s” that you see.", name)
		}
		if err != nil {
			return "", err
		}
		workspaces = []string{w.ID}
	}
	if projects == nil && workspaces == nil {
		return "", belay.Refuse(belay.Invalid, "Choose a project, or name a workspace.")
	}
	return t.here(), t.ui.App.ApplyVariableSet(t.Context(), t.s, t.id, workspaces, projects)
}

func (t *orgVisit) withdrawSet() (string, error) {
	return t.here(), t.ui.App.WithdrawVariableSet(t.Context(), t.s, t.id, t.PostForm["workspace"], t.PostForm["project"])
}
