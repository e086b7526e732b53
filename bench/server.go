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
	"runtime/debug"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
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
	ring, err := seal.Open("", dir)
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
	door := api.New(api.Config{App: verbs, Log: log})
	mux := http.NewServeMux()
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

// sample is the workspace that the ceiling serves.
func sample() app.WorkspaceView {
	now := time.Now().UTC()
	o := belay.NewOrganization(now)
	o.Name = "bench"
	w := belay.NewWorkspace(o, belay.Project{ID: belay.NewID("prj")}, now)
	w.Name, w.EngineVersion = "workspace-000001", "1.14.3"
	return app.WorkspaceView{Workspace: w, Can: belay.FullAccess().Everywhere}
}
