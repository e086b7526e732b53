package run

import "time"

// Status is how far a run has come, in the words that clients poll by.
type Status string

// The statuses that runs reach. Filters know more words, which nothing ever has.
const (
	Pending            Status = "pending"
	Fetching           Status = "fetching"
	PlanQueued         Status = "plan_queued"
	Planning           Status = "planning"
	Planned            Status = "planned"
	PlannedAndSaved    Status = "planned_and_saved"
	PlannedAndFinished Status = "planned_and_finished"
	Confirmed          Status = "confirmed"
	ApplyQueued        Status = "apply_queued"
	Applying           Status = "applying"
	Applied            Status = "applied"
	Discarded          Status = "discarded"
	Errored            Status = "errored"
	Canceled           Status = "canceled"
)

// Statuses are all of them, in the order of a run's life.
var Statuses = []Status{
	Pending, Fetching, PlanQueued, Planning, Planned, PlannedAndSaved, PlannedAndFinished,
	Confirmed, ApplyQueued, Applying, Applied, Discarded, Errored, Canceled,
}

// Final says that nothing happens to the run any more.
func (s Status) Final() bool {
	switch s {
	case Applied, PlannedAndFinished, Discarded, Errored, Canceled:
		return true
	default:
		return false
	}
}

// Resting says that the run waits for a person.
func (s Status) Resting() bool { return s == Planned || s == PlannedAndSaved }

// Active says that a queue run of this status holds its workspace: from the end of its
// waiting to its own end.
func (s Status) Active() bool {
	return s != "" && s != Pending && s != PlannedAndSaved && !s.Final()
}

// Stamps is when a run reached which status. Two more keys stand beside the statuses:
// Fetched and ForceCanceled.
type Stamps map[Status]time.Time

// What is stamped and is no status.
const (
	Fetched       Status = "fetched"
	ForceCanceled Status = "force_canceled"
)

// At is when the run reached a status; zero: it did not.
func (s Stamps) At(status Status) time.Time { return s[status] }
