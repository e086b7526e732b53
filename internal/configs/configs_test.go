package configs_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// house is an organization with a workspace, and the verbs of its configurations.
type house struct {
	*configs.Room
	t      *testing.T
	verbs  *app.App
	blobs  blob.Store
	clock  *atomic.Int64
	admin  belay.Principal
	ws     belay.WorkspaceRef
	queued []string
}

func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	now := func() time.Time { return time.UnixMilli(h.clock.Load()) }
	db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: now})
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	h.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	h.must(err)
	h.verbs = app.New(app.Config{DB: db, Ring: ring, Blobs: h.blobs, Now: now})
	h.Room = configs.New(configs.Config{
		DB: db, Objects: h.verbs.Objects(), Ring: ring, Now: now, MaxSize: 1 << 20, Edition: site.EditionAll,
		Queue: func(_ *store.Tx, author belay.Principal, _ *belay.Workspace, c *run.ConfigurationVersion) error {
			if !author.SiteAdmin {
				return errors.New("the author is no admin any more")
			}
			h.queued = append(h.queued, c.ID)
			return nil
		},
	})
	_, err = h.verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	h.admin, err = h.verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = h.verbs.CreateOrganization(t.Context(), h.admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	w, err := h.verbs.CreateWorkspace(t.Context(), h.admin, "acme", belay.WorkspacePatch{Name: patch.Of("network"), WorkingDirectory: patch.Of("net")})
	h.must(err)
	h.ws = belay.WorkspaceRef{ID: w.ID}
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) refused(err error, kind belay.Kind, text string) {
	h.t.Helper()
	if err == nil || belay.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
		h.t.Errorf("%v, want a refusal of kind %d with %q", err, kind, text)
	}
}

func (h *house) create(p run.ConfigurationPatch) (run.ConfigurationVersion, object.Presigned) {
	h.t.Helper()
	c, upload, err := h.Create(h.t.Context(), h.admin, h.ws, p, run.ConfigurationFromAPI)
	h.must(err)
	return c, upload
}

func (h *house) upload(url object.Presigned, raw string) error {
	return h.Upload(h.t.Context(), url, strings.NewReader(raw), -1)
}

func (h *house) uploaded(p run.ConfigurationPatch) run.ConfigurationVersion {
	h.t.Helper()
	c, url := h.create(p)
	h.must(h.upload(url, archived(c.ID)))
	return c
}

func (h *house) show(id string) run.ConfigurationVersion {
	h.t.Helper()
	c, err := h.Show(h.t.Context(), h.admin, id)
	h.must(err)
	return c
}

func (h *house) current() string {
	h.t.Helper()
	w, err := h.verbs.Workspace(h.t.Context(), h.admin, h.ws)
	h.must(err)
	return w.ConfigurationID
}

func (h *house) read(id string) (string, error) {
	p, err := h.Presign(h.t.Context(), h.admin, id)
	if err != nil {
		return "", err
	}
	_, rc, err := h.Download(h.t.Context(), p)
	if err != nil {
		return "", err
	}
	defer func() { _ = rc.Close() }()
	raw, err := io.ReadAll(rc)
	return string(raw), err
}

func (h *house) files() (n int) {
	h.t.Helper()
	h.must(h.blobs.Walk(h.t.Context(), func(string, time.Time) error { n++; return nil }))
	return n
}

// archived is an archive with one file.
func archived(content string) string { return archiveOf("main.tf", content) }

func archiveOf(files ...string) string {
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	w := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		_ = w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1])), Mode: 0o644})
		_, _ = w.Write([]byte(files[i+1]))
	}
	_, _ = w.Close(), zip.Close()
	return buffer.String()
}

func TestAnArchiveComesBackAsItWent(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := h.create(run.ConfigurationPatch{})
		if c.Status != run.ConfigurationPending || h.current() != c.ID {
			t.Errorf("%s, and current is %q", c.Status, h.current())
		}
		_, err := h.read(c.ID)
		h.refused(err, belay.NotFound, "")
		want := archived("x")
		h.must(h.upload(url, want))
		got, err := h.read(c.ID)
		if err != nil || got != want {
			t.Errorf("read %d bytes, %v, want %d", len(got), err, len(want))
		}
		c = h.show(c.ID)
		if c.Status != run.ConfigurationUploaded || c.Stamps[run.UploadedStamp].IsZero() || c.Stamps[run.FinishedStamp] != c.Stamps[run.UploadedStamp] {
			t.Errorf("%s with %v", c.Status, c.Stamps)
		}
		if len(h.queued) != 1 {
			t.Errorf("queued %v, want one", h.queued)
		}
		h.must(h.upload(url, archived("y")))
		if got, err = h.read(c.ID); err != nil || got != archived("y") || h.files() != 1 {
			t.Errorf("after another upload: %d bytes, %v, %d files", len(got), err, h.files())
		}
		if len(h.queued) != 1 {
			t.Errorf("queued %v again", h.queued)
		}
	})
}

func TestWhatIsNoArchiveIsTheEnd(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		before := h.uploaded(run.ConfigurationPatch{})
		c, url := h.create(run.ConfigurationPatch{})
		h.refused(h.upload(url, "no archive"), belay.Invalid, "not compressed with gzip")
		c = h.show(c.ID)
		if c.Status != run.ConfigurationErrored || c.ErrorCode != run.BadArchive || c.ErrorMessage == "" || c.Stamps[run.ErroredStamp].IsZero() {
			t.Errorf("%+v", c)
		}
		if h.current() != before.ID {
			t.Errorf("current is %q, want the one before", h.current())
		}
		h.refused(h.upload(url, archived("x")), belay.Conflict, "errored")
		h.refused(h.upload(url, archiveOf("../x", "")), belay.Conflict, "errored")
		if h.files() != 1 || len(h.queued) != 1 {
			t.Errorf("%d files, queued %v", h.files(), h.queued)
		}
	})
}

func TestAnUploadThatBreaksOffCanBeRepeated(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := h.create(run.ConfigurationPatch{})
		whole := archived(strings.Repeat("x", 1000))
		cut := io.MultiReader(strings.NewReader(whole[:len(whole)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
		h.refused(h.Upload(t.Context(), url, cut, int64(len(whole))), belay.BadRequest, "")
		if c = h.show(c.ID); c.Status != run.ConfigurationPending || h.files() != 0 {
			t.Errorf("%s, %d files", c.Status, h.files())
		}
		large := strings.Repeat("x", 1<<20+1)
		h.refused(h.upload(url, large), belay.TooLarge, "1048576")
		h.refused(h.Upload(t.Context(), url, strings.NewReader(""), 1<<20+1), belay.TooLarge, "")
		h.must(h.upload(url, whole))
		if c = h.show(c.ID); c.Status != run.ConfigurationUploaded || h.files() != 1 {
			t.Errorf("%s, %d files", c.Status, h.files())
		}
	})
}

func TestManyUploadsAtOnceLeaveOneArchive(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := h.create(run.ConfigurationPatch{})
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				if err := h.Upload(t.Context(), url, strings.NewReader(archived(strings.Repeat("x", i%4))), -1); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if _, err := h.read(c.ID); err != nil || h.files() != 1 || len(h.queued) != 1 {
			t.Errorf("%v, %d files, queued %v", err, h.files(), h.queued)
		}
	})
}

func TestWhichConfigurationIsCurrent(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		first, _ := h.create(run.ConfigurationPatch{AutoQueueRuns: patch.Null[bool]()})
		if !first.AutoQueueRuns {
			t.Error("null is not the default")
		}
		h.create(run.ConfigurationPatch{Provisional: patch.Of(true)})
		h.create(run.ConfigurationPatch{Speculative: patch.Of(true)})
		if h.current() != first.ID {
			t.Errorf("current is %q, want the first", h.current())
		}
		second, _ := h.create(run.ConfigurationPatch{})
		if h.current() != second.ID {
			t.Errorf("current is %q, want the second", h.current())
		}
	})
}

// TestWhoVetsAConfiguration makes one as somebody who may plan, and as somebody who may apply.
func TestWhoVetsAConfiguration(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		for level, want := range map[string]bool{"plan": false, "write": true} {
			team, err := h.verbs.CreateTeam(ctx, h.admin, "acme", belay.TeamPatch{Name: patch.Of(level)})
			h.must(err)
			_, err = h.verbs.GiveWorkspace(ctx, h.admin, team.ID, h.ws.ID, belay.TeamWorkspacePatch{Level: patch.Of(level)})
			h.must(err)
			_, value, err := h.verbs.CreateTeamToken(ctx, h.admin, team.ID, identity.NewToken{})
			h.must(err)
			s, err := h.verbs.Authenticate(ctx, value)
			h.must(err)
			c, _, err := h.Create(ctx, s, h.ws, run.ConfigurationPatch{}, run.ConfigurationFromAPI)
			h.must(err)
			if got := h.show(c.ID).Vetted; got != want {
				t.Errorf("made with %s: vetted is %t, want %t", level, got, want)
			}
		}
	})
}

func TestArchivingAndDeleting(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		old, mid, last := h.uploaded(run.ConfigurationPatch{}), h.uploaded(run.ConfigurationPatch{}), h.uploaded(run.ConfigurationPatch{})
		h.refused(h.Archive(ctx, h.admin, last.ID), belay.Conflict, "transition not allowed: configuration could not be archived because it is current")
		h.must(h.Archive(ctx, h.admin, old.ID))
		_, err := h.read(old.ID)
		h.refused(err, belay.NotFound, "")
		h.refused(h.Archive(ctx, h.admin, old.ID), belay.Conflict, "transition not allowed")
		h.refused(h.SoftDelete(ctx, h.admin, last.ID), belay.BadRequest, "transition not allowed")
		h.refused(h.DeleteForGood(ctx, h.admin, mid.ID), belay.BadRequest, "transition not allowed")
		h.refused(h.Restore(ctx, h.admin, mid.ID), belay.BadRequest, "transition not allowed")
		h.must(h.SoftDelete(ctx, h.admin, mid.ID))
		_, err = h.read(mid.ID)
		h.refused(err, belay.NotFound, "")
		h.must(h.Restore(ctx, h.admin, mid.ID))
		if _, err = h.read(mid.ID); err != nil {
			t.Error(err)
		}
		h.must(h.SoftDelete(ctx, h.admin, mid.ID))
		h.must(h.DeleteForGood(ctx, h.admin, mid.ID))
		h.refused(h.Restore(ctx, h.admin, mid.ID), belay.BadRequest, "transition not allowed")
		if got := h.show(mid.ID).Status; got != run.ConfigurationDeleted || h.files() != 1 {
			t.Errorf("%s, %d files", got, h.files())
		}
	})
}

func TestWhatBecomesDueByItself(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		marked, old, current := h.uploaded(run.ConfigurationPatch{}), h.uploaded(run.ConfigurationPatch{}), h.uploaded(run.ConfigurationPatch{})
		h.must(h.SoftDelete(ctx, h.admin, marked.ID))
		never, url := h.create(run.ConfigurationPatch{})
		h.clock.Add((object.LongLife).Milliseconds())
		h.must(h.Tidy(ctx))
		if got := h.show(never.ID).Status; got != run.ConfigurationPending {
			t.Errorf("%s while its URL works", got)
		}
		h.clock.Add((2 * time.Hour).Milliseconds())
		h.must(h.Tidy(ctx))
		h.refused(h.upload(url, archived("x")), belay.NotFound, "")
		if got := h.show(never.ID); got.Status != run.ConfigurationErrored || got.ErrorCode != run.UploadExpired || h.current() != current.ID {
			t.Errorf("%s %s, and current is %q", got.Status, got.ErrorCode, h.current())
		}
		_, err := h.verbs.SetRetention(ctx, h.admin, app.RetentionTarget{Workspace: h.ws}, belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(30)})
		h.must(err)
		h.clock.Add((8 * 24 * time.Hour).Milliseconds())
		h.must(h.Tidy(ctx))
		h.statuses(map[string]run.ConfigurationStatus{
			marked.ID: run.ConfigurationDeleted, old.ID: run.ConfigurationUploaded, current.ID: run.ConfigurationUploaded,
		})
		h.clock.Add((30 * 24 * time.Hour).Milliseconds())
		h.must(h.Tidy(ctx))
		h.statuses(map[string]run.ConfigurationStatus{old.ID: run.ConfigurationSoftDeleted, current.ID: run.ConfigurationUploaded})
		h.clock.Add((8 * 24 * time.Hour).Milliseconds())
		h.must(h.Tidy(ctx))
		h.statuses(map[string]run.ConfigurationStatus{old.ID: run.ConfigurationDeleted, current.ID: run.ConfigurationUploaded})
		if h.files() != 1 {
			t.Errorf("%d files", h.files())
		}
	})
}

func (h *house) statuses(want map[string]run.ConfigurationStatus) {
	h.t.Helper()
	for id, status := range want {
		if got := h.show(id).Status; got != status {
			h.t.Errorf("%s is %s, want %s", id, got, status)
		}
	}
}

func TestTooManyMayNotWait(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for range 500 {
			h.create(run.ConfigurationPatch{Speculative: patch.Of(true)})
		}
		_, _, err := h.Create(t.Context(), h.admin, h.ws, run.ConfigurationPatch{}, run.ConfigurationFromAPI)
		h.refused(err, belay.Conflict, "wait for their upload")
		h.clock.Add((27 * time.Hour).Milliseconds())
		h.must(h.Tidy(t.Context()))
		h.create(run.ConfigurationPatch{})
	})
}

func TestReadmesAreSealed(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		c, url := h.create(run.ConfigurationPatch{})
		h.must(h.upload(url, archiveOf("README.md", "# root", "net/readme.md", "# the network")))
		texts, err := h.Readmes(t.Context(), []string{c.ID})
		if err != nil || texts[c.ID] != "# the network" {
			t.Errorf("%v, %v", texts, err)
		}
		h.must(h.upload(url, archiveOf("main.tf", "")))
		if texts, err = h.Readmes(t.Context(), []string{c.ID}); err != nil || len(texts) != 0 {
			t.Errorf("%v, %v", texts, err)
		}
	})
}
