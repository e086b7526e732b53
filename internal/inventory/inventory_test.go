package inventory_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/inventory"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// house is an organization with a workspace, whose states and plans are read.
type house struct {
	*inventory.Room
	t       *testing.T
	db      *store.DB
	verbs   *app.App
	files   *runfile.Room
	admin   belay.Principal
	ws      belay.WorkspaceRef
	clock   atomic.Int64
	serial  int
	reading func() // is done once, when the next object is opened
	readAs  string // whose work it was to open the last object
}

func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: h.now})
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	h.must(err)
	h.db, h.verbs = db, app.New(app.Config{DB: db, Ring: ring, Blobs: watched{blobs, h}, Now: h.now})
	h.files = runfile.New(runfile.Config{DB: db, Objects: h.verbs.Objects()})
	h.Room = inventory.New(inventory.Config{DB: db, Objects: h.verbs.Objects(), Ring: ring, Now: h.now})
	_, err = h.verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	w, err := h.verbs.CreateWorkspace(t.Context(), h.admin, "acme", belay.WorkspacePatch{Name: patch.Of("network")})
	h.must(err)
	h.ws = belay.WorkspaceRef{ID: w.ID}
	return h
}

// watched has something done while an object is read.
type watched struct {
	blob.Store
	h *house
}

func (w watched) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	w.h.readAs = fair.Of(ctx)
	if meanwhile := w.h.reading; meanwhile != nil {
		w.h.reading = nil
		meanwhile()
	}
	return w.Store.Get(ctx, key)
}

func (h *house) now() time.Time { return time.UnixMilli(h.clock.Load()) }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// save gives the workspace a state with some resources.
func (h *house) save(resources ...string) {
	h.t.Helper()
	ctx := h.t.Context()
	h.serial++
	file := fmt.Sprintf(`{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":"l","outputs":{},"resources":[%s]}`, h.serial, strings.Join(resources, ","))
	sum := md5.Sum([]byte(file))
	_, err := h.verbs.LockWorkspace(ctx, h.admin, h.ws, "")
	h.must(err)
	d, err := h.verbs.DraftState(ctx, h.admin, h.ws)
	h.must(err)
	h.must(d.State(ctx, strings.NewReader(file)))
	_, err = d.Commit(ctx, belay.NewState{Serial: int64(h.serial), MD5: hex.EncodeToString(sum[:])})
	h.must(err)
	_, err = h.verbs.UnlockWorkspace(ctx, h.admin, h.ws)
	h.must(err)
}

// assess has the workspace's current state told of by a plan.
func (h *house) assess(plan string) {
	h.t.Helper()
	r := run.Run{ID: belay.NewID("run"), WorkspaceID: h.ws.ID, Status: run.PlannedAndFinished, CreatedAt: h.now()}
	r.Plan.ID, r.Apply.ID = belay.NewID("plan"), belay.NewID("apply")
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		w, err := tx.Workspace(h.ws)
		if err != nil {
			return err
		}
		r.OrganizationID = w.OrganizationID
		return tx.AddRun(&r, "")
	}))
	_, _, err := h.files.Put(h.t.Context(), &r, run.PlanJSONFile, "", strings.NewReader(plan))
	h.must(err)
	h.ask(r.ID)
}

// ask notes that the plan of a run is to be read; without one, that nobody knows.
func (h *house) ask(runID string) {
	h.t.Helper()
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		w, err := tx.Workspace(h.ws)
		if err != nil {
			return err
		}
		if runID == "" {
			return tx.ForgetDrift(&w)
		}
		return tx.AskDrift(&w, runID)
	}))
}

// read reads all that is to be read.
func (h *house) read() {
	h.t.Helper()
	h.must(h.Read(h.t.Context()))
}

// explore asks for the addresses of resources, each with whether it has drifted.
func (h *house) explore(question url.Values) (lines []string) {
	h.t.Helper()
	question.Set("type", "resources")
	question.Set("fields", "address,drifted")
	want, err := explorer.FromURL(question)
	h.must(err)
	list, total, err := h.verbs.Explore(h.t.Context(), h.admin, "acme", want, belay.Page{Number: 1, Size: 100})
	h.must(err)
	for _, row := range list {
		lines = append(lines, fmt.Sprint(row.Values[0], " ", row.Values[1]))
	}
	var walked []string
	h.must(h.verbs.ExploreAll(h.t.Context(), h.admin, "acme", want, func(rows []explorer.Row) error {
		for _, row := range rows {
			walked = append(walked, fmt.Sprint(row.Values[0], " ", row.Values[1]))
		}
		return nil
	}))
	if total != len(lines) || !slices.Equal(lines, walked) {
		h.t.Errorf("%v: a page of %d is %v, and all of it %v", question, total, lines, walked)
	}
	return lines
}

// count is how many resources a question finds.
func (h *house) count(question url.Values) int {
	h.t.Helper()
	question.Set("type", "resources")
	want, err := explorer.FromURL(question)
	h.must(err)
	_, total, err := h.verbs.Explore(h.t.Context(), h.admin, "acme", want, belay.Page{Number: 1, Size: 1})
	h.must(err)
	return total
}

// tells holds what the explorer says of all resources.
func (h *house) tells(when string, want ...string) {
	h.t.Helper()
	slices.Sort(want)
	if got := h.explore(url.Values{}); !slices.Equal(got, want) {
		h.t.Errorf("%s the explorer says\n%s\nand not\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// managed is a resource of a state, by its module, its name and the keys of its instances.
func managed(module, name string, keys ...string) string {
	return resource("managed", module, name, keys...)
}

func resource(mode, module, name string, keys ...string) string {
	if len(keys) == 0 {
		keys = []string{`"schema_version":0`}
	}
	if module != "" {
		module = fmt.Sprintf(`"module":%q,`, module)
	}
	var instances []string
	for _, key := range keys {
		instances = append(instances, `{`+key+`,"attributes":{"id":"x"}}`)
	}
	return fmt.Sprintf(`{"mode":%q,%s"type":"a","name":%q,"provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[%s]}`,
		mode, module, name, strings.Join(instances, ","))
}
