package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/storetest"
)

// rounds is how often a race is run.
func rounds() int { return storetest.Rounds(3) }

// crowded is an organization of one team whose members, grants and workspaces everybody
// changes.
type crowded struct {
	*aging
	name       string
	team       string
	workspaces []string
	project    string
	users      []string
}

func (a *aging) crowd(name string) *crowded {
	a.t.Helper()
	ctx, c := a.t.Context(), &crowded{aging: a, name: name}
	_, err := a.CreateOrganization(ctx, a.admin, belay.OrganizationPatch{Name: patch.Of(name), Email: patch.Of("a@example.com")})
	a.must(err)
	team, err := a.CreateTeam(ctx, a.admin, name, belay.TeamPatch{Name: patch.Of("crowd")})
	a.must(err)
	c.team = team.ID
	for i := range 3 {
		w, err := a.CreateWorkspace(ctx, a.admin, name, belay.WorkspacePatch{Name: patch.Of(fmt.Sprintf("w%d", i))})
		a.must(err)
		c.workspaces, c.project = append(c.workspaces, w.ID), w.ProjectID
	}
	for i := range 3 {
		u, err := a.CreateUser(ctx, a.admin, identity.NewUser{Username: fmt.Sprintf("%s-%d", name, i), Email: fmt.Sprintf("%s-%d@example.com", name, i)})
		a.must(err)
		_, err = a.Invite(ctx, a.admin, name, u.Email, []string{c.team})
		a.must(err)
		c.users = append(c.users, u.Username)
	}
	return c
}

// writes is what many do to the organization at once. What is no longer there refuses it.
func (c *crowded) writes() []func(ctx context.Context, n int) error {
	s, access := c.admin, patch.Of("write")
	ref := func(n int) belay.WorkspaceRef { return belay.WorkspaceRef{ID: c.workspaces[n%len(c.workspaces)]} }
	one := func(n int) []string { return []string{c.users[n%len(c.users)]} }
	return []func(ctx context.Context, n int) error{
		func(ctx context.Context, n int) error { return c.AddTeamMembers(ctx, s, c.team, one(n)) },
		func(ctx context.Context, n int) error { return c.RemoveTeamMembers(ctx, s, c.team, one(n)) },
		func(ctx context.Context, n int) error {
			g, err := c.GiveWorkspace(ctx, s, c.team, ref(n).ID, belay.TeamWorkspacePatch{Level: access})
			if err == nil {
				_, err = c.ChangeTeamWorkspace(ctx, s, g.ID, belay.TeamWorkspacePatch{Level: patch.Of("admin")})
			}
			if err == nil && n%2 == 0 {
				err = c.TakeTeamWorkspace(ctx, s, g.ID)
			}
			return err
		},
		func(ctx context.Context, n int) error {
			g, err := c.GiveProject(ctx, s, c.team, c.project, belay.TeamProjectPatch{Level: access})
			if err == nil && n%2 == 0 {
				err = c.TakeTeamProject(ctx, s, g.ID)
			}
			return err
		},
		func(ctx context.Context, n int) error {
			_, err := c.UpdateTeam(ctx, s, c.team, belay.TeamPatch{Name: patch.Of(fmt.Sprintf("crowd-%d", n))})
			return err
		},
		func(ctx context.Context, n int) error {
			email := fmt.Sprintf("%s-new-%d@example.com", c.name, n)
			m, err := c.Invite(ctx, s, c.name, email, []string{c.team})
			if err == nil && n%2 == 0 {
				err = c.DeleteMembership(ctx, s, m.ID)
			}
			return err
		},
		func(ctx context.Context, n int) error {
			_, err := c.UpdateWorkspace(ctx, s, ref(n), belay.WorkspacePatch{EngineVersion: patch.Of([]string{"1.9.0", "1.8.0"}[n%2])})
			return err
		},
		func(ctx context.Context, n int) error {
			w, err := c.CreateWorkspace(ctx, s, c.name, belay.WorkspacePatch{
				Name: patch.Of(fmt.Sprintf("new-%d", n)), Tags: []belay.TagRef{{Name: "a"}, {Name: "b"}},
			})
			if err == nil && n%2 == 0 {
				err = c.ForceDeleteWorkspace(ctx, s, belay.WorkspaceRef{ID: w.ID})
			}
			return err
		},
		func(ctx context.Context, n int) error {
			return c.AddTags(ctx, s, ref(n), []belay.TagRef{{Name: "a"}, {Name: "b"}})
		},
		func(ctx context.Context, n int) error {
			return c.RemoveTags(ctx, s, ref(n), []belay.TagRef{{Name: "b"}, {Name: "a"}})
		},
		func(ctx context.Context, n int) error {
			_, _, err := c.CreateBulkAction(ctx, s, c.name, orderOnAll(""))
			return err
		},
		func(ctx context.Context, n int) error {
			_, _, err := c.CreateTeamToken(ctx, s, c.team, identity.NewToken{Description: fmt.Sprint(n)})
			return err
		},
	}
}

// underWrites runs fn in the middle of writes, and demands that everybody gets an answer.
func (c *crowded) underWrites(fn func() error) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	var all sync.WaitGroup
	for i, write := range c.writes() {
		all.Go(func() {
			for n := i; ctx.Err() == nil; n += 13 {
				if err := write(ctx, n); err != nil && belay.KindOf(err) == belay.Internal && ctx.Err() == nil {
					c.t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	time.Sleep(time.Duration(1+rand.IntN(30)) * time.Millisecond) // somewhere in the middle
	if err := fn(); err != nil {
		c.t.Errorf("the delete: %v", err)
	}
	stop()
	all.Wait()
}

// deadlocks is how many PostgreSQL has broken in the database of a test.
func deadlocks(t *testing.T, databaseURL string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if err := conn.QueryRow(t.Context(), "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDeletingUnderWritesNeverDeadlocks deletes teams and organizations while many write in
// them. All transactions take their rows in one order, so nobody waits in a circle.
func TestDeletingUnderWritesNeverDeadlocks(t *testing.T) {
	storetest.NeedsSlow(t)
	for _, what := range []string{"team", "organization"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := storetest.URL(t, "postgres")
			a := newAgingAt(t, server)
			for round := range rounds() {
				c := a.crowd(fmt.Sprintf("crowd-%d", round))
				c.underWrites(func() error {
					if what == "team" {
						return c.DeleteTeam(t.Context(), a.admin, c.team)
					}
					err := c.DeleteOrganization(t.Context(), a.admin, c.name)
					a.eraseGone(t.Context())
					return err
				})
			}
			if n := deadlocks(t, server); n > 0 {
				t.Errorf("%d deadlocks", n)
			}
		})
	}
}
