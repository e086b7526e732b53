package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/store"
)

// forgetHolders has those that are locked found among few.
func (a *App) forgetHolders(ctx context.Context) {
	background.InParts(ctx, a.log, "last holders of locks", a.db.ForgetHolders)
}

// Holdings is what somebody holds in an organization, whose membership that is.
func (a *App) Holdings(ctx context.Context, s belay.Principal, id string) (m MembershipView, held belay.Holdings, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		found, _, err := a.membership(v, s, id)
		if err != nil {
			return err
		}
		views, err := membersInTeams(v, s, []belay.Membership{found})
		if err != nil {
			return err
		}
		m = views[0]
		held, err = v.Holdings(m.OrganizationID, m.UserID)
		return err
	})
	return m, held, err
}
