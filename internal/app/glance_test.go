package app

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/changes"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
)

// replicas are several servers on one PostgreSQL, and a house of everything that a workspace shows.
type replicas struct {
	*aging   // the one that remembers nothing
	servers  []*App
	random   *rand.Rand
	org      string
	refs     []belay.WorkspaceRef // by id and by name
	names    []string             // of the workspaces
	projects []string
	tokens   map[string]string // by who has it
	ids      map[string]string // of the tokens
	ann      belay.User
	team     string
	grant    string // of the team on a workspace; empty: none
	reach    string // of the team on a project; empty: none
	member   string
	n        int
}

func newReplicas(t *testing.T, seed uint64) *replicas {
	t.Helper()
	url := storetest.URL(t, "postgres")
	k := &replicas{aging: newAgingAt(t, url), org: "acme", tokens: map[string]string{"admin": "the-admin"}, ids: map[string]string{}, random: rand.New(rand.NewPCG(seed, 17))}
	k.admin.TokenID = "" // who is signed in, whatever becomes of the tokens of users
	for range 3 {
		k.servers = append(k.servers, k.another(url))
	}
	ctx, p := t.Context(), belay.ProjectPatch{Name: patch.Of("apart")}
	apart, err := k.CreateProject(ctx, k.admin, k.org, p)
	k.must(err)
	for i := range 3 {
		k.names = append(k.names, fmt.Sprintf("w-%d", i))
		k.refs = append(k.refs, k.workspace(k.names[i], 0))
	}
	w, err := k.App.Workspace(ctx, k.admin, k.refs[0])
	k.must(err)
	k.projects = []string{w.ProjectID, apart.ID}
	for _, name := range k.names {
		k.refs = append(k.refs, belay.WorkspaceRef{Organization: "acme", Name: name}, belay.WorkspaceRef{Organization: "acme-2", Name: name})
	}
	k.ann, err = k.CreateUser(ctx, k.admin, identity.NewUser{Username: "ann", Email: "ann@example.com"})
	k.must(err)
	team, err := k.CreateTeam(ctx, k.admin, k.org, belay.TeamPatch{Name: patch.Of("devs"), Visibility: patch.Of("secret")})
	k.must(err)
	k.team = team.ID
	m, err := k.Invite(ctx, k.admin, k.org, "ann@example.com", []string{k.team})
	k.must(err)
	k.member = m.ID
	for _, who := range []string{"ann", "team", "organization"} {
		k.token(k.App, who, identity.NewToken{})
	}
	return k
}

// another is a server on the same database.
func (k *replicas) another(url string) *App {
	k.t.Helper()
	now := func() time.Time { return time.UnixMilli(k.clock.Load()) }
	db, err := store.Open(k.t.Context(), store.Options{URL: url, Now: now})
	k.must(err)
	k.t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	k.must(err)
	blobs, err := blob.Open(k.t.Context(), "file://"+k.t.TempDir(), ring)
	k.must(err)
	return New(Config{DB: db, Ring: ring, Blobs: blobs, Now: now})
}

func (k *replicas) token(a *App, who string, want identity.NewToken) {
	k.t.Helper()
	ctx := k.t.Context()
	var t belay.Token
	var err error
	switch who {
	case "ann":
		t, k.tokens[who], err = a.CreateUserToken(ctx, k.admin, k.ann.ID, want)
	case "team":
		t, k.tokens[who], err = a.ReplaceTeamToken(ctx, k.admin, k.team, want)
	default:
		t, k.tokens[who], err = a.ReplaceOrganizationToken(ctx, k.admin, k.org, "", want)
	}
	k.must(err)
	k.ids[who] = t.ID
}

// seen is what a server answers to who asks for a workspace with a token.
type seen struct {
	Principal belay.Principal
	View      WorkspaceView
	Kind      belay.Kind
	Why       string
}

func answered(s belay.Principal, view WorkspaceView, err error) seen {
	a := seen{Principal: s, View: view, Kind: belay.KindOf(err)}
	if err != nil {
		a.Why, a.View = err.Error(), WorkspaceView{}
	}
	inOrder(&a.View)
	return a
}

func glanced(ctx context.Context, a *App, token string, ref belay.WorkspaceRef) seen {
	ctx, s, err := a.Glance(ctx, token, ref)
	if err != nil {
		return answered(s, WorkspaceView{}, err)
	}
	view, err := a.Workspace(ctx, s, ref)
	return answered(s, view, err)
}

// read is the same of one that remembers nothing.
func read(ctx context.Context, a *App, token string, ref belay.WorkspaceRef) seen {
	a.db.Forget()
	s, err := a.Authenticate(ctx, token)
	if err != nil {
		return answered(s, WorkspaceView{}, err)
	}
	view, err := a.Workspace(ctx, s, ref)
	return answered(s, view, err)
}

func (k *replicas) any() *App               { return k.servers[k.random.IntN(len(k.servers))] }
func (k *replicas) some() int               { return k.random.IntN(3) }
func (k *replicas) ref() belay.WorkspaceRef { return k.refs[k.some()] }
func (k *replicas) coin() bool              { return k.random.IntN(2) == 0 }
func (k *replicas) next(word string) string { k.n++; return fmt.Sprintf("%s-%d", word, k.n) }
func (k *replicas) raw(sql sqldb.Text, args ...any) error {
	return k.db.Update(k.t.Context(), func(tx *store.Tx) error { return tx.Do(sql, args...) })
}

// who is a principal that has a token, as it is now.
func (k *replicas) who() belay.Principal {
	names := slices.Sorted(maps.Keys(k.tokens))
	s, err := k.Authenticate(k.t.Context(), k.tokens[names[k.random.IntN(len(names))]])
	if err != nil {
		return k.admin
	}
	return s
}

// steps is every kind of change that the answer depends on.
func (k *replicas) steps() map[string]func(context.Context, *App) error {
	steps := map[string]func(context.Context, *App) error{}
	maps.Copy(steps, k.stepsOfWorkspaces())
	maps.Copy(steps, k.stepsAround())
	maps.Copy(steps, k.stepsOfPeople())
	return steps
}

func (k *replicas) stepsOfWorkspaces() map[string]func(context.Context, *App) error {
	return map[string]func(context.Context, *App) error{
		"describe": func(ctx context.Context, a *App) error {
			_, err := a.UpdateWorkspace(ctx, k.admin, k.ref(), belay.WorkspacePatch{Description: patch.Of(k.next("d")), AutoApply: patch.Of(k.coin())})
			return err
		},
		"rename": func(ctx context.Context, a *App) error {
			_, err := a.UpdateWorkspace(ctx, k.admin, k.ref(), belay.WorkspacePatch{Name: patch.Of(k.names[k.some()])})
			return err
		},
		"rename back": func(ctx context.Context, a *App) error {
			i := k.some()
			_, err := a.UpdateWorkspace(ctx, k.admin, k.refs[i], belay.WorkspacePatch{Name: patch.Of(k.names[i])})
			return err
		},
		"rename away": func(ctx context.Context, a *App) error {
			_, err := a.UpdateWorkspace(ctx, k.admin, k.ref(), belay.WorkspacePatch{Name: patch.Of(k.next("n"))})
			return err
		},
		"move": func(ctx context.Context, a *App) error {
			return a.MoveWorkspaces(ctx, k.admin, k.projects[k.random.IntN(2)], []string{k.ref().ID})
		},
		"lock": func(ctx context.Context, a *App) error {
			_, err := a.LockWorkspace(ctx, k.who(), k.ref(), k.next("why"))
			return err
		},
		"unlock": func(ctx context.Context, a *App) error {
			s, ref := k.who(), k.ref()
			_, _ = a.LockWorkspace(ctx, s, ref, "") // who holds it already is told so
			_, err := a.UnlockWorkspace(ctx, s, ref)
			return err
		},
		"force unlock": func(ctx context.Context, a *App) error {
			_, err := a.ForceUnlockWorkspace(ctx, k.admin, k.ref())
			return err
		},
		"make again": func(ctx context.Context, a *App) error {
			i := k.some()
			w, err := a.Workspace(ctx, k.admin, k.refs[i])
			if err != nil {
				return err
			}
			if err := a.ForceDeleteWorkspace(ctx, k.admin, k.refs[i]); err != nil {
				return err
			}
			made, err := a.CreateWorkspace(ctx, k.admin, k.org, belay.WorkspacePatch{Name: patch.Of(w.Name)})
			if err != nil {
				return err
			}
			k.refs[i].ID = made.ID
			return nil
		},
		"tag": func(ctx context.Context, a *App) error {
			return a.AddTags(ctx, k.admin, k.ref(), []belay.TagRef{{Name: fmt.Sprintf("t-%d", k.some())}})
		},
		"untag": func(ctx context.Context, a *App) error {
			return a.RemoveTags(ctx, k.admin, k.ref(), []belay.TagRef{{Name: fmt.Sprintf("t-%d", k.some())}})
		},
		"doom a tag": func(context.Context, *App) error {
			return k.raw("UPDATE tags SET doomed = TRUE WHERE name = ?", fmt.Sprintf("t-%d", k.some()))
		},
		"drop what is doomed": func(ctx context.Context, a *App) error {
			for {
				if more, err := a.db.DropDoomed(ctx); err != nil || !more {
					return err
				}
			}
		},
		"a run is current": func(context.Context, *App) error {
			return k.raw("UPDATE workspaces SET current_run_id = ?, current_run_status = 'planning', current_run_at = ? WHERE id = ?", k.next("run"), k.clock.Load(), k.ref().ID)
		},
		"the run goes on": func(context.Context, *App) error {
			return k.raw("UPDATE workspaces SET current_run_status = ? WHERE id = ? AND current_run_id <> ''", k.next("status"), k.ref().ID)
		},
		"a state": func(ctx context.Context, a *App) error {
			ref := k.ref()
			if w, err := a.Workspace(ctx, k.admin, ref); err != nil || w.Lock.Held() {
				return err
			}
			k.n++
			k.upload(ref, k.n)
			return nil
		},
	}
}

func (k *replicas) stepsAround() map[string]func(context.Context, *App) error {
	return map[string]func(context.Context, *App) error{
		"project": func(ctx context.Context, a *App) error {
			mode := []belay.ExecutionMode{belay.LocalExecution, belay.RemoteExecution}[k.random.IntN(2)]
			_, err := a.UpdateProject(ctx, k.admin, k.projects[1], belay.ProjectPatch{Name: patch.Of(k.next("p")), DefaultExecutionMode: patch.Of(mode), OverwritesMode: patch.Of(k.coin())})
			return err
		},
		"rename the organization": func(ctx context.Context, a *App) error {
			to := map[string]string{"acme": "acme-2", "acme-2": "acme"}[k.org]
			_, err := a.UpdateOrganization(ctx, k.admin, k.org, belay.OrganizationPatch{Name: patch.Of(to)})
			if err == nil {
				k.org = to
			}
			return err
		},
		"organization": func(ctx context.Context, a *App) error {
			mode := []belay.ExecutionMode{belay.LocalExecution, belay.RemoteExecution}[k.random.IntN(2)]
			_, err := a.UpdateOrganization(ctx, k.admin, k.org, belay.OrganizationPatch{
				DefaultExecutionMode: patch.Of(mode), AllowForceDelete: patch.Of(k.coin()), UserTokensEnabled: patch.Of(k.random.IntN(4) > 0), AggregatedStatuses: patch.Of(k.coin()),
			})
			return err
		},
		"change requests": func(ctx context.Context, a *App) error {
			kind, query := "change_requests", explorer.Query{View: explorer.Workspaces}
			_, _, err := a.CreateBulkAction(ctx, k.admin, k.org, changes.BulkOrder{
				ActionType: &kind, Subject: k.next("s"), Message: "Soon.", Query: &query, Places: belay.Places{Members: "/data/attributes"},
			})
			return err
		},
		"archive": func(context.Context, *App) error {
			return k.raw("UPDATE change_requests SET archived_at = 1 WHERE workspace_id = ?", k.ref().ID)
		},
		"a bulk action is unfinished": func(context.Context, *App) error {
			return k.raw("UPDATE bulk_actions SET unfinished_until = ?", []int64{0, 1 << 50}[k.random.IntN(2)])
		},
		"a key": func(ctx context.Context, a *App) error {
			key, err := a.CreateSSHKey(ctx, k.admin, k.org, inputs.SSHKeyPatch{Name: patch.Of(k.next("key")), Value: patch.Of("k")})
			if err != nil {
				return err
			}
			_, err = a.AssignSSHKey(ctx, k.admin, k.ref(), key.ID)
			return err
		},
		"no keys": func(context.Context, *App) error { return k.raw("DELETE FROM ssh_keys") },
		"a connection": func(ctx context.Context, a *App) error {
			client, err := a.CreateOAuthClient(ctx, k.admin, k.org, forge.OAuthClientPatch{
				Name: patch.Of(k.next("forge")), ServiceProvider: patch.Of("github"), HTTPURL: patch.Of("https://github.com"), APIURL: patch.Of("https://api.github.com"), TokenString: patch.Of("t"),
			})
			if err != nil {
				return err
			}
			_, err = a.UpdateWorkspace(ctx, k.admin, k.ref(), belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/app"), OAuthTokenID: patch.Of(client.TokenIDs[0])})})
			return err
		},
		"connections are renamed": func(context.Context, *App) error { return k.raw("UPDATE oauth_clients SET name = ?", k.next("forge")) },
		"no connections":          func(context.Context, *App) error { return k.raw("DELETE FROM oauth_clients") },
	}
}

func (k *replicas) stepsOfPeople() map[string]func(context.Context, *App) error {
	return map[string]func(context.Context, *App) error{
		"give the workspace": func(ctx context.Context, a *App) error {
			g, err := a.GiveWorkspace(ctx, k.admin, k.team, k.ref().ID, belay.TeamWorkspacePatch{Level: patch.Of([]string{"read", "write", "admin"}[k.some()])})
			if err == nil {
				k.grant = g.ID
			}
			return err
		},
		"take the workspace": func(ctx context.Context, a *App) error {
			err := a.TakeTeamWorkspace(ctx, k.admin, k.grant)
			k.grant = ""
			return err
		},
		"give the project": func(ctx context.Context, a *App) error {
			g, err := a.GiveProject(ctx, k.admin, k.team, k.projects[k.random.IntN(2)], belay.TeamProjectPatch{Level: patch.Of([]string{"read", "write", "admin"}[k.some()])})
			if err == nil {
				k.reach = g.ID
			}
			return err
		},
		"take the project": func(ctx context.Context, a *App) error {
			err := a.TakeTeamProject(ctx, k.admin, k.reach)
			k.reach = ""
			return err
		},
		"team": func(ctx context.Context, a *App) error {
			_, err := a.UpdateTeam(ctx, k.admin, k.team, belay.TeamPatch{Name: patch.Of(k.next("team")), Visibility: patch.Of([]string{"secret", "organization"}[k.random.IntN(2)])})
			return err
		},
		"join": func(ctx context.Context, a *App) error {
			return a.AddTeamMembers(ctx, k.admin, k.team, []string{k.ann.Username})
		},
		"leave": func(ctx context.Context, a *App) error {
			return a.RemoveTeamMembers(ctx, k.admin, k.team, []string{k.ann.Username})
		},
		"membership": func(ctx context.Context, a *App) error {
			if k.member != "" {
				err := a.DeleteMembership(ctx, k.admin, k.member)
				k.member = ""
				return err
			}
			m, err := a.Invite(ctx, k.admin, k.org, "ann@example.com", []string{k.team})
			k.member = m.ID
			return err
		},
		"suspend": func(ctx context.Context, a *App) error {
			_, err := a.SuspendUser(ctx, k.admin, k.ann.ID, k.random.IntN(3) == 0)
			return err
		},
		"user": func(ctx context.Context, a *App) (err error) {
			k.ann, err = a.UpdateUser(ctx, k.admin, k.ann.ID, belay.UserPatch{Username: patch.Of(k.next("ann")), IsAdmin: patch.Of(k.random.IntN(4) == 0)}, patch.Field[string]{})
			return err
		},
		"the team's token again":         func(_ context.Context, a *App) error { k.token(a, "team", identity.NewToken{}); return nil },
		"the organization's token again": func(_ context.Context, a *App) error { k.token(a, "organization", identity.NewToken{}); return nil },
		"the user's token again": func(ctx context.Context, a *App) error {
			err := a.DeleteToken(ctx, k.admin, k.ids["ann"])
			old := k.tokens["ann"]
			for i, server := range k.servers {
				if got := glanced(ctx, server, old, k.ref()); got.Kind != belay.Unauthenticated {
					k.t.Errorf("server %d takes a token that was deleted: %+v", i, got)
				}
			}
			k.token(a, "ann", identity.NewToken{ExpiredAt: patch.Of(time.UnixMilli(k.clock.Load()).Add(time.Hour))})
			return err
		},
		"a token ends soon": func(ctx context.Context, a *App) error {
			_, err := a.UpdateToken(ctx, k.admin, k.ids[[]string{"ann", "team", "organization"}[k.some()]], belay.TokenPatch{ExpiredAt: patch.Of(time.UnixMilli(k.clock.Load()).Add(10 * time.Minute))})
			return err
		},
		"time passes":            func(context.Context, *App) error { k.pass(5 * time.Minute); return nil },
		"tokens were used":       func(ctx context.Context, a *App) error { a.Finish(ctx); return nil },
		"somebody is remembered": func(context.Context, *App) error { return nil },
	}
}

// TestAGlanceSeesWhatIsThere has three servers change in turns all that the answer to who asks for a workspace depends
// on. Each answers, by what it remembers, as one does that remembers nothing.
func TestAGlanceSeesWhatIsThere(t *testing.T) {
	t.Parallel()
	walks, length := 2, 150
	if storetest.Slow() {
		walks, length = 4, 500
	}
	for walk := range walks {
		t.Run(fmt.Sprint(walk), func(t *testing.T) {
			t.Parallel()
			k := newReplicas(t, uint64(walk))
			k.walk(length)
		})
	}
}

// pages are what lists of workspaces are asked for.
var pages = []belay.WorkspaceQuery{
	{Page: belay.Page{Number: 1, Size: 20}},
	{Page: belay.Page{Number: 1, Size: 2}, Sort: belay.WorkspaceSort{Key: "latest-change-at", Descending: true}},
	{Page: belay.Page{Number: 2, Size: 2}},
	{Page: belay.Page{Number: 1, Size: 20}, Tags: []string{"t-1"}},
	{Page: belay.Page{Number: 1, Size: 20}, Lock: belay.OnlyLocked},
}

// seenPage is what a server answers to who asks for a page.
type seenPage struct {
	Principal belay.Principal
	Views     []WorkspaceView
	Total     int
	Why       string
}

// has says whether a workspace is on the page, and reads the number that is its description.
func (p *seenPage) has(ref belay.WorkspaceRef, described *int64) bool {
	for i := range p.Views {
		if w := &p.Views[i]; w.ID == ref.ID {
			_, err := fmt.Sscan(w.Description, described)
			return err == nil
		}
	}
	return false
}

func listed(ctx context.Context, a *App, token, organization string, want belay.WorkspaceQuery) seenPage {
	ctx, s, err := a.GlanceList(ctx, token, organization, fmt.Sprintf("%+v", want))
	got := seenPage{Principal: s}
	if err == nil {
		got.Views, got.Total, err = a.Workspaces(ctx, s, organization, want)
	}
	if err != nil {
		got.Views, got.Total, got.Why = nil, 0, err.Error()
	}
	got.Views = slices.Clone(got.Views) // which are the server's
	for i := range got.Views {
		inOrder(&got.Views[i])
	}
	return got
}

// inOrder puts the counters of an organization, which the database tells in any order, into one.
func inOrder(v *WorkspaceView) {
	parts := strings.Split(v.Organization.GenerationParts, ",")
	slices.Sort(parts)
	v.Organization.GenerationParts = strings.Join(parts, ",")
}

// sameList compares a page of a server with one of the server that remembers nothing.
func (k *replicas) sameList(step string, server *App, who string) {
	k.t.Helper()
	ctx, want := k.t.Context(), pages[k.random.IntN(len(pages))]
	organization := k.org
	if k.random.IntN(8) == 0 {
		organization = []string{"acme", "acme-2"}[k.random.IntN(2)]
	}
	got := listed(ctx, server, k.tokens[who], organization, want)
	k.db.Forget()
	if read := listed(ctx, k.App, k.tokens[who], organization, want); !reflect.DeepEqual(got, read) {
		k.t.Fatalf("%s: of %+v %s is shown\n%+v\nwant\n%+v", step, want, who, got, read)
	}
}

func (k *replicas) walk(length int) {
	ctx, steps := k.t.Context(), k.steps()
	words, did, kinds := slices.Sorted(maps.Keys(steps)), map[string]int{}, map[belay.Kind]int{}
	for i := range length {
		word := words[k.random.IntN(len(words))]
		err := steps[word](ctx, k.any())
		if err == nil {
			did[word]++
		} else if belay.KindOf(err) == belay.Internal {
			k.t.Fatalf("step %d, %s: %v", i, word, err)
		}
		for range 2 { // the second time by what the first has remembered
			for j, server := range k.servers {
				for who, token := range k.tokens {
					ref := k.ref()
					if k.random.IntN(3) == 0 {
						ref = k.refs[k.random.IntN(len(k.refs))]
					}
					got, want := glanced(ctx, server, token, ref), read(ctx, k.App, token, ref)
					if kinds[want.Kind]++; !reflect.DeepEqual(got, want) {
						k.t.Fatalf("step %d, %s: server %d shows %s to %s\n%+v\nwant\n%+v", i, word, j, ref, who, got, want)
					}
					if s, _ := server.Authenticate(ctx, token); !reflect.DeepEqual(s, want.Principal) {
						k.t.Fatalf("step %d, %s: server %d takes %s for\n%+v\nwant\n%+v", i, word, j, who, s, want.Principal)
					}
					k.sameList(fmt.Sprintf("step %d, %s: server %d", i, word, j), server, who)
				}
			}
		}
	}
	k.t.Logf("done: %v, answers: %v", did, kinds)
}

// TestAGlanceIsNeverBehind has many ask at once while things are taken away: whoever asks after that was done is
// answered by it.
func TestAGlanceIsNeverBehind(t *testing.T) {
	t.Parallel()
	k := newReplicas(t, 1)
	ctx, ref := t.Context(), k.refs[0]
	var version, revoked, taken atomic.Int64 // what was done for certain
	taken.Store(1)
	token := k.tokens["organization"]
	_, err := k.UpdateWorkspace(ctx, k.admin, ref, belay.WorkspacePatch{Description: patch.Of("0")})
	k.must(err)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, server := range k.servers {
		for range 3 {
			all.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					least, end, away := version.Load(), revoked.Load(), taken.Load()
					got := glanced(ctx, server, k.tokens["admin"], ref)
					var is int64
					if _, err := fmt.Sscan(got.View.Description, &is); got.Why != "" || err != nil || is < least {
						t.Errorf("after %d was written: %+v, %v", least, got, err)
					}
					if got := glanced(ctx, server, token, ref); end > 0 && got.Kind != belay.Unauthenticated {
						t.Errorf("after the token was deleted: %+v", got)
					}
					if s, err := server.Authenticate(ctx, token); end > 0 && belay.KindOf(err) != belay.Unauthenticated {
						t.Errorf("after the token was deleted it is of %+v, %v", s, err)
					}
					if list := listed(ctx, server, k.tokens["admin"], k.org, pages[0]); list.Why != "" || !list.has(ref, &is) || is < least {
						t.Errorf("after %d was written: %+v", least, list)
					}
					if list := listed(ctx, server, token, k.org, pages[0]); end > 0 && list.Why == "" {
						t.Errorf("after the token was deleted: %+v", list)
					}
					if list := listed(ctx, server, k.tokens["team"], k.org, pages[0]); away > 0 && taken.Load() == away && list.has(ref, &is) {
						t.Errorf("after the access was taken: %+v", list)
					}
					got = glanced(ctx, server, k.tokens["team"], ref)
					if away > 0 && taken.Load() == away && got.Why == "" {
						t.Errorf("after the access was taken: %+v", got)
					}
				}
			})
		}
	}
	for i := range 40 {
		a := k.servers[i%3]
		_, err := a.UpdateWorkspace(ctx, k.admin, ref, belay.WorkspacePatch{Description: patch.Of(fmt.Sprint(i + 1))})
		k.must(err)
		version.Store(int64(i + 1))
		at := taken.Swap(0)
		g, err := a.GiveWorkspace(ctx, k.admin, k.team, ref.ID, belay.TeamWorkspacePatch{Level: patch.Of("read")})
		k.must(err)
		k.must(k.servers[(i+1)%3].TakeTeamWorkspace(ctx, k.admin, g.ID))
		taken.Store(at + 1)
		if i == 20 {
			k.must(a.DeleteOrganizationToken(ctx, k.admin, k.org, ""))
			revoked.Store(1)
		}
	}
	close(stop)
	all.Wait()
}

// TestAGlanceCostsOneStatement: what was shown before is shown again by one statement, to every kind of token, by id and
// by name; what has changed by two.
func TestAGlanceCostsOneStatement(t *testing.T) {
	t.Parallel()
	k := newReplicas(t, 1)
	ctx, a := t.Context(), k.servers[0]
	cost := func(what, who string, ref belay.WorkspaceRef, want int64) {
		t.Helper()
		before := a.db.Statements()
		if got := glanced(ctx, a, k.tokens[who], ref); got.Why != "" {
			t.Errorf("%s: %s", what, got.Why)
		}
		if n := a.db.Statements() - before; n != want {
			t.Errorf("%s costs %s %d statements, want %d", what, who, n, want)
		}
	}
	_, err := k.GiveWorkspace(ctx, k.admin, k.team, k.refs[0].ID, belay.TeamWorkspacePatch{Level: patch.Of("read")})
	k.must(err)
	named := belay.WorkspaceRef{Organization: "acme", Name: k.names[0]}
	for i, who := range []string{"admin", "organization", "team", "ann"} {
		glanced(ctx, a, k.tokens[who], k.refs[0]) // with its rights, where they are read
		cost("what is known", who, k.refs[0], 1)
		cost("what is known, by name", who, named, 1)
		_, err := k.UpdateWorkspace(ctx, k.admin, k.refs[0], belay.WorkspacePatch{Description: patch.Of(fmt.Sprint(i))})
		k.must(err)
		cost("what has changed", who, k.refs[0], 2)
		cost("what has changed, then", who, k.refs[0], 1)
	}
	a.db.Forget()
	cost("what is forgotten", "ann", k.refs[0], 2)
	cost("what is known", "ann", k.refs[0], 1)
	_, err = k.LockWorkspace(ctx, k.admin, k.refs[0], "")
	k.must(err)
	glanced(ctx, a, k.tokens["admin"], k.refs[0])
	cost("one's own lock", "admin", k.refs[0], 1)
	cost("somebody's lock", "ann", k.refs[0], 2)
	cost("another workspace", "admin", k.refs[1], 2)
	page := func(what string, want int64) {
		t.Helper()
		before := a.db.Statements()
		listed(ctx, a, k.tokens["admin"], k.org, pages[0])
		if n := a.db.Statements() - before; n != want {
			t.Errorf("%s costs %d statements, want %d", what, n, want)
		}
	}
	k.must(k.AddTags(ctx, k.admin, k.refs[2], []belay.TagRef{{Name: "t-1"}}))
	_, err = k.UnlockWorkspace(ctx, k.admin, k.refs[0])
	k.must(err)
	page("a page", 3)
	page("a page again", 2)
	page("a page again, found by its ids", 1)
	_, err = k.UpdateWorkspace(ctx, k.admin, k.refs[2], belay.WorkspacePatch{Description: patch.Of("else")})
	k.must(err)
	page("a page that has changed", 3)
	page("a page that has changed, then", 1)
	k.must(k.AddTags(ctx, k.admin, k.refs[2], []belay.TagRef{{Name: "t-2"}}))
	page("a page whose organization has other tags", 3)
	long := belay.WorkspacePatch{Description: patch.Of(fmt.Sprintf("%09000d", 1))}
	if _, err = k.UpdateWorkspace(ctx, k.admin, k.refs[1], long); err == nil {
		cost("a large one", "admin", k.refs[1], 2)
		cost("a large one", "admin", k.refs[1], 2)
	}
}

// TestAPageIsSeenWithAllThatIsOnIt: what moves no generation is seen in a page all the same.
func TestAPageIsSeenWithAllThatIsOnIt(t *testing.T) {
	t.Parallel()
	k := newReplicas(t, 1)
	ctx, a := t.Context(), k.servers[0]
	k.must(k.steps()["change requests"](ctx, k.App))
	k.must(k.steps()["archive"](ctx, k.App))
	for _, change := range []sqldb.Text{
		"UPDATE projects SET name = name || '-else'", "UPDATE workspaces SET description = 'else'", "UPDATE organizations SET email = 'else@example.com'",
		"UPDATE change_requests SET archived_at = 1", "UPDATE change_requests SET archived_at = 0",
		"UPDATE bulk_actions SET unfinished_until = 1", "UPDATE bulk_actions SET unfinished_until = 0",
	} {
		for range 3 {
			listed(ctx, a, k.tokens["admin"], k.org, pages[0])
		}
		before := a.db.Statements()
		listed(ctx, a, k.tokens["admin"], k.org, pages[0])
		if n := a.db.Statements() - before; n != 1 {
			t.Errorf("before %s a page costs %d statements", change, n)
		}
		k.must(k.raw(change))
		got := listed(ctx, a, k.tokens["admin"], k.org, pages[0])
		k.db.Forget()
		if want := listed(ctx, k.App, k.tokens["admin"], k.org, pages[0]); !reflect.DeepEqual(got, want) {
			t.Errorf("after %s\n%+v\nwant\n%+v", change, got, want)
		}
	}
}

// TestANewConnectionForgets: with another connection it may be another database, in which a version says nothing. Even what
// is asked by it for the first time is read then, and not taken for what it was.
func TestANewConnectionForgets(t *testing.T) {
	t.Parallel()
	k := newReplicas(t, 1)
	ctx, a := t.Context(), k.servers[0]
	for range 2 {
		glanced(ctx, a, "the-admin", k.refs[0])
	}
	before := a.db.Statements()
	if glanced(ctx, a, "the-admin", k.refs[0]); a.db.Statements() != before+1 {
		t.Fatal("nothing is remembered")
	}
	made := a.db.Connections()
	k.must(k.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
	for {
		before = a.db.Statements()
		if got := glanced(ctx, a, "the-admin", k.refs[0]); got.Why == "" {
			break
		} else if got.Kind != belay.Internal {
			t.Fatal(got.Why)
		}
	}
	if n := a.db.Statements() - before; a.db.Connections() == made || n != 3 {
		t.Errorf("by a new connection it is shown with %d statements, want that it looks, and reads both", n)
	}
}
