package runs

import (
	"context"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/store"
)

// Comer is a team with the ways by which it comes to a workspace, and who is in it.
type Comer struct {
	store.Comer
	People  []string // what the first of them are called
	Members int      // how many they are
}

// mostNamed is how many people of a team are named beside it.
const mostNamed = 8

// Comers is the teams of the organization of a workspace, the nearest to it first, each with its ways to the workspace, and
// with who is in those that have one: as far as the caller sees the teams and what they are given.
func (m *Room) Comers(ctx context.Context, s belay.Principal, workspaceID string) (list []Comer, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: workspaceID}, belay.ReadWorkspace)
		if err != nil {
			return err
		}
		found, err := gate.Comers(v, access, &w)
		if err != nil {
			return err
		}
		var ids []string
		for i := range found {
			c := &found[i]
			list = append(list, Comer{Comer: *c})
			if comes := c.Own.ID != "" || c.Project.ID != "" || c.Team.Owners() || c.Team.Access.Permissions().Has(belay.ReadWorkspace); comes && c.Team.ID != "" {
				ids = append(ids, c.Team.ID)
			}
		}
		if ids == nil {
			return nil
		}
		people, err := v.PeopleOf(ids, mostNamed)
		for i := range list {
			for _, p := range people[list[i].Team.ID] {
				list[i].People, list[i].Members = append(list[i].People, p.Username), p.Of
			}
		}
		return err
	})
	return list, err
}

// Confirmers is the names of the teams that may confirm runs of a workspace, the nearest to it first, as far as the
// caller sees the teams and what they are given.
func (m *Room) Confirmers(ctx context.Context, s belay.Principal, workspaceID string) (names []string, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: workspaceID}, belay.ReadRuns)
		if err != nil {
			return err
		}
		list, err := gate.Comers(v, access, &w)
		for _, may := range []func(*store.Comer) bool{
			func(c *store.Comer) bool { return c.Own.ID != "" && c.Own.Permissions().Has(belay.ApplyRuns) },
			func(c *store.Comer) bool { return c.Project.ID != "" && c.Project.Permissions().Has(belay.ApplyRuns) },
			func(c *store.Comer) bool { return c.Team.Owners() || c.Team.Access.Permissions().Has(belay.ApplyRuns) },
		} {
			for i := range list {
				if c := &list[i]; c.Team.ID != "" && may(c) && !slices.Contains(names, c.Team.Name) {
					names = append(names, c.Team.Name)
				}
			}
		}
		return err
	})
	return names, err
}
