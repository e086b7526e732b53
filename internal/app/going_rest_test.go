package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

func goingIdentity(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("identity", round)
	u := c.newUser(name)
	m := c.invited(u.Email)
	c.must(c.grouped(u, c.team))
	var ids []string
	for _, subject := range []string{"a", "b"} {
		i := signin.Identity{ID: belay.NewID("idn"), UserID: u.ID, Issuer: "https://id.example.com", Subject: subject + name}
		c.must(c.db.Update(c.t.Context(), func(tx *store.Tx) error { return tx.AddIdentity(&i) }))
		ids = append(ids, i.ID)
	}
	beside := append(c.joins(u, m, name),
		func(ctx context.Context) error { return c.UnlinkIdentity(ctx, s, ids[1]) },
		func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) },
		func(ctx context.Context) error { return c.DeleteUser(ctx, s, u.ID) },
		c.byGroups(u.ID))
	return func(ctx context.Context) error { return c.UnlinkIdentity(ctx, s, ids[0]) }, beside
}

func goingOrganizationToken(c *crowded, _ int) (verb, []verb) {
	s := c.admin
	anew := func(ctx context.Context) (belay.Token, error) {
		t, _, err := c.ReplaceOrganizationToken(ctx, s, c.name, "", identity.NewToken{})
		return t, err
	}
	t, err := anew(c.t.Context())
	c.must(err)
	beside := []verb{
		only(anew), only(anew), c.touches([]string{t.ID}),
		func(ctx context.Context) error { return c.DeleteOrganizationToken(ctx, s, c.name, "") },
		func(ctx context.Context) error { return c.DeleteToken(ctx, s, t.ID) },
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.CreateWorkspace(ctx, s, c.name, belay.WorkspacePatch{Name: patch.Of(belay.NewID("w"))})
		}),
	}
	return func(ctx context.Context) error { return c.DeleteOrganizationToken(ctx, s, c.name, "") }, beside
}

func goingReservedKey(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("reserved", round)
	k, err := c.ReserveTagKey(c.t.Context(), s, c.name, belay.ReservedTagKeyPatch{Key: patch.Of(name)})
	c.must(err)
	w, project := c.newWorkspace(name), c.newProject(name)
	bindings := belay.TagBindings{{Key: name, Value: "v"}}
	beside := []verb{
		only(func(ctx context.Context) (belay.ReservedTagKey, error) {
			return c.UpdateReservedTagKey(ctx, s, k.ID, belay.ReservedTagKeyPatch{DisableOverrides: patch.Of(true)})
		}),
		only(func(ctx context.Context) (belay.TagBindings, error) {
			return c.BindWorkspace(ctx, s, w, bindings, true)
		}),
		only(func(ctx context.Context) (belay.TagBindings, error) {
			return c.BindProject(ctx, s, project, bindings, true)
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) },
	}
	return func(ctx context.Context) error { return c.ReleaseTagKey(ctx, s, k.ID) }, beside
}

func goingRetention(c *crowded, round int) (verb, []verb) {
	s, w := c.admin, c.newWorkspace(roundName("retention", round))
	of, all := RetentionTarget{Workspace: w}, RetentionTarget{Organization: c.name}
	set := func(t RetentionTarget) verb {
		return only(func(ctx context.Context) (RetentionView, error) {
			return c.SetRetention(ctx, s, t, belay.RetentionPatch{Kind: belay.DontDelete})
		})
	}
	c.must(set(of)(c.t.Context()))
	beside := []verb{
		set(of), set(all), set(RetentionTarget{}),
		func(ctx context.Context) error { return c.DropRetention(ctx, s, all) },
		func(ctx context.Context) error { return c.DropRetention(ctx, s, RetentionTarget{}) },
		only(func(ctx context.Context) (WorkspaceView, error) { return c.LockWorkspace(ctx, s, w, "") }),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return func(ctx context.Context) error { return c.DropRetention(ctx, s, of) }, beside
}

func goingConsumer(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("consumer", round)
	w, reader := c.newWorkspace(name), c.newWorkspace("reader-"+name)
	change := func(how belay.ConsumersChange, of belay.WorkspaceRef, ids ...string) verb {
		return func(ctx context.Context) error { return c.ChangeConsumers(ctx, s, of, how, ids) }
	}
	c.must(change(belay.AddConsumers, w, reader.ID)(c.t.Context()))
	beside := []verb{
		change(belay.AddConsumers, w, reader.ID, c.workspaces[0]), change(belay.AddConsumers, reader, w.ID),
		change(belay.SetConsumers, w, c.workspaces...),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, reader) },
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return change(belay.RemoveConsumers, w, reader.ID), beside
}
