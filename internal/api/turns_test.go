package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// TestListsTakeTurnsAtTheProcessors has a tenant work on as much as one may while others are there: its next list waits, and what it
// asks for one waits for nothing.
func TestListsTakeTurnsAtTheProcessors(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newServer(t, db)
		w.make("/organizations", `{"data":{"attributes":{"name":"acme","email":"a@example.com"}}}`)
		workspace := "/workspaces/" + w.make("/organizations/acme/workspaces", `{"data":{"attributes":{"name":"app"}}}`)
		var me struct{ Data struct{ ID string } }
		if err := json.Unmarshal(w.sent(http.MethodGet, "/api/v2/account/details", w.admin, "").Body.Bytes(), &me); err != nil {
			t.Fatal(err)
		}
		gate := db.Tenants().Processors()
		enter := func(tenant string) (leave func()) {
			leave, err := gate.Enter(fair.As(context.Background(), tenant))
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		asked := func(path string, within time.Duration) bool {
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			request := httptest.NewRequest(http.MethodGet, "/api/v2"+path, nil).WithContext(ctx)
			request.Header.Set("Authorization", "Bearer "+w.admin)
			answer := httptest.NewRecorder()
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
					if leave, err := gate.Enter(fair.As(context.Background(), "other")); err == nil {
						leave()
					}
				}
			}
		}()
		var held []func()
		for range max(1, runtime.NumCPU()/2) {
			enter("other")()
			held = append(held, enter(me.Data.ID))
		}
		lists := []string{"/organizations/acme/workspaces", "/organizations/acme/audit-trail"}
		for _, path := range lists {
			if asked(path, 300*time.Millisecond) {
				t.Errorf("%s did not wait for its turn", path)
			}
		}
		if !asked(workspace, time.Minute) {
			t.Error("one workspace waited")
		}
		for _, leave := range held {
			leave()
		}
		for _, path := range lists {
			if !asked(path, time.Minute) {
				t.Errorf("%s still waits", path)
			}
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
