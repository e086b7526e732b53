package store

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/events"
	"github.com/belayhq/belay/internal/store/people"
	"github.com/belayhq/belay/internal/store/runs"
	"github.com/belayhq/belay/run"
)

// WaitingQuery asks what waits in an organization for a user, who is a holder of locks, and what was put off at a moment.
type WaitingQuery struct {
	UserID, HolderID string
	Now              time.Time

	Planned, Failed run.Query   // of these runs are those that wait
	Apply           belay.Scope // whose plans do

	Own, Break belay.Scope // whose locks are told: the holder's own, and of others
	Locked     time.Time   // before which these were taken

	Requests         belay.Scope
	RequestsOffered  bool
	RequestsLookedAt int

	States belay.Scope // whose states are told
	Begun  time.Time   // before which their upload was

	Managed Managed   // destinations that are told
	Since   time.Time // their deliveries were given up

	Most int // of each kind, but of failed runs and requests: of these are told all that are looked at
}

// Waits is one thing that waits, by what it is found and told from others.
type Waits struct {
	ID    string
	Name  string // of its workspace; of a request the subject
	Of    string // the workspace that a failed run is of, the action that a request is of
	Asked bool   // somebody asks for that lock
}

// Waiting is what waits: plans, the oldest first, failed runs and requests, the newest first, locks by name, states that did
// not arrive, the oldest first, and destinations whose deliveries were given up, the latest first. And the marks of what was put off.
type Waiting struct {
	Plans, Failures, Own, Others, Requests []Waits

	States []WaitingState
	Failed []FailedNotification
	PutOff map[string]bool
}

// The parts of what is read; what was put off is the first.
const (
	partPlan = iota + 1
	partFailure
	partOwn
	partOther
	partRequest
	partState
	partFailed
)

// Waiting reads all of it in one statement: each part looks at few rows, by an index.
func (v *reads) Waiting(o belay.Organization, want *WaitingQuery) (Waiting, error) {
	type row struct {
		part, n, place int64
		id, name, by   string
	}
	q := people.AddPutOff(v.SQL("SELECT CAST(0 AS BIGINT) AS part, mark AS id, '' AS name, '' AS by_whom, CAST(0 AS BIGINT) AS n, CAST(0 AS BIGINT) AS place"), want.UserID, o.ID, want.Now)
	addWaitingPlans(q, o.ID, want)
	addFailures(q, o.ID, want)
	addOwnLocks(q, o.ID, want)
	addOtherLocks(q, o.ID, want)
	if want.RequestsOffered {
		addWaitingRequests(q, o, want)
	}
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), s.id, w.name, COALESCE(u.username, ''), s.serial, s.created_at", partState)
	core.AddWaitingStates(q, o.ID, want.States, want.Begun, want.Most).Add(") states")
	if !want.Managed.None() {
		q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), n.id, n.name, '', count(*), -max(d.updated_at)", partFailed)
		events.AddFailed(q, o.ID, want.Managed, want.Since, want.Most).Add(") failed")
	}
	list, err := sqldb.Collect(v, q.Add(" ORDER BY part, place, name, id"), func(r *row) []any {
		return []any{&r.part, &r.id, &r.name, &r.by, &r.n, &r.place}
	})
	// Those of one action are of one moment, and lists have the last id first.
	slices.SortStableFunc(list, func(a, b row) int {
		if a.part != partRequest || b.part != partRequest {
			return cmp.Compare(a.part, b.part)
		}
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(b.id, a.id))
	})
	w := Waiting{PutOff: map[string]bool{}}
	lists := map[int64]*[]Waits{partPlan: &w.Plans, partFailure: &w.Failures, partOwn: &w.Own, partOther: &w.Others, partRequest: &w.Requests}
	for _, r := range list {
		switch r.part {
		case partState:
			w.States = append(w.States, WaitingState{ID: r.id, Workspace: r.name, By: r.by, Serial: r.n, At: time.UnixMilli(r.place).UTC()})
		case partFailed:
			w.Failed = append(w.Failed, FailedNotification{ID: r.id, Name: r.name, Count: int(r.n), Newest: time.UnixMilli(-r.place).UTC()})
		case 0:
			w.PutOff[r.id] = true
		default:
			*lists[r.part] = append(*lists[r.part], Waits{ID: r.id, Name: r.name, Of: r.by, Asked: r.n > 0})
		}
	}
	return w, err
}

// WaitsIn counts, in one statement, the plans and the holder's own locks that wait in each of some organizations, by id.
func (v *reads) WaitsIn(wants map[string]*WaitingQuery) (map[string]int, error) {
	type counted struct {
		organization string
		n            int
	}
	q, between := v.SQL(""), text("")
	for _, id := range slices.Sorted(maps.Keys(wants)) {
		q.Add(between+"SELECT CAST(? AS TEXT), count(*) FROM (SELECT CAST(0 AS BIGINT) AS part, '' AS id, '' AS name, '' AS by_whom, CAST(0 AS BIGINT) AS n, CAST(0 AS BIGINT) AS place WHERE 1 = 0", id)
		addWaitingPlans(q, id, wants[id])
		addOwnLocks(q, id, wants[id])
		q.Add(") waits")
		between = " UNION ALL "
	}
	list, err := sqldb.Collect(v, q, func(c *counted) []any { return []any{&c.organization, &c.n} })
	counts := make(map[string]int, len(list))
	for _, c := range list {
		counts[c.organization] = c.n
	}
	return counts, err
}

// waitingRun is what is read of a run that waits.
const waitingRun text = "runs.id, runs.workspace_id, runs.created_at"

// addWaitingPlans appends the plans that may be confirmed now, of the page that is looked at.
func addWaitingPlans(q *query, organizationID string, want *WaitingQuery) {
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), r.created_at FROM (", partPlan)
	runs.AddPage(q, waitingRun, want.Planned)
	q.Add(") r JOIN workspaces w ON w.id = r.workspace_id WHERE w.organization_id = ? AND (w.lock_holder_id = '' OR w.lock_holder_id = r.id)", organizationID)
	addWithin(q, want.Apply).Add(" ORDER BY r.created_at, r.id").First(want.Most).Add(") plans")
}

// addFailures appends what failed, of the page that is looked at.
func addFailures(q *query, organizationID string, want *WaitingQuery) {
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), r.id, w.name, r.workspace_id, CAST(0 AS BIGINT), -r.created_at FROM (", partFailure)
	runs.AddPage(q, waitingRun, want.Failed)
	q.Add(") r JOIN workspaces w ON w.id = r.workspace_id WHERE w.organization_id = ?) failures", organizationID)
}

// waitingLock begins what is read of a lock that waits.
const waitingLock text = " UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), w.id, w.name, '', CASE WHEN w.lock_questions IN ('', 'null', '[]') THEN CAST(0 AS BIGINT) ELSE 1 END, CAST(0 AS BIGINT) " +
	"FROM workspace_locks l JOIN workspaces w ON w.id = l.workspace_id WHERE l.organization_id = ? AND "

// addOwnLocks appends the holder's own locks.
func addOwnLocks(q *query, organizationID string, want *WaitingQuery) {
	q.Add(waitingLock+"l.holder_id = ? AND w.lock_holder_id = ?", partOwn, organizationID, want.HolderID, want.HolderID)
	addWithin(q, want.Own).Add(" ORDER BY w.name, w.id").First(want.Most).Add(") own")
}

// addOtherLocks appends those of others that are there for long; those of runs end by themselves.
func addOtherLocks(q *query, organizationID string, want *WaitingQuery) {
	q.Add(waitingLock+"w.lock_holder_id > '' AND w.lock_holder_id <> ? AND w.lock_holder_type <> 'runs' AND w.locked_at < ?", partOther, organizationID, want.HolderID, sqldb.UnixMillis(want.Locked))
	addWithin(q, want.Break).Add(" ORDER BY w.name, w.id").First(want.Most).Add(") others")
}

// addWaitingRequests appends the newest change requests that are open.
func addWaitingRequests(q *query, o belay.Organization, want *WaitingQuery) {
	open := false
	requests := backlog.ChangeRequestQuery{Archived: &open, Scope: want.Requests}
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), c.id, b.subject, c.action_id, CAST(0 AS BIGINT), -c.created_at FROM "+changeRequests.From+" WHERE ", partRequest)
	addChangeRequests(q, o, requests)
	q.Add(" AND b.unfinished_until = 0 ORDER BY " + changeRequestOrder(requests)).First(want.RequestsLookedAt).Add(") requests")
}

// addWithin appends that a workspace w is within a scope.
func addWithin(q *query, scope belay.Scope) *query {
	if scope.Everything {
		return q
	}
	return base.AddWithin(q.Add(" AND "), scope)
}
