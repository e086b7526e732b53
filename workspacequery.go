package belay

import "time"

// WorkspaceRef names a workspace: by id, or by its name in an organization.
type WorkspaceRef struct {
	ID           string
	Organization string // name or external id
	Name         string
}

// WorkspaceSort is the order of a list of workspaces.
type WorkspaceSort struct {
	Key        string // name, current-run.created-at or latest-change-at; else by name
	Descending bool
}

// ByName says that the order is by name.
func (s WorkspaceSort) ByName() bool { return s.Key == "" || s.Key == "name" }

// MaxTagFilters is the most tags that a list of workspaces may be filtered by.
const MaxTagFilters = 100

// WorkspaceQuery is what a list of workspaces asks for. Its conditions add up.
type WorkspaceQuery struct {
	Search           string   // part of the name
	Wildcard         string   // the name, with * for any text
	Projects         []string // in one of these
	Tags             []string // has all of these flat tags or tag keys
	ExcludeTags      []string // has none of these
	Tagged           []TagFilter
	RunStatuses      []string // its current run has one of these statuses
	Lock             LockFilter
	LockedBy         string    // this principal holds its lock
	LockedBefore     time.Time // it is locked since before; zero: whenever
	Engines          []string  // its engine is one of these versions, or satisfies one of these constraints
	Releases         []string  // its engine is one of these releases: what Engines comes to
	ChangedBefore    time.Time // its latest change was before; zero: whenever
	OpenRequests     bool      // it has open change requests
	Health           HealthFilter
	ConsumersOf      string // may read the state of this workspace
	Sort             WorkspaceSort
	Page             Page
	Scope            Scope // what the caller sees
	MatchesNothing   bool
	WithoutWorkspace string // every workspace but this one
}

// LockFilter is what a list of workspaces asks of their locks.
type LockFilter string

// What can be asked of locks.
const (
	AnyLock      LockFilter = ""
	OnlyLocked   LockFilter = "locked"
	OnlyUnlocked LockFilter = "unlocked"
)

// HealthFilter is what a list of workspaces asks of their newest assessments.
type HealthFilter string

// What can be asked of assessments: what somebody has to see.
const (
	AnyHealth   HealthFilter = ""
	OnlyDrifted HealthFilter = "drifted"
	OnlyBroken  HealthFilter = "checks" // checks failed, or could not be carried out, and nothing drifted
	OnlyUnknown HealthFilter = "failed" // the assessment itself failed
)

// WorkspaceGroup is how many workspaces have a current run of a status and are in a project;
// those without a run are at the empty status.
type WorkspaceGroup struct {
	RunStatus, ProjectID string
	Count                int
	Resources            int // that they manage, where it was asked for
}

// Check refuses a query with more filters than a database takes.
func (q *WorkspaceQuery) Check() error {
	return checkTagFilters(len(q.Tags) + len(q.ExcludeTags) + len(q.Tagged))
}

func checkTagFilters(n int) error {
	if n > MaxTagFilters {
		return Refuse(BadRequest, "a list can't be filtered by more than %d tags", MaxTagFilters)
	}
	return nil
}

// Unfiltered says that the query finds every workspace of the organization.
func (q *WorkspaceQuery) Unfiltered() bool {
	return q.Scope.Everything && !q.MatchesNothing && q.Search == "" && q.Wildcard == "" && q.Projects == nil &&
		q.Tags == nil && q.ExcludeTags == nil && q.Tagged == nil && q.RunStatuses == nil && !q.Faceted() &&
		q.ConsumersOf == "" && q.WithoutWorkspace == ""
}

// Faceted says that the query asks for locks, engines, ages, change requests or assessments.
func (q *WorkspaceQuery) Faceted() bool {
	return q.Lock != AnyLock || q.LockedBy != "" || !q.LockedBefore.IsZero() || q.Engines != nil || q.Releases != nil || !q.ChangedBefore.IsZero() || q.OpenRequests ||
		q.Health != AnyHealth
}

// Rights is what the caller must have on a workspace that the query finds: what it is asked by,
// the caller may see.
func (q *WorkspaceQuery) Rights() Permission {
	need := ReadWorkspace
	if q.RunStatuses != nil {
		need = need.And(ReadRuns)
	}
	if q.OpenRequests {
		need = need.And(ReadChangeRequests)
	}
	if q.Health != AnyHealth {
		need = need.And(ReadAssessments)
	}
	return need
}

// Countable says that what the query finds changes only when the organization's
// generation moves, so that its count may be kept. Runs, locks and states move no generation.
func (q *WorkspaceQuery) Countable() bool {
	return q.RunStatuses == nil && q.ConsumersOf == "" && !q.Faceted()
}

// TagFilter asks for a tag binding in force: a key, and its value unless any will do.
type TagFilter struct{ Key, Value string }
