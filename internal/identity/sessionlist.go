package identity

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// Sessions is the newest of the browsers that the caller is signed in with.
func (m *Room) Sessions(ctx context.Context, s belay.Principal, most int) (list []signin.Session, err error) {
	if err := ownAccount(s); err != nil {
		return nil, err
	}
	err = m.db.View(ctx, func(v *store.View) error {
		list, err = v.SessionsOf(s.ID, m.now(), most)
		return err
	})
	return list, err
}

// EndOtherSessions signs the caller out of every browser but the one that asks.
func (m *Room) EndOtherSessions(ctx context.Context, s belay.Principal) error {
	if err := ownAccount(s); err != nil {
		return err
	}
	return m.db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.DropOtherSessions(s.ID, s.SessionID); err != nil {
			return err
		}
		e := record.About(s, "session.ended_others")
		e.ResourceType, e.ResourceID, e.Payload = "users", s.ID, record.Payload(map[string]any{"name": s.Name})
		return tx.Emit(e)
	})
}
