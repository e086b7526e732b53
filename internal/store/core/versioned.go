package core

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

// Versions tell the rows that a workspace is read from from all that they were: its own, that of its
// organization and that of its project.
type Versions [3]uint32

// VersionedWorkspace is a workspace with the versions of its rows, and nothing yet of what it refers to.
type VersionedWorkspace struct {
	belay.Workspace
	Versions Versions
}

var versioned = "SELECT " + Workspaces.Columns() + ", w.xmin, o.xmin, p.xmin FROM " + Workspaces.From + " WHERE "

// VersionedWorkspace is one workspace with the versions of its rows, where rows have them.
func (v *View) VersionedWorkspace(ref belay.WorkspaceRef) (VersionedWorkspace, error) {
	condition, args := leadsTo(ref)
	return base.TheOne(sqldb.Collect(v, v.SQL(versioned+condition, args...), func(n *VersionedWorkspace) []any {
		return append(Workspaces.Dest(&n.Workspace), &n.Versions[0], &n.Versions[1], &n.Versions[2])
	}))
}

// Refer reads what a workspace refers to, for a user who need not be looked up; the zero Holder: for anybody.
func (v *View) Refer(w *belay.Workspace, user belay.Holder) error {
	return lookUp(v.View.View.View, []*belay.Workspace{w}, user)
}

// VersionsOf is what finds the versions of a workspace's rows by its id, how many of its change requests
// are open, and whether tags of its organization are being deleted: columns, and what they are read from.
const (
	VersionColumns = "w.xmin, o.xmin, p.xmin, " + openRequests + ", EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = w.organization_id AND d.doomed)"
	VersionFrom    = workspaceFrom
)

// Listed workspaces with the versions of their rows, and those versions alone with what else is asked of each row: both
// begin a statement as Listed.Selected does, and take the organization's id twice.
var (
	ListedWithVersions = "SELECT " + Listed.Columns() + ", w.xmin, p.xmin FROM " + Listed.From + " "
	ListedVersions     = "SELECT w.id, w.xmin, p.xmin, " + listedRequests + ", EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = ? AND d.doomed) FROM " + Listed.From + " "
)

// TextOf is how many bytes of text a workspace holds that may be many.
func TextOf(w *belay.Workspace) int {
	n := len(w.Description) + len(w.SourceName) + len(w.SourceURL) + len(w.MigrationEnvironment) + len(w.WorkingDirectory) + len(w.Lock.Reason)
	if r := w.VCSRepo; r != nil {
		n += len(r.Identifier) + len(r.Branch) + len(r.TagsRegex) + len(r.SourceDirectory) + len(r.TagPrefix) + len(r.HTTPURL) + len(r.WebhookID)
	}
	const header = 16 // of a text in a list
	for _, list := range [][]string{w.TriggerPatterns, w.TriggerPrefixes, w.VariableIDs, w.OutputIDs, w.TagNames} {
		n += header * len(list)
		for _, text := range list {
			n += len(text)
		}
	}
	return n
}
