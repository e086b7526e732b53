package organizations

import (
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
)

// SetActs is what the forms of variable sets do.
var SetActs = map[string]frame.Act{
	"new": newSet, "save": saveSet, "delete": frame.AskFirst, "agree-delete": deleteSet, "variable": saveSetVariable, "drop": dropSetVariable,
	"apply": applySet, "withdraw": withdrawSet,
}

// VariableSets is the page of an organization's variable sets, or of one of them.
func VariableSets(t *frame.OrgVisit) (*frame.View, error) {
	if t.ID != "" {
		return variableSet(t)
	}
	at := t.Page(frame.PageSize)
	list, total, err := t.UI.App.VariableSets(t.Context(), t.Principal, t.Org.Name, inputs.VariableSetQuery{Search: t.Asked("search"), Page: at})
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of variable sets", "Set", "+Variables", "-For", "+Reaches", "-Over others", "-Changed")
	reach, err := t.UI.App.SetsReach(t.Context(), list)
	if err != nil {
		return nil, err
	}
	for i := range list {
		set := &list[i]
		name := frame.Link(set.Name, t.One(set.ID))
		name.Sub = set.Description
		g.Row(nil, name, frame.Amount(len(set.VariableIDs)), frame.Words(reachText(set)), frame.Words(reachCount(t, set, reach)), frame.Words(frame.YesNo(set.Priority)), frame.Moment(set.UpdatedAt))
	}
	main := frame.Card{
		ID: "sets", Title: "Variable sets", Note: frame.Many(total, "set", "sets"), Grid: g, Turns: t.Turns(t.Path, at, total),
		Empty: "There is no variable set that you see. One gives the same variables to many workspaces.",
	}
	if t.May(belay.ManageVariableSets) {
		main.Closed, main.Form = true, &frame.FormPart{Do: "new", Submit: "New variable set", Fields: setFields(&inputs.VariableSet{})}
	}
	return t.Sheet(&frame.Sheet{Title: "Variable sets", Sub: "Variables that many workspaces share.", Search: t.Asked("search"), Searchable: true, Main: []frame.Card{main}})
}

// reachText is which workspaces get a set.
func reachText(set *inputs.VariableSet) string {
	switch {
	case set.Global && set.ProjectID != "":
		return "all workspaces of its project"
	case set.Global:
		return "all workspaces"
	}
	var parts []string
	if n := len(set.ProjectIDs); n > 0 {
		parts = append(parts, frame.Many(n, "project", "projects"))
	}
	if n := len(set.WorkspaceIDs); n > 0 {
		parts = append(parts, frame.Many(n, "workspace", "workspaces"))
	}
	return frame.OrNone(strings.Join(parts, ", "))
}

// reachCount is how many workspaces get a set.
func reachCount(t *frame.OrgVisit, set *inputs.VariableSet, reach map[string]int) string {
	if set.Global && set.ProjectID == "" {
		return frame.Many(t.Org.WorkspaceCount, "workspace", "workspaces")
	}
	return frame.Many(reach[set.ID], "workspace", "workspaces")
}

func setFields(set *inputs.VariableSet) []frame.FormField {
	return []frame.FormField{
		{Kind: "text", Name: "name", Label: "Name", Value: set.Name, Max: 90, Required: true}, {Kind: "text", Name: "description", Label: "What it is for", Value: set.Description, Max: 512},
		{Kind: "check", Name: "global", Label: "For all workspaces", On: set.Global}, {Kind: "check", Name: "priority", Label: "It wins over variables of workspaces", On: set.Priority},
	}
}

// theSet is the variable set that the address names.
func theSet(t *frame.OrgVisit) (inputs.VariableSet, error) {
	set, err := t.UI.App.VariableSet(t.Context(), t.Principal, t.ID)
	return set, access.Ours(t, set.OrganizationID, err)
}

func variableSet(t *frame.OrgVisit) (*frame.View, error) {
	set, err := theSet(t)
	if err != nil {
		return nil, err
	}
	variables, err := t.UI.App.SetVariables(t.Context(), t.Principal, set.ID)
	if err != nil {
		return nil, err
	}
	over, err := overridden(t, &set)
	if err != nil {
		return nil, err
	}
	g := frame.NewGrid("Table of variables", "Key", "Value", "-Kind", "-"+overTitle(&set))
	for i := range variables {
		v := &variables[i]
		key, value := frame.Cell{Text: v.Key, Code: true, Sub: v.Description}, frame.Cell{Text: frame.Cut(v.Value, frame.LongestValue), Code: true}
		if v.Sensitive {
			value = frame.Cell{Text: "hidden", Icon: "eyeoff", Pill: "lock"}
		}
		var forms []frame.RowForm
		if set.Manageable {
			forms = []frame.RowForm{{Do: "drop", Text: "Delete", Of: v.Key, Risk: true, Hidden: []frame.Setting{{Name: "variable", Value: v.ID}}}}
		}
		g.Row(forms, key, value, frame.Words(frame.VariableKinds[v.Category]), over[[2]string{v.Key, v.Category}])
	}
	main := frame.Card{ID: "variables", Title: "Variables", Note: frame.Many(len(variables), "variable", "variables"), Grid: g, Empty: "It has no variable."}
	all, err := t.UI.App.SetsReach(t.Context(), []inputs.VariableSet{set})
	if err != nil {
		return nil, err
	}
	reached := reachCount(t, &set, all)
	page := &frame.Sheet{Title: set.Name, Sub: "Reaches " + reached}
	if set.Description != "" {
		page.Sub = set.Description + " · " + page.Sub
	}
	reach, err := setReach(t, &set)
	if err != nil {
		return nil, err
	}
	if set.Manageable {
		main.Form = &frame.FormPart{Do: "variable", Submit: "Add or change", Note: "A key that is there already is changed.", Fields: []frame.FormField{
			{Kind: "text", Name: "key", Label: "Key", Max: 128, Required: true, Code: true}, {Kind: "area", Name: "value", Label: "Value", Code: true},
			{Kind: "select", Name: "category", Label: "Kind", Choices: frame.Options("", inputs.EngineVariable, "Input of the configuration", inputs.EnvironmentVariable, "Environment of the engine")},
			{Kind: "check", Name: "hcl", Label: "The value is an expression (HCL)"}, {Kind: "check", Name: "sensitive", Label: "Sensitive: nobody reads the value afterwards"},
		}}
		page.Side = append(page.Side, frame.Card{ID: "settings", Title: "Settings", Form: &frame.FormPart{Do: "save", Submit: "Save", Changes: true, Fields: setFields(&set)}})
	}
	page.Main = []frame.Card{main}
	page.Side = append([]frame.Card{reach}, page.Side...)
	if set.Manageable {
		page.Side = append(page.Side, frame.Card{ID: "delete", Title: "Delete", Text: "Its workspaces get its variables no more.", Form: &frame.FormPart{
			Do: "delete", Submit: "Delete " + set.Name, Risk: true, Asks: "Lost with " + set.Name + ": " + frame.Many(len(variables), "variable", "variables") + ", for " + reached + ".",
		}})
	}
	return t.Sheet(page)
}

// setReach is which projects and workspaces get a set, and how that is changed.
func setReach(t *frame.OrgVisit, set *inputs.VariableSet) (frame.Card, error) {
	c := frame.Card{ID: "reach", Title: "Who gets it", Note: reachText(set)}
	if set.Global {
		return c, nil
	}
	projects, _, err := t.UI.App.Projects(t.Context(), t.Principal, t.Org.Name, belay.ProjectQuery{Page: belay.Page{Number: 1, Size: projectsOffered}})
	if err != nil {
		return c, err
	}
	g := frame.NewGrid("Table of what gets it", "Name", "Kind")
	withdraw := func(kind, id, name string) []frame.RowForm {
		if !set.Manageable {
			return nil
		}
		return []frame.RowForm{{Do: "withdraw", Text: "Take away", Of: "from " + name, Risk: true, Hidden: []frame.Setting{{Name: kind, Value: id}}}}
	}
	var left []string
	for i := range projects {
		if p := &projects[i]; slices.Contains(set.ProjectIDs, p.ID) {
			g.Row(withdraw("project", p.ID, p.Name), frame.Link(p.Name, frame.OrganizationPath(t.Org.Name, "projects/")+p.ID), frame.Words("project"))
		} else {
			left = append(left, p.ID, p.Name)
		}
	}
	if n := len(set.WorkspaceIDs); n > 0 {
		found, err := t.UI.App.WorkspacesOfSet(t.Context(), t.Principal, set.ID, frame.PageSize)
		if err != nil {
			return c, err
		}
		for i := range found {
			g.Row(withdraw("workspace", found[i].ID, found[i].Name), frame.Link(found[i].Name, frame.WorkspacePath(t.Org.Name, found[i].Name)), frame.Words("workspace"))
		}
	}
	c.Grid = g
	if set.Manageable {
		c.Form = &frame.FormPart{Do: "apply", Submit: "Give it", Fields: []frame.FormField{
			{Kind: "select", Name: "project", Label: "To a project", Choices: frame.Options("", append([]string{"", "none"}, left...)...)},
			{Kind: "text", Name: "workspace", Label: "Or to a workspace", Hint: "its whole name", Max: 90, Code: true},
		}}
	}
	return c, nil
}

func setPatch(v *frame.Visit) inputs.VariableSetPatch {
	return inputs.VariableSetPatch{
		Name: v.Edited("name"), Description: v.Edited("description"), Global: v.Ticked("global"), Priority: v.Ticked("priority"),
	}
}

func newSet(t *frame.OrgVisit) (string, error) {
	set, err := t.UI.App.CreateVariableSet(t.Context(), t.Principal, t.Org.Name, setPatch(t.Visit))
	return t.One(set.ID), err
}

func saveSet(t *frame.OrgVisit) (string, error) {
	set, err := t.UI.App.VariableSet(t.Context(), t.Principal, t.ID)
	if err == nil {
		err = t.Overtaken(setFields(&set))
	}
	if err != nil {
		return "", err
	}
	_, err = t.UI.App.UpdateVariableSet(t.Context(), t.Principal, t.ID, setPatch(t.Visit))
	return t.Here(), err
}

func deleteSet(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteVariableSet(t.Context(), t.Principal, t.ID)
}

// saveSetVariable adds a variable, or changes the one of its key and kind.
func saveSetVariable(t *frame.OrgVisit) (string, error) {
	list, err := t.UI.App.SetVariables(t.Context(), t.Principal, t.ID)
	if err != nil {
		return "", err
	}
	if t.PostFormValue("hcl") != "" { // no run would get further
		if err := inputs.CheckCollection(t.Typed("value")); err != nil {
			return "", err
		}
	}
	key, category := t.Given("key"), t.PostFormValue("category")
	p := inputs.VariablePatch{Key: patch.Of(key), Value: patch.Of(t.Typed("value")), Category: patch.Of(category), HCL: t.Ticked("hcl")}
	if t.PostFormValue("sensitive") != "" {
		p.Sensitive = patch.Of(true)
	}
	at := slices.IndexFunc(list, func(v inputs.Variable) bool { return v.Key == key && v.Category == category })
	if at < 0 {
		_, err = t.UI.App.CreateSetVariable(t.Context(), t.Principal, t.ID, p)
	} else {
		_, err = t.UI.App.UpdateSetVariable(t.Context(), t.Principal, t.ID, list[at].ID, p)
	}
	return t.Here(), err
}

func dropSetVariable(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.DeleteSetVariable(t.Context(), t.Principal, t.ID, t.PostFormValue("variable"))
}

func applySet(t *frame.OrgVisit) (string, error) {
	var projects, workspaces []string
	if id := t.PostFormValue("project"); id != "" {
		projects = []string{id}
	}
	if name := t.Given("workspace"); name != "" {
		w, err := t.UI.App.Workspace(t.Context(), t.Principal, belay.WorkspaceRef{Organization: t.Org.Name, Name: name})
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
	return t.Here(), t.UI.App.ApplyVariableSet(t.Context(), t.Principal, t.ID, workspaces, projects)
}

func withdrawSet(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.WithdrawVariableSet(t.Context(), t.Principal, t.ID, t.PostForm["workspace"], t.PostForm["project"])
}
