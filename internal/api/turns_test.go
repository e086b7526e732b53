package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

// TestListsTakeTurnsAtTheProcessors: what asks for one waits for nothing.
func TestListsTakeTurnsAtTheProcessors(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		workspace := "/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		w.takeTurns(workspace, "/organizations/acme/workspaces", "/organizations/acme/audit-trail")
	})
}

// TestLargeFilesTakeTurnsAtTheProcessors asks for a short file, too, and for what is made of a plan and of a log.
func TestLargeFilesTakeTurnsAtTheProcessors(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		w.shared["organization_name"] = "acme"
		w.shared = w.shared.with(freshProject(w, nil))
		made := assessedBy(w, nil, run.SchemasFile)
		of := run.Run{ID: made["run_id"]}
		if _, _, err := w.files.Put(t.Context(), &of, run.PlanJSONFile, "", strings.NewReader(`{"a":"`+strings.Repeat("x", 1<<20)+`"}`)); err != nil {
			t.Fatal(err)
		}
		if err := db.Update(t.Context(), func(tx *store.Tx) error { return tx.OpenLog(of.ID, made["plan_id"]) }); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.wire.Logs.Append(&run.Log{ID: made["plan_id"], State: run.LogOpen}, 0, []byte("one line\n")); err != nil {
			t.Fatal(err)
		}
		result := "/assessment-results/" + made["assessment_result_id"]
		w.takeTurns(result+"/json-schema", result+"/json-output", result+"/sanitized-plan", result+"/log-output")
	})
}

// takeTurns has the admin work on as much as one may while others are there: what takes a turn waits then, and what takes none does not.
func (w *world) takeTurns(none string, each ...string) {
	w.t.Helper()
	var me struct{ Data struct{ ID string } }
	if err := json.Unmarshal(w.sent(http.MethodGet, "/api/v2/account/details", w.admin, "").Body.Bytes(), &me); err != nil {
		w.t.Fatal(err)
	}
	gate := w.db.Tenants().Processors()
	enter := func(tenant string) (leave func()) {
		leave, err := gate.Enter(fair.As(context.Background(), tenant))
		if err != nil {
			w.t.Fatal(err)
		}
		return leave
	}
	asked := func(path string, within time.Duration) bool {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		request := httptest.NewRequest(http.MethodGet, "/api/v2"+path, nil).WithContext(ctx)
		request.Header.Set("Authorization", "Bearer "+w.admin)
		answer := httptest.NewRecorder()
		defer func() { _ = recover() }() // an answer that was cut short
		w.api.ServeHTTP(answer, request)
		return answer.Code == http.StatusOK
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() { // who is there all the time
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				w.db.Tenants().As(context.Background(), "other")
			}
		}
	}()
	var held []func()
	for range max(1, runtime.NumCPU()/2) {
		w.db.Tenants().As(context.Background(), "other")
		held = append(held, enter(me.Data.ID))
	}
	for _, path := range each {
		before := w.db.Statements()
		if asked(path, 300*time.Millisecond) {
			w.t.Errorf("%s did not wait for its turn", path)
		}
		if n := w.db.Statements() - before; n > 0 && strings.HasSuffix(path, "/workspaces") { // whose it is was found out once
			w.t.Errorf("%s asked the database %d times before its turn", path, n)
		}
	}
	if !asked(none, time.Minute) {
		w.t.Errorf("%s waited", none)
	}
	for _, leave := range held {
		leave()
	}
	for _, path := range each {
		if !asked(path, time.Minute) {
			w.t.Errorf("%s still waits", path)
		}
	}
}

// TestWhoShowsIsThere: a show that needs no turn of anything leaves others room for the next all the same, and so does one who is
// refused a workspace.
func TestWhoShowsIsThere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		workspace := "/api/v2/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		others := fair.NewQueue[int](db.Tenants())
		for range 3 { // the last is answered by what is remembered
			w.sent(http.MethodGet, workspace, w.admin, "")
		}
		for path, status := range map[string]int{workspace: http.StatusOK, "/api/v2/workspaces/ws-none": http.StatusNotFound} {
			time.Sleep(1100 * time.Millisecond) // until who was there has gone
			if !others.Alone("other") {
				t.Fatal("somebody is there who asks for nothing")
			}
			if got := w.sent(http.MethodGet, path, w.admin, "").Code; got != status || others.Alone("other") {
				t.Errorf("%s answers %d, and others are alone after it: %t", path, got, others.Alone("other"))
			}
		}
		w.sent(http.MethodGet, workspace, "nobody's", "")
		time.Sleep(1100 * time.Millisecond)
		if w.sent(http.MethodGet, workspace, "nobody's", ""); !others.Alone("other") {
			t.Error("whose token opens nothing is there")
		}
	})
}

// TestATurnIsTakenOnce has a request ask for a turn until the gate would be full: it has one, and gives it back.
func TestATurnIsTakenOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithTimeout(fair.As(context.Background(), "who asks"), 10*time.Second)
		defer cancel()
		r := &door.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx), Door: &door.Door{Config: door.Config{App: newServer(t, db).verbs}}}
		for range 16 * runtime.NumCPU() {
			if err := r.Turn(); err != nil {
				t.Fatal("who has a turn waits for another: ", err)
			}
			if err := r.Turn(); err != nil {
				t.Fatal("who has a turn waits for another: ", err)
			}
			r.Yield()
		}
	})
}
