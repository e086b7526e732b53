package changes

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
)

// TakenRequest is a change request that somebody has taken, and in which organization.
type TakenRequest struct {
	backlog.ChangeRequest
	Organization string // its name
}

// Taken is the newest open change requests that the caller has taken and may still read, in all organizations.
func (r *Room) Taken(ctx context.Context, s belay.Principal, most int) (list []TakenRequest, err error) {
	if s.Kind != belay.UserPrincipal {
		return nil, belay.ErrNotFound
	}
	err = r.db.View(ctx, func(v *store.View) error {
		found, err := v.TakenRequests(s.ID, most)
		if err != nil || len(found) == 0 {
			return err
		}
		var ids []string
		for i := range found {
			ids = append(ids, found[i].OrganizationID)
		}
		organizations, err := v.OrganizationsByID(ids)
		if err != nil {
			return err
		}
		names, accesses := map[string]string{}, map[string]belay.Access{}
		for _, o := range organizations {
			names[o.ID] = o.Name
			if accesses[o.ID], err = v.Access(s, o); err != nil && belay.KindOf(err) != belay.Unauthenticated {
				return err
			}
		}
		for _, c := range found {
			if accesses[c.OrganizationID].OnWorkspace(c.WorkspaceID, c.ProjectID).Has(belay.ReadWorkspace.And(belay.ReadChangeRequests)) {
				list = append(list, TakenRequest{c, names[c.OrganizationID]})
			}
		}
		return nil
	})
	return list, err
}
