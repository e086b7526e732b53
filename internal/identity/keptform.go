package identity

import (
	"encoding/json"
	"net/url"
	"time"
)

// KeptForm is what somebody sent whose session was over. It is sealed into the page that asks who comes,
// and nowhere kept by the server.
type KeptForm struct {
	Person string // whose browser it was, as a hash; only they get it back
	Path   string // where it was sent to
	Values url.Values
	Until  time.Time
}

const (
	keptFormContext = "form of a session that is over"
	keptFormLasts   = 10 * time.Minute
)

// KeepForm seals a form for ten minutes; empty where it can't be kept.
func (m *Room) KeepForm(f KeptForm) string {
	if m.ring == nil {
		return ""
	}
	f.Until = m.now().Add(keptFormLasts)
	raw, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return m.ring.Seal(raw, keptFormContext)
}

// KeptForm opens a form that was kept for a person. ok is false where it was another's, or too long ago.
func (m *Room) KeptForm(sealed, person string) (f KeptForm, ok bool) {
	if m.ring == nil || sealed == "" || person == "" {
		return f, false
	}
	raw, err := m.ring.Unseal(sealed, keptFormContext)
	if err != nil || json.Unmarshal(raw, &f) != nil {
		return KeptForm{}, false
	}
	if f.Person != person || !m.now().Before(f.Until) {
		return KeptForm{}, false
	}
	return f, true
}
