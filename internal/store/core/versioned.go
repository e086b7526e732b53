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

// Version is the version of the row that a condition on its key finds, where rows have them; of one that is gone it is
// that of none.
func Version(row sqldb.Text) sqldb.Text { return "COALESCE((SELECT xmin FROM " + row + "), '0')" }

// VersionColumns finds the versions of a workspace's rows by its id, $2, that of its organization, $3, and of its project,
// $4; whether tags of the organization are being deleted; and how many change requests are open: one or none where only
// that is asked, which may say one of those whose filing has not ended. Each is looked up by itself: joins are set up anew
// with every execution, and cost more than that.
func VersionColumns(counting bool) sqldb.Text {
	requests := "CAST(EXISTS (SELECT 1" + requestsOf("$3", "$2") + " AND c.archived_at = 0) AS INT)"
	if counting {
		requests = countOpen("$3", "$2")
	}
	return Version("workspaces WHERE id = $2") + ", " + Version("organizations WHERE id = $3") + ", " + Version("projects WHERE id = $4") +
		", EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = $3 AND d.doomed), " + requests
}

// Listed workspaces with the versions of their rows, and those versions alone with what else is asked of each row: both
// begin a statement as Listed.Selected does, and take the organization's id twice.
var (
	ListedWithVersions = "SELECT " + Listed.Columns() + ", w.xmin, p.xmin FROM " + Listed.From + " "
	ListedVersions     = "SELECT w.id, w.xmin, p.xmin, " + listedRequests + ", EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = ? AND d.doomed) FROM " + Listed.From + " "
)

// VersionedOrganization is an organization with the version of its row, and what its counters had moved beside it.
type VersionedOrganization struct {
	belay.Organization
	Version uint32
	beside  string
}

var versionedOrganization = "SELECT " + Organizations.Columns() + ", xmin, COALESCE(" + base.Beside("organizations.id") + ", '') FROM organizations WHERE name = ? OR id = ?"

// VersionedOrganization is one organization with the version of its row, where rows have them.
func (v *View) VersionedOrganization(nameOrID string) (VersionedOrganization, error) {
	return base.TheOne(sqldb.Collect(v, v.SQL(versionedOrganization, nameOrID, nameOrID), func(n *VersionedOrganization) []any {
		return append(Organizations.Dest(&n.Organization), &n.Version, &n.beside)
	}))
}

// Now is the organization of the same row whose counters have moved so far.
func (o *VersionedOrganization) Now(beside string) (belay.Organization, error) {
	var then belay.Organization
	if err := (base.AddBeside{To: &then}).Scan(o.beside); err != nil {
		return then, err
	}
	now := o.Organization
	now.WorkspaceCount -= then.WorkspaceCount
	now.Generation -= then.Generation
	now.FactsGeneration -= then.FactsGeneration
	now.GenerationParts = ""
	return now, (base.AddBeside{To: &now}).Scan(beside)
}

// ListVersionColumns finds the version of an organization's row by its id, $2, and what its counters have moved beside it. Of a
// page of its workspaces, whose ids, $3, and versions, $4, are lists in one text each, as those of its projects are, $5 and
// $6: how many rows have one of these versions, whether tags are being deleted, and the open change requests of each that
// has some, as JSON. A row that has changed has the version of a later transaction than any that the page was read from, so that
// it need not be told whose version it is.
func ListVersionColumns() sqldb.Text {
	same := func(table, ids, versions sqldb.Text) sqldb.Text {
		return "(SELECT count(*) FROM " + table + " s WHERE s.id = " + anyOf(ids, "TEXT") + " AND s.xmin = " + anyOf(versions, "XID") + ")"
	}
	return Version("organizations WHERE id = $2") + ", COALESCE(" + base.Beside("$2") + ", ''), " +
		same("workspaces", "$3", "$4") + ", " + same("projects", "$5", "$6") +
		", EXISTS (SELECT 1 FROM tags d WHERE d.organization_id = $2 AND d.doomed), " +
		"COALESCE(CASE WHEN EXISTS (SELECT 1 FROM change_requests c WHERE c.organization_id = $2 AND c.archived_at = 0) THEN " +
		"(SELECT CAST(json_object_agg(r.id, r.n) AS TEXT) FROM (SELECT c.workspace_id AS id, count(*) AS n" +
		requestsOf("$2", anyOf("$3", "TEXT")) + openOnes + " GROUP BY c.workspace_id) r) END, '')"
}

// anyOf is a list that is the text of an argument. It stands in a subselect, so that PostgreSQL reads it once, and not for each
// row, nor plans by how many there are.
func anyOf(argument, kind sqldb.Text) sqldb.Text {
	return "ANY(CAST((SELECT CAST(CAST(" + argument + " AS TEXT) AS " + kind + "[])) AS " + kind + "[]))"
}

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
