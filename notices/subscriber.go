package notices

import (
	"github.com/belayhq/belay"
	"slices"
)

// Reach is one way by which a notification configuration comes to be told of a workspace: it
// belongs to the place, which is the workspace or its project, or to a team with access to that.
type Reach struct {
	Place belay.GrantScope // OnWorkspaces or OnProjects
	Team  bool
}

// The ways that there are. Teams are told of change requests alone.
var (
	ownReaches = []Reach{{Place: belay.OnWorkspaces}, {Place: belay.OnProjects}}
	allReaches = append(slices.Clip(ownReaches), Reach{Place: belay.OnWorkspaces, Team: true}, Reach{Place: belay.OnProjects, Team: true})
)

// Leads says whether the way leads from a configuration to a workspace. access is asked whether
// a team has access to a place, whatever it may do there.
func (r Reach) Leads(n *Notification, w *belay.Workspace, access func(team string, place belay.GrantScope, id string) bool) bool {
	id := w.ID
	if r.Place == belay.OnProjects {
		id = w.ProjectID
	}
	if r.Team {
		return n.TeamID != "" && access(n.TeamID, r.Place, id)
	}
	return r.From(n) == id
}

// From is the id of what the configuration belongs to, where that is where the way begins;
// otherwise empty.
func (r Reach) From(n *Notification) string {
	switch {
	case r.Team:
		return n.TeamID
	case r.Place == belay.OnProjects:
		return n.ProjectID
	default:
		return n.WorkspaceID
	}
}

// Telling is what is told when something happens, and to whom: it is the one rule of that.
// The store makes conditions of it, for the subscribers of a workspace and for the workspaces of
// a subscriber.
type Telling struct {
	Trigger  string  // what it is told as
	Wanted   string  // the trigger that a configuration must have
	Reaches  []Reach // any of these
	OpenOnly bool    // of change requests, those alone that are still open
	Again    bool    // once more to who was told of the same before
}

// Tells is what is told as a trigger, and to whom. A reminder goes to those who want to be told of what
// it reminds of.
func Tells(trigger string) Telling {
	switch trigger {
	case TriggerChangeRequest:
		return Telling{Trigger: trigger, Wanted: trigger, Reaches: allReaches}
	case TriggerReminder:
		return Telling{Trigger: trigger, Wanted: TriggerChangeRequest, Reaches: allReaches, OpenOnly: true, Again: true}
	default:
		return Telling{Trigger: trigger, Wanted: trigger, Reaches: ownReaches}
	}
}

// TellsOf is what an event about change requests tells.
func TellsOf(kind string) Telling {
	if kind == EventBulkActionReminded {
		return Tells(TriggerReminder)
	}
	return Tells(TriggerChangeRequest)
}

// WantedBy says whether a configuration asks to be told.
func (t Telling) WantedBy(n *Notification) bool {
	return n.Enabled && slices.Contains(n.Triggers, t.Wanted)
}

// Reaching says whether a configuration is told what concerns a workspace, if it asks to be.
func (t Telling) Reaching(n *Notification, w *belay.Workspace, access func(team string, place belay.GrantScope, id string) bool) bool {
	return slices.ContainsFunc(t.Reaches, func(r Reach) bool { return r.Leads(n, w, access) })
}

// MailedTeams is by which ways teams come to be mailed, all their members, by a configuration of a
// workspace or a project: those that a change request there is told to.
var MailedTeams = slices.DeleteFunc(slices.Clone(allReaches), func(r Reach) bool { return !r.Team })
