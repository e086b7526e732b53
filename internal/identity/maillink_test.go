package identity_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

// letterbox keeps what is mailed.
type letterbox struct {
	mu  sync.Mutex
	got map[string][]signin.Letter
}

func (l *letterbox) Mails() bool { return true }

func (l *letterbox) Write(_ context.Context, to string, letter signin.Letter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got[to] = append(l.got[to], letter)
	return nil
}

// link is the value of the last link that an address was sent.
func (l *letterbox) link(t *testing.T, to string) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.got[to]
	if len(list) == 0 {
		t.Fatalf("nothing was mailed to %s", to)
	}
	_, value, _ := strings.Cut(list[len(list)-1].Path, "?link=")
	return value
}

func eachPost(t *testing.T, test func(t *testing.T, a *app.App, box *letterbox, now *time.Time)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			clock := func() time.Time { return now }
			db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			box := &letterbox{got: map[string][]signin.Letter{}}
			test(t, app.New(app.Config{DB: db, Now: clock, Letters: box}), box, &now)
		})
	}
}

const fresh = "battery staple"

func TestPasswordReset(t *testing.T) {
	eachPost(t, func(t *testing.T, a *app.App, box *letterbox, now *time.Time) {
		ctx := t.Context()
		if _, err := a.CreateUser(ctx, siteAdmin, identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse"}); err != nil {
			t.Fatal(err)
		}
		_, session, err := a.StartSession(ctx, identity.SignIn{Name: "ann", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(email string) {
			t.Helper()
			if err := a.AskForReset(ctx, email, ""); err != nil {
				t.Fatal(err)
			}
			a.Written()
		}
		for _, stranger := range []string{"nobody@example.com", "ann", "a\x00b@example.com", ""} {
			ask(stranger)
		}
		if len(box.got) != 0 {
			t.Errorf("strangers were mailed: %v", box.got)
		}
		ask("ANN@example.com")
		if len(box.got["ann@example.com"]) != 1 || len(box.got) != 1 {
			t.Fatalf("a link goes to the address as the user has it: %v", box.got)
		}
		first := box.link(t, "ann@example.com")
		*now = now.Add(20 * time.Minute)
		ask("ann@example.com")
		link := box.link(t, "ann@example.com")
		if err := a.ResetPassword(ctx, link, "short"); belay.KindOf(err) != belay.Invalid {
			t.Errorf("a short password: %v", err)
		}
		if err := a.ResetPassword(ctx, "made up", fresh); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("a link that nobody was sent: %v", err)
		}
		var using sync.WaitGroup
		taken := make([]error, 4)
		for i := range taken {
			using.Go(func() { taken[i] = a.ResetPassword(ctx, link, fresh) })
		}
		using.Wait()
		good := 0
		for _, err := range taken {
			if err == nil {
				good++
			}
		}
		if good != 1 {
			t.Errorf("of four who use a link at once %d were let: %v", good, taken)
		}
		if err := a.ResetPassword(ctx, first, "another horse"); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("an older link is good afterwards: %v", err)
		}
		if _, err := a.Visitor(ctx, session, signin.Browser{}); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("a session goes on: %v", err)
		}
		if _, _, err := a.StartSession(ctx, identity.SignIn{Name: "ann", Password: fresh}); err != nil {
			t.Errorf("the new password: %v", err)
		}
		for range signin.MostLinks {
			*now = now.Add(20 * time.Minute)
			ask("ann@example.com")
		}
		if n := len(box.got["ann@example.com"]); n != signin.MostLinks {
			t.Errorf("%d letters in a day", n)
		}
		*now = now.Add(25 * time.Hour)
		ask("ann@example.com")
		late := box.link(t, "ann@example.com")
		*now = now.Add(signin.ResetLinkLifetime)
		if err := a.ResetPassword(ctx, late, fresh); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("a link of an hour ago: %v", err)
		}
	})
}

// TestANewPasswordEndsLinks: whoever has a link from before can't take the account back, however the password came to be another.
func TestANewPasswordEndsLinks(t *testing.T) {
	eachPost(t, func(t *testing.T, a *app.App, box *letterbox, _ *time.Time) {
		ctx := t.Context()
		u, err := a.CreateUser(ctx, siteAdmin, identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		mailed := func() string {
			if err := a.AskForReset(ctx, "ann@example.com", ""); err != nil {
				t.Fatal(err)
			}
			a.Written()
			return box.link(t, "ann@example.com")
		}
		handed := func() string {
			l, err := a.PasswordLink(ctx, siteAdmin, u.ID)
			if err != nil {
				t.Fatal(err)
			}
			return l.Value
		}
		for what, change := range map[string]func() error{
			"its user": func() error {
				_, err := a.ChangePassword(ctx, identity.PrincipalOf(u), identity.NewPassword{Current: "correct horse", Password: "correct horse", Confirmation: "correct horse"})
				return err
			},
			"a site admin": func() error {
				_, err := a.UpdateUser(ctx, siteAdmin, u.ID, belay.UserPatch{}, patch.Of("correct horse"))
				return err
			},
		} {
			for kind, link := range map[string]func() string{"mailed": mailed, "handed on": handed} {
				value := link()
				if err := change(); err != nil {
					t.Fatal(err)
				}
				if err := a.ResetPassword(ctx, value, fresh); belay.KindOf(err) != belay.BadRequest {
					t.Errorf("a link that was %s is good after %s has changed the password: %v", kind, what, err)
				}
			}
		}
	})
}

func TestInvitationsByMail(t *testing.T) {
	eachPost(t, func(t *testing.T, a *app.App, box *letterbox, now *time.Time) {
		ctx := t.Context()
		h := &house{App: a, t: t}
		founder, _ := h.organization("acme", "")
		invite := func(organization string, who belay.Principal) {
			if _, err := a.Invite(ctx, who, organization, "bob@example.com", nil); err != nil {
				t.Fatal(err)
			}
			a.Written()
		}
		invite("acme", founder)
		first := box.link(t, "bob@example.com")
		other, _ := h.organization("other", "")
		invite("other", other)
		link := box.link(t, "bob@example.com")
		if err := a.ResetPassword(ctx, link, fresh); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("an invitation gave a password: %v", err)
		}
		if err := a.AskForReset(ctx, "bob@example.com", ""); err != nil {
			t.Fatal(err)
		}
		if a.Written(); len(box.got["bob@example.com"]) != 2 {
			t.Error("who is only invited was mailed a link to a new password")
		}
		if _, err := a.AcceptInvitation(ctx, link, "founder-acme", fresh); belay.KindOf(err) != belay.Invalid {
			t.Errorf("another's name was taken: %v", err)
		}
		session, err := a.AcceptInvitation(ctx, link, "bob", fresh)
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.Visitor(ctx, session, signin.Browser{})
		if err != nil || !h.sees(s, "acme") || !h.sees(s, "other") {
			t.Errorf("%+v %v", s, err)
		}
		for _, used := range []string{link, first} {
			if _, err := a.AcceptInvitation(ctx, used, "rob", "another horse"); belay.KindOf(err) != belay.BadRequest {
				t.Errorf("a link was good twice: %v", err)
			}
		}
		if _, err := a.Invite(ctx, founder, "acme", "eve@example.com", nil); err != nil {
			t.Fatal(err)
		}
		a.Written()
		*now = now.Add(signin.InvitationLinkLifetime)
		if _, err := a.AcceptInvitation(ctx, box.link(t, "eve@example.com"), "eve", fresh); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("a link of last week: %v", err)
		}
	})
}

// TestPasswordsAreSwitchedOff leaves one who may sign in when the provider is down.
func TestPasswordsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		open := app.New(app.Config{DB: db})
		box := &letterbox{got: map[string][]signin.Letter{}}
		ids := map[string]string{}
		for name, admin := range map[string]bool{"root": true, "boss": true, "ann": false} {
			u, err := open.CreateUser(ctx, siteAdmin, identity.NewUser{Username: name, Email: name + "@example.com", Password: "correct horse", IsAdmin: admin})
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = u.ID
		}
		for glass, want := range map[string]bool{"root": true, "ann": false} {
			a := app.New(app.Config{DB: db, BreakGlass: glass, Letters: box})
			for _, name := range []string{"root", "boss", "ann"} {
				_, _, err := a.StartSession(ctx, identity.SignIn{Name: name, Password: "correct horse"})
				if got := err == nil; got != (want && name == glass) {
					t.Errorf("with %s: %s signs in: %v", glass, name, err)
				}
				_, err = a.ChangePassword(ctx, belay.Principal{Kind: belay.UserPrincipal, ID: ids[name], Name: name},
					identity.NewPassword{Current: "correct horse", Password: "correct horse", Confirmation: "correct horse"})
				if got := err == nil; got != (want && name == glass) {
					t.Errorf("with %s: %s changes the password: %v", glass, name, err)
				}
			}
			if err := a.AskForReset(ctx, "ann@example.com", ""); belay.KindOf(err) != belay.NotFound {
				t.Errorf("a new password: %v", err)
			}
		}
	})
}
