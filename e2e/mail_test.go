package e2e_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
	"github.com/hashicorp/go-tfe"
)

// post is a mail server that keeps what it takes.
type post struct {
	listener net.Listener
	mu       sync.Mutex
	letters  []posted
	refuse   string // an address that is refused for good
}

// posted is a letter and whom it was for.
type posted struct {
	to   []string
	text string
}

func postOffice(t testing.TB) *post {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &post{listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

func (p *post) all() []posted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]posted(nil), p.letters...)
}

func (p *post) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewReader(conn)
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 post.example.com")
	var letter posted
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		switch verb, rest, _ := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "EHLO"):
			say("250 post.example.com")
		case verb == "RCPT TO" && p.refuse != "" && strings.Contains(rest, p.refuse):
			say("550 no such mailbox")
		case verb == "RCPT TO":
			letter.to = append(letter.to, strings.Trim(rest, "<> "))
			say("250 yes")
		case line == "DATA":
			say("354 go on")
			letter.text = readLetter(lines)
			p.mu.Lock()
			p.letters = append(p.letters, letter)
			p.mu.Unlock()
			letter = posted{}
			say("250 taken")
		case line == "QUIT":
			say("221 bye")
			return
		default:
			say("250 yes")
		}
	}
}

func readLetter(lines *bufio.Reader) string {
	var text strings.Builder
	for {
		line, err := lines.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return text.String()
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
}

// parts is the plain and the HTML form of a letter, and its headers.
func (l posted) parts(t testing.TB) (head mail.Header, plain, markup string) {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(l.text))
	must(t, err)
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must(t, err)
	reader := multipart.NewReader(message.Body, params["boundary"])
	var forms []string
	for {
		part, err := reader.NextPart() // decodes quoted-printable
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		raw, err := io.ReadAll(part)
		must(t, err)
		forms = append(forms, string(raw))
	}
	if len(forms) != 2 {
		t.Fatalf("%d parts", len(forms))
	}
	return message.Header, forms[0], forms[1]
}

// startMailing starts a server that sends its mail to an office.
func startMailing(t testing.TB, engine string) (*server, *post) {
	t.Helper()
	office := postOffice(t)
	return startNotifying(t, engine, "--smtp-url", "smtp://"+office.listener.Addr().String(), "--smtp-from", "Belay <belay@example.com>"), office
}

func TestMailToTeams(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, office := startMailing(t, engine)
			office.refuse = "gone@"
			ctx, c := context.Background(), s.admin()
			s.organization("acme")
			network, _ := s.team("acme", "ann", nil)
			storage, _ := s.team("acme", "bob", nil)
			var ids []string
			for i := range 60 {
				ids = append(ids, s.workspace("acme", fmt.Sprintf("w%02d", i)))
			}
			for _, id := range ids {
				_, err := c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessRead), Team: network, Workspace: &tfe.Workspace{ID: id}})
				must(t, err)
			}
			list, err := c.NotificationConfigurations.List(ctx, network.ID, &tfe.NotificationConfigurationListOptions{
				SubscribableChoice: &tfe.NotificationConfigurationSubscribableChoice{Team: network},
			})
			must(t, err)
			if len(list.Items) != 1 || list.Items[0].DestinationType != tfe.NotificationDestinationTypeEmail || !list.Items[0].Enabled ||
				fmt.Sprint(list.Items[0].Triggers) != "[change_request:created]" {
				t.Fatalf("a new team has %+v", list.Items)
			}
			s.do("POST", "/teams/"+network.ID+"/notification-configurations", s.Token,
				`{"data":{"attributes":{"name":"list","destination-type":"email","enabled":true,"triggers":["team:change_request"],"email-addresses":["list@example.com","gone@example.com"]}}}`).want(t, 201)
			s.fileRequests("acme", "Übergang <b>now</b> Bcc: all@example.com", ids...)
			waitFor(t, "two letters", func() bool { return len(office.all()) == 2 })
			for _, letter := range office.all() {
				to := strings.Join(letter.to, ",")
				if to != "ann@example.com" && to != "list@example.com" {
					t.Errorf("a letter to %s: team %s has no access", to, storage.Name)
				}
				head, plain, markup := letter.parts(t)
				subject, err := new(mime.WordDecoder).DecodeHeader(head.Get("Subject"))
				must(t, err)
				if subject != "[acme] Change request on 60 workspaces: Übergang <b>now</b> Bcc: all@example.com" || head.Get("Bcc") != "" {
					t.Errorf("subject %q, headers %v", subject, head)
				}
				if !strings.Contains(plain, "**do** it") || !strings.Contains(plain, "w49") || !strings.Contains(plain, "and 10 more") {
					t.Errorf("plain: %s", plain)
				}
				if !strings.Contains(markup, "<strong>do</strong> it") || strings.Contains(markup, "<b>now</b>") || !strings.Contains(markup, s.URL+"/app/change-requests/wscr-") {
					t.Errorf("HTML: %s", markup)
				}
			}
			s.do("POST", "/notification-configurations/"+list.Items[0].ID+"/actions/verify", s.Token, "").want(t, 200)
			if all := office.all(); len(all) != 3 || !strings.Contains(all[2].text, "Verification of") {
				t.Errorf("%d letters after verification", len(all))
			}
		})
	}
}

func TestOnlyTeamsWithAccessAreNotified(t *testing.T) {
	notifying(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		w, other := s.workspace("acme", "network"), s.workspace("acme", "storage")
		project := s.do("GET", "/workspaces/"+w, s.Token, "").text("data.relationships.project.data.id")
		hooks := map[string]*hook{}
		teams := map[string]*tfe.Team{}
		for _, name := range []string{"onworkspace", "onproject", "onother", "onnothing", "everywhere"} {
			var access *tfe.OrganizationAccessOptions
			if name == "everywhere" { // a right on the organization is no explicit access
				access = &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)}
			}
			teams[name], _ = s.team("acme", name, access)
			hooks[name] = receiver(t, nil)
			n, err := c.NotificationConfigurations.Create(ctx, teams[name].ID, tfe.NotificationConfigurationCreateOptions{
				DestinationType: tfe.NotificationDestination(tfe.NotificationDestinationTypeGeneric), Enabled: tfe.Bool(true),
				Name: tfe.String(name), URL: tfe.String(hooks[name].URL), Token: tfe.String(name),
				Triggers:           []tfe.NotificationTriggerType{tfe.NotificationTriggerChangeRequestCreated},
				SubscribableChoice: &tfe.NotificationConfigurationSubscribableChoice{Team: teams[name]},
			})
			must(t, err)
			if n.SubscribableChoice.Team == nil || n.SubscribableChoice.Team.ID != teams[name].ID {
				t.Errorf("belongs to %+v", n.SubscribableChoice)
			}
		}
		for name, id := range map[string]string{"onworkspace": w, "onother": other} {
			_, err := c.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{Access: tfe.Access(tfe.AccessRead), Team: teams[name], Workspace: &tfe.Workspace{ID: id}})
			must(t, err)
		}
		_, err := c.TeamProjectAccess.Add(ctx, tfe.TeamProjectAccessAddOptions{
			Access: tfe.TeamProjectAccessRead, Team: teams["onproject"], Project: &tfe.Project{ID: project},
		})
		must(t, err)
		s.fileRequests("acme", "first", w)
		waitFor(t, "both teams", func() bool { return len(hooks["onworkspace"].all()) == 1 && len(hooks["onproject"].all()) == 1 })
		s.fileRequests("acme", "second", other) // by the time this has come, the first has gone to whom it will
		waitFor(t, "the other team", func() bool { return len(hooks["onother"].all()) == 1 && len(hooks["onproject"].all()) == 2 })
		for name, h := range hooks {
			for _, got := range h.all() {
				if got.text("trigger_scope") != "team" || got.Header.Get("X-TFE-Notification-Signature") != signature(name, got.Body) {
					t.Errorf("%s got %s", name, got.Body)
				}
			}
		}
		for name, want := range map[string]int{"onworkspace": 1, "onother": 1, "onproject": 2, "onnothing": 0, "everywhere": 0} {
			if got := len(hooks[name].all()); got != want {
				t.Errorf("%s was told %d times, want %d", name, got, want)
			}
		}
		s.do("POST", "/teams/"+teams["onother"].ID+"/notification-configurations", s.Token,
			`{"data":{"attributes":{"name":"n","destination-type":"slack","url":"https://example.com","triggers":["run:created"]}}}`).want(t, 422)
		must(t, c.Teams.Delete(ctx, teams["onother"].ID))
		s.do("GET", "/teams/"+teams["onother"].ID+"/notification-configurations", s.Token, "").want(t, 404)
	})
}
