package e2e_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/storetest"
	"github.com/hashicorp/go-tfe"
)

// hook is a webhook's receiver: it keeps what comes and answers as it is told.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	got    []hooked
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1, verifications left out
}

// hooked is one request that came.
type hooked struct {
	Header http.Header
	Body   []byte
}

func (h hooked) text(name string) string {
	var body map[string]any
	_ = json.Unmarshal(h.Body, &body)
	text, _ := body[name].(string)
	return text
}

// receiver starts a receiver. Verifications are answered with 200; all else by answer,
// or with 200 when it is nil.
func receiver(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *hook {
	t.Helper()
	h := &hook{answer: answer}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		came := hooked{r.Header.Clone(), raw}
		if strings.Contains(string(raw), "Verification of ") {
			return
		}
		h.mu.Lock()
		h.got = append(h.got, came)
		n := len(h.got)
		h.mu.Unlock()
		if h.answer != nil {
			h.answer(n, w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// all is what has come so far, without the verifications.
func (h *hook) all() []hooked {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]hooked(nil), h.got...)
}

// waitFor waits until something is so; the deadline is far beyond what it takes.
func waitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}

// quick lets a server reach receivers of the test, and try again soon.
var quick = []string{"--allow-private-deliveries", "127.0.0.0/8", "--delivery-retry", "50ms"}

// notifying runs a test against a server that may notify receivers of the test.
func notifying(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, startNotifying(t, engine))
		})
	}
}

// startNotifying starts such a server.
func startNotifying(t testing.TB, engine string, args ...string) *server {
	t.Helper()
	return start(t, engine, append(quick[:len(quick):len(quick)], args...)...)
}

// notify makes an enabled configuration for change requests; of is a path such as
// /teams/team-…; it gives the id.
func (s *server) notify(of, destination, url, token string) string {
	s.t.Helper()
	return s.notifyOf(of, destination, url, token, "change_request:created")
}

// notifyOf is notify for other triggers.
func (s *server) notifyOf(of, destination, url, token string, triggers ...string) string {
	s.t.Helper()
	return s.do("POST", of+"/notification-configurations", s.Token, fmt.Sprintf(
		`{"data":{"type":"notification-configuration","attributes":{"destination-type":%q,"enabled":true,"name":"hook","url":%q,"token":%q,"triggers":["%s"]}}}`,
		destination, url, token, strings.Join(triggers, `","`))).want(s.t, 201).text("data.id")
}

func signature(token string, body []byte) string {
	mac := hmac.New(sha512.New, []byte(token))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestNotificationLifeThroughGoTFE(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w := s.workspace("acme", "network")
		project, err := c.Workspaces.ReadByID(ctx, w)
		must(t, err)
		h := receiver(t, nil)
		for id, choice := range map[string]*tfe.NotificationConfigurationSubscribableChoice{
			w:                  {Workspace: &tfe.Workspace{ID: w}},
			project.Project.ID: {Project: &tfe.Project{ID: project.Project.ID}},
		} {
			n, err := c.NotificationConfigurations.Create(ctx, id, tfe.NotificationConfigurationCreateOptions{
				DestinationType: tfe.NotificationDestination(tfe.NotificationDestinationTypeGeneric), Enabled: tfe.Bool(true),
				Name: tfe.String("hook"), URL: tfe.String(h.URL), Token: tfe.String("secret"), SubscribableChoice: choice,
				Triggers: []tfe.NotificationTriggerType{tfe.NotificationTriggerCreated, tfe.NotificationTriggerChangeRequestCreated},
			})
			must(t, err)
			// This client drops delivery-responses: it can't decode the documented headers.
			if !n.Enabled || n.Token != "" || n.URL != h.URL || len(n.Triggers) != 2 || n.CreatedAt.IsZero() {
				t.Errorf("created %+v", n)
			}
			if got := n.SubscribableChoice; choice.Workspace != nil && (got.Workspace == nil || got.Workspace.ID != id) ||
				choice.Project != nil && (got.Project == nil || got.Project.ID != id) {
				t.Errorf("belongs to %+v", got)
			}
			list, err := c.NotificationConfigurations.List(ctx, id, &tfe.NotificationConfigurationListOptions{SubscribableChoice: choice})
			must(t, err)
			if len(list.Items) != 1 || list.Items[0].ID != n.ID {
				t.Errorf("listed %+v", list.Items)
			}
			n, err = c.NotificationConfigurations.Update(ctx, n.ID, tfe.NotificationConfigurationUpdateOptions{Name: tfe.String("other"), Enabled: tfe.Bool(false)})
			must(t, err)
			if n.Enabled || n.Name != "other" || len(n.Triggers) != 2 {
				t.Errorf("updated %+v", n)
			}
			_, err = c.NotificationConfigurations.Verify(ctx, n.ID)
			must(t, err)
			must(t, c.NotificationConfigurations.Delete(ctx, n.ID))
			if _, err = c.NotificationConfigurations.Read(ctx, n.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
				t.Errorf("after delete: %v", err)
			}
		}
	})
}

func TestNotificationRules(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		path := "/workspaces/" + w + "/notification-configurations"
		added := func(attributes string) reply {
			return s.do("POST", path, s.Token, `{"data":{"type":"notification-configurations","attributes":{`+attributes+`}}}`)
		}
		for _, bad := range []struct{ attributes, pointer string }{
			{`"destination-type":"generic","url":"https://example.com"`, "/data/attributes/name"},
			{`"name":"n","destination-type":"generic"`, "/data/attributes/url"},
			{`"name":"n","destination-type":"generic","url":"ftp://example.com"`, "/data/attributes/url"},
			{`"name":"n","destination-type":"generic","url":"/path"`, "/data/attributes/url"},
			{`"name":"n","destination-type":"pigeon","url":"https://example.com"`, "/data/attributes/destination-type"},
			{`"name":"n"`, "/data/attributes/destination-type"},
			{`"name":"n","destination-type":"slack","url":"https://example.com","triggers":["run:dreamt"]`, "/data/attributes/triggers"},
			{`"name":"n","destination-type":"slack","url":"https://example.com","triggers":"run:created"`, "/data/attributes/triggers"},
			{`"name":"n","destination-type":"email","email-addresses":["nobody"]`, "/data/attributes/email-addresses"},
			{`"name":"n","destination-type":"email","url":"https://example.com"`, "/data/attributes/url"},
			{`"name":"` + strings.Repeat("x", 256) + `","destination-type":"email"`, "/data/attributes/name"},
		} {
			r := added(bad.attributes).want(t, 422)
			if r.text("errors.0.source.pointer") != bad.pointer {
				t.Errorf("%s: %s", bad.attributes, r.Body)
			}
		}
		first := added(`"name":"n","destination-type":"generic","url":"https://example.com","triggers":["team:change_request","run:created","run:created"]`).want(t, 201)
		if got := fmt.Sprint(first.at("data.attributes.triggers")); got != "[change_request:created run:created]" {
			t.Errorf("triggers %s", got)
		}
		if first.at("data.attributes.enabled") != false || first.at("data.attributes.token") != nil {
			t.Errorf("created %s", first.Body)
		}
		id := first.text("data.id")
		s.do("PATCH", "/notification-configurations/"+id, s.Token, `{"data":{"attributes":{"destination-type":"slack"}}}`).want(t, 422)
		s.do("POST", path, s.Token, `{"data":{"attributes":{"name":"n","destination-type":"email"},"relationships":{"users":{"data":[{"type":"users","id":"user-0000000000000000"}]}}}}`).want(t, 422)
		invited := s.do("POST", "/organizations/acme/organization-memberships", s.Token, `{"data":{"attributes":{"email":"soon@example.com"}}}`).want(t, 201)
		s.do("POST", path, s.Token, `{"data":{"attributes":{"name":"n","destination-type":"email"},"relationships":{"users":{"data":[{"type":"users","id":"`+
			invited.text("data.relationships.user.data.id")+`"}]}}}}`).want(t, 201)
		for range 18 {
			added(`"name":"n","destination-type":"email"`).want(t, 201)
		}
		added(`"name":"n","destination-type":"email"`).want(t, 422)
		if list := s.do("GET", path, s.Token, "").want(t, 200); list.at("data.19") == nil || list.at("meta") != nil {
			t.Errorf("not all are listed: %s", list.Body)
		}
		if list := s.do("GET", path+"?page[size]=5&page[number]=4", s.Token, "").want(t, 200); list.at("data.4") == nil || list.at("data.5") != nil {
			t.Errorf("the last page: %s", list.Body)
		}
		_, stranger := s.user("stranger")
		s.do("GET", path, stranger, "").want(t, 404)
		s.do("GET", "/notification-configurations/"+id, stranger, "").want(t, 404)
		s.do("DELETE", "/notification-configurations/"+id, stranger, "").want(t, 404)
		s.do("GET", "/notification-configurations/"+id+"/deliveries", stranger, "").want(t, 404)
		s.do("DELETE", "/notification-configurations/"+id, s.Token, "").want(t, 204)
	})
}

func TestVerificationDecidesWhetherItIsEnabled(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		s.organization("acme")
		w := s.workspace("acme", "network")
		path := "/workspaces/" + w + "/notification-configurations"
		status := http.StatusInternalServerError
		bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Seen", "yes")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "so it is")
		}))
		t.Cleanup(bad.Close)
		body := func(enabled bool) string {
			return fmt.Sprintf(`{"data":{"attributes":{"name":"n","destination-type":"generic","url":%q,"enabled":%v}}}`, bad.URL, enabled)
		}
		s.do("POST", path, s.Token, body(true)).want(t, 400)
		if list := s.do("GET", path, s.Token, "").want(t, 200); list.at("data.0") != nil {
			t.Errorf("kept though its destination refused: %s", list.Body)
		}
		id := "/notification-configurations/" + s.do("POST", path, s.Token, body(false)).want(t, 201).text("data.id")
		for _, try := range []func() reply{
			func() reply { return s.do("POST", id+"/actions/verify", s.Token, "") },
			func() reply { return s.do("POST", id+"/actions/enable", s.Token, "") },
			func() reply { return s.do("PATCH", id, s.Token, `{"data":{"attributes":{"enabled":true}}}`) },
		} {
			try().want(t, 400)
			n := s.do("GET", id, s.Token, "").want(t, 200)
			if n.at("data.attributes.enabled") != false || n.text("data.attributes.delivery-responses.0.code") != "500" ||
				n.text("data.attributes.delivery-responses.0.body") != "so it is" || n.text("data.attributes.delivery-responses.0.successful") != "false" ||
				n.text("data.attributes.delivery-responses.0.headers.x-seen.0") != "yes" || n.text("data.attributes.delivery-responses.0.url") != bad.URL {
				t.Errorf("after a refusal: %s", n.Body)
			}
		}
		status = http.StatusNoContent
		s.do("POST", id+"/actions/verify", s.Token, "").want(t, 200)
		if n := s.do("POST", id+"/actions/enable", s.Token, "").want(t, 200); n.at("data.attributes.enabled") != true {
			t.Errorf("not enabled: %s", n.Body)
		}
	})
}

// TestVerificationsAreLimited asks in every way that makes the server send a message.
func TestVerificationsAreLimited(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := startNotifying(t, engine, "--rate-limit", "10000")
			s.organization("acme")
			list := "/workspaces/" + s.workspace("acme", "network") + "/notification-configurations"
			var asked atomic.Int64
			h := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
			t.Cleanup(h.Close)
			body := func(more string) string {
				return `{"data":{"attributes":{"name":"n","destination-type":"generic","url":"` + h.URL + `"` + more + `}}}`
			}
			id := "/notification-configurations/" + s.do("POST", list, s.Token, body("")).want(t, 201).text("data.id")
			ways := []func() reply{
				func() reply { return s.do("PATCH", id, s.Token, body(`,"enabled":true`)) },
				func() reply { return s.do("PATCH", id, s.Token, body(`,"token":"other"`)) },
				func() reply { return s.do("POST", id+"/actions/verify", s.Token, "") },
				func() reply { return s.do("POST", id+"/actions/enable", s.Token, "") },
				func() reply { return s.do("POST", list, s.Token, body(`,"enabled":true`)) },
			}
			taken, refused := 0, 0
			for i := 0; refused < len(ways) && i < 80; i++ {
				before := s.do("GET", list, s.Token, "").Body
				r := ways[i%len(ways)]()
				if r.Status != http.StatusTooManyRequests {
					taken++ // one comes back every six seconds
					continue
				}
				refused++
				if after := s.do("GET", list, s.Token, "").Body; after != before || r.Header.Get("Retry-After") == "" {
					t.Errorf("%v\nbefore %s\nafter  %s", r.Header, before, after)
				}
			}
			if taken < 10 || refused == 0 || int(asked.Load()) != taken {
				t.Errorf("%d requests were taken and %d refused, %d verifications sent", taken, refused, asked.Load())
			}
		})
	}
}
