package ui

import "github.com/belayhq/belay"

// readersPart is whose runs may read the state of a workspace.
type readersPart struct {
	Everybody string // of whom all may; empty: of those in Rows
	Rows      []linkRow
	Total     int // of the workspaces that the visitor sees
	More      int // that are not in Rows
	Settings  string
}

// mostReaders is how many workspaces that may read a state are named.
const mostReaders = 20

// readers is whose runs may read the state of the workspace.
func (t *tabVisit) readers() (*readersPart, error) {
	list, total, err := t.ui.App.RemoteStateConsumers(t.Context(), t.s, t.ref(), false, belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: mostReaders}})
	part := &readersPart{Total: total}
	if t.w.Can.Has(belay.UpdateWorkspace) {
		part.Settings = t.path + "/settings#sharing"
	}
	switch {
	case t.w.GlobalRemoteState:
		part.Everybody = "all workspaces of " + t.o.Name
	case t.w.ProjectRemoteState:
		part.Everybody = "all workspaces of its project"
	default:
		for i := range list {
			part.Rows = append(part.Rows, linkRow{list[i].Name, "", workspacePath(t.o.Name, list[i].Name)})
		}
		part.More = total - len(list)
	}
	return part, err
}
