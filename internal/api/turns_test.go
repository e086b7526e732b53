package api_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
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
		w.takeTurns(w.reads(workspace), w.reads("/organizations/acme/workspaces"), w.reads("/organizations/acme/audit-trail"))
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
		w.takeTurns(w.reads(result+"/json-schema"), w.reads(result+"/json-output"), w.reads(result+"/sanitized-plan"), w.reads(result+"/log-output"))
	})
}

// TestLargeBodiesTakeTurnsAtTheProcessors brings a small state, too.
func TestLargeBodiesTakeTurnsAtTheProcessors(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		brings := func(name string, size int) asking {
			path := "/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"`+name+`"}}}`)
			w.do(http.MethodPost, path+"/actions/lock", "")
			return asking{http.MethodPost, "/api/v2" + path + "/state-versions", w.admin, largeState(size)}
		}
		w.takeTurns(brings("small", 1<<10), brings("large", 1<<20))
	})
}

// TestSignedAddressesAreTheWorkOfWhoWasGivenThem follows them with a token and without one. Those that another server gave are the
// organization's.
func TestSignedAddressesAreTheWorkOfWhoWasGivenThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		path := "/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		address := func(of string) string {
			u, err := url.Parse(of)
			if err != nil {
				t.Fatal(err)
			}
			return u.Path
		}
		upload := address(w.post(path+"/configuration-versions", aConfiguration, "data.attributes.upload-url"))
		w.do(http.MethodPost, path+"/actions/lock", "")
		version := w.post(path+"/state-versions", largeState(1<<20), "data.id")
		w.do(http.MethodPost, path+"/actions/unlock", "")
		large := address(w.get(path+"/current-state-version", "data.attributes.hosted-state-download-url"))
		w.takeTurns(w.reads(path),
			asking{http.MethodGet, large, "", ""}, asking{http.MethodGet, large, w.admin, ""}, asking{http.MethodPut, upload, "", largeArchive(1 << 20)})
		objects, second := w.verbs.Objects(), w.make(path+"/configuration-versions", aConfiguration)
		elsewhere := func(upload bool, kind object.Kind, id string) string {
			return objects.Presign(upload, kind, id, time.Hour).Path()
		}
		w.takeTurnsOf(w.get("/organizations/acme", "data.attributes.external-id"), w.reads(path),
			asking{http.MethodGet, elsewhere(false, object.State, version), w.admin, ""},
			asking{http.MethodPut, elsewhere(true, object.Configuration, second), "", largeArchive(1 << 20)})
	})
}

// TestNoTurnIsHeldForWhoSends has a client send a half of a large state, and wait.
func TestNoTurnIsHeldForWhoSends(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		path := "/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		w.do(http.MethodPost, path+"/actions/lock", "")
		body := largeState(1 << 20)
		from, to := io.Pipe()
		request := httptest.NewRequest(http.MethodPost, "/api/v2"+path+"/state-versions", from)
		request.Header.Set("Authorization", "Bearer "+w.admin)
		request.Header.Set("Content-Type", "application/vnd.api+json")
		answer := httptest.NewRecorder()
		var all sync.WaitGroup
		all.Go(func() { w.api.ServeHTTP(answer, request) })
		if _, err := io.WriteString(to, body[:len(body)/2]); err != nil { // which was taken, and worked on but for the last piece
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, body[len(body)/2:len(body)/2+1]); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(fair.As(context.Background(), w.get("/account/details", "data.id")), 10*time.Second)
		defer cancel()
		var held []func()
		for range max(1, runtime.NumCPU()/2) { // all that one has while others are there
			db.Tenants().As(ctx, "other")
			leave, err := db.Tenants().Processors().Enter(ctx)
			if err != nil {
				t.Error("a turn is held for who sends: ", err)
				break
			}
			held = append(held, leave)
		}
		for _, leave := range held {
			leave()
		}
		_ = to.CloseWithError(io.ErrUnexpectedEOF)
		if all.Wait(); answer.Code != http.StatusBadRequest {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
}

// largeState is a document that brings a state of so many bytes and some.
func largeState(size int) string {
	state := fmt.Sprintf(`{"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{"a":{"value":%q,"type":"string"}},"resources":[]}`, strings.Repeat("x", size))
	sum := md5.Sum([]byte(state))
	return fmt.Sprintf(`{"data":{"type":"state-versions","attributes":{"serial":1,"lineage":"l","md5":"%x","state":%q}}}`, sum, base64.StdEncoding.EncodeToString([]byte(state)))
}

// largeArchive is an archive with a file of so many bytes that nobody can press.
func largeArchive(size int) string {
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	files := tar.NewWriter(zip)
	content := make([]byte, size)
	_, _ = rand.Read(content)
	_ = files.WriteHeader(&tar.Header{Name: "main.tf", Mode: 0o600, Size: int64(size)})
	_, _ = files.Write(content)
	_, _ = files.Close(), zip.Close()
	return buffer.String()
}

// asking is a request.
type asking struct{ method, path, token, body string }

func (w *world) reads(path string) asking {
	return asking{http.MethodGet, "/api/v2" + path, w.admin, ""}
}

// takeTurns asks for what takes turns of the admin's.
func (w *world) takeTurns(none asking, each ...asking) {
	w.t.Helper()
	w.takeTurnsOf(w.get("/account/details", "data.id"), none, each...)
}

// takeTurnsOf has a tenant work on as much as one may while others are there: what takes a turn waits then, and what takes none does not.
func (w *world) takeTurnsOf(me string, none asking, each ...asking) {
	w.t.Helper()
	gate := w.db.Tenants().Processors()
	enter := func(tenant string) (leave func()) {
		leave, err := gate.Enter(fair.As(context.Background(), tenant))
		if err != nil {
			w.t.Fatal(err)
		}
		return leave
	}
	asked := func(what asking, within time.Duration) bool {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		request := httptest.NewRequest(what.method, what.path, strings.NewReader(what.body)).WithContext(ctx)
		if what.token != "" {
			request.Header.Set("Authorization", "Bearer "+what.token)
		}
		request.Header.Set("Content-Type", "application/vnd.api+json")
		answer := httptest.NewRecorder()
		defer func() { _ = recover() }() // an answer that was cut short
		w.api.ServeHTTP(answer, request)
		return answer.Code == http.StatusOK || answer.Code == http.StatusCreated
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
		held = append(held, enter(me))
	}
	for _, what := range each {
		before := w.db.Statements()
		if asked(what, 300*time.Millisecond) {
			w.t.Errorf("%s did not wait for its turn", what.path)
		}
		if n := w.db.Statements() - before; n > 0 && strings.HasSuffix(what.path, "/workspaces") { // whose it is was found out once
			w.t.Errorf("%s asked the database %d times before its turn", what.path, n)
		}
	}
	if !asked(none, time.Minute) {
		w.t.Errorf("%s waited", none.path)
	}
	for _, leave := range held {
		leave()
	}
	for _, what := range each {
		if !asked(what, time.Minute) {
			w.t.Errorf("%s still waits", what.path)
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

// TestUploadsWithKeysWaitForNoTurn sends large states with keys, many at once, while another tenant is there: whoever waited for a turn at the
// processors with a transaction open would wait for who has it and waits for the transaction's end.
func TestUploadsWithKeysWaitForNoTurn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				w.verbs.Tenants().As(ctx, "another")
				time.Sleep(10 * time.Millisecond)
			}
		}()
		var all sync.WaitGroup
		for i := range 8 {
			path := "/workspaces/" + w.make("/organizations/acme/workspaces", fmt.Sprintf(`{"data":{"attributes":{"name":"app-%d"}}}`, i))
			w.do(http.MethodPost, path+"/actions/lock", "")
			all.Go(func() {
				request := httptest.NewRequest(http.MethodPost, "/api/v2"+path+"/state-versions", strings.NewReader(largeState(300<<10))).WithContext(ctx)
				request.Header.Set("Authorization", "Bearer "+w.admin)
				request.Header.Set("Content-Type", "application/vnd.api+json")
				request.Header.Set(door.KeyHeader, fmt.Sprint("upload ", i))
				answer := httptest.NewRecorder()
				if w.api.ServeHTTP(answer, request); answer.Code != http.StatusCreated {
					t.Errorf("%d: %s", answer.Code, answer.Body)
				}
			})
		}
		all.Wait()
	})
}
