package belay

// Way is one way by which a right comes to somebody: a team that they are in, and what the
// team has been given.
type Way struct {
	Team  Team // its id and name; hidden from who asks: neither
	Grant Grant
}

// Rights is the single rights over a workspace by the names that people ask for them with.
var Rights = []struct {
	Name string
	Need Permission
}{
	{"read-workspace", ReadWorkspace}, {"read-runs", ReadRuns}, {"queue-runs", QueueRuns}, {"apply-runs", ApplyRuns},
	{"read-variables", ReadVariables}, {"write-variables", WriteVariables}, {"read-outputs", ReadOutputs}, {"read-state", ReadState},
	{"write-state", WriteState}, {"lock", LockWorkspace}, {"force-unlock", ForceUnlockWorkspace}, {"manage-tags", ManageTags},
	{"update-workspace", UpdateWorkspace}, {"delete-workspace", DeleteWorkspace}, {"manage-teams", ManageWorkspaceTeams},
	{"archive-change-requests", ArchiveChangeRequests},
}

// RightNamed is the right of a name.
func RightNamed(name string) (need Permission, known bool) {
	for _, r := range Rights {
		if r.Name == name {
			return r.Need, true
		}
	}
	return Permission{}, false
}

// Opens says whether a grant alone opens a right over a workspace to a user. It is asked of
// the same sum that every door asks.
func (g Grant) Opens(need Permission, w *Workspace) bool {
	alone := NewAccess(Principal{Kind: UserPrincipal}, []Grant{g})
	return alone.OnWorkspace(w.ID, w.ProjectID).Has(need)
}

// Reaches says whether a grant opens anything on a workspace beyond that its organization is there.
func (g Grant) Reaches(w *Workspace) bool { return g.Opens(ReadWorkspace, w) }

// ScopeID is what the way leads over: a project or a workspace; empty for the whole organization.
func (w *Way) ScopeID() string {
	if w.Grant.Scope == OnOrganization {
		return ""
	}
	return w.Grant.ScopeID
}
