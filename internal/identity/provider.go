package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// Providers is those who vouch for people. What they say is checked when it comes out here.
type Providers interface {
	Providers() []signin.IdentityProvider
	Begin(ctx context.Context, id string, f signin.SignInFlow) (address string, err error)
	Finish(ctx context.Context, id string, f signin.SignInFlow, code string) (signin.Assertion, error)
	Again(ctx context.Context, issuer, subject, refresh string) (signin.Assertion, error)
	LogoutToken(ctx context.Context, id, raw string) (signin.LogoutNotice, error)
}

// IdentityProviders is the providers that people may sign in by.
func (m *Room) IdentityProviders() []signin.IdentityProvider {
	if m.providers == nil {
		return nil
	}
	return m.providers.Providers()
}

// provider is a provider by the one thing that is known of it.
func (m *Room) provider(is func(p *signin.IdentityProvider) bool) (*signin.IdentityProvider, error) {
	for _, p := range m.IdentityProviders() {
		if is(&p) {
			return &p, nil
		}
	}
	return nil, belay.ErrNotFound
}

// flow is a sign-in on its way, as it lies sealed in the browser that began it.
type flow struct {
	signin.SignInFlow
	Provider string
	Return   string // where the person goes on afterwards
	LinkTo   string // the user that the identity is to be linked to; empty: nobody
	Session  string // of that user
	Until    time.Time
}

// flowLifetime is how long a person may take at the provider.
const flowLifetime = 10 * time.Minute

// flowContext seals flows for nothing else.
const flowContext = "sign-in by a provider"

// Departure is how a browser leaves for a provider.
type Departure struct {
	Address string // where it goes
	State   string // by which it is known when it comes back
	Sealed  string // what it brings back, in a cookie
}

// chance is 256 bits of chance that are safe in an address.
func chance() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never returns an error
	return base64.RawURLEncoding.EncodeToString(raw)
}

// errProvider is what a person reads; the log says more.
var errProvider = belay.Refuse(belay.Unauthenticated, "The answer of the identity provider could not be trusted. Try again.")

// LeaveFor sends a browser to a provider. redirect is where it comes back to, and then goes
// on to back.
func (m *Room) LeaveFor(ctx context.Context, providerID, redirect, back string) (Departure, error) {
	return m.leave(ctx, flow{Provider: providerID, Return: back, SignInFlow: signin.SignInFlow{RedirectURI: redirect}})
}

// LeaveToLink is LeaveFor by a person who is signed in and proves it with the password: the
// identity is linked to that account.
func (m *Room) LeaveToLink(ctx context.Context, s belay.Principal, providerID, redirect, password string) (d Departure, err error) {
	if s.Kind != belay.UserPrincipal || s.SessionID == "" {
		return d, belay.ErrNotFound
	}
	if err := m.tries.take(s.ID, "", m.now()); err != nil {
		return d, err
	}
	var u belay.User
	if err := m.db.View(ctx, func(v *store.View) error { u, err = v.User(s.ID); return err }); err != nil {
		return d, err
	}
	if !samePassword(u.PasswordHash, password) {
		return d, belay.Refuse(belay.Forbidden, "The password is not right.")
	}
	m.tries.forgive(s.ID, "")
	return m.leave(ctx, flow{Provider: providerID, LinkTo: s.ID, Session: s.SessionID, SignInFlow: signin.SignInFlow{RedirectURI: redirect}})
}

func (m *Room) leave(ctx context.Context, f flow) (d Departure, err error) {
	if _, err := m.provider(func(p *signin.IdentityProvider) bool { return p.ID == f.Provider }); err != nil {
		return d, err
	}
	f.State, f.Nonce, f.Verifier, f.Until = chance(), chance(), chance(), m.now().Add(flowLifetime)
	if d.Address, err = m.providers.Begin(ctx, f.Provider, f.SignInFlow); err != nil {
		m.log.Warn("identity provider not reached", "provider", f.Provider, "error", err)
		return d, belay.Refuse(belay.NotReady, "The identity provider can't be reached. Try again in a while.")
	}
	raw, err := json.Marshal(f)
	d.State, d.Sealed = f.State, m.ring.Seal(raw, flowContext)
	return d, err
}

// Return is what a browser brings back from a provider.
type Return struct {
	Provider, State, Code string
	Sealed                string // from the cookie
	Issuer                string // where the provider names itself (RFC 9207); else empty
	Problem               string // what the provider says went wrong; else empty
	Session               string // the value of the browser's own session; empty: there is none
}

// Arrival is a person who has come in by a provider.
type Arrival struct {
	Subject belay.Principal
	Value   string        // of the session, for the browser's cookie
	Lasts   time.Duration // how long the session is good for
	Return  string
	Linked  bool // an identity was linked to who was signed in already
}

// ComeBack signs a person in by what a provider says, or links the identity to whoever left
// to have it linked.
func (m *Room) ComeBack(ctx context.Context, r Return) (in Arrival, err error) {
	f, p, err := m.returning(r)
	if err != nil {
		return in, err
	}
	if r.Problem != "" {
		m.log.Info("sign-in refused by the provider", "provider", p.ID, "problem", r.Problem)
		return in, belay.Refuse(belay.Unauthenticated, "%s did not sign you in.", p.Name)
	}
	said, err := m.providers.Finish(ctx, p.ID, f.SignInFlow, r.Code)
	if err != nil {
		m.log.Warn("sign-in by a provider refused", "provider", p.ID, "error", err)
		return in, errProvider
	}
	if err := p.Admits(&said); err != nil {
		m.log.Info("sign-in by a provider not admitted", "provider", p.ID, "subject", said.Subject, "error", err)
		return in, err
	}
	if f.LinkTo != "" {
		return m.link(ctx, &f, p, &said, r.Session)
	}
	in, err = m.arrive(ctx, p, &said)
	in.Return = f.Return
	return in, err
}

// returning opens what the browser brought, if it is the one that left.
func (m *Room) returning(r Return) (f flow, p *signin.IdentityProvider, err error) {
	stray := belay.Refuse(belay.BadRequest, "This browser did not begin this sign-in, or it took too long. Begin again.")
	p, err = m.provider(func(p *signin.IdentityProvider) bool { return p.ID == r.Provider })
	if err != nil {
		return f, p, err
	}
	raw, err := m.ring.Unseal(r.Sealed, flowContext)
	if err != nil || json.Unmarshal(raw, &f) != nil {
		return f, p, stray
	}
	same := subtle.ConstantTimeCompare([]byte(f.State), []byte(r.State)) == 1
	if !same || f.Provider != p.ID || !m.now().Before(f.Until) || r.Issuer != "" && r.Issuer != p.Issuer {
		m.log.Warn("sign-in by a provider refused", "provider", p.ID, "error", "the state is not that of this browser")
		return f, p, stray
	}
	return f, p, nil
}

// arrive begins a session of the user that an identity is. One that comes for the first
// time is given a user, where the provider's rules say so.
func (m *Room) arrive(ctx context.Context, p *signin.IdentityProvider, said *signin.Assertion) (in Arrival, err error) {
	in.Value = belay.RandomText(43)
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		u, i, err := m.known(tx, p, said)
		if err != nil {
			return err
		}
		if !u.CanSignIn() {
			return belay.Refuse(belay.Forbidden, "Your account here may not sign in. A site admin can say why.")
		}
		if err := m.believe(tx, p, &u, &i, said, true); err != nil {
			return err
		}
		in.Lasts = signin.SessionLifetime
		if i.RefreshToken == "" {
			in.Lasts = min(in.Lasts, p.HoldsFor)
		}
		session := signin.Session{
			ID: belay.NewID("session"), Hash: belay.HashToken(in.Value), UserID: u.ID, IdentityID: i.ID, ProviderSession: said.SessionID,
			CreatedAt: tx.Now, ExpiredAt: tx.Now.Add(in.Lasts),
		}
		if err := tx.AddSession(&session); err != nil {
			return err
		}
		in.Subject = visitorOf(u, session)
		return emitUser(tx, in.Subject, "user.signed-in", &u)
	})
	return in, err
}

// known is the user and the identity of who comes, held in that order.
func (m *Room) known(tx *store.Tx, p *signin.IdentityProvider, said *signin.Assertion) (u belay.User, i signin.Identity, err error) {
	i, err = tx.Peek().IdentityOf(said.Issuer, said.Subject)
	if belay.KindOf(err) == belay.NotFound {
		// Of two who come at once for the first time, one finds the account of the other.
		if err := tx.TakeTurn("first sign-in"); err != nil {
			return u, i, err
		}
		i, err = tx.Peek().IdentityOf(said.Issuer, said.Subject)
	}
	if belay.KindOf(err) == belay.NotFound {
		return m.welcome(tx, p, said)
	}
	if err != nil {
		return u, i, err
	}
	return heldIdentity(tx, i.ID, i.UserID)
}

func heldIdentity(tx *store.Tx, id, userID string) (u belay.User, i signin.Identity, err error) {
	if u, err = tx.User(userID); err != nil {
		return u, i, err
	}
	i, err = tx.Identity(id)
	return u, i, err
}

// welcome makes an account for who comes for the first time. It takes the place of an
// invitation only with an address that the person is known to read mail at.
func (m *Room) welcome(tx *store.Tx, p *signin.IdentityProvider, said *signin.Assertion) (u belay.User, i signin.Identity, err error) {
	refuse := func(why string) error {
		m.log.Info("no account for who signs in by a provider", "provider", p.ID, "issuer", said.Issuer, "subject", said.Subject, "why", why)
		return belay.Refuse(belay.Forbidden, "%s", why)
	}
	switch {
	case !p.MakesAccounts:
		return u, i, refuse("There is no account for you here yet. A site admin can link one to your identity.")
	case !p.EmailHeld(said):
		return u, i, refuse("There is no account for you here yet, and none can be made: " + p.Name + " does not say that your e-mail address is verified.")
	}
	there, err := tx.Peek().UserMailed(said.Email)
	if err == nil && !there.Invited {
		return u, i, refuse("There is an account with your e-mail address already. Sign in to it with its password and link your identity under Sign-in, or ask a site admin to.")
	}
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return u, i, err
	}
	u = belay.User{ID: belay.NewID("user"), Email: said.Email, CreatedAt: tx.Now}
	if u.Username, err = freeUsername(tx, said); err != nil {
		return u, i, err
	}
	if err := u.Check(); err != nil {
		return u, i, refuse("No account can be made of what " + p.Name + " says of you.")
	}
	if err := addUser(tx, &u); err != nil {
		return u, i, err
	}
	i, err = addIdentity(tx, u.ID, said.Issuer, said.Subject)
	if err != nil {
		return u, i, err
	}
	return u, i, emitUser(tx, PrincipalOf(u), "user.created", &u)
}

func addIdentity(tx *store.Tx, userID, issuer, subject string) (signin.Identity, error) {
	i := signin.Identity{ID: belay.NewID("idn"), UserID: userID, Issuer: issuer, Subject: subject, CreatedAt: tx.Now}
	return i, tx.AddIdentity(&i)
}

// freeUsername is a name that nobody has.
func freeUsername(tx *store.Tx, said *signin.Assertion) (string, error) {
	for nth := 1; nth <= 50; nth++ {
		name := signin.UsernameFor(said, nth)
		if _, err := tx.Peek().UserNamed(name); belay.KindOf(err) == belay.NotFound {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return signin.UsernameFor(said, 1) + "-" + belay.RandomText(8), nil
}

// believe takes what a provider says: who is in which team, who is a site admin, and when
// it is asked again. fresh: the person is there, and not only asked about.
func (m *Room) believe(tx *store.Tx, p *signin.IdentityProvider, u *belay.User, i *signin.Identity, said *signin.Assertion, fresh bool) error {
	i.Take(p, said)
	if said.RefreshToken != "" {
		i.RefreshToken = m.ring.Seal([]byte(said.RefreshToken), i.ID)
	} else if fresh {
		i.RefreshToken = ""
	}
	wait := p.HoldsFor
	if i.RefreshToken != "" {
		wait = m.recheck
		if used, err := tx.Peek().IdentityInUse(i); err != nil {
			return err
		} else if !used && !fresh {
			wait = max(wait, unusedRecheck)
		}
	}
	i.CheckAt = tx.Now.Add(wait)
	if err := tx.SaveIdentity(i); err != nil {
		return err
	}
	return m.placeByIdentities(tx, u)
}

// placeByIdentities gives a user what all of its identities together say it has.
func (m *Room) placeByIdentities(tx *store.Tx, u *belay.User) error {
	all, err := tx.Peek().IdentitiesOf(u.ID)
	if err != nil {
		return err
	}
	var groups []string
	admin := false
	for _, i := range all {
		groups, admin = append(groups, i.Groups...), admin || i.Admin
	}
	slices.Sort(groups)
	if u.TakeAdmin(admin) {
		if err := saveUser(tx, PrincipalOf(*u), "user.updated", u); err != nil {
			return err
		}
	}
	return m.PlaceByGroups(tx, u, slices.Compact(groups))
}
