package frame

import (
	"maps"
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

// names is what users were called lately, by id. It serves what a page reads by itself, too: see app.Sitting.
type names struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[string]knownName
}

type knownName struct {
	name string
	at   time.Time
}

// Known is the names of those users of some that are known, and the others.
func (n *names) Known(ids []string) (known map[string]string, left []string) {
	now := n.now()
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

// Keep keeps what those are called who were asked for, and that there is no such user; what is too much is all forgotten:
// it is good for seconds anyway.
func (n *names) Keep(asked []string, called map[string]string) {
	now := n.now()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept == nil || len(n.kept) >= mostNames {
		n.kept = map[string]knownName{}
	}
	for _, id := range asked {
		n.kept[id] = knownName{called[id], now}
	}
}

// Names is what users are called, by id.
func (v *Visit) Names(ids ...string) (map[string]string, error) {
	found, left := v.UI.names.Known(ids)
	users, err := v.UI.App.UsersSeen(v.Context(), belay.Principal{Kind: belay.UserPrincipal}, left)
	if err != nil {
		return found, err
	}
	read := make(map[string]string, len(users))
	for _, u := range users {
		read[u.ID] = u.Username
	}
	v.UI.names.Keep(left, read)
	maps.Copy(found, read)
	return found, nil
}
