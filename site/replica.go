package site

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Replica is a server that shares its database with others, as it told of itself.
type Replica struct {
	ID, Name, Version string
	StartedAt, SeenAt time.Time
}

// silentAfter is how long a server says nothing before it is missed: four beats.
const silentAfter = time.Minute

// Silent says that nothing was heard of the server lately.
func (r *Replica) Silent(now time.Time) bool { return now.Sub(r.SeenAt) > silentAfter }

// ReplicaKind is what servers are counted by.
type ReplicaKind struct{ Version, State string }

// CountReplicas counts servers by their versions and by whether they are heard. Where none told of itself, there is the
// one that asks.
func CountReplicas(list []Replica, own string, now time.Time) map[ReplicaKind]int {
	if len(list) == 0 {
		return map[ReplicaKind]int{{own, "heard"}: 1}
	}
	counts := map[ReplicaKind]int{}
	for i := range list {
		state := "heard"
		if list[i].Silent(now) {
			state = "silent"
		}
		counts[ReplicaKind{list[i].Version, state}]++
	}
	return counts
}

// replicas is whether all servers of the database are heard, and of one version.
func (h *Health) replicas() Check {
	c := Check{Name: "replicas", Status: OK, Metric: "belay_replicas"}
	var heard, silent []Replica
	for _, r := range h.Replicas {
		if r.Silent(h.At) {
			silent = append(silent, r)
		} else {
			heard = append(heard, r)
		}
	}
	var versions []string
	for _, r := range heard {
		versions = append(versions, r.Version)
	}
	if len(heard) == 0 { // it has told of itself to nobody yet, or to nobody ever
		versions = []string{h.Version}
	}
	servers := several(len(versions), "server", "servers")
	slices.Sort(versions)
	versions = slices.Compact(versions)
	switch {
	case len(heard) > 1:
		c.Says = fmt.Sprintf("%s, all of version %s", servers, versions[0])
	default:
		c.Says = servers + ", of version " + versions[0]
	}
	if len(silent) > 0 {
		longest := slices.MinFunc(silent, func(a, b Replica) int { return a.SeenAt.Compare(b.SeenAt) })
		says := longest.Name + " said nothing for " + roughly(h.At.Sub(longest.SeenAt))
		if n := len(silent) - 1; n > 0 {
			says += ", nor " + several(n, "other", "others") + " for a while"
		}
		c = c.unless(true, Warn, says, "It was killed, can't reach the database, or its clock is wrong: see its log. What is silent for a day is forgotten.")
	}
	return c.unless(len(versions) > 1, Warn, servers+", of versions "+strings.Join(versions, " and "), "A rolling upgrade goes on. Where none does, bring all to one version.")
}
