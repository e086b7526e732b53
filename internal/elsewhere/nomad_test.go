package elsewhere_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/elsewhere"
)

// TestNomad dispatches, lists, reads and stops a job of a recorded Nomad.
func TestNomad(t *testing.T) {
	t.Parallel()
	var calls []string
	var meta map[string]string
	var payload string
	began := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Nomad-Token") != "the-token" || r.URL.Query().Get("namespace") != "infra" {
			http.Error(w, "Permission denied", http.StatusForbidden)
			return
		}
		calls = append(calls, r.Method+" "+r.URL.Path)
		answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
		switch {
		case strings.HasSuffix(r.URL.Path, "/dispatch"):
			var in struct {
				Payload string
				Meta    map[string]string
			}
			raw, _ := io.ReadAll(r.Body)
			if json.Unmarshal(raw, &in) != nil || r.URL.Query().Get("idempotency_token") != "job-1" {
				http.Error(w, "bad", http.StatusBadRequest)
				return
			}
			meta, payload = in.Meta, in.Payload
			answer(map[string]string{"DispatchedJobID": "belay-job/dispatch-1"})
		case r.URL.Path == "/v1/jobs":
			other := map[string]string{"belay_job": "job-2", "belay_runner": "somebody else"}
			answer([]any{
				map[string]any{"ID": "belay-job/dispatch-1", "ParentID": "belay-job", "Status": "pending", "Meta": meta},
				map[string]any{"ID": "belay-job/dispatch-2", "ParentID": "belay-job", "Status": "running", "Meta": other},
			})
		case strings.HasSuffix(r.URL.Path, "/allocations"):
			state := map[string]any{"State": "pending", "Events": []any{map[string]string{"Type": "Driver Failure", "DisplayMessage": "no such image"}}}
			if began {
				state = map[string]any{"State": "running", "StartedAt": "2026-11-22T12:00:00Z"}
			}
			answer([]any{map[string]any{"TaskStates": map[string]any{"runner": state}}})
		case r.Method == http.MethodGet:
			answer(map[string]string{"Payload": payload})
		case r.Method == http.MethodDelete && len(calls)%2 == 0:
			http.Error(w, "job not found", http.StatusNotFound)
		}
	}))
	defer server.Close()
	token := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("the-token\n"), 0o600))
	n, err := elsewhere.NewNomad(elsewhere.NomadConfig{URL: server.URL, TokenFile: token, Namespace: "infra", Job: "belay-job", Runner: "east"})
	must(t, err)
	ctx := t.Context()
	must(t, n.Start(ctx, elsewhere.Work{ID: "job-1", Kind: "plan", RunID: "run-1", File: []byte(`{"a":1}`)}))
	list, err := n.List(ctx)
	if err != nil || len(list) != 1 || list[0].ID != "job-1" || list[0].Began || list[0].Problem != "Driver Failure: no such image" {
		t.Fatalf("%+v, %v", list, err)
	}
	if raw, err := n.File(ctx, list[0]); err != nil || string(raw) != `{"a":1}` {
		t.Errorf("%s, %v", raw, err)
	}
	began = true
	if list, err := n.List(ctx); err != nil || !list[0].Began {
		t.Errorf("%+v, %v", list, err)
	}
	must(t, n.Stop(ctx, list[0]))
	must(t, n.Stop(ctx, list[0])) // it is gone: that is no error
	must(t, os.WriteFile(token, []byte("another"), 0o600))
	if _, err := n.List(ctx); err == nil || elsewhere.Passing(err) || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("%v, want a refusal for good", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
