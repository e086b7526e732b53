package run

import (
	"time"

	"github.com/belayhq/belay"
)

// Actions is what may be done with a run now, whoever asks.
type Actions struct {
	Cancelable      bool
	Confirmable     bool
	Discardable     bool
	ForceCancelable bool
}

// Actions says exactly what the actions would do now.
func (r *Run) Actions(now time.Time) Actions {
	return Actions{
		Cancelable: r.cancelable(), Confirmable: r.Status.Resting(), Discardable: r.discardable(),
		ForceCancelable: r.forceable() && !now.Before(r.ForceCancelAt),
	}
}

func (r *Run) cancelable() bool {
	return !r.Status.Final() && !r.Status.Resting() && r.CanceledAt.IsZero()
}

func (r *Run) discardable() bool { return r.Status == Pending || r.Status.Resting() }

func (r *Run) forceable() bool {
	return (r.Status == Planning || r.Status == Applying) && !r.CanceledAt.IsZero()
}

// Permissions is what somebody may do with a run, whatever its status.
type Permissions struct {
	Apply, Cancel, Discard, ForceExecute bool
	Comment                              bool
	ForceCancel                          bool
	OverridePolicyCheck                  bool
}

// PermissionsOf reads them from the rights on the workspace.
func PermissionsOf(can belay.Permission) Permissions {
	may := can.Has(belay.ApplyRuns)
	return Permissions{
		Apply: may, Cancel: may, Discard: may, ForceExecute: may,
		Comment: can.Has(belay.QueueRuns), ForceCancel: can.Has(belay.AdministerRuns),
		OverridePolicyCheck: can.Has(belay.OverridePolicies),
	}
}
