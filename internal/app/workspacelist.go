package app

import (
	"context"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/site"
)

// narrow leaves a list those workspaces on which the caller has the rights that it is asked by,
// and finds out which releases the engines that it asks for come to.
func narrow(v *store.View, o *belay.Organization, access belay.Access, want *belay.WorkspaceQuery, need belay.Permission) error {
	want.Scope = access.Scope(want.Rights().And(need))
	if want.Engines == nil {
		return nil
	}
	releases, err := v.EngineReleases(o.ID)
	want.Releases = belay.ReleasesOf(want.Engines, releases)
	want.MatchesNothing = want.MatchesNothing || len(want.Releases) == 0
	return err
}

// Workspaces is the workspaces of an organization that the caller may read and the query finds.
func (a *App) Workspaces(ctx context.Context, s belay.Principal, organization string, want belay.WorkspaceQuery) (list []WorkspaceView, total int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if err := want.Check(); err != nil {
			return err
		}
		if err := narrow(v, &o, access, &want, belay.ReadWorkspace); err != nil {
			return err
		}
		found, n, err := v.Workspaces(o, want)
		if total = n; err != nil {
			return err
		}
		list, err = a.seenList(v, s, access, found)
		return err
	})
	return list, total, err
}

// WorkspaceTotals is how many workspaces of an organization the caller may read that each of some queries finds.
func (a *App) WorkspaceTotals(ctx context.Context, s belay.Principal, organization string, wants []belay.WorkspaceQuery) (totals []int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		wants = slices.Clone(wants)
		for i := range wants {
			if err := wants[i].Check(); err != nil {
				return err
			}
			if err := narrow(v, &o, access, &wants[i], belay.ReadWorkspace); err != nil {
				return err
			}
		}
		totals, err = v.WorkspaceTotals(o, wants...)
		return err
	})
	return totals, err
}

// WorkspacesByID is those of some workspaces of an organization that the caller may read, by name.
func (a *App) WorkspacesByID(ctx context.Context, s belay.Principal, organization string, ids []string) (list []WorkspaceView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		found, err := v.WorkspacesByID(ids)
		if err != nil {
			return err
		}
		list, err = a.seenList(v, s, access, slices.DeleteFunc(found, func(w belay.Workspace) bool {
			return w.OrganizationID != o.ID || !access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace)
		}))
		return err
	})
	return list, err
}

// seenList is workspaces of one organization as the caller sees them.
func (a *App) seenList(v *store.View, s belay.Principal, access belay.Access, found []belay.Workspace) ([]WorkspaceView, error) {
	list := make([]WorkspaceView, len(found))
	seen := make([]*gate.Seen, len(found))
	for i, w := range found {
		list[i] = a.seenWorkspace(w, access)
		seen[i] = &list[i].Seen
	}
	return list, gate.Lend(v, s, seen)
}

type (
	// Waiting is what waits for somebody in an organization.
	Waiting = store.Waiting
	// WaitingQuery asks for it.
	WaitingQuery = store.WaitingQuery
	// Waits is one thing that does.
	Waits = store.Waits
)

// MostGrouped is how many workspaces are counted one by one.
const MostGrouped = 10_000

// WorkspaceGroups is how the workspaces that a query finds are spread, of those that the caller
// sees with their runs. Where there are more than MostGrouped, it tells of so many.
func (a *App) WorkspaceGroups(ctx context.Context, s belay.Principal, organization string, want belay.WorkspaceQuery) (groups []belay.WorkspaceGroup, all bool, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		if err := want.Check(); err != nil {
			return err
		}
		if err := narrow(v, &o, access, &want, belay.ReadRuns); err != nil {
			return err
		}
		groups, err = v.WorkspaceGroups(o, want, MostGrouped)
		return err
	})
	counted := 0
	for _, g := range groups {
		counted += g.Count
	}
	return groups, counted <= MostGrouped, err
}

// WorkspacesByRunStatus is how many workspaces of an organization have a current run of each
// status, to those who may see the runs of all of them.
func (a *App) WorkspacesByRunStatus(ctx context.Context, s belay.Principal, organization string) (counts map[string]int, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ReadWorkspace.And(belay.ReadRuns))
		if err != nil {
			return err
		}
		counts, err = v.WorkspacesByRunStatus(o)
		return err
	})
	return counts, err
}

// Standing is how much of an organization goes on, of what the caller may see.
func (a *App) Standing(ctx context.Context, s belay.Principal, organization string) (is belay.Standing, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		campaigns := access.Everywhere.Has(belay.ReadExplorer) && a.Edition().Offers(site.ChangeRequests)
		is, err = v.Standing(o, access.Scope(belay.ReadWorkspace.And(belay.ReadRuns)), campaigns)
		return err
	})
	return is, err
}

// StatesByWeek is how many states came in each of so many weeks that begin at from, for those of some
// workspaces, read for the caller, whose state they may read.
func (a *App) StatesByWeek(ctx context.Context, list []WorkspaceView, from time.Time, weeks int) (counts map[string][]int, err error) {
	var ids []string
	for i := range list {
		if list[i].Can.Has(belay.ReadState) {
			ids = append(ids, list[i].ID)
		}
	}
	if ids == nil {
		return nil, nil
	}
	err = a.db.View(ctx, func(v *store.View) error {
		counts, err = v.StatesByWeek(ids, from, weeks)
		return err
	})
	return counts, err
}
