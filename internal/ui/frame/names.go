package frame

import (
	"sync"
	"time"

	"github.com/belayhq/belay"
)

// namesFor is how long it is kept what users are called, and mostNames of how many: a page says who did what in
// many places, and people are seldom called otherwise.
const (
	namesFor  = 5 * time.Second
	mostNames = 10_000
)

// names is what users were called lately, by id.
type names struct {
	mu   sync.Mutex
	kept map[string]knownName
}

type knownName struct {
	name string
	at   time.Time
}

// of is the names of those users of some that are known, and the others.
func (n *names) of(ids []string, now time.Time) (known map[string]string, left []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	known = make(map[string]string, len(ids))
	for _, id := range ids {
		if kept, there := n.kept[id]; there && now.Sub(kept.at) < namesFor {
			if kept.name != "" {
				known[id] = kept.name
			}
		} else if id != "" {
			left = append(left, id)
		}
	}
	return known, left
}

// put keeps what those are called who were asked for, and that there is no such user; what is too much is all forgotten:
// it is good for seconds anyway.
func (n *names) put(asked []string, users []belay.User, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept == nil || len(n.kept) >= mostNames {
		n.kept = map[string]knownName{}
	}
	for _, id := range asked {
		n.kept[id] = knownName{"", now}
	}
	for i := range users {
		n.kept[users[i].ID] = knownName{users[i].Username, now}
	}
}

// Names is what users are called, by id.
func (v *Visit) Names(ids ...string) (map[string]string, error) {
	found, left := v.UI.names.of(ids, v.UI.Now())
	users, err := v.UI.App.UsersSeen(v.Context(), belay.Principal{Kind: belay.UserPrincipal}, left)
	if err != nil {
		return found, err
	}
	v.UI.names.put(left, users, v.UI.Now())
	for _, u := range users {
		found[u.ID] = u.Username
	}
	return found, nil
}
