package identity

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// How long a thing is put off, and how many of an organization may be at once.
const (
	putOffLasts = 24 * time.Hour
	mostPutOff  = 100
)

// ChangePutOff puts off, for a day, what a mark is of in an organization of the caller; without a mark all comes back.
func (m *Room) ChangePutOff(ctx context.Context, s belay.Principal, organization, mark string) error {
	if err := ownAccount(s); err != nil {
		return err
	}
	return m.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.Traverse)
		switch {
		case err != nil:
			return err
		case mark == "":
			return tx.DropPutOff(s.ID, o.ID)
		default:
			return tx.AddPutOff(s.ID, o.ID, mark, tx.Now.Add(putOffLasts), mostPutOff)
		}
	})
}
