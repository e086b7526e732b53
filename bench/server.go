package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/configs"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/runfile"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runnerwire"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// token is the site admin's in every database that is measured.
const token = "bench-admin-token"

// database makes a fresh database of an engine.
func (p *plan) database(ctx context.Context, engine string) (dbURL, dir string, cleanup func(), err error) {
	dir, err = os.MkdirTemp(p.dir, "belay-bench")
	if err != nil {
		return "", "", nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if engine == "sqlite" {
		return "sqlite:" + filepath.Join(dir, "belay.db"), dir, remove, nil
	}
	server := os.Getenv(storetest.EnvPostgres)
	if server == "" {
		remove()
		return "", "", nil, errors.New(storetest.EnvPostgres + " is not set: run with scripts/with-postgres")
	}
	name := "bench_" + strings.ToLower(belay.RandomText(12))
	if err := pgExec(ctx, server, "CREATE DATABASE "+name); err != nil {
		remove()
		return "", "", nil, err
	}
	u, err := url.Parse(server)
	if err != nil {
		remove()
		return "", "", nil, err
	}
	u.Path = "/" + name
	return u.String(), dir, func() {
		_ = pgExec(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
		remove()
	}, nil
}

func pgExec(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// child is the server under load: the house without its terminal, and the ceiling beside it.
func child(dbURL, dir string) error {
	ctx := context.Background()
	debug.SetGCPercent(400) // as belay serve does
	db, err := store.Open(ctx, store.Options{URL: dbURL})
	if err != nil {
		return err
	}
	ring, err := seal.Open("", dir, true)
	if err != nil {
		return err
	}
	blobs, err := blob.Open(ctx, "file://"+filepath.Join(dir, "blobs"), ring)
	if err != nil {
		return err
	}
	verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: blobs})
	if _, err := verbs.FirstStart(ctx, token); err != nil {
		return err
	}
	go verbs.Run(ctx)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	objects := verbs.Objects()
	logs, files := runlog.New(runlog.Config{DB: db, Objects: objects, Ring: ring}), runfile.New(runfile.Config{DB: db, Objects: objects})
	carried := runs.New(runs.Config{
		DB: db, Ring: ring, Logs: logs, Files: files, Engines: verbs.Engines, Finalize: state.FinalizeOrGiveUp, Carries: true, DefaultEngine: "tofu",
		FinishBytes: runfile.DefaultShort, StateBytes: runs.DefaultStateBytes, StoreLast: verbs.StoreLast,
	})
	background := store.Background(ctx)
	go carried.Run(background)
	go logs.Run(background)
	door := api.New(api.Config{
		App: verbs, Configs: configs.New(configs.Config{DB: db, Objects: objects, Ring: ring}), Log: log, Logs: logs, Files: files, Runs: carried,
	})
	mux := http.NewServeMux()
	mux.Handle(run.WirePath+"/", runnerwire.New(runnerwire.Config{
		Runs: carried, States: verbs, Files: files, Logs: logs, Log: log,
		Pool: func(context.Context, string) (string, string, error) { return "", "", nil },
	}))
	mux.HandleFunc("/configure", func(w http.ResponseWriter, r *http.Request) {
		if err := configure(db, r.URL.Query()["workspace"]); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		var used syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
		_, _ = fmt.Fprintln(w, (used.Utime.Nano()+used.Stime.Nano())/1000)
	})
	mux.HandleFunc("/memory", func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		_, _ = fmt.Fprintln(w, m.HeapAlloc)
	})
	mux.Handle("/", door)
	mux.Handle("/ceiling/", door.Ceiling(token, sample()))
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/statements", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, db.Statements())
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// configure gives workspaces a configuration that engines that do nothing need not read.
func configure(db *store.DB, workspaces []string) error {
	return db.Update(context.Background(), func(tx *store.Tx) error {
		for _, id := range workspaces {
			w, err := tx.Workspace(belay.WorkspaceRef{ID: id})
			if err != nil {
				return err
			}
			c := run.ConfigurationPatch{}.NewConfiguration(true, tx.Now)
			c.Status, c.Key = run.ConfigurationUploaded, "configurations/none"
			if err := tx.AddConfigurationVersion(&w, &c); err != nil {
				return err
			}
		}
		return nil
	})
}

// sample is the workspace that the ceiling serves.
func sample() app.WorkspaceView {
	now := time.Now().UTC()
	o := belay.NewOrganization(now)
	o.Name = "bench"
	w := belay.NewWorkspace(o, belay.Project{ID: belay.NewID("prj")}, now)
	w.Name, w.EngineVersion = "workspace-000001", "1.14.3"
	return app.WorkspaceView{Seen: gate.Seen{Workspace: w, Can: belay.FullAccess().Everywhere}}
}
