package belay

// MostStanding is the most that a Standing counts of anything.
const MostStanding = 100

// Standing is how much of an organization goes on and waits for somebody, none of it counted beyond
// MostStanding.
type Standing struct {
	Plans     int // that the caller may confirm
	Locks     int // that the caller holds
	Running   int // current runs that are at work or wait for a runner
	Campaigns int // with open change requests
}
