package app

import (
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/signin"
)

func goingKey(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("key", round)
	k, err := c.CreateSSHKey(c.t.Context(), s, c.name, inputs.SSHKeyPatch{Name: patch.Of(name), Value: patch.Of("x")})
	c.must(err)
	w := c.newWorkspace(name)
	_, err = c.AssignSSHKey(c.t.Context(), s, w, k.ID)
	c.must(err)
	assign := func(workspace string) verb {
		return only(func(ctx context.Context) (WorkspaceView, error) {
			return c.AssignSSHKey(ctx, s, belay.WorkspaceRef{ID: workspace}, k.ID)
		})
	}
	beside := []verb{
		assign(w.ID), assign(c.workspaces[0]), assign(c.workspaces[1]),
		only(func(ctx context.Context) (inputs.SSHKey, error) {
			return c.UpdateSSHKey(ctx, s, k.ID, inputs.SSHKeyPatch{Name: patch.Of("new-" + name)})
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.MoveWorkspaces(ctx, s, c.project, c.workspaces) },
	}
	return func(ctx context.Context) error { return c.DeleteSSHKey(ctx, s, k.ID) }, beside
}

// connected makes a connection of projects, and gives it with what writes beside it.
func (c *crowded) connected(round int) (forge.OAuthClient, []verb) {
	s, name, ctx := c.admin, roundName("connection", round), c.t.Context()
	project := c.newProject(name)
	oc, err := c.CreateOAuthClient(ctx, s, c.name, forge.OAuthClientPatch{
		Name: patch.Of(name), ServiceProvider: patch.Of("github"), HTTPURL: patch.Of("https://github.com"), APIURL: patch.Of("https://api.github.com"),
		TokenString: patch.Of("t"),
	})
	c.must(err)
	w := c.newWorkspace(name)
	token := oc.TokenIDs[0]
	repository := func(workspace string) verb {
		return only(func(ctx context.Context) (WorkspaceView, error) {
			return c.UpdateWorkspace(ctx, s, belay.WorkspaceRef{ID: workspace}, belay.WorkspacePatch{
				VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/net"), OAuthTokenID: patch.Of(token)}),
			})
		})
	}
	c.must(repository(w.ID)(ctx))
	return oc, []verb{
		repository(w.ID), repository(c.workspaces[0]), repository(c.workspaces[1]),
		only(func(ctx context.Context) (forge.OAuthClient, error) {
			return c.UpdateOAuthClient(ctx, s, oc.ID, forge.OAuthClientPatch{Name: patch.Of("new-" + name), Projects: patch.Of([]string{project})})
		}),
		func(ctx context.Context) error { return c.ChangeClientProjects(ctx, s, oc.ID, []string{project}, true) },
		only(func(ctx context.Context) (forge.OAuthToken, error) {
			return c.SetOAuthTokenKey(ctx, s, token, true, "")
		}),
		func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) },
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.MoveWorkspaces(ctx, s, c.project, c.workspaces) },
	}
}

func goingConnection(c *crowded, round int) (verb, []verb) {
	oc, beside := c.connected(round)
	return func(ctx context.Context) error { return c.DeleteOAuthClient(ctx, c.admin, oc.ID) },
		append(beside, func(ctx context.Context) error { return c.DeleteOAuthToken(ctx, c.admin, oc.TokenIDs[0]) })
}

func goingConnectionToken(c *crowded, round int) (verb, []verb) {
	oc, beside := c.connected(round)
	return func(ctx context.Context) error { return c.DeleteOAuthToken(ctx, c.admin, oc.TokenIDs[0]) }, beside
}

func goingNotification(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("notification", round)
	u := c.newUser(name)
	m := c.invited(u.Email)
	w := c.newWorkspace(name)
	n, err := c.CreateNotification(c.t.Context(), s, notices.Notification{WorkspaceID: w.ID}, notices.NotificationPatch{
		Name: patch.Of(name), Destination: patch.Of(notices.EmailDestination), UserIDs: patch.Of([]string{u.ID}),
	})
	c.must(err)
	beside := []verb{
		only(func(ctx context.Context) (notices.Notification, error) {
			return c.UpdateNotification(ctx, s, n.ID, notices.NotificationPatch{Name: patch.Of("new-" + name), UserIDs: patch.Of([]string{u.ID})})
		}),
		func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) },
		func(ctx context.Context) error { return c.DeleteUser(ctx, s, u.ID) },
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return func(ctx context.Context) error { return c.DeleteNotification(ctx, s, n.ID) }, beside
}

// touches notes that tokens were used.
func (c *crowded) touches(ids []string) verb {
	return func(ctx context.Context) error {
		used := map[string]belay.TokenUse{}
		for _, id := range ids {
			used[id] = belay.TokenUse{At: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
		}
		return c.db.Update(ctx, func(tx *store.Tx) error { return tx.TouchTokens(ids, used) })
	}
}

func goingTokens(c *crowded, round int) (verb, []verb) {
	s, name, ctx := c.admin, roundName("tokens", round), c.t.Context()
	team := c.newTeam(name)
	var ids []string
	for i := range 10 {
		t, _, err := c.CreateTeamToken(ctx, s, team, identity.NewToken{Description: roundName(name, i)})
		c.must(err)
		ids = append(ids, t.ID)
	}
	beside := []verb{
		c.touches(ids), c.touches(ids),
		func(ctx context.Context) error { return c.DeleteTeamTokens(ctx, s, c.name, ids[2:5]) },
		func(ctx context.Context) error { return c.DeleteTeamTokens(ctx, s, c.name, ids[3:9]) },
		func(ctx context.Context) error { return c.DeleteTeamToken(ctx, s, team) },
		func(ctx context.Context) error {
			_, _, err := c.ReplaceTeamToken(ctx, s, team, identity.NewToken{})
			return err
		},
		func(ctx context.Context) error {
			_, _, err := c.CreateTeamToken(ctx, s, team, identity.NewToken{Description: name})
			return err
		},
	}
	return func(ctx context.Context) error { return c.DeleteTeam(ctx, s, team) }, beside
}

func goingUserToken(c *crowded, round int) (verb, []verb) {
	s, name, ctx := c.admin, roundName("token", round), c.t.Context()
	u := c.newUser(name)
	var ids []string
	for range 5 {
		t, _, err := c.CreateUserToken(ctx, s, u.ID, identity.NewToken{})
		c.must(err)
		ids = append(ids, t.ID)
	}
	beside := []verb{
		c.touches(ids), c.touches(ids),
		func(ctx context.Context) error { return c.DeleteUser(ctx, s, u.ID) },
		only(func(ctx context.Context) (belay.User, error) { return c.SuspendUser(ctx, s, u.ID, true) }),
	}
	return func(ctx context.Context) error { return c.DeleteToken(ctx, s, ids[0]) }, beside
}

func goingRule(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("rule", round)
	team := c.newTeam(name)
	want := signin.WorkloadRulePatch{
		Name: patch.Of(name), Issuer: patch.Of("https://issuer.example.com"), Audience: patch.Of("a"), Claims: patch.Of(map[string]string{"sub": "x"}),
	}
	r, err := c.CreateWorkloadRule(c.t.Context(), s, team, want)
	c.must(err)
	want.Name = patch.Of("new-" + name)
	beside := []verb{
		only(func(ctx context.Context) (signin.WorkloadRule, error) {
			return c.UpdateWorkloadRule(ctx, s, r.ID, want)
		}),
		only(func(ctx context.Context) (signin.WorkloadRule, error) {
			return c.CreateWorkloadRule(ctx, s, team, want)
		}),
		func(ctx context.Context) error { return c.DeleteTeam(ctx, s, team) },
	}
	return func(ctx context.Context) error { return c.DeleteWorkloadRule(ctx, s, r.ID) }, beside
}
