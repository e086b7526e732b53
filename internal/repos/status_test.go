package repos_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// planned lets every plan that waits end: with changes of these counts, or, without, as a failure.
func (h *house) planned(counts *run.Counts) {
	h.t.Helper()
	if h.runner.ID == "" {
		answer, err := h.runs.Register(h.t.Context(), "", "", "10.0.0.1", run.Registration{
			Name: "r1", BootID: belay.RandomText(8), Slots: 4, Engines: []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}},
		})
		h.must(err)
		h.runner, err = h.runs.Runner(h.t.Context(), answer.Token)
		h.must(err)
	}
	for {
		h.settle()
		claimed, err := h.runs.Claim(h.t.Context(), h.runner, run.Claim{Slots: 4, Nonce: belay.RandomText(8)})
		h.must(err)
		if len(claimed.Jobs) == 0 {
			return
		}
		for _, j := range claimed.Jobs {
			_, err := h.runs.Start(h.t.Context(), j.Lease, run.Start{})
			h.must(err)
			end := run.End{Outcome: run.Failed, Error: "the engine failed"}
			if counts != nil {
				changes := *counts != run.Counts{}
				end = run.End{Outcome: run.Succeeded, HasChanges: &changes, Counts: counts}
			}
			_, err = h.runs.End(h.t.Context(), j.Lease, end)
			h.must(err)
		}
	}
}

// organization changes the organization.
func (h *house) organization(p belay.OrganizationPatch) {
	h.t.Helper()
	_, err := h.verbs.UpdateOrganization(h.t.Context(), h.admin, "acme", p)
	h.must(err)
}

// last is what the service was told last of a commit, by the contexts.
func (h *house) last(commit string) map[string]string {
	told := map[string]string{}
	for _, one := range h.forge.Told() {
		if of, rest, _ := strings.Cut(one, " "); of == commit[:7] {
			context, text, _ := strings.Cut(rest, " ")
			told[context] = text
		}
	}
	return told
}

// lastIs demands what the service was told last of a commit.
func (h *house) lastIs(commit string, want map[string]string) {
	h.t.Helper()
	if got := h.last(commit); fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("of commit %.7s the service was told\n  %v, want\n  %v", commit, got, want)
	}
}

// forgePull has the service tell of a pull request whose files are these.
func (h *house) forgePull(ref belay.WorkspaceRef, number int, commit string, files ...string) {
	h.t.Helper()
	h.forge.Lock()
	h.forge.Files = files
	h.forge.Unlock()
	h.pull(ref, fmt.Sprint("pull ", number, commit), number, commit, forgetest.Repository)
	h.settle()
}

// two is a workspace for each of two folders.
func (h *house) two() (a, b belay.WorkspaceRef) {
	h.t.Helper()
	folder := func(name string) belay.WorkspaceRef {
		return h.workspace(name, func(p *belay.WorkspacePatch) { p.TriggerPatterns = patch.Of([]string{"/" + name + "/**/*"}) })
	}
	h.forge.Commit("a/main.tf", "1")
	a, b = folder("a"), folder("b")
	h.settle()
	h.planned(&run.Counts{})
	h.forge.Git(forgetest.Repository+".git", "checkout", "--quiet", "-b", "topic") // what comes is on no branch that is followed
	return a, b
}

func TestStatusesOfEachWorkspace(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{AggregatedStatuses: patch.Of(false)})
		a, _ := h.two()
		commit := h.forge.Commit("a/main.tf", "2")
		h.forgePull(a, 1, commit, "a/main.tf")
		h.lastIs(commit, map[string]string{"belay/acme/a": "pending The plan is queued"})
		h.planned(&run.Counts{Additions: 1, Changes: 2, Destructions: 3})
		h.lastIs(commit, map[string]string{"belay/acme/a": "success Plan: 1 to add, 2 to change, 3 to destroy"})

		h.organization(belay.OrganizationPatch{SendPassingStatuses: patch.Of(true)})
		commit = h.forge.Commit("a/main.tf", "3")
		h.forgePull(a, 2, commit, "a/main.tf")
		h.planned(nil)
		h.lastIs(commit, map[string]string{"belay/acme/a": "failure The plan failed", "belay/acme/b": "success No file of this workspace was changed"})

		// What a newer commit supersedes came to no end.
		older, newer := h.forge.Commit("b/main.tf", "4"), h.forge.Commit("b/main.tf", "5")
		h.forgePull(a, 3, older, "b/main.tf")
		h.forgePull(a, 3, newer, "b/main.tf")
		h.planned(&run.Counts{})
		h.lastIs(older, map[string]string{"belay/acme/b": "error The run was canceled", "belay/acme/a": "success No file of this workspace was changed"})
		h.lastIs(newer, map[string]string{"belay/acme/b": "success No changes", "belay/acme/a": "success No file of this workspace was changed"})
	})
}

func TestOneStatusOfAllWorkspaces(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{SendPassingStatuses: patch.Of(true)}) // which means nothing here
		a, b := h.two()
		commit := h.forge.Commit("a/main.tf", "2")
		h.forgePull(a, 1, commit, "a/main.tf")
		h.lastIs(commit, map[string]string{"belay/acme": "pending The plan is queued"})
		h.planned(&run.Counts{Additions: 1})
		h.lastIs(commit, map[string]string{"belay/acme": "success Plan: 1 to add, 0 to change, 0 to destroy"})

		commit = h.forge.Commit("b/main.tf", "2")
		h.forgePull(a, 2, commit, "a/main.tf", "b/main.tf")
		h.lastIs(commit, map[string]string{"belay/acme": "pending 0 of 2 plans are finished"})
		runs := h.runsOf(b)
		h.must(h.runs.Cancel(h.t.Context(), h.admin, runs[len(runs)-1].ID, ""))
		h.settle()
		h.lastIs(commit, map[string]string{"belay/acme": "error 1 of 2 plans failed"})
		h.planned(&run.Counts{})
		h.lastIs(commit, map[string]string{"belay/acme": "error 1 of 2 plans failed"})
	})
}

// TestAServiceThatIsAwayIsToldLater holds that an outage of any kind delays a status, that the newest is
// told when it ends, and that a service that stays away is given up with a word to people.
func TestAServiceThatIsAwayIsToldLater(t *testing.T) {
	t.Parallel()
	outages := map[string]func(w http.ResponseWriter){
		"failed by itself": func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"asked too often": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"could not be reached": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	}
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{AggregatedStatuses: patch.Of(false)})
		a, _ := h.two()
		number := 0
		for reason, outage := range outages {
			number++
			commit := h.forge.Commit("a/main.tf", reason)
			h.away(outage)
			h.forgePull(a, number, commit, "a/main.tf")
			h.planned(&run.Counts{Additions: number})
			h.lastIs(commit, map[string]string{})
			if told := h.events(); !strings.Contains(told, "could not be told (try 1)") || !strings.Contains(told, reason) {
				h.t.Errorf("while the service %s: %s", reason, told)
			}
			h.away(nil)
			h.settle()
			h.pass(time.Hour)
			h.settle()
			h.lastIs(commit, map[string]string{"belay/acme/a": fmt.Sprintf("success Plan: %d to add, 0 to change, 0 to destroy", number)})
		}
		commit := h.forge.Commit("a/main.tf", "for ever")
		h.away(outages["failed by itself"])
		h.forgePull(a, 9, commit, "a/main.tf")
		for range 12 {
			h.pass(8 * time.Hour)
			h.settle()
		}
		if told := h.events(); strings.Count(told, "is given up") != 1 {
			h.t.Errorf("after two days: %s", told)
		}
		h.away(nil)
		h.planned(&run.Counts{}) // what happens later is told again
		h.lastIs(commit, map[string]string{"belay/acme/a": "success No changes"})
	})
}

// TestATokenThatIsNotAcceptedIsNoted until the service takes it again, or there is another.
func TestATokenThatIsNotAcceptedIsNoted(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{AggregatedStatuses: patch.Of(false)})
		a, _ := h.two()
		client, number := "", 0
		noted := func(when string, is bool) {
			h.t.Helper()
			list, _, err := h.verbs.OAuthClients(h.t.Context(), h.admin, "acme", belay.Page{Number: 1, Size: 10})
			h.must(err)
			client = list[0].ID
			tokens, _, err := h.verbs.ClientTokens(h.t.Context(), h.admin, client, belay.Page{Number: 1, Size: 10})
			h.must(err)
			if list[0].TokenRefusedAt.IsZero() == is || tokens[0].RefusedAt.IsZero() == is {
				h.t.Errorf("%s: %+v %+v", when, list[0].TokenRefusedAt, tokens[0].RefusedAt)
			}
		}
		push := func() {
			number++
			h.forgePull(a, number, h.forge.Commit("a/main.tf", strconv.Itoa(number)), "a/main.tf")
			h.settle()
		}
		push()
		noted("at first", false)
		unauthorized := func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }
		h.away(unauthorized)
		push()
		noted("refused", true)
		h.away(nil)
		push()
		noted("taken again", false)
		h.away(unauthorized)
		push()
		noted("refused again", true)
		_, err := h.verbs.UpdateOAuthClient(h.t.Context(), h.admin, client, forge.OAuthClientPatch{TokenString: patch.Of("the-token")})
		h.must(err)
		noted("given anew", false)
	})
}

// TestAServiceThatSaysWhenIsLeftAloneUntilThen holds that Retry-After is waited for, and no longer.
func TestAServiceThatSaysWhenIsLeftAloneUntilThen(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{AggregatedStatuses: patch.Of(false)})
		a, _ := h.two()
		asked := 0
		h.away(func(w http.ResponseWriter) {
			h.forge.Lock()
			defer h.forge.Unlock()
			asked++
			w.Header().Set("Retry-After", "3000")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		commit := h.forge.Commit("a/main.tf", "2")
		h.forgePull(a, 1, commit, "a/main.tf")
		h.pass(40 * time.Minute)
		h.settle()
		if n := h.forge.Count(func(*forgetest.Forge) int { return asked }); n != 1 {
			h.t.Errorf("it was asked %d times within 50 minutes", n)
		}
		h.away(nil)
		h.pass(15 * time.Minute)
		h.settle()
		h.lastIs(commit, map[string]string{"belay/acme/a": "pending The plan is queued"})
	})
}

// away has the service answer statuses so; nil: as ever.
func (h *house) away(outage func(http.ResponseWriter)) {
	h.forge.Lock()
	defer h.forge.Unlock()
	if h.forge.Before = nil; outage != nil {
		h.forge.Before = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/statuses/") {
				return false
			}
			outage(w)
			return true
		}
	}
}

func (h *house) comments() (list []string, edited int) {
	h.forge.Lock()
	defer h.forge.Unlock()
	return slices.Clone(h.forge.Comments), h.forge.Edited
}

// TestOneCommentOfAPullRequest: newer commits change the comment that is there, older ones don't, and one
// that somebody deleted is written anew.
func TestOneCommentOfAPullRequest(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{PullRequestComments: patch.Of(true)})
		a, _ := h.two()
		first := h.forge.Commit("a/main.tf", "2")
		h.forgePull(a, 7, first, "a/main.tf", "b/main.tf")
		if list, _ := h.comments(); len(list) != 0 {
			h.t.Errorf("before a plan is finished: %q", list)
		}
		h.planned(&run.Counts{Additions: 1, Changes: 2, Destructions: 3})
		list, edited := h.comments()
		if len(list) != 1 || edited != 0 || strings.Count(list[0], "Plan: 1 to add, 2 to change, 3 to destroy") != 2 ||
			!strings.Contains(list[0], "commit "+first[:12]) || !strings.Contains(list[0], "| [b](https://belay.example.com/app/acme/workspaces/b/runs/") {
			h.t.Fatalf("the comments: %q, edited %d times", list, edited)
		}
		second := h.forge.Commit("a/main.tf", "3")
		h.forgePull(a, 7, second, "a/main.tf", "b/main.tf")
		if again, edited := h.comments(); !slices.Equal(again, list) || edited != 0 {
			h.t.Errorf("while the next commit is planned: %q", again)
		}
		h.planned(&run.Counts{})
		list, edited = h.comments()
		if len(list) != 1 || edited != 1 || strings.Count(list[0], "No changes") != 2 || !strings.Contains(list[0], "commit "+second[:12]) {
			h.t.Errorf("the comments of two commits: %q, edited %d times", list, edited)
		}
		// What is told of an older commit later changes nothing, and nothing new nothing.
		for _, commit := range []string{first, second} {
			h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
				w, err := tx.Workspace(a)
				if err != nil {
					return err
				}
				return tx.NoteCommitStatus(w.HookID, commit, &w)
			}))
		}
		h.settle()
		if again, edited := h.comments(); !slices.Equal(again, list) || edited != 1 {
			h.t.Errorf("told again: %q, edited %d times", again, edited)
		}
		other := h.forge.Commit("a/main.tf", "4")
		h.forgePull(a, 8, other, "a/main.tf")
		h.planned(&run.Counts{Additions: 4})
		if list, _ = h.comments(); len(list) != 2 || !strings.Contains(list[1], "Plan: 4 to add") {
			h.t.Errorf("of two pull requests: %q", list)
		}
		h.forge.Lock()
		h.forge.Comments[0] = "" // somebody deleted it
		h.forge.Unlock()
		third := h.forge.Commit("a/main.tf", "5")
		h.forgePull(a, 7, third, "a/main.tf")
		h.planned(&run.Counts{Additions: 5})
		if list, _ = h.comments(); len(list) != 3 || !strings.Contains(list[2], "Plan: 5 to add") {
			h.t.Errorf("after the comment was deleted: %q", list)
		}
	})
}

// TestTwoReplicasMakeOneComment: of two that finish at the same time only one writes, and the other waits.
func TestTwoReplicasMakeOneComment(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{PullRequestComments: patch.Of(true)})
		a, _ := h.two()
		hook := h.hook(a)
		commit := h.forge.Commit("a/main.tf", "2")
		h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error { // another has it, and dies
			_, mine, err := tx.HoldComment(hook.ID, 7, "another", tx.Now.Add(time.Minute))
			if err == nil && !mine {
				err = fmt.Errorf("it is held by nobody")
			}
			return err
		}))
		h.forgePull(a, 7, commit, "a/main.tf")
		h.planned(&run.Counts{Additions: 1})
		if list, _ := h.comments(); len(list) != 0 {
			h.t.Errorf("what another writes is written twice: %q", list)
		}
		h.pass(10 * time.Minute)
		h.settle()
		if list, _ := h.comments(); len(list) != 1 || !strings.Contains(list[0], "Plan: 1 to add") {
			h.t.Errorf("after the other died: %q", list)
		}
		if told := h.events(); strings.Contains(told, "could not be told") {
			h.t.Errorf("waiting is told as a failure: %s", told)
		}
	})
}

// TestACommentThatWasForgottenIsFound: whoever makes the comment may die before its id is written down, or
// hear no answer. The next try finds it by its mark, and changes it instead of making a second one.
func TestACommentThatWasForgottenIsFound(t *testing.T) {
	t.Parallel()
	each(t, func(h *house) {
		h.organization(belay.OrganizationPatch{PullRequestComments: patch.Of(true)})
		a, _ := h.two()
		h.forge.Lock()
		h.forge.Comments = []string{"what somebody else says"}
		h.forge.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/comments") {
				h.forge.API(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler) // it is made, and nobody hears of it
			}
			return false
		}
		h.forge.Unlock()
		commit := h.forge.Commit("a/main.tf", "2")
		h.forgePull(a, 7, commit, "a/main.tf")
		h.planned(&run.Counts{Additions: 1})
		h.forge.Lock()
		h.forge.Before = nil
		h.forge.Unlock()
		if list, edited := h.comments(); len(list) != 2 || edited != 0 {
			h.t.Fatalf("without an answer: %q, edited %d times", list, edited)
		}
		next := h.forge.Commit("a/main.tf", "3")
		h.forgePull(a, 7, next, "a/main.tf")
		h.planned(&run.Counts{Changes: 3})
		for range 3 { // what was not told is due again
			h.pass(time.Hour)
			h.settle()
		}
		list, _ := h.comments()
		if len(list) != 2 || !strings.Contains(list[1], "Plan: 0 to add, 3 to change") || list[0] != "what somebody else says" {
			h.t.Errorf("after it was found: %q", list)
		}
		mark := (&forge.PullRequestComment{HookID: h.hook(a).ID, Number: 7}).Mark()
		if !strings.HasSuffix(list[1], "\n\n[//]: # ("+mark+")\n") {
			h.t.Errorf("its mark: %q", list[1])
		}

		// One that died with the comment in its hands: what it held ends by itself.
		mark = (&forge.PullRequestComment{HookID: h.hook(a).ID, Number: 8}).Mark()
		h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
			_, _, err := tx.HoldComment(h.hook(a).ID, 8, "dead", tx.Now.Add(time.Minute))
			return err
		}))
		h.forge.Lock()
		h.forge.Comments = append(h.forge.Comments, "Plans of the first commit\n\n[//]: # ("+mark+")\n")
		h.forge.Unlock()
		last := h.forge.Commit("a/main.tf", "4")
		h.forgePull(a, 8, last, "a/main.tf")
		h.planned(&run.Counts{Destructions: 4})
		h.pass(10 * time.Minute)
		h.settle()
		if list, _ := h.comments(); len(list) != 3 || !strings.Contains(list[2], "4 to destroy") {
			h.t.Errorf("after one died: %q", list)
		}
	})
}
