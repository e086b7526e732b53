package identity_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

// voucher is a provider whose words a test puts into its mouth.
type voucher struct {
	mu     sync.Mutex
	rules  []signin.IdentityProvider
	says   map[string]signin.Assertion // by code
	again  func(subject, refresh string) (signin.Assertion, error)
	notice signin.LogoutNotice
	flow   signin.SignInFlow
}

func (v *voucher) Providers() []signin.IdentityProvider { return v.rules }

func (v *voucher) Begin(_ context.Context, _ string, f signin.SignInFlow) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flow = f
	return "https://id.example.com/authorize", nil
}

func (v *voucher) Finish(_ context.Context, _ string, _ signin.SignInFlow, code string) (signin.Assertion, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.says[code]
	if !ok {
		return a, fmt.Errorf("no such code")
	}
	return a, nil
}

func (v *voucher) Again(_ context.Context, _, subject, refresh string) (signin.Assertion, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.again(subject, refresh)
}

func (v *voucher) LogoutToken(_ context.Context, _, raw string) (signin.LogoutNotice, error) {
	if raw != "good" {
		return signin.LogoutNotice{}, fmt.Errorf("bad")
	}
	return v.notice, nil
}

const example = "https://id.example.com"

// house is verbs over a fresh database, a provider, and a clock that a test moves.
type house struct {
	*app.App
	t   *testing.T
	v   *voucher
	now time.Time
}

func eachHouse(t *testing.T, test func(t *testing.T, h *house)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := &house{t: t, now: time.Now().Truncate(time.Second)}
			clock := func() time.Time { return h.now }
			db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			ring, err := seal.Parse(base64.StdEncoding.EncodeToString(make([]byte, 32)))
			if err != nil {
				t.Fatal(err)
			}
			h.v = &voucher{says: map[string]signin.Assertion{}, rules: []signin.IdentityProvider{{
				ID: "id", Name: "Example", Issuer: example, MakesAccounts: true, AdminGroups: []string{"root"}, HoldsFor: time.Hour,
			}}}
			h.App = app.New(app.Config{DB: db, Ring: ring, Now: clock, Providers: h.v})
			test(t, h)
		})
	}
}

// person is what the provider says of somebody.
func (h *house) person(name string, groups ...string) signin.Assertion {
	return signin.Assertion{
		Issuer: example, Subject: "sub-" + name, Email: name + "@example.com", EmailVerified: true, Username: name,
		Groups: groups, GroupsKnown: true, Full: true, At: h.now, RefreshToken: "refresh-" + name,
	}
}

// comes is somebody signing in by the provider.
func (h *house) comes(a signin.Assertion) (identity.Arrival, error) {
	h.t.Helper()
	d, err := h.LeaveFor(h.t.Context(), "id", "https://belay.example.com/oauth/callback/id", "/app/")
	if err != nil {
		h.t.Fatal(err)
	}
	code := belay.RandomText(12)
	h.v.mu.Lock()
	h.v.says[code] = a
	h.v.mu.Unlock()
	return h.ComeBack(h.t.Context(), identity.Return{Provider: "id", State: d.State, Code: code, Sealed: d.Sealed})
}

func (h *house) in(a signin.Assertion) identity.Arrival {
	h.t.Helper()
	in, err := h.comes(a)
	if err != nil {
		h.t.Fatal(err)
	}
	return in
}

// organization makes one with a team that a group's members get.
func (h *house) organization(name, group string) (founder belay.Principal, team string) {
	h.t.Helper()
	ctx := h.t.Context()
	u, err := h.CreateUser(ctx, siteAdmin, identity.NewUser{Username: "founder-" + name, Email: "founder-" + name + "@example.com"})
	if err != nil {
		h.t.Fatal(err)
	}
	founder = belay.Principal{Kind: belay.UserPrincipal, ID: u.ID, Name: u.Username}
	if _, err := h.CreateOrganization(ctx, founder, belay.OrganizationPatch{Name: patch.Of(name), Email: patch.Of("a@example.com")}); err != nil {
		h.t.Fatal(err)
	}
	view, err := h.CreateTeam(ctx, founder, name, belay.TeamPatch{Name: patch.Of("crew"), SSOTeamID: patch.Of(group)})
	if err != nil {
		h.t.Fatal(err)
	}
	return founder, view.ID
}

// sees says whether somebody sees an organization.
func (h *house) sees(s belay.Principal, organization string) bool {
	_, err := h.Organization(h.t.Context(), s, organization)
	return err == nil
}

// recheck lets time pass until everybody was asked about again.
func (h *house) recheck(after time.Duration) {
	h.t.Helper()
	h.now = h.now.Add(after)
	h.RecheckPeople(h.t.Context())
}

func TestAccountsAreMadeByRule(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ann := h.in(h.person("ann"))
		if again := h.in(h.person("ann")); again.Subject.ID != ann.Subject.ID {
			t.Error("a second sign-in made a second account")
		}
		renamed := h.person("ann")
		renamed.Email, renamed.Username = "new@example.com", "new"
		if again := h.in(renamed); again.Subject.ID != ann.Subject.ID || again.Subject.Name != "ann" {
			t.Error("an account is found by something else than its subject")
		}
		twin := h.person("ann")
		twin.Subject, twin.Email = "sub-twin", "twin@example.com"
		if other := h.in(twin); other.Subject.ID == ann.Subject.ID || other.Subject.Name != "ann-2" {
			t.Errorf("a second ann is %q", other.Subject.Name)
		}
		if _, err := h.CreateUser(t.Context(), siteAdmin, identity.NewUser{Username: "local", Email: "local@example.com", Password: "correct horse"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.comes(h.person("local")); belay.KindOf(err) != belay.Forbidden || !strings.Contains(err.Error(), "already") {
			t.Errorf("the account of a local user was taken: %v", err)
		}
		unproved := h.person("zoe")
		unproved.EmailVerified = false
		if _, err := h.comes(unproved); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("an unverified address made an account: %v", err)
		}
		h.v.rules[0].AllowedDomains = []string{"corp.example.com"}
		if _, err := h.comes(h.person("eve")); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("another domain: %v", err)
		}
		h.v.rules[0].AllowedDomains, h.v.rules[0].RequiredClaims = nil, map[string][]string{"hd": {"example.com"}}
		if _, err := h.comes(h.person("eve")); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("without the claim: %v", err)
		}
		claimed := h.person("eve")
		claimed.Claims = map[string]any{"hd": "example.com"}
		h.in(claimed)
		h.v.rules[0].RequiredClaims, h.v.rules[0].MakesAccounts = nil, false
		if _, err := h.comes(h.person("new")); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("an account was made: %v", err)
		}
	})
}

// TestInvitationsAreNotHijacked holds that a place is only taken by who reads mail there.
func TestInvitationsAreNotHijacked(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		founder, _ := h.organization("acme", "")
		if _, err := h.Invite(t.Context(), founder, "acme", "victim@example.com", nil); err != nil {
			t.Fatal(err)
		}
		thief := h.person("victim")
		thief.Subject, thief.EmailVerified = "sub-thief", false
		if _, err := h.comes(thief); belay.KindOf(err) != belay.Forbidden {
			t.Fatalf("the thief came in: %v", err)
		}
		if victim := h.in(h.person("victim")); !h.sees(victim.Subject, "acme") {
			t.Error("the victim is not in the organization")
		}
		thief.EmailVerified = true
		if _, err := h.comes(thief); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("a second subject took the account of an address: %v", err)
		}
	})
}

func TestTwoFirstSignInsMakeOneAccount(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.organization("acme", "devs")
		var coming sync.WaitGroup
		ids, errs := make([]string, 8), make([]error, 8)
		for n := range ids {
			coming.Go(func() {
				in, err := h.comes(h.person("ann", "devs"))
				ids[n], errs[n] = in.Subject.ID, err
			})
		}
		coming.Wait()
		for n := range ids {
			if errs[n] != nil || ids[n] != ids[0] {
				t.Errorf("sign-in %d: %s %v", n, ids[n], errs[n])
			}
		}
	})
}

func TestGroupsAreTeams(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		founder, crew := h.organization("acme", "devs")
		h.organization("other", "ops")
		ann := h.in(h.person("ann", "devs", "ops")).Subject
		if !h.sees(ann, "acme") || !h.sees(ann, "other") {
			t.Fatal("the groups gave nothing")
		}
		groups := []string{"ops"}
		h.v.again = func(subject, refresh string) (signin.Assertion, error) {
			if refresh != "refresh-ann" {
				t.Errorf("asked with %q", refresh)
			}
			a := h.person("ann", groups...)
			a.Full = false
			return a, nil
		}
		h.recheck(identity.DefaultRecheck)
		if h.sees(ann, "acme") || !h.sees(ann, "other") {
			t.Error("a group that is gone still gives, or took more along")
		}
		// What is given by hand stays, also when the group gave it before.
		groups = []string{"devs", "ops"}
		h.recheck(identity.DefaultRecheck)
		if err := h.AddTeamMembers(ctx, founder, crew, []string{"ann"}); err != nil {
			t.Fatal(err)
		}
		groups = nil
		h.recheck(identity.DefaultRecheck)
		if !h.sees(ann, "acme") || h.sees(ann, "other") {
			t.Error("what was given by hand went with the group, or a group's gift stayed")
		}
	})
}

func TestTheLastOwnerStays(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		founder, _ := h.organization("acme", "")
		teams, _, err := h.Teams(ctx, founder, "acme", belay.TeamQuery{Names: []string{belay.OwnersTeam}, Page: belay.Page{Number: 1, Size: 20}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.UpdateTeam(ctx, founder, teams[0].ID, belay.TeamPatch{SSOTeamID: patch.Of("bosses")}); err != nil {
			t.Fatal(err)
		}
		ann, bob := h.in(h.person("ann", "bosses")).Subject, h.in(h.person("bob", "bosses")).Subject
		if err := h.RemoveTeamMembers(ctx, ann, teams[0].ID, []string{founder.ID}); err != nil {
			t.Fatal(err)
		}
		h.v.again = func(string, string) (signin.Assertion, error) { return signin.Assertion{}, signin.ErrGone }
		h.recheck(identity.DefaultRecheck)
		if h.sees(ann, "acme") == h.sees(bob, "acme") {
			t.Error("of two owners that go, one stays")
		}
	})
}

func TestSiteAdminsByGroup(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		ann := h.in(h.person("ann", "root"))
		if s, err := h.Visitor(ctx, ann.Value, signin.Browser{}); err != nil || !s.SiteAdmin {
			t.Fatalf("%+v %v", s, err)
		}
		bob := h.in(h.person("bob"))
		if _, err := h.UpdateUser(ctx, siteAdmin, bob.Subject.ID, belay.UserPatch{IsAdmin: patch.Of(true)}, patch.Field[string]{}); err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(time.Second)
		if s, _ := h.Visitor(ctx, h.in(h.person("ann")).Value, signin.Browser{}); s.SiteAdmin {
			t.Error("a site admin without the group")
		}
		if s, _ := h.Visitor(ctx, h.in(h.person("bob")).Value, signin.Browser{}); !s.SiteAdmin {
			t.Error("whom somebody made a site admin is none any more")
		}
	})
}

// TestWhoIsGoneIsOut ends all that a person began by a provider, and nothing else.
func TestWhoIsGoneIsOut(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.organization("acme", "devs")
		ann := h.in(h.person("ann", "devs"))
		redeem := func() (string, error) {
			code, err := h.AllowLogin(ctx, ann.Subject, loginAsk)
			if err != nil {
				t.Fatal(err)
			}
			return code, nil
		}
		code, _ := redeem()
		token, err := h.RedeemLogin(ctx, signin.Redemption{Code: code, ClientID: loginAsk.ClientID, RedirectURI: loginAsk.RedirectURI, Verifier: loginVerifier})
		if err != nil {
			t.Fatal(err)
		}
		by, err := h.Authenticate(ctx, token)
		if err != nil {
			t.Fatal(err)
		}
		_, child, err := h.CreateUserToken(ctx, by, by.ID, identity.NewToken{Description: "made by a token"})
		if err != nil {
			t.Fatal(err)
		}
		_, given, err := h.CreateUserToken(ctx, siteAdmin, by.ID, identity.NewToken{Description: "given by an admin"})
		if err != nil {
			t.Fatal(err)
		}
		waiting, _ := redeem()
		// A provider that is down says nothing of anybody.
		h.v.again = func(string, string) (signin.Assertion, error) { return signin.Assertion{}, fmt.Errorf("down") }
		h.recheck(identity.DefaultRecheck)
		if _, err := h.Visitor(ctx, ann.Value, signin.Browser{}); err != nil || !h.sees(by, "acme") {
			t.Errorf("a provider that is down sent somebody away: %v", err)
		}
		h.v.again = func(string, string) (signin.Assertion, error) { return signin.Assertion{}, signin.ErrGone }
		h.recheck(identity.DefaultRecheck)
		if _, err := h.Visitor(ctx, ann.Value, signin.Browser{}); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("the session: %v", err)
		}
		for name, value := range map[string]string{"of tofu login": token, "made by that": child} {
			if _, err := h.Authenticate(ctx, value); belay.KindOf(err) != belay.Unauthenticated {
				t.Errorf("the token %s: %v", name, err)
			}
		}
		if s, err := h.Authenticate(ctx, given); err != nil || h.sees(s, "acme") {
			t.Errorf("what a site admin gave is the admin's to take, and the groups' gifts are not: %v", err)
		}
		if _, err := h.RedeemLogin(ctx, signin.Redemption{Code: waiting, ClientID: loginAsk.ClientID, RedirectURI: loginAsk.RedirectURI, Verifier: loginVerifier}); err == nil {
			t.Error("a code that waited gave a token")
		}
		if _, _, err := h.CreateUserToken(ctx, by, by.ID, identity.NewToken{}); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("a request under way made a token: %v", err)
		}
		if back := h.in(h.person("ann", "devs")); back.Subject.ID != by.ID || !h.sees(back.Subject, "acme") {
			t.Error("who comes back is not who went")
		}
	})
}

// TestAnOlderWordDoesNotCount holds that of two words that come at once the later counts,
// whichever is written last.
func TestAnOlderWordDoesNotCount(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.organization("acme", "devs")
		older := h.person("ann", "devs")
		h.now = h.now.Add(2 * time.Second)
		ann := h.in(h.person("ann")).Subject
		h.in(older)
		if h.sees(ann, "acme") {
			t.Error("an older word gave a group back")
		}
		// A sign-in takes the place of the refresh token that is being asked with.
		h.v.again = func(_, refresh string) (signin.Assertion, error) {
			h.v.mu.Unlock()
			defer h.v.mu.Lock()
			h.now = h.now.Add(2 * time.Second)
			anew := h.person("ann", "devs")
			anew.RefreshToken = "anew"
			h.in(anew)
			return signin.Assertion{}, signin.ErrGone
		}
		h.recheck(identity.DefaultRecheck)
		if !h.sees(ann, "acme") {
			t.Error("who came in anew was sent away by the answer to an older question")
		}
	})
}

func TestAWordThatCannotBeRenewedEnds(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.organization("acme", "devs")
		once := h.person("ann", "devs")
		once.RefreshToken = ""
		ann := h.in(once)
		if ann.Lasts != time.Hour {
			t.Errorf("the session lasts %v", ann.Lasts)
		}
		h.recheck(time.Hour)
		if h.sees(ann.Subject, "acme") {
			t.Error("the groups are still believed")
		}
	})
}

func TestBackChannelLogout(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		first, second := h.person("ann"), h.person("ann")
		first.SessionID, second.SessionID = "s1", "s2"
		one, two := h.in(first), h.in(second)
		there := func(in identity.Arrival) bool {
			_, err := h.Visitor(ctx, in.Value, signin.Browser{})
			return err == nil
		}
		if err := h.LogOutBehind(ctx, "id", "bad"); err == nil {
			t.Error("a bad token was taken")
		}
		h.v.notice = signin.LogoutNotice{Issuer: example, SessionID: "s1", ID: "j1", Until: h.now.Add(time.Hour)}
		if err := h.LogOutBehind(ctx, "id", "good"); err != nil || there(one) || !there(two) {
			t.Errorf("by session: %v %v %v", err, there(one), there(two))
		}
		if err := h.LogOutBehind(ctx, "id", "good"); err == nil {
			t.Error("a notice came twice")
		}
		asked := 0
		h.v.again = func(string, string) (signin.Assertion, error) { asked++; return h.person("ann"), nil }
		h.v.notice = signin.LogoutNotice{Issuer: example, Subject: "sub-ann", ID: "j2", Until: h.now.Add(time.Hour)}
		if err := h.LogOutBehind(ctx, "id", "good"); err != nil || there(two) {
			t.Errorf("by subject: %v", err)
		}
		if h.recheck(0); asked != 1 {
			t.Errorf("after a logout the provider was asked %d times", asked)
		}
	})
}

func TestLinking(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		local, err := h.CreateUser(ctx, siteAdmin, identity.NewUser{Username: "ann", Email: "ann@example.com", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		s, value, err := h.StartSession(ctx, identity.SignIn{Name: "ann", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.LeaveToLink(ctx, s, "id", "r", "wrong horse"); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("with a wrong password: %v", err)
		}
		bob := h.in(h.person("bob"))
		back := func(d identity.Departure, who signin.Assertion, session string) error {
			h.v.says["link"] = who
			_, err := h.ComeBack(ctx, identity.Return{Provider: "id", State: d.State, Code: "link", Sealed: d.Sealed, Session: session})
			return err
		}
		leave := func() identity.Departure {
			d, err := h.LeaveToLink(ctx, s, "id", "r", "correct horse")
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if err := back(leave(), h.person("ann"), bob.Value); belay.KindOf(err) != belay.Forbidden {
			t.Errorf("in another's session: %v", err)
		}
		if err := back(leave(), h.person("ann"), ""); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("in no session: %v", err)
		}
		if err := back(leave(), h.person("bob"), value); belay.KindOf(err) != belay.Conflict {
			t.Errorf("another's identity: %v", err)
		}
		if err := back(leave(), h.person("ann"), value); err != nil {
			t.Fatal(err)
		}
		if in := h.in(h.person("ann")); in.Subject.ID != local.ID {
			t.Error("the identity is somebody else's")
		}
		list, password, err := h.Ways(ctx, s)
		if err != nil || len(list) != 1 || !password {
			t.Fatalf("%v %v %v", list, password, err)
		}
		if err := h.UnlinkIdentity(ctx, bob.Subject, list[0].ID); belay.KindOf(err) != belay.NotFound {
			t.Errorf("another unlinked it: %v", err)
		}
		if err := h.UnlinkIdentity(ctx, s, list[0].ID); err != nil {
			t.Error(err)
		}
		bobs, _, err := h.Ways(ctx, bob.Subject)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.UnlinkIdentity(ctx, bob.Subject, bobs[0].ID); belay.KindOf(err) != belay.Conflict {
			t.Errorf("the only way in was unlinked: %v", err)
		}
		if _, err := h.LinkIdentity(ctx, bob.Subject, local.ID, identity.NewIdentity{Issuer: example, Subject: "x"}); belay.KindOf(err) != belay.NotFound {
			t.Errorf("who is no site admin linked: %v", err)
		}
		if _, err := h.LinkIdentity(ctx, siteAdmin, local.ID, identity.NewIdentity{Issuer: "https://else.example.com", Subject: "x"}); belay.KindOf(err) != belay.Invalid {
			t.Errorf("an unknown issuer: %v", err)
		}
		if _, err := h.LinkIdentity(ctx, siteAdmin, local.ID, identity.NewIdentity{Issuer: example, Subject: "sub-bob"}); belay.KindOf(err) != belay.Invalid {
			t.Errorf("another's subject: %v", err)
		}
		if _, err := h.LinkIdentity(ctx, siteAdmin, local.ID, identity.NewIdentity{Issuer: example, Subject: "sub-ann"}); err != nil {
			t.Error(err)
		}
	})
}

func TestStrayReturns(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.v.rules = append(h.v.rules, signin.IdentityProvider{ID: "two", Issuer: "https://two.example.com"})
		h.v.says["code"] = h.person("ann")
		leave := func() identity.Departure {
			d, err := h.LeaveFor(ctx, "id", "r", "/app/")
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d, other := leave(), leave()
		for name, r := range map[string]identity.Return{
			"no cookie":         {Provider: "id", State: d.State, Code: "code"},
			"another's state":   {Provider: "id", State: other.State, Code: "code", Sealed: d.Sealed},
			"no state":          {Provider: "id", Code: "code", Sealed: d.Sealed},
			"another provider":  {Provider: "two", State: d.State, Code: "code", Sealed: d.Sealed},
			"a mixed-up issuer": {Provider: "id", State: d.State, Code: "code", Sealed: d.Sealed, Issuer: "https://two.example.com"},
			"a changed cookie":  {Provider: "id", State: d.State, Code: "code", Sealed: d.Sealed[:len(d.Sealed)-2] + "AA"},
		} {
			if in, err := h.ComeBack(ctx, r); belay.KindOf(err) != belay.BadRequest || in.Value != "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := h.ComeBack(ctx, identity.Return{Provider: "id", State: d.State, Sealed: d.Sealed, Problem: "access_denied"}); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("a no: %v", err)
		}
		h.now = h.now.Add(time.Hour)
		if _, err := h.ComeBack(ctx, identity.Return{Provider: "id", State: d.State, Code: "code", Sealed: d.Sealed}); belay.KindOf(err) != belay.BadRequest {
			t.Errorf("an hour later: %v", err)
		}
		if !slices.ContainsFunc(h.IdentityProviders(), func(p signin.IdentityProvider) bool { return p.ID == "two" }) {
			t.Error("the second provider is not there")
		}
	})
}
