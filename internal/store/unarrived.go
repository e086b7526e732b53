package store

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/events"
	"github.com/belayhq/belay/internal/store/people"
)

// UnarrivedQuery asks what did not arrive in an organization, and what a user has put off there at a moment.
type UnarrivedQuery struct {
	OrganizationID, UserID string
	Now                    time.Time

	States belay.Scope // whose states are told
	Begun  time.Time   // before which their upload was

	Managed Managed   // destinations that are told
	Since   time.Time // their deliveries were given up

	Most int // of each
}

// Unarrived is states that did not arrive, the oldest first, destinations whose deliveries were given up, the latest
// first, and the marks of what was put off.
type Unarrived struct {
	States []WaitingState
	Failed []FailedNotification
	PutOff map[string]bool
}

// Unarrived reads all of it in one statement: each is few rows.
func (v *reads) Unarrived(want *UnarrivedQuery) (Unarrived, error) {
	const state, failed = 1, 2 // parts; 0 is what was put off
	type row struct {
		part, n, place int64
		id, name, by   string
	}
	q := people.AddPutOff(v.SQL("SELECT CAST(0 AS BIGINT) AS part, mark AS id, '' AS name, '' AS by_whom, CAST(0 AS BIGINT) AS n, CAST(0 AS BIGINT) AS place"), want.UserID, want.OrganizationID, want.Now)
	q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), s.id, w.name, COALESCE(u.username, ''), s.serial, s.created_at", state)
	core.AddWaitingStates(q, want.OrganizationID, want.States, want.Begun, want.Most).Add(") states")
	if !want.Managed.None() {
		q.Add(" UNION ALL SELECT * FROM (SELECT CAST(? AS BIGINT), n.id, n.name, '', count(*), -max(d.updated_at)", failed)
		events.AddFailed(q, want.OrganizationID, want.Managed, want.Since, want.Most).Add(") failed")
	}
	list, err := sqldb.Collect(v, q.Add(" ORDER BY part, place, id"), func(r *row) []any {
		return []any{&r.part, &r.id, &r.name, &r.by, &r.n, &r.place}
	})
	u := Unarrived{PutOff: map[string]bool{}}
	for _, r := range list {
		switch r.part {
		case state:
			u.States = append(u.States, WaitingState{ID: r.id, Workspace: r.name, By: r.by, Serial: r.n, At: time.UnixMilli(r.place).UTC()})
		case failed:
			u.Failed = append(u.Failed, FailedNotification{ID: r.id, Name: r.name, Count: int(r.n), Newest: time.UnixMilli(-r.place).UTC()})
		default:
			u.PutOff[r.id] = true
		}
	}
	return u, err
}
