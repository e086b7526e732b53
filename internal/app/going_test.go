package app

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// verb is one request of the site admin.
type verb = func(ctx context.Context) error

// going is one kind of thing that goes while others write beside it.
type going struct {
	what  string
	begin func(c *crowded, round int) (goes verb, beside []verb)
}

// goings is every verb that deletes, and with each the verbs that write what refers to it.
func goings() []going {
	return []going{
		{"a user", goingUser},
		{"an invited user's membership", goingInvited},
		{"a membership", goingMembership},
		{"a project", goingProject},
		{"a project with sets", goingOwner},
		{"a workspace", goingWorkspace},
		{"a pool", goingPool},
		{"a variable set", goingSet},
		{"a variable", goingVariable},
		{"an SSH key", goingKey},
		{"a connection", goingConnection},
		{"its token", goingConnectionToken},
		{"a tag", goingTag},
		{"tags of a workspace", goingTags},
		{"a run trigger", goingTrigger},
		{"a notification", goingNotification},
		{"a grant of a workspace", goingGrant},
		{"a grant of a project", goingProjectGrant},
		{"tokens of a team", goingTokens},
		{"a token of a user", goingUserToken},
		{"a workload rule", goingRule},
		{"an identity", goingIdentity},
		{"the token of the organization", goingOrganizationToken},
		{"a reserved key", goingReservedKey},
		{"a retention policy", goingRetention},
		{"a reader of a state", goingConsumer},
	}
}

// TestNothingThatGoesDeadlocks deletes each kind of thing beside all that writes what refers
// to it, many times. Transactions take their rows in one order, so nobody waits in a circle.
func TestNothingThatGoesDeadlocks(t *testing.T) {
	for _, g := range goings() {
		t.Run(g.what, func(t *testing.T) {
			t.Parallel()
			server := storetest.URL(t, "postgres")
			c := newAgingAt(t, server).crowd("crowd")
			for round := range rounds() {
				goes, beside := g.begin(c, round)
				c.atOnce(goes, beside)
			}
			if n := deadlocks(t, server); n > 0 {
				t.Errorf("%d deadlocks in %d rounds", n, rounds())
			}
		})
	}
}

// atOnce does all together. What is gone refuses what comes later.
func (c *crowded) atOnce(goes verb, beside []verb) {
	c.t.Helper()
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i, do := range append([]verb{goes}, beside...) {
		all.Go(func() {
			<-begin
			if err := do(c.t.Context()); err != nil && belay.KindOf(err) == belay.Internal {
				c.t.Errorf("request %d: %v", i, err)
			}
		})
	}
	close(begin)
	all.Wait()
}

// only is a verb whose answer does not matter.
func only[T any](do func(ctx context.Context) (T, error)) verb {
	return func(ctx context.Context) error {
		_, err := do(ctx)
		return err
	}
}

func (c *crowded) newUser(name string) belay.User {
	c.t.Helper()
	u, err := c.CreateUser(c.t.Context(), c.admin, identity.NewUser{Username: name, Email: name + "@example.com"})
	c.must(err)
	return u
}

func (c *crowded) newProject(name string) string {
	c.t.Helper()
	p, err := c.CreateProject(c.t.Context(), c.admin, c.name, belay.ProjectPatch{Name: patch.Of(name)})
	c.must(err)
	return p.ID
}

func (c *crowded) newWorkspace(name string) belay.WorkspaceRef {
	c.t.Helper()
	w, err := c.CreateWorkspace(c.t.Context(), c.admin, c.name, belay.WorkspacePatch{Name: patch.Of(name)})
	c.must(err)
	return belay.WorkspaceRef{ID: w.ID}
}

func (c *crowded) newTeam(name string) string {
	c.t.Helper()
	t, err := c.CreateTeam(c.t.Context(), c.admin, c.name, belay.TeamPatch{Name: patch.Of(name)})
	c.must(err)
	return t.ID
}

// newSet makes a variable set, of a project or of the organization.
func (c *crowded) newSet(name, project string) inputs.VariableSet {
	c.t.Helper()
	p := inputs.VariableSetPatch{Name: patch.Of(name), Variables: []inputs.SetVariablePatch{
		{VariablePatch: inputs.VariablePatch{Key: patch.Of("a"), Category: patch.Of("env")}},
		{VariablePatch: inputs.VariablePatch{Key: patch.Of("b"), Category: patch.Of("env")}},
	}}
	if project != "" {
		p.ParentProject = patch.Of(project)
	}
	set, err := c.CreateVariableSet(c.t.Context(), c.admin, c.name, p)
	c.must(err)
	return set
}

// owners is the team of the owners.
func (c *crowded) owners() string {
	c.t.Helper()
	list, _, err := c.Teams(c.t.Context(), c.admin, c.name, belay.TeamQuery{Names: []string{"owners"}, Page: belay.Page{Number: 1, Size: 1}})
	c.must(err)
	return list[0].ID
}

// tells makes a notification of a workspace to a user.
func (c *crowded) tells(w belay.WorkspaceRef, u belay.User) notices.Notification {
	c.t.Helper()
	n, err := c.CreateNotification(c.t.Context(), c.admin, notices.Notification{WorkspaceID: w.ID}, notices.NotificationPatch{
		Name: patch.Of(u.Username), Destination: patch.Of(notices.EmailDestination), UserIDs: patch.Of([]string{u.ID}),
	})
	c.must(err)
	return n
}

// grouped puts a user into a team as its groups would.
func (c *crowded) grouped(u belay.User, team string) error {
	return c.db.Update(c.t.Context(), func(tx *store.Tx) error {
		t, err := tx.Team(team)
		if err != nil {
			return err
		}
		return tx.AddGroupPlace(&t, u.ID)
	})
}

// byGroups has a provider say of a user that it is in no group.
func (c *crowded) byGroups(userID string) verb {
	return func(ctx context.Context) error {
		return c.db.Update(ctx, func(tx *store.Tx) error {
			u, err := tx.User(userID)
			if err != nil {
				return err
			}
			return c.PlaceByGroups(tx, &u, nil)
		})
	}
}

func roundName(what string, round int) string { return fmt.Sprintf("%s-%d", what, round) }

// joins is what puts a user into teams, takes it out, and tells it of things.
func (c *crowded) joins(u belay.User, m belay.Membership, name string) []verb {
	s := c.admin
	return []verb{
		func(ctx context.Context) error { return c.AddTeamMembers(ctx, s, c.team, []string{u.ID}) },
		func(ctx context.Context) error { return c.AddTeamMemberships(ctx, s, c.team, []string{m.ID}) },
		func(ctx context.Context) error { return c.RemoveTeamMembers(ctx, s, c.team, []string{u.ID}) },
		only(func(ctx context.Context) (notices.Notification, error) {
			return c.CreateNotification(ctx, s, notices.Notification{WorkspaceID: c.workspaces[0]}, notices.NotificationPatch{
				Name: patch.Of(name), Destination: patch.Of(notices.EmailDestination), UserIDs: patch.Of([]string{u.ID}),
			})
		}),
		only(func(ctx context.Context) (MembershipView, error) {
			return c.Invite(ctx, s, "acme", u.Email, nil)
		}),
	}
}

func (c *crowded) invited(email string) belay.Membership {
	c.t.Helper()
	m, err := c.Invite(c.t.Context(), c.admin, c.name, email, []string{c.team})
	c.must(err)
	return m.Membership
}

func goingUser(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("user", round)
	u := c.newUser(name)
	m := c.invited(u.Email)
	w, owners := c.newWorkspace(name), c.owners()
	c.must(c.AddTeamMembers(c.t.Context(), s, owners, []string{u.ID}))
	_, _, err := c.IssueRunToken(c.t.Context(), belay.Principal{Kind: belay.UserPrincipal, ID: u.ID, Name: u.Username}, w, identity.NewToken{})
	c.must(err)
	n := c.tells(w, u)
	beside := append(c.joins(u, m, name),
		func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) },
		only(func(ctx context.Context) (belay.User, error) {
			return c.UpdateUser(ctx, s, u.ID, belay.UserPatch{Email: patch.Of("new-" + u.Email)}, patch.Field[string]{})
		}),
		only(func(ctx context.Context) (belay.User, error) { return c.SuspendUser(ctx, s, u.ID, true) }),
		func(ctx context.Context) error {
			_, _, err := c.CreateUserToken(ctx, s, u.ID, identity.NewToken{})
			return err
		},
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.DeleteNotification(ctx, s, n.ID) },
		c.byGroups(u.ID))
	return func(ctx context.Context) error { return c.DeleteUser(ctx, s, u.ID) }, beside
}

func goingInvited(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("invited", round)
	m := c.invited(name + "@example.com")
	beside := append(c.joins(belay.User{ID: m.UserID, Email: m.Email}, m, name),
		only(func(ctx context.Context) (belay.User, error) {
			return c.CreateUser(ctx, s, identity.NewUser{Username: name, Email: m.Email})
		}))
	return func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) }, beside
}

func goingMembership(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("member", round)
	u := c.newUser(name)
	m := c.invited(u.Email)
	w := c.newWorkspace(name)
	n := c.tells(w, u)
	c.must(c.grouped(u, c.owners()))
	beside := append(c.joins(u, m, name),
		only(func(ctx context.Context) (notices.Notification, error) {
			return c.UpdateNotification(ctx, s, n.ID, notices.NotificationPatch{UserIDs: patch.Of([]string{u.ID})})
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		c.byGroups(u.ID), c.byGroups(u.ID),
		only(func(ctx context.Context) (belay.User, error) {
			return c.UpdateUser(ctx, s, u.ID, belay.UserPatch{Email: patch.Of("new-" + u.Email)}, patch.Field[string]{})
		}),
		only(func(ctx context.Context) (belay.User, error) { return c.SuspendUser(ctx, s, u.ID, true) }),
		func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) })
	return func(ctx context.Context) error { return c.DeleteMembership(ctx, s, m.ID) }, beside
}

// aimsAt is what writes beside a project.
func (c *crowded) aimsAt(project, name string) []verb {
	s := c.admin
	w := c.newWorkspace(name)
	return []verb{
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.CreateWorkspace(ctx, s, c.name, belay.WorkspacePatch{Name: patch.Of("in-" + name), ProjectID: patch.Of(project)})
		}),
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.UpdateWorkspace(ctx, s, w, belay.WorkspacePatch{ProjectID: patch.Of(project)})
		}),
		func(ctx context.Context) error { return c.MoveWorkspaces(ctx, s, project, []string{w.ID}) },
		only(func(ctx context.Context) (ProjectView, error) {
			return c.UpdateProject(ctx, s, project, belay.ProjectPatch{Description: patch.Of("d"), TagBindings: patch.Of(belay.TagBindings{{Key: "k", Value: "v"}})})
		}),
		only(func(ctx context.Context) (belay.TeamProject, error) {
			return c.GiveProject(ctx, s, c.team, project, belay.TeamProjectPatch{Level: patch.Of("write")})
		}),
		only(func(ctx context.Context) (notices.Notification, error) {
			return c.CreateNotification(ctx, s, notices.Notification{ProjectID: project}, notices.NotificationPatch{Name: patch.Of(name), Destination: patch.Of(notices.EmailDestination)})
		}),
		only(func(ctx context.Context) (run.AgentPool, error) {
			return c.CreateAgentPool(ctx, s, c.name, run.AgentPoolPatch{Name: patch.Of(name), AllowedProjects: patch.Of([]string{project})})
		}),
	}
}

func goingProject(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("project", round)
	project := c.newProject(name)
	g, err := c.GiveProject(c.t.Context(), s, c.newTeam(name), project, belay.TeamProjectPatch{Level: patch.Of("write")})
	c.must(err)
	beside := append(c.aimsAt(project, name),
		only(func(ctx context.Context) (belay.TeamProject, error) {
			return c.ChangeTeamProject(ctx, s, g.ID, belay.TeamProjectPatch{Level: patch.Of("admin")})
		}),
		func(ctx context.Context) error { return c.TakeTeamProject(ctx, s, g.ID) },
		func(ctx context.Context) error { return c.DeleteTeam(ctx, s, g.TeamID) })
	return func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) }, beside
}

func goingOwner(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("owner", round)
	project := c.newProject(name)
	own, other := c.newSet(name, project), c.newSet("other-"+name, "")
	apply := func(set inputs.VariableSet) verb {
		return func(ctx context.Context) error { return c.ApplyVariableSet(ctx, s, set.ID, nil, []string{project}) }
	}
	beside := append(c.aimsAt(project, name), apply(own), apply(other),
		func(ctx context.Context) error {
			return c.WithdrawVariableSet(ctx, s, other.ID, nil, []string{project})
		},
		func(ctx context.Context) error { return c.DeleteVariableSet(ctx, s, own.ID) },
		only(func(ctx context.Context) (inputs.VariableSet, error) {
			return c.CreateVariableSet(ctx, s, c.name, inputs.VariableSetPatch{Name: patch.Of("new-" + name), ParentProject: patch.Of(project), Projects: patch.Of([]string{project})})
		}))
	return func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) }, beside
}

func goingWorkspace(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("w", round)
	w, other := c.newWorkspace(name), belay.WorkspaceRef{ID: c.workspaces[round%len(c.workspaces)]}
	set := c.newSet(name, "")
	c.must(c.AddTags(c.t.Context(), s, w, []belay.TagRef{{Name: "c"}}))
	beside := []verb{
		func(ctx context.Context) error {
			return c.AddTags(ctx, s, w, []belay.TagRef{{Name: "a"}, {Name: "new-" + name}})
		},
		func(ctx context.Context) error { return c.RemoveTags(ctx, s, w, []belay.TagRef{{Name: "c"}}) },
		only(func(ctx context.Context) (WorkspaceView, error) { return c.LockWorkspace(ctx, s, w, "") }),
		only(func(ctx context.Context) (inputs.Variable, error) {
			return c.CreateVariable(ctx, s, w, inputs.VariablePatch{Key: patch.Of("a"), Category: patch.Of("env")})
		}),
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.UpdateWorkspace(ctx, s, w, belay.WorkspacePatch{Description: patch.Of("d"), TagBindings: patch.Of(belay.TagBindings{{Key: "k", Value: "v"}})})
		}),
		only(func(ctx context.Context) (belay.TeamWorkspace, error) {
			return c.GiveWorkspace(ctx, s, c.team, w.ID, belay.TeamWorkspacePatch{Level: patch.Of("write")})
		}),
		func(ctx context.Context) error { return c.ApplyVariableSet(ctx, s, set.ID, []string{w.ID}, nil) },
		only(func(ctx context.Context) (run.RunTrigger, error) { return c.CreateRunTrigger(ctx, s, w, other.ID) }),
		only(func(ctx context.Context) (run.RunTrigger, error) { return c.CreateRunTrigger(ctx, s, other, w.ID) }),
		func(ctx context.Context) error {
			return c.ChangeConsumers(ctx, s, other, belay.AddConsumers, []string{w.ID})
		},
		only(func(ctx context.Context) (run.AgentPool, error) {
			return c.CreateAgentPool(ctx, s, c.name, run.AgentPoolPatch{Name: patch.Of(name), AllowedWorkspaces: patch.Of([]string{w.ID})})
		}),
		func(ctx context.Context) error {
			_, _, err := c.CreateBulkAction(ctx, s, c.name, orderOnAll(""))
			return err
		},
		func(ctx context.Context) error {
			_, _, err := c.IssueRunToken(ctx, s, w, identity.NewToken{})
			return err
		},
		only(func(ctx context.Context) (notices.Notification, error) {
			return c.CreateNotification(ctx, s, notices.Notification{WorkspaceID: w.ID}, notices.NotificationPatch{Name: patch.Of(name), Destination: patch.Of(notices.EmailDestination)})
		}),
		func(ctx context.Context) error { return c.MoveWorkspaces(ctx, s, c.project, []string{w.ID, other.ID}) },
	}
	return func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) }, beside
}

func goingPool(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("pool", round)
	pool, err := c.CreateAgentPool(c.t.Context(), s, c.name, run.AgentPoolPatch{Name: patch.Of(name)})
	c.must(err)
	w, project := c.newWorkspace(name), c.newProject(name)
	oc, err := c.CreateOAuthClient(c.t.Context(), s, c.name, forge.OAuthClientPatch{
		Name: patch.Of(name), ServiceProvider: patch.Of("github"), HTTPURL: patch.Of("https://github.com"), APIURL: patch.Of("https://api.github.com"),
		TokenString: patch.Of("t"), AgentPoolID: patch.Of(pool.ID),
	})
	c.must(err)
	agents := patch.Of(belay.AgentExecution)
	beside := []verb{
		func(ctx context.Context) error {
			_, _, err := c.CreateAgentToken(ctx, s, pool.ID, identity.NewToken{Description: name})
			return err
		},
		only(func(ctx context.Context) (run.AgentPool, error) {
			return c.UpdateAgentPool(ctx, s, pool.ID, run.AgentPoolPatch{AllowedWorkspaces: patch.Of([]string{w.ID}), AllowedProjects: patch.Of([]string{project})})
		}),
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.UpdateWorkspace(ctx, s, w, belay.WorkspacePatch{ExecutionMode: agents, AgentPoolID: patch.Of(pool.ID)})
		}),
		only(func(ctx context.Context) (ProjectView, error) {
			return c.UpdateProject(ctx, s, project, belay.ProjectPatch{DefaultExecutionMode: agents, DefaultAgentPoolID: patch.Of(pool.ID)})
		}),
		only(func(ctx context.Context) (WorkspaceView, error) {
			return c.CreateWorkspace(ctx, s, c.name, belay.WorkspacePatch{Name: patch.Of("in-" + name), ExecutionMode: agents, AgentPoolID: patch.Of(pool.ID)})
		}),
		only(func(ctx context.Context) (forge.OAuthClient, error) {
			return c.UpdateOAuthClient(ctx, s, oc.ID, forge.OAuthClientPatch{AgentPoolID: patch.Of(pool.ID)})
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) },
	}
	return func(ctx context.Context) error { return c.DeleteAgentPool(ctx, s, pool.ID) }, beside
}

func goingSet(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("set", round)
	set, w, project := c.newSet(name, ""), c.newWorkspace(name), c.newProject(name)
	beside := []verb{
		func(ctx context.Context) error {
			return c.ApplyVariableSet(ctx, s, set.ID, []string{w.ID}, []string{project})
		},
		func(ctx context.Context) error {
			return c.WithdrawVariableSet(ctx, s, set.ID, []string{w.ID}, []string{project})
		},
		only(func(ctx context.Context) (inputs.Variable, error) {
			return c.CreateSetVariable(ctx, s, set.ID, inputs.VariablePatch{Key: patch.Of("c"), Category: patch.Of("env")})
		}),
		only(func(ctx context.Context) (inputs.Variable, error) {
			return c.UpdateSetVariable(ctx, s, set.ID, set.VariableIDs[0], inputs.VariablePatch{Value: patch.Of("v")})
		}),
		func(ctx context.Context) error { return c.DeleteSetVariable(ctx, s, set.ID, set.VariableIDs[1]) },
		only(func(ctx context.Context) (inputs.VariableSet, error) {
			return c.UpdateVariableSet(ctx, s, set.ID, inputs.VariableSetPatch{Workspaces: patch.Of([]string{w.ID}), Projects: patch.Of([]string{project})})
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) },
	}
	return func(ctx context.Context) error { return c.DeleteVariableSet(ctx, s, set.ID) }, beside
}

func goingVariable(c *crowded, round int) (verb, []verb) {
	s, w := c.admin, c.newWorkspace(roundName("vars", round))
	v, err := c.CreateVariable(c.t.Context(), s, w, inputs.VariablePatch{Key: patch.Of("a"), Category: patch.Of("env")})
	c.must(err)
	value := inputs.VariablePatch{Value: patch.Of("v")}
	beside := []verb{
		only(func(ctx context.Context) (inputs.Variable, error) { return c.UpdateVariable(ctx, s, w, v.ID, value) }),
		only(func(ctx context.Context) ([]inputs.Variable, error) {
			return c.ChangeVariables(ctx, s, w, []inputs.VariableChange{{ID: v.ID, VariablePatch: value}})
		}),
		only(func(ctx context.Context) (inputs.Variable, error) {
			return c.CreateVariable(ctx, s, w, inputs.VariablePatch{Key: patch.Of("b"), Category: patch.Of("env")})
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return func(ctx context.Context) error { return c.DeleteVariable(ctx, s, w, v.ID) }, beside
}

func goingTag(c *crowded, round int) (verb, []verb) {
	s, name, ctx := c.admin, roundName("tag", round), c.t.Context()
	w := c.newWorkspace(name)
	c.must(c.AddTags(ctx, s, w, []belay.TagRef{{Name: name + "-1"}, {Name: name + "-2"}}))
	list, _, err := c.Tags(ctx, s, c.name, belay.TagQuery{Search: name, Page: belay.Page{Number: 1, Size: 10}})
	c.must(err)
	var ids []string
	for _, tag := range list {
		ids = append(ids, tag.ID)
	}
	beside := []verb{
		func(ctx context.Context) error {
			return c.AddTags(ctx, s, belay.WorkspaceRef{ID: c.workspaces[0]}, []belay.TagRef{{Name: name + "-2"}, {Name: name + "-1"}})
		},
		func(ctx context.Context) error { return c.RemoveTags(ctx, s, w, []belay.TagRef{{Name: name + "-1"}}) },
		func(ctx context.Context) error {
			return c.TagWorkspaces(ctx, s, ids[0], append([]string{w.ID}, c.workspaces...))
		},
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
		func(ctx context.Context) error { return c.MoveWorkspaces(ctx, s, c.project, c.workspaces) },
	}
	return func(ctx context.Context) error { return c.DeleteTags(ctx, s, c.name, ids) }, beside
}

func goingTags(c *crowded, round int) (verb, []verb) {
	goes, beside := goingTag(c, round)
	return beside[1], append(beside, goes)
}

func goingTrigger(c *crowded, round int) (verb, []verb) {
	s, w := c.admin, c.newWorkspace(roundName("trigger", round))
	trigger, err := c.CreateRunTrigger(c.t.Context(), s, w, c.workspaces[0])
	c.must(err)
	beside := []verb{
		only(func(ctx context.Context) (run.RunTrigger, error) {
			return c.CreateRunTrigger(ctx, s, w, c.workspaces[1])
		}),
		only(func(ctx context.Context) (run.RunTrigger, error) {
			return c.CreateRunTrigger(ctx, s, belay.WorkspaceRef{ID: c.workspaces[1]}, w.ID)
		}),
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return func(ctx context.Context) error { return c.DeleteRunTrigger(ctx, s, trigger.ID) }, beside
}

func goingGrant(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("grant", round)
	w, team := c.newWorkspace(name), c.newTeam(name)
	g, err := c.GiveWorkspace(c.t.Context(), s, team, w.ID, belay.TeamWorkspacePatch{Level: patch.Of("write")})
	c.must(err)
	beside := []verb{
		only(func(ctx context.Context) (belay.TeamWorkspace, error) {
			return c.ChangeTeamWorkspace(ctx, s, g.ID, belay.TeamWorkspacePatch{Level: patch.Of("admin")})
		}),
		func(ctx context.Context) error { return c.DeleteTeam(ctx, s, team) },
		func(ctx context.Context) error { return c.ForceDeleteWorkspace(ctx, s, w) },
	}
	return func(ctx context.Context) error { return c.TakeTeamWorkspace(ctx, s, g.ID) }, beside
}

func goingProjectGrant(c *crowded, round int) (verb, []verb) {
	s, name := c.admin, roundName("grant", round)
	project, team := c.newProject(name), c.newTeam(name)
	g, err := c.GiveProject(c.t.Context(), s, team, project, belay.TeamProjectPatch{Level: patch.Of("write")})
	c.must(err)
	beside := []verb{
		only(func(ctx context.Context) (belay.TeamProject, error) {
			return c.ChangeTeamProject(ctx, s, g.ID, belay.TeamProjectPatch{Level: patch.Of("admin")})
		}),
		func(ctx context.Context) error { return c.DeleteTeam(ctx, s, team) },
		func(ctx context.Context) error { return c.DeleteProject(ctx, s, project) },
	}
	return func(ctx context.Context) error { return c.TakeTeamProject(ctx, s, g.ID) }, beside
}
