package runfile_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// house is a run and its files.
type house struct {
	*runfile.Room
	t     *testing.T
	db    *store.DB
	run   run.Run
	blobs blob.Store
}

// each tests with objects, and with files that are in their rows.
func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	t.Parallel()
	for name, short := range map[string]int64{"objects": -1, "rows": 0} {
		t.Run(name, func(t *testing.T) { eachEngine(t, short, test) })
	}
}

func eachEngine(t *testing.T, short int64, test func(*testing.T, *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := &house{t: t, db: db}
		ring, err := seal.Parse(seal.GenerateKey())
		h.must(err)
		h.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), ring)
		h.must(err)
		verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: h.blobs})
		h.Room = runfile.New(runfile.Config{DB: db, Objects: verbs.Objects(), Short: short})
		_, err = verbs.FirstStart(t.Context(), "the-admin")
		h.must(err)
		admin, err := verbs.Authenticate(t.Context(), "the-admin")
		h.must(err)
		_, err = verbs.CreateOrganization(t.Context(), admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
		h.must(err)
		w, err := verbs.CreateWorkspace(t.Context(), admin, "acme", belay.WorkspacePatch{Name: patch.Of("network")})
		h.must(err)
		h.run = run.Run{ID: belay.NewID("run"), WorkspaceID: w.ID, OrganizationID: w.OrganizationID, Status: run.Planning, CreatedAt: time.Now()}
		h.run.Plan.ID, h.run.Apply.ID = belay.NewID("plan"), belay.NewID("apply")
		h.must(db.Update(t.Context(), func(tx *store.Tx) error { return tx.AddRun(&h.run, "") }))
		test(t, h)
	})
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) put(kind run.FileKind, text string) bool {
	h.t.Helper()
	_, fresh, err := h.Put(h.t.Context(), &h.run, kind, "", strings.NewReader(text))
	h.must(err)
	return fresh
}

func (h *house) read(kind run.FileKind) (string, error) {
	rc, _, err := h.Open(h.t.Context(), &h.run, kind)
	if err != nil {
		return "", err
	}
	defer func() { _ = rc.Close() }()
	raw, err := io.ReadAll(rc)
	return string(raw), err
}

// files counts the objects, and the files that are in their rows.
func (h *house) files() (n int) {
	h.t.Helper()
	h.must(h.blobs.Walk(h.t.Context(), func(string, time.Time) error { n++; return nil }))
	h.must(h.db.View(h.t.Context(), func(v *store.View) error {
		list, err := v.RunFiles(h.run.ID)
		for _, f := range list {
			if f.Key == "" {
				n++
			}
		}
		return err
	}))
	return n
}

func TestAFileComesBackAndTwiceIsOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		if _, err := h.read(run.PlanFile); belay.KindOf(err) != belay.NotFound {
			t.Errorf("before it came: %v", err)
		}
		if !h.put(run.PlanFile, "plan") || h.put(run.PlanFile, "plan") {
			t.Error("fresh the first time, and not the second")
		}
		if text, err := h.read(run.PlanFile); err != nil || text != "plan" || h.files() != 1 {
			t.Errorf("%q, %v, %d files", text, err, h.files())
		}
		if !h.put(run.PlanFile, "another") {
			t.Error("other bytes are not fresh")
		}
		if text, err := h.read(run.PlanFile); err != nil || text != "another" || h.files() != 1 {
			t.Errorf("%q, %v, %d files", text, err, h.files())
		}
		_, _, err := h.Put(t.Context(), &h.run, run.LockFile, strings.Repeat("0", 64), strings.NewReader("x"))
		if belay.KindOf(err) != belay.Invalid || h.files() != 1 {
			t.Errorf("other bytes than announced: %v, %d files", err, h.files())
		}
		_, _, err = h.Put(t.Context(), &h.run, run.LockFile, "", iotest.ErrReader(errors.New("hung up")))
		if belay.KindOf(err) != belay.BadRequest || h.files() != 1 {
			t.Errorf("half a file: %v, %d files", err, h.files())
		}
	})
}

func TestTheSameFileManyTimesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var senders sync.WaitGroup
		for range 8 {
			senders.Go(func() { h.put(run.PlanFile, "plan") })
		}
		senders.Wait()
		if text, err := h.read(run.PlanFile); err != nil || text != "plan" || h.files() != 1 {
			t.Errorf("%q, %v, %d files", text, err, h.files())
		}
	})
}

const plan = `{"format_version":"1.2","terraform_version":"1.12.6","resource_changes":[
	{"address":"a.b","mode":"managed","type":"a","name":"b","provider_name":"p","change":{"actions":["create"],"before":null,
	"after":{"password":"hunter-two","size":2},"after_unknown":{},"before_sensitive":false,"after_sensitive":{"password":true}}}],
	"planned_values":{"root_module":{"resources":[{"values":{"password":"hunter-two"}}]}},"configuration":{}}`

func TestWhatIsServedOfAPlan(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for _, kind := range []object.Kind{object.PlanJSON, object.PlanRedacted, object.PlanSchema, object.ErroredState} {
			if _, err := h.Presign(t.Context(), &h.run, kind); belay.KindOf(err) != belay.NotFound {
				t.Errorf("%s before it came: %v", kind, err)
			}
		}
		h.put(run.PlanJSONFile, plan)
		h.put(run.SchemasFile, `{"format_version":"1.0","provider_schemas":{"p":{}}}`)
		h.put(run.RescuedFile, `{"version":4}`)
		if text := h.download(object.PlanJSON); text != plan {
			t.Errorf("%.60s", text)
		}
		for range 2 {
			text := h.download(object.PlanRedacted)
			if strings.Contains(text, "hunter-two") || !strings.Contains(text, "REDACTED") || !strings.Contains(text, "provider_schemas") {
				t.Errorf("redacted: %s", text)
			}
		}
		if text := h.download(object.ErroredState); text != `{"version":4}` {
			t.Errorf("%.60s", text)
		}
		if c, err := h.Counts(t.Context(), &h.run); err != nil || c.Additions != 1 || c.Changes != 0 {
			t.Errorf("%+v, %v", c, err)
		}
		h.must(h.db.View(t.Context(), func(v *store.View) error {
			list, err := h.Of(v, &h.run)
			if len(list) != 3 { // not what the server made of them
				t.Errorf("%+v", list)
			}
			return err
		}))
	})
}

// TestWhatIsNoPlan brings as one what is none, or is deeper than any.
func TestWhatIsNoPlan(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for _, text := range []string{"", "junk", "[]", `{"resource_changes":` + strings.Repeat("[", 20_000), `{"resource_changes":3}`} {
			h.put(run.PlanJSONFile, text)
			if _, err := h.Counts(t.Context(), &h.run); belay.KindOf(err) != belay.Invalid {
				t.Errorf("counts of %.30q: %v", text, err)
			}
			if _, err := h.Findings(t.Context(), &h.run); belay.KindOf(err) != belay.Invalid {
				t.Errorf("findings of %.30q: %v", text, err)
			}
			if _, err := h.Presign(t.Context(), &h.run, object.PlanRedacted); belay.KindOf(err) != belay.NotFound {
				t.Errorf("redacted %.30q: %v", text, err)
			}
		}
	})
}

func (h *house) download(kind object.Kind) string {
	h.t.Helper()
	p, err := h.Presign(h.t.Context(), &h.run, kind)
	h.must(err)
	rc, _, err := h.Download(h.t.Context(), p)
	h.must(err)
	defer func() { _ = rc.Close() }()
	raw, err := io.ReadAll(rc)
	h.must(err)
	return string(raw)
}
