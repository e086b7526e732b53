package site

import (
	"slices"
	"strings"
	"time"
)

// EncryptionKey is a key that data may be sealed with. Only its fingerprint is known.
type EncryptionKey struct {
	Fingerprint string // begins with the key's id, which all that it sealed carries
	Leads       bool   // it seals what is new
}

// ID is what all that the key sealed carries.
func (k EncryptionKey) ID() string {
	id, _, _ := strings.Cut(k.Fingerprint, ".")
	return id
}

// KeyUse is how much a key seals.
type KeyUse struct{ Values, Objects int }

// KeyCount is how much each key sealed when somebody had that counted last.
type KeyCount struct {
	At    time.Time // zero: nobody had
	Leads string    // the id of the key that sealed what was new then
	Uses  map[string]KeyUse
}

// Resealing is how far the last sealing anew came.
type Resealing struct {
	Key                      string    // that it seals with
	BeganAt, SeenAt, EndedAt time.Time // EndedAt is zero while it goes on, and when it was stopped
	All, Looked, Sealed      int       // values and objects: there were, were looked at, were sealed anew
}

// stoppedAfter is how long sealing anew says nothing before it is taken for stopped.
const stoppedAfter = time.Minute

// GoesOn says that it has not ended, and was heard of lately.
func (r *Resealing) GoesOn(now time.Time) bool {
	return !r.BeganAt.IsZero() && r.EndedAt.IsZero() && now.Sub(r.SeenAt) < stoppedAfter
}

// Keys is the keys that servers have started with, and what is known of what they seal. It is counted by those who run
// belay keys status or belay keys reseal: all that is sealed has to be looked at.
type Keys struct {
	Loaded    []EncryptionKey
	Counted   KeyCount
	Resealing Resealing
}

// KeyStatus is what is known of a key.
type KeyStatus string

// The statuses of keys.
const (
	KeyLeads   KeyStatus = "leads"   // it seals what is new
	KeyNeeded  KeyStatus = "needed"  // an older one that something is sealed with
	KeyUnused  KeyStatus = "unused"  // an older one that nothing is sealed with
	KeyUnknown KeyStatus = "unknown" // an older one, and nobody has counted since another leads
	KeyMissing KeyStatus = "missing" // something is sealed with it, and no server has it
)

// KeyState is one key, and what it seals.
type KeyState struct {
	ID        string
	Status    KeyStatus
	Use       *KeyUse   // as it was counted; nil: it was not
	CountedAt time.Time // zero: never
	Resealing Resealing // with this key; zero: there was none
}

// States is what is known of each key, the one that leads first.
func (k *Keys) States() []KeyState {
	leads := ""
	for _, each := range k.Loaded {
		if each.Leads {
			leads = each.ID()
		}
	}
	var list []KeyState
	there := map[string]bool{}
	for _, each := range k.Loaded {
		state := k.state(each.ID(), leads)
		there[state.ID] = true
		list = append(list, state)
	}
	for id := range k.Counted.Uses {
		if !there[id] {
			missing := k.state(id, leads)
			missing.Status = KeyMissing
			list = append(list, missing)
		}
	}
	slices.SortFunc(list, func(a, b KeyState) int {
		if (a.Status == KeyLeads) != (b.Status == KeyLeads) {
			return map[bool]int{true: -1, false: 1}[a.Status == KeyLeads]
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

func (k *Keys) state(id, leads string) KeyState {
	state := KeyState{ID: id, Status: KeyUnknown, CountedAt: k.Counted.At}
	if k.Resealing.Key == id {
		state.Resealing = k.Resealing
	}
	if !k.Counted.At.IsZero() {
		use := k.Counted.Uses[id]
		state.Use = &use
	}
	switch {
	case id == leads:
		state.Status = KeyLeads
	case state.Use == nil:
	case *state.Use != KeyUse{}:
		state.Status = KeyNeeded
	case k.Counted.Leads == leads: // or it may have sealed something since
		state.Status = KeyUnused
	}
	return state
}
