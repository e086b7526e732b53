package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/signin"
)

// outside is all that the server reaches beyond its database, and counts it.
type outside struct {
	blob.Store
	reached atomic.Int64
	mails   atomic.Bool // the server is set up to send mail
	letters sync.Map    // how many were sent, by address
}

func (o *outside) probe(context.Context, *notices.Notification, string, []string) notices.DeliveryResponse {
	o.reached.Add(1)
	return notices.DeliveryResponse{Code: "200", Successful: true}
}

// head finds nothing: the current configuration of the workspace is planned.
func (o *outside) head(context.Context, *belay.Workspace) (*runs.Head, error) {
	o.reached.Add(1)
	return nil, nil
}

func (o *outside) Put(ctx context.Context, key string, r io.Reader) (blob.Written, error) {
	o.reached.Add(1)
	return o.Store.Put(ctx, key, r)
}

func (o *outside) Delete(ctx context.Context, key string) error {
	o.reached.Add(1)
	return o.Store.Delete(ctx, key)
}

func (o *outside) Mails() bool { return o.mails.Load() }

func (o *outside) Write(_ context.Context, to string, _ signin.Letter) error {
	n, _ := o.letters.LoadOrStore(to, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	return nil
}

// reaching is requests that reach beyond the database, which those of the matrix do not.
var reaching = []row{
	{route: "POST /workspaces/{workspace_id}/notification-configurations", does: "Verified", body: enabledNotification},
	{route: "POST /projects/{project_id}/notification-configurations", does: "Verified", body: enabledNotification},
	{route: "POST /teams/{team_id}/notification-configurations", does: "Verified", body: enabledNotification},
	{route: "POST /runs", does: "Of the newest commit", uses: runnableCommit, body: `{"data":{"type":"runs","relationships":{"workspace":{"data":{"type":"workspaces","id":"{workspace_id}"}}}}}`},
}

const enabledNotification = `{"data":{"attributes":{"name":"<unique>","enabled":true,"destination-type":"generic","url":"https://example.com"}}}`

// runnableCommit is a workspace whose runs plan the newest commit of a repository.
func runnableCommit(w *world, r *role) things {
	made := runnable(w, r)
	client := w.make("/organizations/acme/oauth-clients", connection)
	status, answer := w.send(http.MethodPatch, "/api/v2/workspaces/"+made["workspace_id"], w.admin, fmt.Sprintf(
		`{"data":{"attributes":{"vcs-repo":{"identifier":"acme/app","oauth-token-id":%q}}}}`, w.get("/oauth-clients/"+client+"/oauth-tokens", "data.0.id")))
	if status != http.StatusOK {
		w.t.Fatalf("connecting a repository: %d %s", status, answer)
	}
	return made
}

// keyed sends a request with an Idempotency-Key.
func (w *world) keyed(path, token, key, body string) *http.Response {
	return w.sent(http.MethodPost, path, token, body, "Idempotency-Key", key).Result()
}

// TestWhatIsSentAgainReachesNobody sends every request that takes an Idempotency-Key twice:
// the second answer is the first, and nobody outside is asked or told anything for it.
func TestWhatIsSentAgainReachesNobody(t *testing.T) {
	onAWalk(t)
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		w.outside.mails.Store(true)
		walked := map[string]bool{}
		for _, a := range append(areas(), area{"", reaching}) {
			for _, r := range a.rows {
				w.sentAgain(r, walked)
			}
		}
		for _, r := range w.routes {
			if name := r.Method + " " + strings.TrimPrefix(r.Path, "/api/v2"); r.Keyed && !walked[name] {
				t.Errorf("%s was never answered with success", name)
			}
		}
		w.oneLetterEach()
	})
}

// sentAgain sends the request of a row twice, if it takes a key and is taken.
func (w *world) sentAgain(r row, walked map[string]bool) {
	method, path, _ := strings.Cut(r.route, " ")
	known := false
	for _, route := range w.routes {
		known = known || route.Keyed && route.Method == method && (route.Path == path || route.Path == "/api/v2"+path)
	}
	if !known {
		return
	}
	about := w.shared.with(nil)
	if r.uses != nil {
		about = about.with(r.uses(w, &role{code: "sa", token: w.admin}))
	}
	at, body, key := "/api/v2"+about.in(path), about.in(r.body), about["unique"]
	before := w.outside.reached.Load()
	first := w.keyed(at, w.admin, key, body)
	if first.StatusCode >= 300 {
		return
	}
	walked[r.route] = true
	once := w.outside.reached.Load()
	if r.does == "Verified" && once == before {
		w.t.Errorf("%s (%s) reached nobody the first time", r.route, r.does)
	}
	again := w.keyed(at, w.admin, key, body)
	if again.StatusCode != first.StatusCode || again.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Idempotent-Replayed") != "" {
		answer, _ := io.ReadAll(again.Body)
		w.t.Errorf("%s is answered with %d, and then with %d: %s", r.route, first.StatusCode, again.StatusCode, answer)
	}
	if n := w.outside.reached.Load() - once; n != 0 {
		w.t.Errorf("%s (%s) reached outside %d times when it was sent again", r.route, r.does, n)
	}
}

// oneLetterEach demands that whoever was invited has one letter.
func (w *world) oneLetterEach() {
	w.verbs.Written() // they are sent behind the answer
	told := 0
	w.outside.letters.Range(func(to, n any) bool {
		if told++; n.(*atomic.Int64).Load() != 1 {
			w.t.Errorf("%s has %d letters", to, n.(*atomic.Int64).Load())
		}
		return true
	})
	if told == 0 {
		w.t.Error("nobody was sent a letter")
	}
}

// TestTwinsReachOutsideOnce sends a request with a key several times at once: one of them has
// the destination verified. What is refused for its shape reaches nobody.
func TestTwinsReachOutsideOnce(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		for round := range 10 {
			body, path := w.shared.with(nil).in(enabledNotification), "/api/v2/workspaces/"+freshWorkspace(w, nil)["workspace_id"]+"/notification-configurations"
			before := w.outside.reached.Load()
			var twins sync.WaitGroup
			for range 4 {
				twins.Go(func() {
					if answer := w.keyed(path, w.admin, fmt.Sprint("twins ", round), body); answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
						t.Errorf("a twin is answered with %d", answer.StatusCode)
					}
				})
			}
			twins.Wait()
			if n := w.outside.reached.Load() - before; n != 1 {
				t.Errorf("the destination was asked %d times", n)
			}
		}
		run := runnableCommit(w, nil)
		before := w.outside.reached.Load()
		for path, body := range map[string]string{
			"/workspaces/" + w.shared["workspace_id"] + "/notification-configurations": strings.Replace(enabledNotification, `"<unique>"`, "7", 1),
			"/runs": run.in(`{"data":{"attributes":{"message":7},"relationships":{"workspace":{"data":{"type":"workspaces","id":"{workspace_id}"}}}}}`),
		} {
			if status, answer := w.send(http.MethodPost, "/api/v2"+path, w.admin, body); status != http.StatusUnprocessableEntity || w.outside.reached.Load() != before {
				t.Errorf("POST %s reached outside %d times, and is answered with %d %s", path, w.outside.reached.Load()-before, status, answer)
			}
		}
	})
}

// TestAPreconditionComesBeforeAMessage changes a notification that has changed since, which
// would be verified.
func TestAPreconditionComesBeforeAMessage(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		at := "/api/v2/notification-configurations/" + freshNotification(w, nil)["notification_id"]
		tag := w.sent(http.MethodGet, at, w.admin, "").Header().Get("ETag")
		for _, c := range []struct {
			match   string
			status  int
			reached int64
		}{{`"other"`, 412, 0}, {tag, 200, 1}, {tag, 412, 0}} {
			before := w.outside.reached.Load()
			answer := w.sent(http.MethodPatch, at, w.admin, `{"data":{"attributes":{"enabled":true,"url":"https://example.org"}}}`, "If-Match", c.match)
			if n := w.outside.reached.Load() - before; answer.Code != c.status || n != c.reached {
				t.Errorf("If-Match: %s is answered with %d after %d messages, want %d after %d: %s", c.match, answer.Code, n, c.status, c.reached, answer.Body)
			}
		}
	})
}

// TestWhatIsSentAgainTellsNothingNew makes a workspace by a team that then loses the right to
// run there, and after that the right to make one: it is told again what it was told, and then no more.
func TestWhatIsSentAgainTellsNothingNew(t *testing.T) {
	t.Parallel()
	settled(t, func(t *testing.T, w *world) {
		made := w.team("organization")
		project := freshProject(w, nil)["project_id"]
		access := w.make("/team-projects", fmt.Sprintf(
			`{"data":{"attributes":{"access":"admin"},"relationships":{"team":{"data":{"id":%q}},"project":{"data":{"id":%q}}}}}`, made["team_id"], project))
		token := w.value("/teams/"+made["team_id"]+"/authentication-token", "")
		body := fmt.Sprintf(`{"data":{"attributes":{"name":"steered","auto-apply-run-trigger":true},"relationships":{"project":{"data":{"id":%q}}}}}`, project)
		send := func(want int) string {
			answer := w.keyed("/api/v2/organizations/acme/workspaces", token, "k", body)
			raw, _ := io.ReadAll(answer.Body)
			if answer.StatusCode != want {
				t.Errorf("%d, want %d: %s", answer.StatusCode, want, raw)
			}
			return string(raw)
		}
		first := send(201)
		w.do(http.MethodPatch, "/team-projects/"+access, `{"data":{"attributes":{"access":"custom","workspace-access":{"create":true}}}}`)
		w.do(http.MethodPatch, "/workspaces/"+textAt(first, "data.id"), `{"data":{"attributes":{"description":"of later"}}}`)
		if again := send(201); again != first {
			t.Errorf("it is told\n%s, and was\n%s", again, first)
		}
		w.do(http.MethodDelete, "/team-projects/"+access, "")
		send(404)
	})
}
