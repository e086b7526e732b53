package repos_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

func TestConnectingMakesAHookAndTheFirstRun(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		commit := h.forge.Commit("main.tf", "a = 1")
		ref := h.workspace("network", nil)
		idle := h.workspace("idle", func(p *belay.WorkspacePatch) { p.QueueAllRuns = patch.Of(false) })
		h.settle()
		list := h.runsOf(ref)
		if len(list) != 1 || list[0].CommitSHA != commit || list[0].Status != run.PlanQueued || list[0].Message != "head of main" {
			h.t.Fatalf("the runs: %s", short(list))
		}
		if n := len(h.runsOf(idle)); n != 0 {
			h.t.Errorf("a workspace that wants no first run has %d", n)
		}
		if n := h.forge.Count(func(f *forgetest.Forge) int { return len(f.Hooks) }); n != 1 {
			h.t.Errorf("the service has %d hooks for two workspaces of one repository", n)
		}
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched }); n != 1 {
			h.t.Errorf("the commit was fetched %d times", n)
		}
		w, err := h.verbs.Workspace(h.t.Context(), h.admin, ref)
		h.must(err)
		if hook := h.hook(ref); hook.State != forge.HookMade || hook.RemoteID == "" || w.VCSRepo.WebhookID != hook.ID || w.Address != "https://belay.example.com" {
			h.t.Errorf("the hook: %+v, %q", hook, w.Address)
		}
		for _, one := range []belay.WorkspaceRef{ref, idle} {
			_, err := h.verbs.UpdateWorkspace(h.t.Context(), h.admin, one, belay.WorkspacePatch{VCSRepo: patch.Field[belay.VCSRepoPatch]{Set: true, Null: true}})
			h.must(err)
		}
		h.settle()
		if n := h.forge.Count(func(f *forgetest.Forge) int { return len(f.Hooks) }); n != 0 {
			h.t.Errorf("the service has %d hooks after the last workspace was disconnected", n)
		}
	})
}

func TestAPushRunsWhatItTouchesWithOneFetch(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		before := h.forge.Commit("main.tf", "")
		var touched, others []belay.WorkspaceRef
		for i := range 30 {
			ref := h.workspace(fmt.Sprintf("w%02d", i), func(p *belay.WorkspacePatch) {
				p.TriggerPatterns = patch.Of([]string{fmt.Sprintf("/stacks/%d/**/*.tf", i%3)})
			})
			if i%3 == 1 {
				touched = append(touched, ref)
			} else {
				others = append(others, ref)
			}
		}
		h.settle()
		fetched := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched })
		after := h.forge.Commit("stacks/1/x.tf", "x")
		h.push(touched[0], "d-1", forgetest.Push("refs/heads/main", before, after, "stacks/1/x.tf"))
		h.settle()
		for _, ref := range touched {
			list := h.runsOf(ref)
			if len(list) != 2 || list[1].CommitSHA != after || list[1].Reason != forge.TriggerMatched || list[1].Message != "change it" || list[1].SenderName != "ada" {
				h.t.Fatalf("the runs of a workspace that was touched: %s", short(list))
			}
		}
		for _, ref := range others {
			if n := len(h.runsOf(ref)); n != 1 {
				h.t.Errorf("a workspace that was not touched has %d runs", n)
			}
		}
		if n := h.forge.Count(func(f *forgetest.Forge) int { return f.Fetched }) - fetched; n != 1 {
			h.t.Errorf("the commit was fetched %d times", n)
		}
		if told := h.events(); !strings.Contains(told, "made 10 runs; workspaces without one: 20 whose files did not change") {
			h.t.Errorf("what was told: %s", told)
		}
		// The same delivery once more, and the same commit by another one.
		h.push(touched[0], "d-1", forgetest.Push("refs/heads/main", before, after, "stacks/1/x.tf"))
		h.push(touched[0], "d-2", forgetest.Push("refs/heads/main", before, after, "stacks/1/x.tf"))
		h.settle()
		if n := len(h.runsOf(touched[0])); n != 2 {
			h.t.Errorf("told twice there are %d runs", n)
		}
		if told := h.events(); strings.Count(told, "commit already processed") != len(touched) {
			h.t.Errorf("what was told: %s", told)
		}
	})
}

func TestWhichWorkspacesAnEventReaches(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		commit := h.forge.Commit("main.tf", "")
		h.forge.Git("acme/app.git", "branch", "other")
		repo := func(change func(*belay.VCSRepoPatch)) func(*belay.WorkspacePatch) {
			return func(p *belay.WorkspacePatch) {
				r := p.VCSRepo.Value
				change(&r)
				p.VCSRepo = patch.Of(r)
			}
		}
		all := map[string]belay.WorkspaceRef{
			"default": h.workspace("default", nil),
			"other":   h.workspace("other", repo(func(r *belay.VCSRepoPatch) { r.Branch = patch.Of("other") })),
			"tags":    h.workspace("tags", repo(func(r *belay.VCSRepoPatch) { r.TagsRegex = patch.Of(`^v\d+`) })),
			"silent":  h.workspace("silent", func(p *belay.WorkspacePatch) { p.SpeculativeEnabled = patch.Of(false) }),
			"never":   h.workspace("never", func(p *belay.WorkspacePatch) { p.QueueAllRuns = patch.Of(false) }),
			"local":   h.workspace("local", func(p *belay.WorkspacePatch) { p.ExecutionMode = patch.Of(belay.LocalExecution) }),
		}
		h.settle()
		n := map[string]int{}
		for name, ref := range all {
			n[name] = len(h.runsOf(ref))
		}
		step := func(what string, tell func(), want ...string) {
			h.t.Helper()
			tell()
			h.settle()
			for name, ref := range all {
				had := n[name]
				n[name] = len(h.runsOf(ref))
				if made := n[name] - had; made != map[bool]int{true: 1}[slices.Contains(want, name)] {
					h.t.Errorf("%s made %d runs in %s", what, made, name)
				}
			}
		}
		one := all["default"]
		hash := func(c string) string { return strings.Repeat(c, 40) }
		push := func(ref, commit string) func() {
			return func() { h.push(one, ref+commit, forgetest.Push(ref, "", commit, "main.tf")) }
		}
		step("a push", push("refs/heads/main", hash("a")), "default", "silent")
		step("a push to another branch", push("refs/heads/other", hash("a")), "other")
		step("a push to a branch of nobody", push("refs/heads/third", hash("b")))
		step("a branch that was deleted", push("refs/heads/main", hash("0")))
		step("a tag", push("refs/tags/v1", hash("a")), "tags")
		step("another tag", push("refs/tags/release", hash("b")))
		h.forge.Files = []string{"main.tf"}
		step("a pull request", func() { h.pull(one, "p1", 1, commit, "acme/app") }, "default", "tags")
		begun := h.forge.Commit("short.tf", "")
		step("a pull request with the beginning of a hash", func() { h.pull(one, "p4", 4, begun[:12], "acme/app") }, "default", "tags")
		if !slices.ContainsFunc(h.runsOf(one), func(r run.Run) bool { return r.CommitSHA == begun }) {
			h.t.Errorf("no run is of commit %s", begun)
		}
		step("one from a fork", func() { h.pull(one, "p2", 2, hash("c"), "eve/app") })
		step("one of a repository that is gone", func() { h.pull(one, "p3", 3, hash("d"), "") })
	})
}

func TestANewerCommitOfAPullRequestCancelsOlderPlans(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		first := h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		second := h.forge.Commit("main.tf", "2")
		h.forge.Files = []string{"main.tf"}
		h.pull(ref, "p1", 7, first, "acme/app")
		h.settle()
		h.pull(ref, "p2", 7, second, "acme/app")
		h.settle()
		list := h.runsOf(ref)
		if len(list) != 3 || list[1].Status != run.Canceled || list[2].Status != run.PlanQueued || !list[2].PlanOnly || list[2].Reason != run.ReasonPullRequest || list[2].Message != "A change" {
			h.t.Fatalf("the runs: %s", short(list))
		}
		told := h.forge.Told()
		for _, want := range []string{second[:7] + " belay/acme pending The plan is queued", first[:7] + " belay/acme error 1 of 1 plans failed"} {
			if !slices.Contains(told, want) && !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, strings.TrimSuffix(want, "1 of 1 plans failed")) }) {
				h.t.Errorf("the service was not told %q, but %q", want, told)
			}
		}
	})
}

func TestHooksAreProved(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "")
		ref := h.workspace("network", nil)
		h.settle()
		hook := h.hook(ref)
		had := len(h.runsOf(ref))
		header, raw := h.sent(hook, "push", "d", forgetest.Push("refs/heads/main", "", strings.Repeat("a", 40), "main.tf"))
		forged := header.Clone()
		forged.Set("X-Gitea-Signature", strings.Repeat("0", 64))
		unsigned := header.Clone()
		unsigned.Del("X-Gitea-Signature")
		weak := unsigned.Clone()
		weak.Set("X-Hub-Signature", "sha1="+strings.Repeat("0", 40))
		for name, test := range map[string]struct {
			id     string
			header http.Header
			body   []byte
			kind   belay.Kind
		}{
			"forged":   {hook.ID, forged, raw, belay.Unauthenticated},
			"unsigned": {hook.ID, unsigned, raw, belay.Unauthenticated},
			"weak":     {hook.ID, weak, raw, belay.Unauthenticated},
			"changed":  {hook.ID, header, append([]byte(" "), raw...), belay.Unauthenticated},
			"unknown":  {"nobody", header, raw, belay.NotFound},
		} {
			if err := h.Receive(h.t.Context(), test.id, test.header, test.body); belay.KindOf(err) != test.kind {
				h.t.Errorf("%s: %v", name, err)
			}
		}
		other := forgetest.Push("refs/heads/main", "", strings.Repeat("a", 40), "main.tf")
		other["repository"] = object{"full_name": "acme/other", "default_branch": "main"}
		h.push(ref, "d-other", other)
		h.settle()
		if n := len(h.runsOf(ref)); n != had {
			h.t.Errorf("there are %d runs, and were %d", n, had)
		}
		if told := h.events(); !strings.Contains(told, `a hook of another repository, "acme/other"`) {
			h.t.Errorf("what was told: %s", told)
		}
		// A new secret, and the one before for a day.
		rotated, err := h.RotateSecret(h.t.Context(), h.admin, ref)
		h.must(err)
		h.settle()
		if h.forge.Hooks["2"].Secret != rotated.Secret || len(h.forge.Hooks) != 1 {
			h.t.Errorf("the service has the hooks %v", h.forge.Hooks)
		}
		h.must(h.Receive(h.t.Context(), hook.ID, header, raw))
		h.pass(25 * time.Hour)
		if err := h.Receive(h.t.Context(), hook.ID, header, raw); belay.KindOf(err) != belay.Unauthenticated {
			h.t.Errorf("the old secret after a day: %v", err)
		}
	})
}

// TestTwoReplicasMakeOneRun: both work on the same inbox at the same time, and again after one
// of them died in the middle.
func TestTwoReplicasMakeOneRun(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		before := h.forge.Commit("main.tf", "1")
		var refs []belay.WorkspaceRef
		for i := range 8 {
			refs = append(refs, h.workspace(fmt.Sprintf("w%d", i), nil))
		}
		h.settle()
		rooms := []*repos.Room{h.Room, h.room(), h.room()}
		var commits []string
		for i := range 5 {
			commits = append(commits, h.forge.Commit("main.tf", fmt.Sprint("n", i)))
			for again := range 3 { // the service is not sure that it was heard
				h.push(refs[0], fmt.Sprintf("d-%d-%d", i, again/2), forgetest.Push("refs/heads/main", before, commits[i], "main.tf"))
			}
		}
		h.atOnce(rooms, 30)
		h.pass(2 * time.Minute) // claims of whoever died are over
		h.settle()
		for _, ref := range refs {
			list := h.runsOf(ref)
			if len(list) != 1+len(commits) {
				h.t.Errorf("a workspace has %d runs of %d commits", len(list), 1+len(commits))
			}
		}
	})
}

// TestADeadWorkerIsTakenUp: a claim without anybody behind it ends, and what was done before
// is not done again.
func TestADeadWorkerIsTakenUp(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		before := h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		after := h.forge.Commit("main.tf", "2")
		h.push(ref, "d", forgetest.Push("refs/heads/main", before, after, "main.tf"))
		h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error { // and kill -9
			lanes, err := tx.WorkLanes(store.InboxWork, tx.Now)
			if err != nil || len(lanes) != 1 {
				return fmt.Errorf("lanes: %v, %w", lanes, err)
			}
			ids, err := tx.ClaimWork(store.InboxWork, lanes[0], "dead", tx.Now.Add(time.Minute), 10)
			if err == nil && len(ids) != 1 {
				err = fmt.Errorf("claimed: %v", ids)
			}
			return err
		}))
		h.settle()
		if n := len(h.runsOf(ref)); n != 1 {
			h.t.Fatalf("what another has was worked on: %d runs", n)
		}
		h.open() // the server begins again
		h.pass(2 * time.Minute)
		h.settle()
		if n := len(h.runsOf(ref)); n != 2 {
			h.t.Errorf("there are %d runs", n)
		}
	})
}

func TestAPollFindsWhatNoHookTold(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		h.forge.Commit("main.tf", "2")
		h.settle()
		if n := len(h.runsOf(ref)); n != 1 {
			h.t.Fatalf("there are %d runs before anybody looked", n)
		}
		h.pass(11 * time.Minute)
		h.settle()
		h.pass(11 * time.Minute)
		h.settle()
		if list := h.runsOf(ref); len(list) != 2 || list[1].CommitSHA != h.forge.Git("acme/app.git", "rev-parse", "HEAD") {
			h.t.Errorf("the runs: %s", short(list))
		}
	})
}

func TestARunFromTheHeadOfTheBranch(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		commit := h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", func(p *belay.WorkspacePatch) { p.QueueAllRuns = patch.Of(false) })
		h.settle()
		first, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID})
		h.must(err)
		if first.Status != run.Fetching || first.CommitSHA != commit {
			h.t.Errorf("the run: %s of %q", first.Status, first.CommitSHA)
		}
		h.settle()
		second, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID})
		h.must(err)
		list := h.runsOf(ref)
		if list[0].Status != run.PlanQueued || second.ConfigurationVersionID != first.ConfigurationVersionID {
			h.t.Errorf("the first is %s; the second is of %s, the first of %s", list[0].Status, second.ConfigurationVersionID, first.ConfigurationVersionID)
		}
		h.forge.Lock()
		h.forge.Down = true
		h.forge.Unlock()
		if _, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID}); belay.KindOf(err) != belay.Invalid {
			h.t.Errorf("with a service that is down: %v", err)
		}
	})
}

// TestACommitIsGivenUpAndFetchedAgain: what nobody plans any more is archived, and a run that
// needs it has it again.
func TestACommitIsGivenUpAndFetchedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "1")
		ref := h.workspace("network", nil)
		h.settle()
		first := h.runsOf(ref)[0]
		view, err := h.runs.Show(h.t.Context(), h.admin, first.ID)
		h.must(err)
		if i := view.Ingress; i == nil || i.CommitSHA != first.CommitSHA || i.Branch != "main" || i.Identifier != "acme/app" || !i.OnDefaultBranch {
			h.t.Errorf("what is known of its commit: %+v", i)
		}
		after := h.forge.Commit("main.tf", "2")
		h.push(ref, "d", forgetest.Push("refs/heads/main", first.CommitSHA, after, "main.tf"))
		h.settle()
		h.must(h.runs.Cancel(h.t.Context(), h.admin, h.runsOf(ref)[1].ID, ""))
		room, c := h.givenUp(&first)
		again, err := h.runs.Create(h.t.Context(), h.admin, run.Wanted{WorkspaceID: ref.ID, ConfigurationVersionID: patch.Of(c.ID)})
		h.must(err)
		h.settle()
		if again.Status != run.Fetching || h.runsOf(ref)[2].Status != run.PlanQueued {
			h.t.Errorf("the run was %s, and is %s", again.Status, h.runsOf(ref)[2].Status)
		}
		if _, rc, err := room.Open(h.t.Context(), c.ID); err != nil {
			h.t.Errorf("its archive: %v", err)
		} else {
			_ = rc.Close()
		}
	})
}

// givenUp ends a run and throws the archive of its configuration version away.
func (h *house) givenUp(first *run.Run) (*configs.Room, run.ConfigurationVersion) {
	h.t.Helper()
	h.must(h.runs.Cancel(h.t.Context(), h.admin, first.ID, ""))
	h.pass(25 * time.Hour)
	room := configs.New(configs.Config{DB: h.db, Objects: h.verbs.Objects(), Ring: h.ring, Now: h.now})
	h.must(room.Tidy(h.t.Context()))
	c, err := room.Show(h.t.Context(), h.admin, first.ConfigurationVersionID)
	h.must(err)
	if c.Status != run.ConfigurationArchived {
		h.t.Fatalf("the configuration version is %s", c.Status)
	}
	return room, c
}

func TestAServiceThatMayNotBeReached(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.change = func(c *repos.Config) { c.Egress = (&repos.Config{}).Egress }
		h.open()
		h.forge.Commit("main.tf", "")
		ref := h.workspace("network", nil)
		h.settle()
		if n := len(h.runsOf(ref)); n != 0 || len(h.forge.Hooks) != 0 {
			h.t.Errorf("%d runs, hooks %v", n, h.forge.Hooks)
		}
		if told := h.events(); !strings.Contains(told, "error acme/app: the hook could not be made") {
			h.t.Errorf("what was told: %s", told)
		}
	})
}

// TestManyHooksOfOneKeepNobodyWaiting: an organization with a thousand deliveries waits behind
// its own.
func TestManyHooksOfOneKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.forge.Commit("main.tf", "")
		loud := h.workspace("loud", nil)
		_, err := h.verbs.CreateOrganization(h.t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("quiet"), Email: patch.Of("q@example.com")})
		h.must(err)
		token := h.connection("quiet")
		w, err := h.verbs.CreateWorkspace(h.t.Context(), h.admin, "quiet", belay.WorkspacePatch{
			Name: patch.Of("calm"), QueueAllRuns: patch.Of(true), VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), OAuthTokenID: patch.Of(token)}),
		})
		h.must(err)
		quiet := belay.WorkspaceRef{ID: w.ID}
		h.settle()
		for i := range 1000 {
			h.push(loud, fmt.Sprint("loud", i), forgetest.Push("refs/heads/nobody", "", fmt.Sprintf("%040d", i+1), "main.tf"))
		}
		h.push(quiet, "quiet", forgetest.Push("refs/heads/main", "", strings.Repeat("a", 40), "main.tf"))
		h.db.HeaviestWrite()
		for begun := 0; len(h.runsOf(quiet)) < 2; begun++ {
			if h.Work(h.t.Context()); begun > 3 {
				h.t.Fatal("the other organization waits behind the thousand")
			}
			h.Wait()
		}
		if n := h.db.HeaviestWrite(); n > 2*store.RowsAtOnce {
			h.t.Errorf("a transaction had %d rows", n)
		}
	})
}
