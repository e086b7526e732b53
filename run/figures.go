package run

import (
	"cmp"
	"slices"

	"github.com/belayhq/belay"
)

// CountedRuns is how many of a workspace's newest runs its figures are taken over.
const CountedRuns = 30

// Newest is the runs that are counted when another one is, too, which may be among them already.
func Newest(counted []Run, other *Run) []Run {
	list := append(slices.DeleteFunc(slices.Clone(counted), func(r Run) bool { return r.ID == other.ID }), *other)
	slices.SortFunc(list, func(a, b Run) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	return list[:min(len(list), CountedRuns)]
}

// Figures are the averages over the runs of a workspace that were applied or failed; nil
// when there are none.
func Figures(list []Run) *belay.RunFigures {
	if len(list) == 0 {
		return nil
	}
	f := &belay.RunFigures{Runs: len(list)}
	plans, applies := make([]Phase, 0, len(list)), make([]Phase, 0, len(list))
	for i := range list {
		if list[i].Status == Errored {
			f.Failures++
		}
		plans, applies = append(plans, list[i].Plan.Phase), append(applies, list[i].Apply.Phase)
	}
	f.PlanMillis, f.ApplyMillis = average(plans), average(applies)
	return f
}

// average is how many milliseconds the phases that began took until they ended, however
// they did; negative when none began.
func average(phases []Phase) int64 {
	var sum, n int64
	for _, p := range phases {
		begun := p.Stamps[PhaseRunning]
		for _, end := range []PhaseStatus{PhaseFinished, PhaseErrored, PhaseCanceled} {
			if ended := p.Stamps[end]; !begun.IsZero() && !ended.IsZero() {
				sum += ended.Sub(begun).Milliseconds()
				n++
			}
		}
	}
	if n == 0 {
		return -1
	}
	return sum / n
}
