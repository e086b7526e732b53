package belay

import "time"

// maxConsumers is how many workspaces one change of consumers may name.
const maxConsumers = 1000

// ConsumersChange is what a request does to the remote state consumers of a workspace.
type ConsumersChange string

// The changes of a list of consumers.
const (
	AddConsumers    ConsumersChange = "added"
	RemoveConsumers ConsumersChange = "removed"
	SetConsumers    ConsumersChange = "replaced"
)

// Need is the permission that a change takes: admins of the workspace add and remove,
// whoever manages all workspaces of the organization replaces the list.
func (c ConsumersChange) Need() Permission {
	if c == SetConsumers {
		return ReplaceConsumers
	}
	return UpdateWorkspace
}

// CheckConsumers says all that is wrong with naming these workspaces as consumers of w,
// and otherwise gives each once. readable says which of them the caller may read, by id,
// with the organization each is in.
func (w *Workspace) CheckConsumers(change ConsumersChange, named []string, readable map[string]string) ([]string, error) {
	var problems Problems
	if w.GlobalRemoteState {
		problems.At(Whole, "Remote state consumers cannot be set while the workspace shares its state with the whole organization")
		return nil, problems
	}
	for i, id := range named {
		switch at := Whole.Item(i).ID(); {
		case id == "":
			problems.At(at, "id can't be blank")
		case id == w.ID && change != RemoveConsumers:
			problems.At(at, "A workspace cannot be a remote state consumer of itself")
		case readable[id] != w.OrganizationID:
			problems.At(at, "%s is no workspace of this organization that you can read", id)
		}
	}
	return Distinct(named), problems.Err()
}

// CheckConsumerCount refuses a request that names more workspaces than one may.
func CheckConsumerCount(n int) error {
	var problems Problems
	if n > maxConsumers {
		problems.At(Whole, "at most %d workspaces can be given at once", maxConsumers)
	}
	return problems.Err()
}

// SharesByList says that the consumers of w, and no other workspaces, may read its state.
func (w *Workspace) SharesByList() bool { return !w.GlobalRemoteState && !w.ProjectRemoteState }

// SharesBySettings says whether the settings alone let a workspace of that project read
// the state of w during its runs.
func (w *Workspace) SharesBySettings(organizationID, projectID string) bool {
	return w.OrganizationID == organizationID &&
		(w.GlobalRemoteState || w.ProjectRemoteState && w.ProjectID == projectID)
}

// How long the token of a run lives.
const (
	runTokenLife    = 2 * time.Hour
	maxRunTokenLife = 24 * time.Hour
)

// What the token of a run is for. A plan only reads; an apply locks and writes as well. A
// plan of somebody who may not read the state does not read it either.
const (
	PlanPurpose      = "plan"
	ApplyPurpose     = "apply"
	BlindPlanPurpose = "blind-plan"
)

// NewRunToken is a token for a run in the workspace, issued by someone with these rights.
// It never opens more than its issuer may do: who may not apply and write the state gets a
// token that only reads, and who may not read the state one that does not. The zero time asks for the usual life.
func NewRunToken(w Workspace, can Permission, until, now time.Time) (Token, error) {
	if until.IsZero() {
		until = now.Add(runTokenLife)
	}
	t := Token{
		OwnerKind: RunPrincipal, OwnerID: NewID("run"), OrganizationID: w.OrganizationID, WorkspaceID: w.ID,
		Purpose: runPurpose(can), ExpiredAt: until.UTC(),
	}
	var problems Problems
	switch {
	case !until.After(now):
		problems.Attribute("expired-at", "Expired at must be in the future")
	case until.After(now.Add(maxRunTokenLife)):
		problems.Attribute("expired-at", "Expired at must be within %d hours", int(maxRunTokenLife/time.Hour))
	}
	return t, problems.Err()
}

// runPurpose is the most that the token of a run may be for whose issuer has these rights.
func runPurpose(can Permission) string {
	switch {
	case can.Has(runApply.And(ApplyRuns)):
		return ApplyPurpose
	case can.Has(runPlan):
		return PlanPurpose
	default:
		return BlindPlanPurpose
	}
}

// IssuedAccess is what the token of a run opens whose issuer has these rights on its workspace by
// now: nothing where it could issue none, and never more than it was issued for.
func IssuedAccess(s Principal, can Permission) Access {
	if !can.Has(ReadWorkspace.And(QueueRuns)) {
		return Access{}
	}
	switch may := runPurpose(can); {
	case may == BlindPlanPurpose:
		s.Purpose = may
	case may == PlanPurpose && s.Purpose == ApplyPurpose:
		s.Purpose = may
	}
	return NewAccess(s, nil)
}
