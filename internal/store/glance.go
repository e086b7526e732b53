package store

import (
	"context"
	"strconv"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/people"
)

// What a server remembers so that a workspace is shown by a glance at the versions of its rows: no more than so many
// tokens and workspaces, none that is large, and none for long (base.Remembered).
const (
	mostRemembered = 2048
	mostText       = 8 << 10 // bytes of what a workspace holds
)

type rememberedToken struct {
	base.Remembered
	bearer   bearer.Bearer
	versions people.Versions
}

type rememberedWorkspace struct {
	base.Remembered
	core.VersionedWorkspace
}

// memory is tokens and workspaces as they were read, with the versions of the rows that they were read from.
type memory struct {
	tokens     *lru.Cache[string, *rememberedToken]     // by digest
	workspaces *lru.Cache[string, *rememberedWorkspace] // by id
	ids        *lru.Cache[[2]string, string]            // of workspaces, by the names of organization and workspace
	flights    map[glanced]*flights[look]
	whoFlights map[belay.PrincipalKind]*flights[people.Versions]

	organizations *lru.Cache[string, *rememberedOrganization] // by name
	pages         *lru.Cache[string, string]                  // what pages are remembered by, by who asked what (listAsked)
	listFlights   map[belay.PrincipalKind]*flights[listLook]
}

func newMemory() *memory {
	m := &memory{flights: map[glanced]*flights[look]{}, whoFlights: map[belay.PrincipalKind]*flights[people.Versions]{}, listFlights: map[belay.PrincipalKind]*flights[listLook]{}}
	for how, alone := range glances {
		m.flights[how] = newFlights(alone, 4+how.moreKeys(), func(l *look) []any { return l.dest(how) })
	}
	for owner, versions := range versionsOfTokens(2) {
		how := glanced{owner: owner}
		m.whoFlights[owner] = newFlights("SELECT "+versions, 1+how.moreKeys(), how.dest)
	}
	for owner, alone := range listGlances {
		how := glanced{owner: owner}
		m.listFlights[owner] = newFlights(alone, 6+how.moreKeys(), func(l *listLook) []any { return l.dest(how) })
	}
	m.tokens, _ = lru.New[string, *rememberedToken](mostRemembered) // fails only for a size below one, as the others do
	m.workspaces, _ = lru.New[string, *rememberedWorkspace](mostRemembered)
	m.ids, _ = lru.New[[2]string, string](mostRemembered)
	m.organizations, _ = lru.New[string, *rememberedOrganization](mostRemembered)
	m.pages, _ = lru.New[string, string](mostPages)
	return m
}

// Forget drops all that is remembered by the versions of rows.
func (db *DB) Forget() {
	db.memory.tokens.Purge()
	db.memory.workspaces.Purge()
	db.memory.ids.Purge()
	db.memory.organizations.Purge()
	db.memory.pages.Purge()
	db.planDB.Forget()
}

// workspace is what is remembered of the workspace that a reference led to. Names are looked up as the statement does
// it, and both stand in rows whose versions are compared: while they are the same it leads there still.
func (m *memory) workspace(ref belay.WorkspaceRef) *rememberedWorkspace {
	id := ref.ID
	if id == "" {
		id, _ = m.ids.Get([2]string{ref.Organization, ref.Name})
	}
	w, ok := m.workspaces.Get(id)
	if !ok || ref.ID == "" && (w.Organization.Name != ref.Organization || w.Name != ref.Name) {
		return nil
	}
	return w
}

// Glanced is a workspace that a request looked at together with who asks.
type Glanced struct {
	ref      belay.WorkspaceRef
	stands   *rememberedWorkspace // nil: it is read
	requests int                  // its open change requests
	taken    atomic.Bool          // what is read once more is read anew
}

type glancedKey struct{}

// Under is the context under which that workspace is read once by what was seen; nil: nothing was.
func (g *Glanced) Under(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, glancedKey{}, g)
}

// glanced is what is asked by a glance: for a token of whom, and whether open change requests are counted. They are of a
// workspace that had some; of another it is asked whether there are any, and then it is read.
type glanced struct {
	owner    belay.PrincipalKind
	counting bool
}

// glances finds the versions of all rows that a token and a workspace are read from, with what is counted: each by the key
// that is remembered with what refers to it, which is the same where that row's version is.
var glances = func() map[glanced]text {
	all := map[glanced]text{}
	for owner, versions := range versionsOfTokens(5) {
		for _, counting := range []bool{false, true} {
			all[glanced{owner, counting}] = "SELECT " + core.VersionColumns(counting) + ", " + versions
		}
	}
	return all
}()

// versionsOfTokens finds the versions of the rows that a token is made of: its own by its sum, $1, and the others by keys from an
// argument on.
func versionsOfTokens(from int) map[belay.PrincipalKind]text {
	token := core.Version("tokens WHERE hash = $1") + ", "
	key := func(n int) text { return text("$" + strconv.Itoa(from+n)) }
	return map[belay.PrincipalKind]text{
		belay.UserPrincipal:         token + core.Version("users WHERE id = "+key(0)),
		belay.TeamPrincipal:         token + core.Version("teams WHERE id = "+key(0)) + ", " + core.Version("organizations WHERE id = "+key(1)),
		belay.OrganizationPrincipal: token + core.Version("organizations WHERE id = "+key(0)),
	}
}

// look is the versions of the rows of a token and a workspace, and what is asked with them.
type look struct {
	token           people.Versions
	workspace       core.Versions
	requests        int
	deletesSomeTags bool
}

func (l *look) dest(how glanced) []any {
	into := []any{&l.workspace[0], &l.workspace[1], &l.workspace[2], &l.deletesSomeTags, &l.requests}
	return append(into, how.dest(&l.token)...)
}

// keys is what the rows that a token is made of beside its own are found by.
func (g glanced) keys(t *belay.Token) []string {
	switch g.owner {
	case belay.UserPrincipal:
		return []string{t.OwnerID}
	case belay.TeamPrincipal:
		return []string{t.OwnerID, t.OrganizationID}
	default:
		return []string{t.OrganizationID}
	}
}

// moreKeys is how many these are.
func (g glanced) moreKeys() int { return len(g.keys(&belay.Token{})) }

// dest is where the versions of the token's row and of these belong.
func (g glanced) dest(v *people.Versions) []any {
	switch g.owner {
	case belay.UserPrincipal:
		return []any{&v[0], &v[1]}
	case belay.TeamPrincipal:
		return []any{&v[0], &v[1], &v[2]}
	default:
		return []any{&v[0], &v[2]}
	}
}

// complete has the token's own version stand for what it does not need.
func (g glanced) complete(v *people.Versions) {
	switch g.owner {
	case belay.UserPrincipal:
		v[2] = v[0]
	case belay.OrganizationPrincipal:
		v[1] = v[0]
	}
}

// Glance is Bearer for somebody who asks for a workspace, which is looked at in the same statement where both are
// remembered. What was seen of that is for what is read next (Glanced.Under).
func (db *DB) Glance(ctx context.Context, hash string, ref belay.WorkspaceRef) (*Glanced, bearer.Bearer, error) {
	if !db.mayGlance(ctx) {
		b, err := db.bearer(ctx, hash)
		return nil, b, err
	}
	seen := &Glanced{ref: ref}
	b, err := db.bearerAgain(ctx, hash, func(v *View, t *rememberedToken) (bool, error) {
		w := db.memory.workspace(ref)
		if w == nil || !v.Remembers(w.Remembered) {
			return v.lookAtToken(t, hash)
		}
		return v.look(t, w, hash, seen)
	})
	return seen, b, err
}

// Bearer is who a token acts for.
func (db *DB) Bearer(ctx context.Context, hash string) (bearer.Bearer, error) {
	if !db.mayGlance(ctx) {
		return db.bearer(ctx, hash)
	}
	return db.bearerAgain(ctx, hash, func(v *View, t *rememberedToken) (bool, error) { return v.lookAtToken(t, hash) })
}

// lookAtToken says whether a token is the same. Where the look fails, which was perhaps somebody else's, it is read.
func (v *View) lookAtToken(t *rememberedToken, hash string) (bool, error) {
	how := glanced{owner: t.bearer.Token.OwnerKind}
	now, err := v.db.memory.whoFlights[how.owner].ask(v.Context(), v.db, append([]string{hash}, how.keys(&t.bearer.Token)...))
	how.complete(&now)
	return err == nil && now == t.versions && v.Remembers(t.Remembered), nil // a new connection may have been made for the statement
}

// mayGlance says whether rows have versions by which they are found to be the same, and nothing is held for the request.
func (db *DB) mayGlance(ctx context.Context) bool { return db.Versioned() && ConductOf(ctx) == nil }

// bearer is who a token acts for, read anew.
func (db *DB) bearer(ctx context.Context, hash string) (b bearer.Bearer, err error) {
	err = db.View(ctx, func(v *View) error { b, err = v.Bearer(hash); return err })
	return b, err
}

// bearerAgain is who a token acts for: as it is remembered, where a look at it together with something else says that it is
// the same, or as it is read, and remembered.
func (db *DB) bearerAgain(ctx context.Context, hash string, look func(*View, *rememberedToken) (same bool, err error)) (b bearer.Bearer, err error) {
	err = db.View(ctx, func(v *View) error {
		if t, known := db.memory.tokens.Get(hash); known && v.Remembers(t.Remembered) {
			same, err := look(v, t)
			if err != nil {
				return err
			}
			if same {
				b = t.bearer
				return nil
			}
		}
		return v.rememberBearer(hash, &b)
	})
	return b, err
}

// look compares the versions of today with those that are remembered, and says whether the token is the same.
func (v *View) look(t *rememberedToken, w *rememberedWorkspace, hash string, seen *Glanced) (bool, error) {
	how := glanced{t.bearer.Token.OwnerKind, w.OpenChangeRequests > 0}
	l, err := v.db.memory.flights[how].ask(v.Context(), v.db, append([]string{hash, w.ID, w.OrganizationID, w.ProjectID}, how.keys(&t.bearer.Token)...))
	if err != nil {
		return false, err
	}
	how.complete(&l.token)
	if l.token != t.versions || !v.Remembers(t.Remembered) { // a new connection may have been made for the statement
		return false, nil
	}
	counted := how.counting || l.requests == 0
	if l.workspace == w.Versions && counted && !l.deletesSomeTags && v.Remembers(w.Remembered) {
		seen.stands, seen.requests = w, l.requests
	}
	return true, nil
}

// rememberBearer reads a token, and remembers it.
func (v *View) rememberBearer(hash string, b *bearer.Bearer) error {
	t := &rememberedToken{Remembered: v.Remembering()}
	var err error
	if t.bearer, t.versions, err = v.VersionedBearer(hash); err != nil {
		return err
	}
	*b = t.bearer
	if b.Plain() {
		v.db.memory.tokens.Add(hash, t)
	} else {
		v.db.memory.tokens.Remove(hash)
	}
	return nil
}

// WorkspaceKnowing is one workspace for a user who need not be looked up where the lock is its own: of what a glance
// has seen of it, where there was one.
func (v *reads) WorkspaceKnowing(ref belay.WorkspaceRef, user belay.Holder) (belay.Workspace, error) {
	seen, _ := v.Context().Value(glancedKey{}).(*Glanced)
	if seen == nil || v.InTx() || seen.ref != ref || !seen.taken.CompareAndSwap(false, true) {
		return v.coreView.WorkspaceKnowing(ref, user)
	}
	var w belay.Workspace
	if seen.stands != nil {
		w = seen.stands.Workspace
		w.OpenChangeRequests = seen.requests
	} else {
		read := &rememberedWorkspace{Remembered: v.Remembering()}
		var err error
		if read.VersionedWorkspace, err = v.VersionedWorkspace(ref); err != nil {
			return w, err
		}
		w = read.Workspace
		v.db.memory.remember(read)
	}
	return w, v.Refer(&w, user)
}

// remember keeps a workspace as it was read, unless it is large.
func (m *memory) remember(w *rememberedWorkspace) {
	if core.TextOf(&w.Workspace) > mostText {
		m.workspaces.Remove(w.ID)
		return
	}
	m.workspaces.Add(w.ID, w)
	m.ids.Add([2]string{w.Organization.Name, w.Name}, w.ID)
}
