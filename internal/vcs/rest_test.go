package vcs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// reply is an answer of a service that is asked anything.
type reply struct {
	status int
	header http.Header
	body   string
}

// asked opens a GitHub that gives these answers one after another, the last for ever, and notes the pauses.
func asked(t *testing.T, replies ...reply) (client *hubClient, count *atomic.Int32, pauses *[]time.Duration) {
	t.Helper()
	count, pauses = &atomic.Int32{}, &[]time.Duration{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r := replies[min(int(count.Add(1)), len(replies))-1]
		for name, values := range r.header {
			w.Header()[name] = values
		}
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, r.body)
	}))
	t.Cleanup(server.Close)
	opened, err := Open(Connection{Service: "github", HTTPURL: server.URL, APIURL: server.URL, Token: "s3cret-token"}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	client = opened.(*hubClient)
	client.rest.wait = func(ctx context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return ctx.Err()
	}
	return client, count, pauses
}

func TestAnswersInWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply     reply
		want      string
		tries     int32
		temporary bool
	}{
		"401":            {reply{401, nil, `{"message":"Bad credentials"}`}, "GitHub answered 401: it does not accept the token of the connection: Bad credentials", 1, false},
		"403":            {reply{403, nil, `{"message":"Resource not accessible"}`}, "GitHub answered 403: the token of the connection may not do this: Resource not accessible", 1, false},
		"404":            {reply{404, nil, `{"message":"Not Found"}`}, "GitHub answered 404: it is not there, or the token of the connection may not see it: Not Found", 1, false},
		"422":            {reply{422, nil, `{"message":"Validation Failed","errors":[{"message":"Hook already exists"}]}`}, "GitHub answered 422: Validation Failed; Hook already exists", 1, false},
		"429":            {reply{429, http.Header{"Retry-After": {"2"}}, ``}, "GitHub answered 429: it was asked too often", 3, true},
		"429 for long":   {reply{429, http.Header{"Retry-After": {"3600"}}, ``}, "GitHub answered 429: it was asked too often", 1, true},
		"403 for a rate": {reply{403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1"}}, `{"message":"rate limit"}`}, "GitHub answered 403: the token of the connection may not do this: rate limit", 3, true},
		"500":            {reply{500, nil, `oops`}, "GitHub answered 500: it failed by itself", 1, true},
		"503":            {reply{503, nil, `<html>busy</html>`}, "GitHub answered 503: it failed by itself", 3, true},
		"409":            {reply{409, nil, ``}, "GitHub answered 409", 1, false},
		"a page":         {reply{200, nil, `<html>login</html>`}, "GitHub: its answer is not what its API answers; is the address of the connection right?", 1, true},
		"too long":       {reply{200, nil, `"` + strings.Repeat("x", maxAnswer) + `"`}, "GitHub: its answer is too long", 1, false},
		"a redirect":     {reply{302, http.Header{"Location": {"https://elsewhere.example/"}}, ``}, "GitHub answered 302: it redirects to another address; is the address of the connection right?", 1, false},
		"in a circle":    {reply{302, http.Header{"Location": {"/again"}}, ``}, "GitHub: it redirects in a circle", 4, true},
		"to nowhere":     {reply{302, nil, ``}, "GitHub answered 302: it redirects to another address; is the address of the connection right?", 1, false},
		"our secret":     {reply{400, nil, `{"message":"the token s3cret-token\u0000\nis bad"}`}, "GitHub answered 400: the token …  is bad", 1, false},
		"a long word":    {reply{400, nil, `{"message":"` + strings.Repeat("é", 1000) + `"}`}, "GitHub answered 400: " + strings.Repeat("é", 148) + "…", 1, false},
		"a deep answer":  {reply{400, nil, strings.Repeat(`{"message":`, 50) + `"x"` + strings.Repeat(`}`, 50)}, "GitHub answered 400", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, count, _ := asked(t, c.reply)
			_, err := client.DefaultBranch(t.Context(), "a/b")
			var failed *Error
			if !errors.As(err, &failed) || err.Error() != c.want {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if count.Load() != c.tries || failed.Temporary() != c.temporary {
				t.Errorf("%d tries, temporary %v", count.Load(), failed.Temporary())
			}
		})
	}
}

func TestAskingAgain(t *testing.T) {
	t.Parallel()
	good := reply{200, nil, `{"default_branch":"main"}`}
	client, count, pauses := asked(t, reply{status: 502}, reply{429, http.Header{"Retry-After": {"7"}}, ""}, good)
	branch, err := client.DefaultBranch(t.Context(), "a/b")
	if branch != "main" || err != nil || count.Load() != 3 || (*pauses)[1] != 7*time.Second {
		t.Errorf("%q, %v after %d tries and %v", branch, err, count.Load(), *pauses)
	}
}

// TestNothingIsMadeTwice holds that what failed on the way is not tried again when that could make a
// second one; what was refused for the rate is.
func TestNothingIsMadeTwice(t *testing.T) {
	t.Parallel()
	client, count, _ := asked(t, reply{status: 502})
	if _, err := client.Comment(t.Context(), "a/b", 1, "x"); err == nil || count.Load() != 1 {
		t.Errorf("%v after %d tries", err, count.Load())
	}
	client, count, _ = asked(t, reply{status: 429}, reply{201, nil, `{"id":4}`})
	if id, err := client.AddHook(t.Context(), "a/b", "u", "s"); id != "4" || err != nil || count.Load() != 2 {
		t.Errorf("%q, %v after %d tries", id, err, count.Load())
	}
	client, count, _ = asked(t, reply{status: 502}, reply{status: 201})
	if err := client.SetStatus(t.Context(), "a/b", "c", Status{}); err != nil || count.Load() != 2 {
		t.Errorf("%v after %d tries", err, count.Load())
	}
}

func TestRedirectsOfChangesAreNotFollowed(t *testing.T) {
	t.Parallel()
	client, count, _ := asked(t, reply{307, http.Header{"Location": {"/moved"}}, ""})
	if err := client.SetStatus(t.Context(), "a/b", "c", Status{}); err == nil || count.Load() != 1 {
		t.Errorf("%v after %d tries", err, count.Load())
	}
}

// TestTheTokenStaysWithItsHost holds that a service that redirects elsewhere does not send our token there.
func TestTheTokenStaysWithItsHost(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer other.Close()
	client, _, _ := asked(t, reply{302, http.Header{"Location": {other.URL + "/x"}}, ""})
	if _, err := client.DefaultBranch(t.Context(), "a/b"); err == nil || strings.Contains(err.Error(), other.URL) {
		t.Errorf("%v", err)
	}
}

func TestOneWhoCannotBeReached(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, address := range map[string]string{"it could not be reached": closed.URL, "its name could not be resolved": "http://no.invalid"} {
		opened, err := Open(Connection{Service: "forgejo", APIURL: address, Token: "s3cret-token"}, http.DefaultClient)
		if err != nil {
			t.Fatal(err)
		}
		client := opened.(*giteaClient)
		client.rest.wait = func(context.Context, time.Duration) error { return nil }
		_, err = client.DefaultBranch(t.Context(), "a/b")
		if err == nil || !strings.HasPrefix(err.Error(), "Forgejo: "+name) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%v", err)
		}
	}
}

func TestACanceledQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	client, _, _ := asked(t, reply{status: 200})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.DefaultBranch(ctx, "a/b"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestEndlessPagesEnd holds that a service that always has a next page is left, and its list not believed.
func TestEndlessPagesEnd(t *testing.T) {
	t.Parallel()
	client, count, _ := asked(t, reply{200, http.Header{"Link": {`<x>; rel="next"`}}, `[{"filename":"a"}]`})
	files, known, err := client.ChangedFiles(t.Context(), "a/b", 1)
	if len(files) != 0 || known || err != nil || count.Load() != maxPages {
		t.Errorf("%v, %v, %v after %d pages", files, known, err, count.Load())
	}
}

func TestAListTooLongIsNotKnown(t *testing.T) {
	t.Parallel()
	client, _, _ := asked(t, reply{200, nil, `{"files":[` + strings.Repeat(" ", maxAnswer) + `]}`})
	files, known, err := client.PushedFiles(t.Context(), "a/b", "1", "2")
	if len(files) != 0 || known || err != nil {
		t.Errorf("%v, %v, %v", files, known, err)
	}
}

// TestAHalfMadeHookIsTakenAway holds that Azure's three subscriptions are all there or none.
func TestAHalfMadeHookIsTakenAway(t *testing.T) {
	t.Parallel()
	var made, removed atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"id":"r","project":{"id":"p"}}`)
		case r.Method == http.MethodDelete:
			removed.Add(1)
		case made.Add(1) == 3:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"TF400813: not allowed"}`)
		default:
			_, _ = io.WriteString(w, `{"id":"s"}`)
		}
	}))
	defer server.Close()
	client, err := Open(Connection{Service: "ado_server", APIURL: server.URL, Token: "t"}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	id, err := client.AddHook(t.Context(), "a/b/_git/c", "u", "s")
	if id != "" || err == nil || !strings.Contains(err.Error(), "TF400813") || removed.Load() != 2 {
		t.Errorf("%q, %v, %d removed", id, err, removed.Load())
	}
}
