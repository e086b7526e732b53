package deliver

import (
	"net/url"
	"strings"
	"sync"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// How many tries may be under way at once.
const (
	perLane = 4   // for one configuration
	perHost = 8   // for one host, whoever configured it
	inAll   = 256 // on this replica
	// A lane whose last tries all failed gets one try at a time, so that hanging
	// destinations together never fill the replica.
	failingAfter = 3
)

// place is where a try takes room: at its configuration and at its host.
type place struct{ lane, host string }

func placeOf(l store.Lane) place {
	if l.Destination == notices.EmailDestination {
		return place{lane: l.NotificationID, host: "mail"}
	}
	host := l.URL
	if u, err := url.Parse(l.URL); err == nil {
		host = strings.ToLower(u.Host)
	}
	return place{lane: l.NotificationID, host: host}
}

// load is how many tries are under way and where, and which lanes keep failing.
type load struct {
	mu           sync.Mutex
	all          int
	lanes, hosts map[string]int
	failures     map[string]int // in a row
}

// reserve takes room for lanes as far as there is any, for as many lanes as wanted.
func (l *load) reserve(lanes []store.Lane, wanted int) []share {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lanes == nil {
		l.lanes, l.hosts, l.failures = map[string]int{}, map[string]int{}, map[string]int{}
	}
	var shares []share
	for _, lane := range lanes {
		at := placeOf(lane)
		room := perLane
		if l.failures[at.lane] >= failingAfter {
			room = 1
		}
		free := min(room-l.lanes[at.lane], perHost-l.hosts[at.host], inAll-l.all)
		if free <= 0 {
			continue
		}
		l.take(at, free)
		if shares = append(shares, share{lane, at, free}); len(shares) == wanted {
			break
		}
	}
	return shares
}

func (l *load) take(at place, n int) {
	l.all += n
	l.lanes[at.lane] += n
	l.hosts[at.host] += n
}

// release gives room back.
func (l *load) release(at place, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(at, -n)
	if l.lanes[at.lane] == 0 {
		delete(l.lanes, at.lane)
	}
	if l.hosts[at.host] == 0 {
		delete(l.hosts, at.host)
	}
}

// learn notes whether a lane's try went well.
func (l *load) learn(at place, well bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if well {
		delete(l.failures, at.lane)
	} else {
		l.failures[at.lane]++
	}
}
