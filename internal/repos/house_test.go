package repos_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/git"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// house is an organization with a connection to a forge.
type house struct {
	*repos.Room
	t      *testing.T
	url    string
	db     *store.DB
	ring   *seal.Ring
	blobs  blob.Store
	verbs  *app.App
	runs   *runs.Room
	runner run.Runner // that plans; made by planned
	forge  *forgetest.Forge
	clock  *atomic.Int64
	admin  belay.Principal
	token  string
	change func(*repos.Config)
}

type noLogs struct{}

func (noLogs) Begin(*store.Tx, *run.Run, string) error                     { return nil }
func (noLogs) End(*store.Tx, *run.Run, string, *run.LogRest, string) error { return nil }
func (noLogs) Size(*store.View, string) (int64, error)                     { return 0, nil }

type noFiles struct{}

func (noFiles) Of(*store.View, *run.Run) ([]run.JobFile, error) {
	return []run.JobFile{{Kind: run.PlanFile}, {Kind: run.PlanJSONFile}}, nil
}
func (noFiles) Among(*run.Run, []store.RunFile) []run.JobFile        { return nil }
func (noFiles) Keep(*store.Tx, *run.Run, []run.ShortFile) error      { return nil }
func (noFiles) CountsOf([]byte) (run.Counts, error)                  { return run.Counts{}, nil }
func (noFiles) Counts(context.Context, *run.Run) (run.Counts, error) { return run.Counts{}, nil }
func (noFiles) Findings(context.Context, *run.Run) (run.Findings, error) {
	return run.Findings{}, nil
}

func (noFiles) GiveUp(*store.Tx, *run.Run, string) (func(context.Context), error) {
	return func(context.Context) {}, nil
}

func each(t *testing.T, test func(*house)) {
	t.Helper()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}, url: storetest.URL(t, engine), forge: forgetest.New(t)}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	var err error
	h.ring, err = seal.Parse(seal.GenerateKey())
	h.must(err)
	h.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), h.ring)
	h.must(err)
	h.open()
	_, err = h.verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	h.token = h.connection("acme")
	return h
}

// open opens the database, and builds what a replica is.
func (h *house) open() {
	db, err := store.Open(h.t.Context(), store.Options{URL: h.url, Now: h.now})
	h.must(err)
	h.t.Cleanup(func() { _ = db.Close() })
	h.db = db
	h.verbs = app.New(app.Config{DB: db, Ring: h.ring, Blobs: h.blobs, Now: h.now, Address: "https://belay.example.com"})
	h.runs = runs.New(runs.Config{
		DB: db, Ring: h.ring, Now: h.now, Logs: noLogs{}, Files: noFiles{}, Engines: h.verbs.Engines, Finalize: state.FinalizeOrGiveUp, DefaultEngine: "tofu", Carries: true,
		Head: func(ctx context.Context, w *belay.Workspace) (*runs.Head, error) { return h.Room.Head(ctx, w) },
	})
	h.Room = h.room()
}

// room is one more worker on the same database.
func (h *house) room() *repos.Room {
	fetcher := h.fetcher()
	c := repos.Config{
		DB: h.db, Ring: h.ring, Objects: h.verbs.Objects(), Runs: h.runs, Egress: fetcher.Egress, Now: h.now, PublicURL: "https://belay.example.com", MaxSize: 1 << 20,
		Fetcher: fetcher,
	}
	if h.change != nil {
		h.change(&c)
	}
	return repos.New(c)
}

// fetcher fetches from this machine, held as well as its kernel can.
func (h *house) fetcher() *git.Fetcher {
	h.t.Helper()
	opened, err := egress.Parse("127.0.0.1")
	h.must(err)
	binary, err := exec.LookPath("git")
	h.must(err)
	held, _ := isolate.Auto.Landlock() // an error: it can't
	return &git.Fetcher{Binary: binary, Folder: h.t.TempDir(), Egress: opened, Landlock: held}
}

// now is another millisecond each time: what is made later is later.
func (h *house) now() time.Time { return time.UnixMilli(h.clock.Add(1)) }

func (h *house) pass(d time.Duration) { h.clock.Add(d.Milliseconds()) }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// settle does all that can be done now.
func (h *house) settle() {
	h.t.Helper()
	for range 100 {
		begun := h.Work(h.t.Context())
		h.Wait()
		if begun == 0 {
			return
		}
	}
	h.t.Fatal("there is no end of work")
}

// atOnce has several rooms work so many times, all at once.
func (h *house) atOnce(rooms []*repos.Room, times int) {
	var working sync.WaitGroup
	for _, room := range rooms {
		working.Go(func() {
			for range times {
				room.Work(h.t.Context())
				room.Wait()
			}
		})
	}
	working.Wait()
}

func (h *house) connection(organization string) (token string) {
	h.t.Helper()
	c, err := h.verbs.CreateOAuthClient(h.t.Context(), h.admin, organization, forge.OAuthClientPatch{
		ServiceProvider: patch.Of("gitea"), HTTPURL: patch.Of(h.forge.URL), APIURL: patch.Of(h.forge.URL + "/api/v1"), TokenString: patch.Of("the-token"),
	})
	h.must(err)
	return c.TokenIDs[0]
}

// workspace is one that is connected to the repository.
func (h *house) workspace(name string, change func(*belay.WorkspacePatch)) belay.WorkspaceRef {
	h.t.Helper()
	p := belay.WorkspacePatch{
		Name: patch.Of(name), QueueAllRuns: patch.Of(true),
		VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), OAuthTokenID: patch.Of(h.token)}),
	}
	if change != nil {
		change(&p)
	}
	w, err := h.verbs.CreateWorkspace(h.t.Context(), h.admin, "acme", p)
	h.must(err)
	return belay.WorkspaceRef{ID: w.ID}
}

// runsOf is the runs of a workspace, the oldest first.
func (h *house) runsOf(ref belay.WorkspaceRef) (list []run.Run) {
	h.t.Helper()
	found, _, err := h.runs.List(h.t.Context(), h.admin, ref, run.Query{Page: belay.Page{Number: 1, Size: 100}})
	h.must(err)
	for i := len(found) - 1; i >= 0; i-- {
		list = append(list, found[i].Run)
	}
	return list
}

func (h *house) hook(ref belay.WorkspaceRef) forge.Hook {
	h.t.Helper()
	var hook forge.Hook
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		w, err := v.Workspace(ref)
		if err == nil {
			hook, err = v.Hook(w.VCSRepo.WebhookID)
		}
		return err
	}))
	return hook
}

// events is what was told, in one text.
func (h *house) events() string {
	h.t.Helper()
	q, err := forge.ParseVCSEventQuery("", "", "", "", h.now())
	h.must(err)
	q.Page = belay.Page{Number: 1, Size: 100}
	list, _, err := h.Events(h.t.Context(), h.admin, "acme", q)
	h.must(err)
	var lines []string
	for _, e := range list {
		lines = append(lines, e.Level+" "+e.Message)
	}
	return strings.Join(lines, "\n")
}

// sent is a delivery as Gitea sends one.
func (h *house) sent(hook forge.Hook, event, id string, body any) (http.Header, []byte) {
	h.t.Helper()
	secret, err := h.ring.Unseal(hook.SealedSecret, hook.ID)
	h.must(err)
	header, raw, err := forgetest.Signed(secret, event, id, body)
	h.must(err)
	return header, raw
}

type object = map[string]any

func (h *house) push(ref belay.WorkspaceRef, id string, body object) {
	h.t.Helper()
	hook := h.hook(ref)
	header, raw := h.sent(hook, "push", id, body)
	h.must(h.Receive(h.t.Context(), hook.ID, header, raw))
}

func (h *house) pull(ref belay.WorkspaceRef, id string, number int, commit, head string) {
	h.t.Helper()
	if len(commit) == 40 && head == forgetest.Repository && h.forge.Has(commit) {
		h.forge.Git(forgetest.Repository+".git", "update-ref", "refs/heads/feature", commit)
	}
	hook := h.hook(ref)
	header, raw := h.sent(hook, "pull_request", id, forgetest.PullRequest(number, commit, head))
	h.must(h.Receive(h.t.Context(), hook.ID, header, raw))
}

// short is runs in few words.
func short(list []run.Run) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%s %s %.7s %q %s", r.Status, r.Reason, r.CommitSHA, r.Message, r.Error))
	}
	return strings.Join(words, "; ")
}
