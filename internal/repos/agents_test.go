package repos_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// pooled is a house whose connection is reached through an agent pool.
type pooled struct {
	*house
	client forge.OAuthClient
	pool   run.AgentPool
	ref    belay.WorkspaceRef // remote
	first  string             // a commit that waits for agents
}

func newPooled(h *house) *pooled {
	p := &pooled{house: h}
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		token, err := v.OAuthToken(h.token)
		if err == nil {
			p.client, err = v.OAuthClient(token.ClientID)
		}
		return err
	}))
	p.pool = p.newPool("west")
	p.through(p.pool.ID)
	p.first = h.forge.Commit("main.tf", "1")
	p.ref = h.workspace("remote", nil)
	h.settle()
	if list := h.runsOf(p.ref); len(list) != 1 || list[0].Status != run.Fetching {
		h.t.Fatalf("the first run: %s\n%s", short(list), h.events())
	}
	return p
}

func (p *pooled) newPool(name string) run.AgentPool {
	p.t.Helper()
	pool, err := p.verbs.CreateAgentPool(p.t.Context(), p.admin, "acme", run.AgentPoolPatch{Name: patch.Of(name)})
	p.must(err)
	return pool
}

// through has the connection reached through a pool; empty: through none.
func (p *pooled) through(pool string) {
	p.t.Helper()
	change := patch.Of(pool)
	if pool == "" {
		change = patch.Field[string]{Set: true, Null: true}
	}
	_, err := p.verbs.UpdateOAuthClient(p.t.Context(), p.admin, p.client.ID, forge.OAuthClientPatch{AgentPoolID: change})
	p.must(err)
}

// agent is a runner of a pool, and the id of its token.
func (p *pooled) agent(pool string) (run.Runner, string) {
	p.t.Helper()
	token, _, err := p.verbs.CreateAgentToken(p.t.Context(), p.admin, pool, identity.NewToken{})
	p.must(err)
	answer, err := p.runs.Register(p.t.Context(), pool, token.ID, "10.0.0.1", run.Registration{Name: pool, BootID: belay.RandomText(8), Slots: 1})
	p.must(err)
	r, err := p.runs.Runner(p.t.Context(), answer.Token)
	p.must(err)
	return r, token.ID
}

// task is what a runner is given to fetch now; nil: nothing.
func (p *pooled) task(of *run.Runner) *run.FetchTask {
	p.t.Helper()
	task, err := p.ClaimFetch(p.t.Context(), of, run.FetchClaim{})
	p.must(err)
	return task
}

// fetch does what a runner does with it.
func (p *pooled) fetch(task *run.FetchTask) []byte {
	p.t.Helper()
	var made bytes.Buffer
	p.must(p.fetcher().Fetch(p.t.Context(), git.Request{URL: task.URL, User: task.User, Password: task.Password, Commit: task.Commit, Ref: task.Ref, HostsOf: task.HostsOf}, &made))
	return made.Bytes()
}

func (p *pooled) refused(what string, kind belay.Kind, err error) {
	p.t.Helper()
	if belay.KindOf(err) != kind {
		p.t.Errorf("%s: %v", what, err)
	}
}

// TestAgentsFetchForTheirConnection: a connection that is reached through a pool is used by runners of
// that pool alone, once for all workspaces, wherever those carry out their runs.
func TestAgentsFetchForTheirConnection(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		p := newPooled(h)
		t, ctx := h.t, h.t.Context()
		east := p.newPool("east")
		other, _ := p.agent(east.ID)
		mine, tokenID := p.agent(p.pool.ID)
		second := h.workspace("in-the-east", func(w *belay.WorkspacePatch) {
			w.ExecutionMode, w.AgentPoolID = patch.Of(belay.AgentExecution), patch.Of(east.ID)
		})
		h.settle()
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched }); n != 0 {
			t.Errorf("the server fetched %d times", n)
		}
		if told := h.events(); !strings.Contains(told, "is left to the agents of pool west") {
			t.Errorf("what was told: %s", told)
		}
		if task := p.task(&other); task != nil {
			t.Errorf("the token of the connection goes to another pool: %s", task.Commit)
		}
		server, one := run.Runner{ID: "agent-x"}, mine
		one.ForJob = "job-x"
		for _, r := range []*run.Runner{&server, &one} {
			_, err := p.ClaimFetch(ctx, r, run.FetchClaim{})
			p.refused("a runner of no pool", belay.Forbidden, err)
		}
		task := p.task(&mine)
		if task == nil || task.Commit != p.first || task.Password != forgetest.Token || task.Ref != "refs/heads/main" || task.MaxSize != 1<<20 {
			t.Fatalf("the task: %+v", task)
		}
		if again := p.task(&mine); again != nil {
			t.Error("the commit is given out twice")
		}
		p.must(p.RenewFetch(ctx, &mine, task.ID, task.Claim))
		made := p.fetch(task)
		p.refused("another pool", belay.Conflict, p.BringFetch(ctx, &other, task.ID, task.Claim, bytes.NewReader(made)))
		p.refused("another claim", belay.Conflict, p.BringFetch(ctx, &mine, task.ID, "", bytes.NewReader(made)))
		for range 2 { // the answer was lost
			p.must(p.BringFetch(ctx, &mine, task.ID, task.Claim, bytes.NewReader(made)))
		}
		p.refused("what is done", belay.Conflict, p.FailFetch(ctx, &mine, task.ID, run.FetchEnd{Claim: task.Claim, Error: "late"}))
		h.settle()
		for _, ref := range []belay.WorkspaceRef{p.ref, second} {
			if list := h.runsOf(ref); len(list) != 1 || list[0].Status != run.PlanQueued {
				t.Errorf("the run: %s\n%s", short(list), h.events())
			}
		}
		h.must(h.verbs.DeleteToken(ctx, h.admin, tokenID))
		_, err := p.ClaimFetch(ctx, &mine, run.FetchClaim{})
		p.refused("a token that was revoked", belay.Ended, err)
	})
}

// member is a team that does some things in the organization.
func (p *pooled) member(name string, may func(*belay.TeamPatch)) (belay.Principal, string) {
	p.t.Helper()
	ctx := p.t.Context()
	change := belay.TeamPatch{Name: patch.Of(name)}
	may(&change)
	team, err := p.verbs.CreateTeam(ctx, p.admin, "acme", change)
	p.must(err)
	_, value, err := p.verbs.CreateTeamToken(ctx, p.admin, team.ID, identity.NewToken{})
	p.must(err)
	s, err := p.verbs.Authenticate(ctx, value)
	p.must(err)
	return s, team.ID
}

// TestWhoHasAgentsFetch: agents that fetch are given the connection's token, and say what is planned. So
// nobody chooses them, and nobody makes tokens for them, who may not have both.
func TestWhoHasAgentsFetch(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		p := newPooled(h)
		ctx, east := h.t.Context(), p.newPool("east")
		write := func(team string) {
			_, err := h.verbs.GiveWorkspace(ctx, h.admin, team, p.ref.ID, belay.TeamWorkspacePatch{Level: patch.Of("write")})
			h.must(err)
		}
		connects, connecting := p.member("connects", func(t *belay.TeamPatch) { t.Access = patch.Of(map[string]bool{"manage-vcs-settings": true}) })
		pools, pooling := p.member("pools", func(t *belay.TeamPatch) { t.Access = patch.Of(map[string]bool{"manage-agent-pools": true}) })
		choose := func() error {
			_, err := h.verbs.UpdateOAuthClient(ctx, connects, p.client.ID, forge.OAuthClientPatch{AgentPoolID: patch.Of(east.ID)})
			return err
		}
		enter := func() error {
			_, _, err := h.verbs.CreateAgentToken(ctx, pools, p.pool.ID, identity.NewToken{})
			return err
		}
		p.refused("choosing without rights in the workspace", belay.Invalid, choose())
		p.refused("a token without rights in the workspace", belay.Invalid, enter())
		write(connecting)
		write(pooling)
		h.must(choose())
		p.through(p.pool.ID)
		p.refused("a token without the connection's", belay.Invalid, enter())
		_, err := h.verbs.UpdateTeam(ctx, h.admin, pooling, belay.TeamPatch{Access: patch.Of(map[string]bool{"manage-vcs-settings": true})})
		h.must(err)
		h.must(enter())
	})
}

// during is an upload that something happens in.
type during struct {
	strings.Reader
	happens func()
}

func (d *during) Read(b []byte) (int, error) {
	if d.happens != nil {
		d.happens()
		d.happens = nil
	}
	return d.Reader.Read(b)
}

// TestWhoMayNotFetchAnyMoreBringsNothing takes the token from an agent that is at a commit, and the
// connection from its pool: what it brings would be planned in all workspaces that have their code by it.
func TestWhoMayNotFetchAnyMoreBringsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		p := newPooled(h)
		ctx, east := h.t.Context(), p.newPool("east")
		revoke := func(token string) func() { return func() { h.must(h.verbs.DeleteToken(ctx, h.admin, token)) } }
		mine, token := p.agent(p.pool.ID)
		task := p.task(&mine)
		made := string(p.fetch(task))
		revoke(token)()
		p.refused("renewing", belay.Ended, p.RenewFetch(ctx, &mine, task.ID, task.Claim))
		p.refused("bringing", belay.Ended, p.BringFetch(ctx, &mine, task.ID, task.Claim, strings.NewReader(made)))
		p.refused("failing", belay.Ended, p.FailFetch(ctx, &mine, task.ID, run.FetchEnd{Claim: task.Claim, Error: "no"}))
		for what, kind := range map[string]belay.Kind{"a token": belay.Ended, "the connection": belay.Conflict} {
			h.pass(2 * time.Minute)
			mine, token = p.agent(p.pool.ID)
			if task = p.task(&mine); task == nil {
				h.t.Fatal("nobody else is given the commit")
			}
			happens := revoke(token)
			if kind == belay.Conflict {
				happens = func() { p.through(east.ID) }
			}
			upload := &during{Reader: *strings.NewReader(made), happens: happens}
			p.refused("bringing while one loses "+what, kind, p.BringFetch(ctx, &mine, task.ID, task.Claim, upload))
			p.through(p.pool.ID)
			h.settle()
			if list := h.runsOf(p.ref); len(list) != 1 || list[0].Status != run.Fetching {
				h.t.Errorf("the run: %s", short(list))
			}
		}
	})
}

// TestWhatAgentsDoNotFetch: agents die, fail, bring what may not be planned, and lose their connection.
func TestWhatAgentsDoNotFetch(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		p := newPooled(h)
		t, ctx := h.t, h.t.Context()
		mine, _ := p.agent(p.pool.ID)
		next, _ := p.agent(p.pool.ID)
		died := p.task(&mine)
		h.pass(2 * time.Minute)
		task := p.task(&next)
		if died == nil || task == nil || task.Claim == died.Claim {
			t.Fatalf("after one died: %+v", task)
		}
		p.refused("one that was away too long", belay.Conflict, p.RenewFetch(ctx, &mine, died.ID, died.Claim))
		p.refused("one that was away too long", belay.Conflict, p.BringFetch(ctx, &mine, died.ID, died.Claim, strings.NewReader("x")))
		if told := h.events(); strings.Count(told, "went away in the middle; it is fetched again (try 2)") != 1 {
			t.Errorf("after one died: %s", told)
		}
		p.must(p.FailFetch(ctx, &next, task.ID, run.FetchEnd{Claim: task.Claim, Error: "the \x00 disk is full"}))
		h.pass(10 * time.Minute)
		if task = p.task(&next); task == nil {
			t.Fatal("it is not tried again")
		}
		p.must(p.FailFetch(ctx, &next, task.ID, run.FetchEnd{Claim: task.Claim, Error: "no such \x00 ref", Lasting: true}))
		h.settle()
		if list := h.runsOf(p.ref); len(list) != 1 || list[0].Status != run.Errored || !strings.HasSuffix(list[0].Error, "could not be fetched: no such  ref") {
			t.Errorf("after what can't pass: %s", short(list))
		}
		for i, bad := range []string{"no archive", strings.Repeat("x", 1<<20+1)} {
			before := h.forge.Commit("main.tf", "bad")
			h.push(p.ref, strings.Repeat("b", i+1), forgetest.Push("refs/heads/main", "", before, "main.tf"))
			h.settle()
			task := p.task(&mine)
			if task == nil {
				t.Fatalf("nothing to fetch: %s", h.events())
			}
			p.must(p.BringFetch(ctx, &mine, task.ID, task.Claim, strings.NewReader(bad)))
			h.settle()
			if !contains(h.runsOf(p.ref), run.Errored, before, "can't be planned") {
				t.Errorf("%d bytes: %s", len(bad), short(h.runsOf(p.ref)))
			}
		}
		last := h.forge.Commit("main.tf", "last")
		h.push(p.ref, "last", forgetest.Push("refs/heads/main", "", last, "main.tf"))
		h.settle()
		task = p.task(&mine)
		east := p.newPool("east")
		p.through(east.ID)
		p.refused("a pool that is not asked any more", belay.Conflict, p.BringFetch(ctx, &mine, task.ID, task.Claim, strings.NewReader("x")))
		p.through("")
		h.settle()
		list := h.runsOf(p.ref)
		if now := list[len(list)-1]; now.CommitSHA != last || now.Status != run.PlanQueued {
			t.Errorf("the server fetches again: %s\n%s", short(list), h.events())
		}
	})
}
