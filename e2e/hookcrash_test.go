package e2e_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/storetest"
)

// forged is a server with a workspace that is connected to a small service.
type forged struct {
	*server
	forge     *forgetest.Forge
	db        *sql.DB
	workspace string
	hook      forgetest.Hook
}

// eachForged runs a test on every engine, with a workspace whose hook is made and whose first run is.
func eachForged(t *testing.T, test func(t *testing.T, h *forged), args ...string) {
	t.Helper()
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := &forged{forge: forgetest.New(t)}
			at := "127.0.0.1:" + freePort(t)
			h.server = start(t, engine, append([]string{
				"--addr", at, "--public-url", "http://" + at, "--allow-private-vcs", "127.0.0.0/8", "--vcs-retry", "200ms",
			}, args...)...)
			h.db = h.database()
			h.forge.Commit("main.tf", "# the first")
			h.organization("acme")
			h.workspace = h.connected("acme", "network")
			h.awaits(func() bool {
				h.forge.Lock()
				defer h.forge.Unlock()
				h.hook = h.forge.Hooks["1"]
				return h.hook.URL != "" && len(h.runs("network")) == 1
			}, "the hook and the first run")
			test(t, h)
		})
	}
}

// connected makes a connection to the service in an organization, and a workspace of its repository.
func (h *forged) connected(organization, name string) (id string) {
	h.t.Helper()
	made := h.do("POST", "/organizations/"+organization+"/oauth-clients", h.Token, fmt.Sprintf(`{"data":{"type":"oauth-clients","attributes":{
		"service-provider":"gitea","http-url":%q,"api-url":%q,"oauth-token-string":%q}}}`, h.forge.URL, h.forge.URL+"/api/v1", forgetest.Token)).want(h.t, 201)
	return h.do("POST", "/organizations/"+organization+"/workspaces", h.Token, fmt.Sprintf(`{"data":{"type":"workspaces","attributes":{"name":%q,
		"queue-all-runs":true,"vcs-repo":{"identifier":%q,"oauth-token-id":%q}}}}`, name, forgetest.Repository,
		made.text("data.relationships.oauth-tokens.data.0.id"))).want(h.t, 201).text("data.id")
}

// tell sends a delivery as the service would, and says the answer's status.
func (h *forged) tell(hook forgetest.Hook, delivery string, body any) (status int, err error) {
	header, raw, err := forgetest.Signed([]byte(hook.Secret), "push", delivery, body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, hook.URL, bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	answer, err := h.exchange(request)
	return answer.Status, err
}

// number is what a query of one number answers.
func (h *forged) number(query string) (n int) {
	h.t.Helper()
	must(h.t, h.db.QueryRowContext(context.Background(), query).Scan(&n))
	return n
}

// held has the service keep a kind of request waiting until whoever asks is gone, and says when one came.
func (h *forged) held(is func(*http.Request) bool) (came chan struct{}, release func()) {
	came = make(chan struct{}, 100)
	h.forge.Lock()
	defer h.forge.Unlock()
	h.forge.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if !is(r) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body) // or nobody notices that the other side is gone
		came <- struct{}{}
		<-r.Context().Done()
		return true
	}
	return came, func() {
		h.forge.Lock()
		defer h.forge.Unlock()
		h.forge.Before = nil
	}
}

// TestServerKilledBetweenHookAndRun kills the program after it has answered a hook: at once, some time
// later, while it asks the service, and when the run is made and its status is not told. Whatever had
// happened, the next life makes exactly one run of the commit, also when the service repeats itself.
func TestServerKilledBetweenHookAndRun(t *testing.T) {
	eachForged(t, func(t *testing.T, h *forged) {
		asks := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/"+forgetest.Repository) }
		tells := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/statuses/") }
		moments := []func(*http.Request) bool{nil, nil, nil, nil, asks, asks, tells, tells}
		const seed = 14
		chance := rand.New(rand.NewPCG(seed, seed))
		chance.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
		var commits []string
		for i, moment := range moments {
			commit := h.forge.Commit("main.tf", fmt.Sprint("# ", i))
			commits = append(commits, commit)
			push := forgetest.Push("refs/heads/main", "", commit, "main.tf")
			delete(push["repository"].(map[string]any), "default_branch") // so that the service is asked
			came, release := make(chan struct{}), func() {}
			if moment != nil {
				came, release = h.held(moment)
			}
			for _, delivery := range []string{"first", "first"} { // the service is not sure that it was heard
				status, err := h.tell(h.hook, fmt.Sprint(delivery, i), push)
				must(t, err)
				if status != http.StatusOK {
					t.Fatalf("the hook is answered %d", status)
				}
			}
			if moment == nil {
				time.Sleep(time.Duration(chance.IntN(30)) * time.Millisecond)
			} else {
				select {
				case <-came:
				case <-time.After(patience):
					t.Fatal("the service was not asked")
				}
			}
			h.kill()
			release()
			h.run()
			for _, delivery := range []string{"first", "again"} {
				if status, err := h.tell(h.hook, fmt.Sprint(delivery, i), push); err != nil || status != http.StatusOK {
					t.Fatalf("a repeated hook is answered %d, %v", status, err)
				}
			}
			// What the dead claimed would be taken up after a minute.
			h.execute("UPDATE vcs_inbox SET next_at = 1 WHERE state = 'waiting'", "UPDATE vcs_statuses SET next_at = 1 WHERE state = 'waiting'")
		}
		h.awaits(func() bool {
			return h.number("SELECT count(*) FROM vcs_inbox WHERE state = 'waiting'") == 0
		}, "everything that was told is worked on")
		if n := h.number("SELECT count(*) FROM vcs_inbox WHERE state <> 'done'"); n != 0 {
			t.Errorf("%d deliveries were given up", n)
		}
		for i, commit := range commits {
			for _, rows := range []string{"runs WHERE commit_sha = '%s'", "vcs_commits WHERE commit_sha = '%s'", "configuration_versions WHERE ingress LIKE '%%%s%%'"} {
				if n := h.number("SELECT count(*) FROM " + fmt.Sprintf(rows, commit)); n != 1 {
					t.Errorf("moment %d: %d rows of the commit, not one: %s", i, n, rows)
				}
			}
		}
		if n := len(h.runs("network")); n != 1+len(commits) {
			t.Errorf("%d runs of %d commits", n, 1+len(commits))
		}
	})
}

// TestServerKilledBetweenAHookAndItsNote kills the program when the service has made a hook and nobody has
// heard of it: the next life leaves one hook there, which works.
func TestServerKilledBetweenAHookAndItsNote(t *testing.T) {
	eachForged(t, func(t *testing.T, h *forged) {
		came := make(chan struct{}, 10)
		h.forge.Lock()
		h.forge.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/hooks") {
				return false
			}
			h.forge.API(httptest.NewRecorder(), r)
			came <- struct{}{}
			<-r.Context().Done()
			return true
		}
		h.forge.Unlock()
		h.organization("other")
		h.connected("other", "calm")
		select {
		case <-came:
		case <-time.After(patience):
			t.Fatal("no hook is made")
		}
		h.kill()
		h.forge.Lock()
		h.forge.Before = nil
		h.forge.Unlock()
		h.run()
		h.execute("UPDATE vcs_hooks SET work_at = 1 WHERE work_at > 0") // its claim would end after a minute
		h.awaits(func() bool { return h.number("SELECT count(*) FROM vcs_hooks WHERE state = 'made'") == 2 }, "the second hook")
		h.forge.Lock()
		hook, hooks := h.forge.Hooks["3"], len(h.forge.Hooks)
		h.forge.Unlock()
		if hooks != 2 {
			t.Errorf("the service has %d hooks for two organizations", hooks)
		}
		if status, err := h.tell(hook, "d", forgetest.Push("refs/heads/main", "", h.forge.Commit("main.tf", "# new"), "main.tf")); err != nil || status != http.StatusOK {
			t.Errorf("its delivery is answered %d, %v", status, err)
		}
	})
}

// TestServerKilledWhileItFetchesAgain kills the program between and during the tries of a commit whose
// service is down: once that is back, the run goes on, and there is one.
func TestServerKilledWhileItFetchesAgain(t *testing.T) {
	eachForged(t, func(t *testing.T, h *forged) {
		const seed = 28
		chance := rand.New(rand.NewPCG(seed, seed))
		refused := func() int { return h.forge.Count(func(f *forgetest.Forge) int { return f.Refused }) }
		broken := func(status int) {
			h.forge.Lock()
			defer h.forge.Unlock()
			h.forge.Broken = status
		}
		broken(http.StatusServiceUnavailable)
		commit := h.forge.Commit("main.tf", "# while it is down")
		status, err := h.tell(h.hook, "down", forgetest.Push("refs/heads/main", "", commit, "main.tf"))
		must(t, err)
		if status != http.StatusOK {
			t.Fatalf("the hook is answered %d", status)
		}
		for range 4 {
			before := refused()
			h.awaits(func() bool { return refused() > before }, "the service is asked for the commit")
			time.Sleep(time.Duration(chance.IntN(300)) * time.Millisecond)
			h.kill()
			h.run()
			// What the dead claimed would be taken up after a minute.
			h.execute("UPDATE vcs_fetches SET next_at = 1 WHERE state = 'waiting'")
		}
		broken(0)
		of := fmt.Sprintf("vcs_fetches WHERE commit_sha = '%s'", commit)
		h.awaits(func() bool {
			h.execute("UPDATE vcs_fetches SET next_at = 1 WHERE state = 'waiting' AND error <> ''")
			return h.number("SELECT count(*) FROM "+of+" AND state = 'done'") == 1
		}, "the commit is fetched")
		if n := h.number("SELECT count(*) FROM runs WHERE commit_sha = '" + commit + "'"); n != 1 {
			t.Errorf("%d runs of the commit", n)
		}
		h.awaits(func() bool {
			return h.number("SELECT count(*) FROM runs WHERE status = 'fetching' AND commit_sha = '"+commit+"'") == 0
		}, "its run goes on")
		if n := h.number("SELECT count(*) FROM runs WHERE status = 'errored' AND commit_sha = '" + commit + "'"); n != 0 {
			t.Error("its run errored")
		}
		h.awaits(func() bool { return len(h.stepsOfTheDead()) == 0 }, "what dead servers began comes to its end")
	})
}

// stepsOfTheDead is what the server's program began for this test, and is not the child of the server
// that runs now.
func (h *forged) stepsOfTheDead() (list []string) {
	h.t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	must(h.t, err)
	test := strings.ReplaceAll(h.t.Name(), "/", "")
	for _, folder := range folders {
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline")) // it may be gone
		status, _ := os.ReadFile(filepath.Join(folder, "status"))
		if words := string(line); strings.Contains(words, "supervise-step") && strings.Contains(words, test) &&
			!strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", h.command.Process.Pid)) {
			list = append(list, words)
		}
	}
	return list
}
