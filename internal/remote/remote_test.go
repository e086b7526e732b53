package remote_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/remote"
)

// script answers requests in turn.
type script struct {
	answers []func(w http.ResponseWriter)
	asked   []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.asked = append(s.asked, r.Method+" "+r.URL.Path+" "+string(body)+" "+r.Header.Get("Authorization"))
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	answer(w)
}

func status(code int, head ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.WriteHeader(code)
	}
}

func says(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
}

func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"data":`)
	panic(http.ErrAbortHandler)
}

// begin serves a script, and gives a client of it and the waits that it takes.
func begin(t *testing.T, answers ...func(http.ResponseWriter)) (*script, *remote.Client, *[]time.Duration) {
	t.Helper()
	s, waits := &script{answers: answers}, &[]time.Duration{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := remote.NewClient(server.URL, "t0ken", &remote.Polite{Sleep: func(_ context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s, c, waits
}

func TestItWaitsAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	s, c, waits := begin(t, status(429, "Retry-After", "7"), status(429, "X-RateLimit-Reset", "0.25"), status(503, "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)), says(`{"data":{"id":"ws-1","type":"workspaces"}}`))
	r, err := remote.One(t.Context(), c, "workspaces/ws-1")
	if err != nil || r.ID != "ws-1" || len(s.asked) != 4 {
		t.Fatalf("%v %v %v", r, err, s.asked)
	}
	if (*waits)[0] != 7*time.Second || (*waits)[1] != 250*time.Millisecond || (*waits)[2] != 10*time.Minute {
		t.Errorf("waits: %v", *waits)
	}
}

func TestWhatMakesSomethingIsSentAgainOnlyIfItWasNotCarriedOut(t *testing.T) {
	t.Parallel()
	s, c, _ := begin(t, status(429), status(500))
	_, err := c.Send(t.Context(), "POST", "organizations", map[string]any{"data": 1})
	if len(s.asked) != 2 || !remote.Uncertain(err) || remote.Status(err) != 500 || s.asked[0] != s.asked[1] {
		t.Errorf("POST: %v %v", s.asked, err)
	}
	s, c, _ = begin(t, status(500), status(502), status(204))
	if _, err := c.Send(t.Context(), "PATCH", "organizations/acme", map[string]any{"data": 1}); err != nil || len(s.asked) != 3 {
		t.Errorf("PATCH: %v %v", s.asked, err)
	}
	s, c, _ = begin(t, status(422))
	if _, err := c.Send(t.Context(), "PATCH", "organizations/acme", nil); remote.Uncertain(err) || len(s.asked) != 1 {
		t.Errorf("a refusal: %v %v", s.asked, err)
	}
}

func TestAnAnswerThatIsCutIsReadAgain(t *testing.T) {
	t.Parallel()
	s, c, _ := begin(t, cut, cut, says(`{"data":[{"id":"a","type":"x"}],"meta":{"pagination":{"next-page":2}}}`), cut, says(`{"data":[{"id":"b","type":"x"}],"meta":{"pagination":{"next-page":null}}}`))
	list, err := remote.All(t.Context(), c, "things?q=1")
	if err != nil || len(list) != 2 || list[1].ID != "b" || len(s.asked) != 5 {
		t.Errorf("%v %v %v", list, err, s.asked)
	}
}

func TestAnErrorSaysWhichServerWhichThingAndWhatToDo(t *testing.T) {
	t.Parallel()
	for code, hint := range map[int]string{401: "belay login", 403: "no right", 404: "may not see it"} {
		_, c, _ := begin(t, func(w http.ResponseWriter) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"errors":[{"title":"no","detail":"not today"}]}`)
		})
		_, err := remote.One(t.Context(), c, "workspaces/ws-1")
		for _, part := range []string{c.Base, "workspaces/ws-1", "not today", hint} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%d: %v lacks %q", code, err, part)
			}
		}
	}
	if _, err := remote.NewClient("belay.example.com", "", nil); err == nil || !strings.Contains(err.Error(), "https://") {
		t.Errorf("an address without a scheme: %v", err)
	}
}

// TestTheTokenStaysWithItsServer opens a file of another host, and one of the server itself.
func TestTheTokenStaysWithItsServer(t *testing.T) {
	t.Parallel()
	own, c, _ := begin(t, says("bytes"))
	other, elsewhere, _ := begin(t, status(401))
	body, err := c.Open(t.Context(), "/files/1?sig=x")
	if err != nil {
		t.Fatal(err)
	}
	_ = body.Close()
	if !strings.Contains(own.asked[0], "Bearer t0ken") {
		t.Errorf("its own: %v", own.asked)
	}
	if _, err := c.Open(t.Context(), elsewhere.Base+"/secret-signature/file"); err == nil || strings.Contains(err.Error(), "secret-signature") {
		t.Errorf("a foreign file: %v", err)
	}
	if len(other.asked) != 1 || strings.Contains(other.asked[0], "t0ken") {
		t.Errorf("a foreign server was told: %v", other.asked)
	}
}
