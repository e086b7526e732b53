package identity

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// noteBrowser notes that a session is used, unless it was within the last minute and by the same browser.
func (m *Room) noteBrowser(session *signin.Session, by signin.Browser) {
	if by.At.IsZero() || by.At.Sub(session.At) <= time.Minute && by.Address == session.Address {
		return
	}
	m.browsers.note(session.ID, by)
}

// noteBrowsers writes how sessions were used lately.
func (m *Room) noteBrowsers(ctx context.Context) {
	used := m.browsers.take()
	for part := range slices.Chunk(slices.Sorted(maps.Keys(used)), store.RowsAtOnce) {
		if err := m.db.Update(ctx, func(tx *store.Tx) error { return tx.NoteBrowsers(part, used) }); err != nil {
			m.log.Warn("last use of sessions not noted", "error", err)
		}
	}
}
