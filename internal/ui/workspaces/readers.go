package workspaces

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// readersPart is whose runs may read the state of a workspace.
type readersPart struct {
	Everybody string // of whom all may; empty: of those in Rows
	Rows      []frame.LinkRow
	Total     int // of the workspaces that the visitor sees
	More      int // that are not in Rows
	Settings  string
	Did       []didRead // who read it with a token, last of all first
	DidMore   bool      // there are others
}

// didRead is who read it, when last, and on how many days.
type didRead struct {
	Kind, Name, Path, Part, Days string
	At                           time.Time
}

// mostReaders is how many workspaces that may read a state are named.
const mostReaders = 20

// readers is whose runs may read the state of the workspace.
func (t *tabVisit) readers() (*readersPart, error) {
	list, total, err := t.UI.App.RemoteStateConsumers(t.Context(), t.s, t.ref(), false, belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: mostReaders}})
	part := &readersPart{Total: total}
	if t.w.Can.Has(belay.UpdateWorkspace) {
		part.Settings = t.path + "/settings/sharing"
		t.whoRead(part)
	}
	switch {
	case t.w.GlobalRemoteState:
		part.Everybody = "all workspaces of " + t.o.Name
	case t.w.ProjectRemoteState:
		part.Everybody = "all workspaces of its project"
	default:
		for i := range list {
			part.Rows = append(part.Rows, frame.LinkRow{Name: list[i].Name, Note: "", Path: frame.WorkspacePath(t.o.Name, list[i].Name)})
		}
		part.More = total - len(list)
	}
	return part, err
}

// readerWords is what readers are called, by the token that they come with.
var readerWords = map[belay.PrincipalKind]string{
	belay.UserPrincipal: "user", belay.TeamPrincipal: "team", belay.OrganizationPrincipal: "token of", belay.RunPrincipal: "runs of",
}

// whoRead adds who read the state of late.
func (t *tabVisit) whoRead(part *readersPart) {
	list := t.beside.Reads[:min(len(t.beside.Reads), mostReaders)]
	for i := range list {
		r := &list[i]
		row := didRead{Kind: readerWords[r.Kind], Name: r.Name, Part: "the state", Days: frame.Many(r.Days, "day", "days"), At: r.LastAt}
		if r.Part == belay.StateOutputs {
			row.Part = "its outputs"
		}
		if r.Kind == belay.RunPrincipal && r.Name != "" {
			row.Path = frame.WorkspacePath(t.o.Name, r.Name)
		}
		part.Did = append(part.Did, row)
	}
	part.DidMore = len(t.beside.Reads) > len(list)
}
