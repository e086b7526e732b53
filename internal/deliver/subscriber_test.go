package deliver_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
)

// audience is an organization in which teams have access to this and that, and everybody wants
// to be told of something.
type audience struct {
	t          *testing.T
	chance     *rand.Rand
	workspaces []belay.Workspace
	wanting    []notices.Notification
	access     map[string]bool
}

func (a *audience) has(team string, place belay.GrantScope, id string) bool {
	return a.access[team+" "+string(place)+" "+id]
}

func (a *audience) often(n int) bool { return a.chance.IntN(n) > 0 }

// newAudience fills the organization of a scene by chance.
func newAudience(s *scene, tx *store.Tx, seed uint64) *audience {
	chance := rand.New(rand.NewPCG(seed, 1))
	a := &audience{t: s.t, chance: chance, access: map[string]bool{}}
	first, err := tx.Project(s.workspace.ProjectID)
	check(s.t, err)
	projects, o := []belay.Project{first}, first.Organization
	for i := range 2 {
		p := belay.Project{ID: belay.NewID("prj"), OrganizationID: o.ID, Name: fmt.Sprint("project ", i, seed), CreatedAt: tx.Now}
		check(s.t, tx.AddProject(&p))
		projects = append(projects, p)
	}
	for i := range 7 {
		w := belay.NewWorkspace(o, projects[i%3], tx.Now)
		w.Name = fmt.Sprint("w", i, "-", seed)
		check(s.t, tx.AddWorkspace(&w))
		a.workspaces = append(a.workspaces, w)
	}
	owners := []notices.Notification{}
	for i := range 4 {
		team := belay.NewTeam(o, tx.Now)
		team.Name = fmt.Sprint("team", i, "-", seed)
		check(s.t, tx.AddTeam(&team))
		for _, p := range projects {
			if !a.often(4) {
				check(s.t, tx.AddTeamProject(&belay.TeamProject{ID: belay.NewID("tprj"), OrganizationID: o.ID, TeamID: team.ID, ProjectID: p.ID, Level: "read"}))
				a.access[team.ID+" "+string(belay.OnProjects)+" "+p.ID] = true
			}
		}
		for i := range a.workspaces {
			if w := &a.workspaces[i]; !a.often(4) {
				check(s.t, tx.AddTeamWorkspace(&belay.TeamWorkspace{ID: belay.NewID("tws"), OrganizationID: o.ID, TeamID: team.ID, WorkspaceID: w.ID, Level: "read"}))
				a.access[team.ID+" "+string(belay.OnWorkspaces)+" "+w.ID] = true
			}
		}
		owners = append(owners, notices.Notification{TeamID: team.ID})
	}
	for _, p := range projects {
		owners = append(owners, notices.Notification{ProjectID: p.ID})
	}
	for _, w := range a.workspaces {
		owners = append(owners, notices.Notification{WorkspaceID: w.ID})
	}
	for range 40 {
		a.wanting = append(a.wanting, a.notification(tx, o, owners[chance.IntN(len(owners))]))
	}
	return a
}

// notification asks to be told of one thing or another.
func (a *audience) notification(tx *store.Tx, o belay.Organization, of notices.Notification) notices.Notification {
	n := notices.NewNotification(tx.Now)
	n.OrganizationID, n.TeamID, n.ProjectID, n.WorkspaceID = o.ID, of.TeamID, of.ProjectID, of.WorkspaceID
	n.Name, n.Enabled, n.Destination = "n", a.often(4), notices.GenericDestination
	if !a.often(3) {
		n.Destination = notices.EmailDestination
	}
	if a.often(4) {
		n.Triggers, n.OnChangeRequest = []string{notices.TriggerChangeRequest}, true
	}
	if n.TeamID == "" && a.often(3) {
		n.Triggers = append(n.Triggers, run.TriggerDrifted)
	}
	check(a.t, tx.AddNotification(&n))
	return n
}

// told is what every configuration is told by the rule about some workspaces, once for each or, in a mail
// about all, once.
func (a *audience) told(rule notices.Telling, about []belay.Workspace, together bool) map[string]int {
	want := map[string]int{}
	for i := range a.wanting {
		n := &a.wanting[i]
		for j := range about {
			if rule.WantedBy(n) && rule.Reaching(n, &about[j], a.has) {
				want[n.ID]++
			}
		}
		if together && n.Destination == notices.EmailDestination {
			want[n.ID] = min(want[n.ID], 1)
		}
	}
	maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
	return want
}

// holds compares what is written with what the rule says.
func (a *audience) holds(tx *store.Tx, what, trigger string, want map[string]int) {
	a.t.Helper()
	got := map[string]int{}
	for _, n := range a.wanting {
		list, _, err := tx.Deliveries(n.ID, notices.DeliveryQuery{Page: belay.Page{Number: 1, Size: 100}})
		check(a.t, err)
		for _, d := range list {
			if d.Trigger == trigger {
				got[n.ID]++
			}
		}
	}
	if len(want) == 0 || !maps.Equal(got, want) {
		a.t.Errorf("%s: the store tells %v, the rule %v", what, got, want)
	}
}

// TestTheStoreTellsWhomTheRuleNames: conditions and predicate are made of the same value, both
// ways, so both say the same of any organization.
func TestTheStoreTellsWhomTheRuleNames(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		for seed := range uint64(4) {
			check(t, db.Update(t.Context(), func(tx *store.Tx) error {
				a := newAudience(s, tx, seed)
				a.requests(tx)
				a.drift(tx)
				return nil
			}))
		}
	})
}

// requests files change requests, reminds of those that stay open, and asks each configuration
// which of them it hears of.
func (a *audience) requests(tx *store.Tx) {
	filed := a.workspaces[:5]
	b := a.file(tx, filed)
	for _, e := range []struct {
		kind, trigger string
		about         []belay.Workspace
	}{
		{notices.EventBulkActionCreated, notices.TriggerChangeRequest, filed},
		{notices.EventBulkActionReminded, notices.TriggerReminder, filed[1:]},
	} {
		rule := notices.TellsOf(e.kind)
		if rule.OpenOnly {
			a.archive(tx, filed[0].ID)
		}
		a.tell(tx, e.kind, &b, true)
		a.holds(tx, e.kind, e.trigger, a.told(rule, e.about, true))
		for i := range a.wanting {
			n := &a.wanting[i]
			_, total, err := tx.NewsOfAction(n, b.ID, rule, 1)
			check(a.t, err)
			want := 0
			for j := range e.about {
				if rule.Reaching(n, &e.about[j], a.has) {
					want++
				}
			}
			if total != want {
				a.t.Errorf("%s: a mail for %+v tells of %d, the rule names %d", e.kind, n, total, want)
			}
		}
	}
}

// file puts a change request on each of some workspaces.
func (a *audience) file(tx *store.Tx, on []belay.Workspace) backlog.BulkAction {
	b := backlog.BulkAction{ID: belay.NewID("eba"), OrganizationID: on[0].OrganizationID, Subject: "s", Message: "m", CreatedAt: tx.Now}
	check(a.t, tx.AddBulkAction(&b))
	ids := []string{}
	for _, w := range on {
		ids = append(ids, w.ID)
	}
	_, err := tx.AddChangeRequests(&b, store.Filings(ids))
	check(a.t, err)
	return b
}

// tell tells what happened to those who ask, and says in how many parts.
func (a *audience) tell(tx *store.Tx, kind string, b *backlog.BulkAction, mail bool) (parts int) {
	check(a.t, tx.Emit(belay.Event{Kind: kind, OrganizationID: b.OrganizationID, ResourceID: b.ID}))
	for ; ; parts++ {
		if more, err := tx.FanOut(mail); err != nil || !more {
			check(a.t, err)
			return parts
		}
	}
}

// TestABulkActionThatNobodyAsksForIsNotLookedThrough is told to nobody at once, however many workspaces it is for, and in
// parts where one configuration of the organization asks.
func TestABulkActionThatNobodyAsksForIsNotLookedThrough(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		told := func(mail bool) (parts int) {
			check(t, db.Update(t.Context(), func(tx *store.Tx) error {
				a := &audience{t: t}
				p, err := tx.Project(s.workspace.ProjectID)
				check(t, err)
				for i := range store.RowsAtOnce + 1 {
					w := belay.NewWorkspace(p.Organization, p, tx.Now)
					w.Name = fmt.Sprint(w.ID, i)
					check(t, tx.AddWorkspace(&w))
					a.workspaces = append(a.workspaces, w)
				}
				b := a.file(tx, a.workspaces)
				parts = a.tell(tx, notices.EventBulkActionCreated, &b, mail)
				return nil
			}))
			return parts
		}
		if n := told(false); n != 2 {
			t.Errorf("%d parts, where a webhook asks", n)
		}
		check(t, db.Update(t.Context(), func(tx *store.Tx) error {
			list, err := tx.Notifications(notices.Notification{WorkspaceID: s.workspace.ID})
			check(t, err)
			list[0].Enabled = false
			return tx.SaveNotification(&list[0])
		}))
		if n := told(false); n != 1 {
			t.Errorf("%d parts, where none asks but the owners' mail, and nothing is mailed", n)
		}
		if n := told(true); n != 2 {
			t.Errorf("%d parts, where the owners' mail asks", n)
		}
	})
}

// archive does what was asked of a workspace.
func (a *audience) archive(tx *store.Tx, workspaceID string) {
	o := belay.Organization{ID: a.workspaces[0].OrganizationID}
	list, _, err := tx.ChangeRequests(o, backlog.ChangeRequestQuery{WorkspaceIDs: []string{workspaceID}, Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 10}})
	check(a.t, err)
	if len(list) != 1 {
		a.t.Fatalf("%d change requests", len(list))
	}
	_, err = tx.ArchiveRequests([]string{list[0].ID}, "user-1")
	check(a.t, err)
}

// drift tells of an assessment, which teams are not told of.
func (a *audience) drift(tx *store.Tx) {
	w := a.workspaces[a.chance.IntN(len(a.workspaces))]
	check(a.t, tx.Tell(belay.NewID("ev")+".", notices.Delivery{Trigger: run.TriggerDrifted}, &w))
	rule := notices.Tells(run.TriggerDrifted)
	if slices.ContainsFunc(rule.Reaches, func(r notices.Reach) bool { return r.Team }) {
		a.t.Error("teams are told of drift")
	}
	a.holds(tx, "drift", run.TriggerDrifted, a.told(rule, []belay.Workspace{w}, false))
}
