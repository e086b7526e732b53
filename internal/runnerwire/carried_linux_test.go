package runnerwire_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runner"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// configured makes a text the configuration of every run.
func (h *house) configured(text string) {
	h.t.Helper()
	var raw bytes.Buffer
	zipped := gzip.NewWriter(&raw)
	packed := tar.NewWriter(zipped)
	h.must(packed.WriteHeader(&tar.Header{Name: "main.tf", Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}))
	_, err := packed.Write([]byte(text))
	h.must(err)
	h.must(packed.Close())
	h.must(zipped.Close())
	h.config.content = raw.String()
	h.must(h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		c := run.ConfigurationPatch{}.NewConfiguration(true, tx.Now)
		c.Status, c.Key, c.Size, c.SHA256 = run.ConfigurationUploaded, "configurations/"+c.ID, int64(len(h.config.content)), sumOf(h.config.content)
		return tx.AddConfigurationVersion(&h.ws, &c)
	}))
}

// carries starts the server's own runner with an engine.
func (h *house) carries(path string) {
	h.t.Helper()
	walls, err := isolate.Auto.Walls(isolate.Probe())
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	config := runner.Config{
		Address: h.door.URL, Transport: runner.InMemory(h.door.Config.Handler), Token: "the-pool", Name: "server", Slots: 2,
		WorkDir: h.t.TempDir(), Engines: engine.New(engine.Config{Path: path}), Walls: walls, Detached: true,
	}
	go func() { done <- runner.Run(ctx, config) }()
	go h.runs.Run(ctx)
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			h.t.Log(err)
		}
	})
	for here := []run.EngineBinary(nil); len(here) == 0; time.Sleep(10 * time.Millisecond) { // it registers
		h.must(h.db.View(ctx, func(v *store.View) (err error) {
			here, err = v.EnginesAtHand("")
			return err
		}))
	}
}

// ends waits for a status of a run.
func (h *house) ends(id string, want run.Status) {
	h.t.Helper()
	var got run.Run
	for range 30_000 {
		h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
			got, err = v.Run(id)
			return err
		}))
		if got.Status == want {
			return
		}
		if got.Status.Final() {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	h.t.Fatalf("the run is %s (%s), want %s; its logs are\n%s\n%s", got.Status, got.Error, want, h.kept.logs[got.Plan.ID], h.kept.logs[got.Apply.ID])
}

// TestRunsOfTheServersOwnRunner carries runs out with a real engine, over the real wire
// and the real rooms behind it.
func TestRunsOfTheServersOwnRunner(t *testing.T) {
	if os.Getenv("BELAY_SLOW") == "" || os.Getenv("BELAY_TOFU") == "" {
		t.Skip("BELAY_TOFU names no command line: run make check-all")
	}
	for product, binary := range map[string]string{"tofu": os.Getenv("BELAY_TOFU"), "terraform": os.Getenv("BELAY_TERRAFORM")} {
		if binary == "" {
			continue
		}
		t.Run(product, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				here := engine.New(engine.Config{Path: filepath.Dir(binary)}).List(t.Context())
				var version string
				for _, b := range here {
					if b.Product == product {
						version = b.Version
					}
				}
				_, err := h.verbs.UpdateWorkspace(t.Context(), h.admin, belay.WorkspaceRef{ID: h.ws.ID}, belay.WorkspacePatch{EngineVersion: patch.Of(version)})
				h.must(err)
				h.configured(`
variable "word" { default = "none" }
resource "terraform_data" "one" { input = var.word }
output "one" { value = terraform_data.one.output }`)
				h.carries(filepath.Dir(binary))
				h.goesThrough()
			})
		})
	}
}

// goesThrough is a life of a workspace: made, changed, looked at, destroyed.
func (h *house) goesThrough() {
	h.t.Helper()
	ctx := h.t.Context()
	create := func(change func(*run.Wanted)) string {
		want := run.Wanted{WorkspaceID: h.ws.ID, AutoApply: patch.Of(true)}
		change(&want)
		view, err := h.runs.Create(ctx, h.admin, want)
		h.must(err)
		return view.ID
	}
	first := create(func(w *run.Wanted) { w.AutoApply = patch.Of(false) })
	h.ends(first, run.Planned)
	h.must(h.runs.Apply(ctx, h.admin, first, ""))
	h.ends(first, run.Applied)
	h.says(first, "1 to add, 0 to change, 0 to destroy", "1 added, 0 changed, 0 destroyed")

	h.ends(create(func(*run.Wanted) {}), run.PlannedAndFinished)
	second := create(func(w *run.Wanted) {
		w.Variables = patch.Of([]run.WantedVariable{{Key: patch.Of("word"), Value: patch.Of(`"other"`)}})
	})
	h.ends(second, run.Applied)
	h.says(second, "1 to change", "1 changed")
	destroy := create(func(w *run.Wanted) { w.IsDestroy = patch.Of(true) })
	h.ends(destroy, run.Applied)
	h.says(destroy, "1 to destroy", "1 destroyed")

	w, err := h.verbs.Workspace(ctx, h.admin, belay.WorkspaceRef{ID: h.ws.ID})
	h.must(err)
	if w.Lock.Held() || w.CurrentStateVersionID == "" {
		h.t.Errorf("lock %v, state %q", w.Lock, w.CurrentStateVersionID)
	}
}

// says demands words in the logs of a run's plan and apply.
func (h *house) says(id, plan, apply string) {
	h.t.Helper()
	var r run.Run
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		r, err = v.Run(id)
		return err
	}))
	h.kept.mu.Lock()
	defer h.kept.mu.Unlock()
	for log, words := range map[string]string{r.Plan.ID: plan, r.Apply.ID: apply} {
		if !strings.Contains(string(h.kept.logs[log]), words) {
			h.t.Errorf("%q is not in %s", words, h.kept.logs[log])
		}
	}
	if r.Plan.HasChanges != true {
		h.t.Errorf("the plan has no changes: %+v", r.Plan)
	}
}
