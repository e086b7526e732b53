package organizations

import (
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/ui/frame"
)

// overTitle is what it means that a workspace has a variable of its own: one with priority wins over it.
func overTitle(set *inputs.VariableSet) string {
	if set.Priority {
		return "Wins over"
	}
	return "Overridden in"
}

// overridden is which workspaces have a variable of their own beside one of the set, by its key and kind.
func overridden(t *frame.OrgVisit, set *inputs.VariableSet) (map[[2]string]frame.Cell, error) {
	list, more, err := t.UI.App.SetOverrides(t.Context(), t.Principal, set.ID)
	names := map[[2]string][]string{}
	for i := range list {
		key := [2]string{list[i].Key, list[i].Category}
		names[key] = append(names[key], list[i].Workspace)
	}
	shown := map[[2]string]frame.Cell{}
	for key := range names {
		shown[key] = workspaceLinks(t, names[key], "/variables", more)
	}
	return shown, err
}

// namesInRow is how many workspaces a row names.
const namesInRow = 3

// workspaceLinks is some workspaces as links to a page of each: the first of them, and how many there are besides.
func workspaceLinks(t *frame.OrgVisit, names []string, page string, more bool) (c frame.Cell) {
	for _, name := range names[:min(namesInRow, len(names))] {
		c.Links = append(c.Links, frame.Crumb{Name: name, Path: frame.WorkspacePath(t.Org.Name, name) + page})
	}
	if rest := len(names) - namesInRow; rest > 0 {
		c.Sub = "and " + frame.Count(rest)
		if more {
			c.Sub += "+"
		}
		c.Sub += " more"
	}
	return c
}
