package store

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/internal/store/core"
	"github.com/belayhq/belay/internal/store/people"
	"github.com/belayhq/belay/internal/store/plan"
)

// Of so many questions for pages it is remembered which page answered them, of none that is long.
const (
	mostPages = 1024
	mostAsked = 512
)

type rememberedOrganization struct {
	base.Remembered
	core.VersionedOrganization
}

// listAsked is a question for a page: by a token, for workspaces of an organization, with a query.
func listAsked(hash, organization, query string) string { return hash + organization + "?" + query }

// GlancedList is an organization and a page of its workspaces that a request looked at together with who asks.
type GlancedList struct {
	name   string
	stands *belay.Organization // nil: it is read
	taken  atomic.Bool         // what is read once more is read anew
	page   plan.Glimpse
}

type glancedListKey struct{}

// Under is the context under which both are read once by what was seen; nil: nothing was.
func (g *GlancedList) Under(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return g.page.Under(context.WithValue(ctx, glancedListKey{}, g))
}

// listGlances finds the versions of all rows that a token and an organization are read from, and whether a page of its
// workspaces is the same.
var listGlances = func() map[belay.PrincipalKind]text {
	all := map[belay.PrincipalKind]text{}
	for owner, versions := range versionsOfTokens(7) {
		all[owner] = "SELECT " + core.ListVersionColumns() + ", " + versions
	}
	return all
}()

// listLook is what these find.
type listLook struct {
	token                people.Versions
	organization         uint32
	beside               string
	workspaces, projects int // that are the same
	deletesSomeTags      bool
	requests             string // by workspace, as JSON; empty: none is open
}

func (l *listLook) dest(how glanced) []any {
	into := []any{&l.organization, &l.beside, &l.workspaces, &l.projects, &l.deletesSomeTags, &l.requests}
	return append(into, how.dest(&l.token)...)
}

// GlanceList is Glance for somebody who asks for an organization, or a page of its workspaces: that this is the same is found
// for the page that answered the same question before.
func (db *DB) GlanceList(ctx context.Context, hash, organization, query string) (*GlancedList, bearer.Bearer, error) {
	if !db.mayGlance(ctx) {
		b, err := db.bearer(ctx, hash)
		return nil, b, err
	}
	seen, asked := &GlancedList{name: organization}, listAsked(hash, organization, query)
	seen.page.Note = func(key string) {
		if len(asked) <= mostAsked {
			db.memory.pages.Add(asked, key)
		}
	}
	b, err := db.bearerAgain(ctx, hash, func(v *View, t *rememberedToken) (bool, error) {
		o, known := db.memory.organizations.Get(organization)
		if !known || !v.Remembers(o.Remembered) {
			return v.lookAtToken(t, hash)
		}
		return v.lookAtList(t, o, hash, asked, seen)
	})
	return seen, b, err
}

// lookAtList compares the versions of today with those that are remembered, and says whether the token is the same.
func (v *View) lookAtList(t *rememberedToken, o *rememberedOrganization, hash, asked string, seen *GlancedList) (bool, error) {
	how := glanced{owner: t.bearer.Token.OwnerKind}
	key, _ := v.db.memory.pages.Get(asked)
	page := v.PageLook(key)
	keys := []string{hash, o.ID, page.IDs, page.Versions, page.ProjectIDs, page.ProjectVersions}
	l, err := v.db.memory.listFlights[how.owner].ask(v.Context(), v.db, append(keys, how.keys(&t.bearer.Token)...))
	if err != nil {
		return false, err
	}
	how.complete(&l.token)
	if l.token != t.versions || !v.Remembers(t.Remembered) { // a new connection may have been made for the statement
		return false, nil
	}
	if l.organization != o.Version || !v.Remembers(o.Remembered) {
		return true, nil
	}
	now, err := o.Now(l.beside)
	if err != nil {
		return false, err
	}
	seen.stands = &now
	if l.workspaces == page.Workspaces && l.projects == page.Projects && !l.deletesSomeTags {
		requests := map[string]int{}
		if l.requests != "" {
			err = json.Unmarshal([]byte(l.requests), &requests)
		}
		seen.page.See(&v.planView, page, requests)
	}
	return true, err
}

// Organization is one organization, by its name or its external id: of what a glance has seen of it, where there was one.
func (v *reads) Organization(nameOrID string) (belay.Organization, error) {
	seen, _ := v.Context().Value(glancedListKey{}).(*GlancedList)
	if seen == nil || v.InTx() || seen.name != nameOrID || !seen.taken.CompareAndSwap(false, true) {
		return v.coreView.Organization(nameOrID)
	}
	if seen.stands != nil {
		return *seen.stands, nil
	}
	read := &rememberedOrganization{Remembered: v.Remembering()}
	var err error
	if read.VersionedOrganization, err = v.VersionedOrganization(nameOrID); err == nil && read.Name == nameOrID {
		v.db.memory.organizations.Add(nameOrID, read)
	}
	return read.Organization, err
}
