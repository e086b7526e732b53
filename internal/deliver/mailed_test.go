package deliver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/notices"
)

var errUndone = errors.New("undone")

// reader is somebody in an organization, who may be mailed.
type reader struct {
	belay.User
	mailable bool
	teams    map[string]bool
	leftOut  []string
}

// TestTheStoreMailsWhomTheRuleNames: the addresses of a configuration and the configurations of a user are conditions of one
// rule, so both say the same of any organization.
func TestTheStoreMailsWhomTheRuleNames(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newScene(t, db)
		for seed := range uint64(4) {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				a := newAudience(s, tx, seed)
				a.mailed(tx, a.readers(tx, seed))
				return errUndone
			})
			if !errors.Is(err, errUndone) {
				t.Fatal(err)
			}
		}
	})
}

// readers are members, some of whom are not mailed at all, in teams by chance.
func (a *audience) readers(tx *store.Tx, seed uint64) []reader {
	organizationID := a.workspaces[0].OrganizationID
	list := make([]reader, 9)
	for i := range list {
		r := &list[i]
		name := fmt.Sprint("user", i, "of", seed)
		r.User = belay.User{ID: belay.NewID("user"), Username: name, Email: name + "@example.com", CreatedAt: tx.Now, Suspended: i == 0}
		m := belay.Membership{ID: belay.NewID("ou"), OrganizationID: organizationID, UserID: r.ID, Email: r.Email, Status: belay.ActiveMember, CreatedAt: tx.Now}
		if i == 1 {
			m.Status = belay.InvitedMember
		}
		r.mailable, r.teams = i > 1, map[string]bool{}
		check(a.t, tx.AddUser(&r.User))
		check(a.t, tx.AddMembership(&m))
		for access := range a.access {
			if team, _, _ := strings.Cut(access, " "); a.often(2) && !r.teams[team] {
				r.teams[team] = true
				check(a.t, tx.AddTeamMembers(&belay.Team{ID: team, OrganizationID: organizationID}, []string{r.ID}))
			}
		}
		for _, trigger := range notices.Personal {
			if !a.often(2) {
				r.leftOut = append(r.leftOut, trigger)
			}
		}
		check(a.t, tx.SetLeftOut(r.ID, notices.Personal)) // what was left out before is forgotten
		check(a.t, tx.SetLeftOut(r.ID, r.leftOut))
	}
	return list
}

// inTeam says whether somebody is in one of the teams that a configuration is about.
func (a *audience) inTeam(r *reader, n *notices.Notification) bool {
	for team := range r.teams {
		if n.TeamID == team || n.ProjectID != "" && a.has(team, belay.OnProjects, n.ProjectID) {
			return true
		}
		for i := range a.workspaces {
			w := &a.workspaces[i]
			if w.ID == n.WorkspaceID && slices.ContainsFunc(notices.MailedTeams, func(r notices.Reach) bool { return r.Leads(&notices.Notification{TeamID: team}, w, a.has) }) {
				return true
			}
		}
	}
	return false
}

// mailed compares whom configurations mail with what the rule says, from both sides.
func (a *audience) mailed(tx *store.Tx, readers []reader) {
	mails := map[string][]string{} // ids of configurations, by the id of the reader
	for i := range a.wanting {
		n := &a.wanting[i]
		a.name(tx, n, readers)
		for _, trigger := range []string{notices.TriggerChangeRequest, notices.TriggerReminder, "run:errored"} {
			want := slices.Clone(n.EmailAddresses)
			for j := range readers {
				r := &readers[j]
				if m := n.MailingTo(r.ID, a.inTeam(r, n)); r.mailable && m.Reaches(trigger, r.leftOut) {
					want = append(want, r.Email)
				}
			}
			if n.Destination != notices.EmailDestination {
				continue // nobody asks for its addresses
			}
			got, err := tx.MailAddresses(n, trigger)
			check(a.t, err)
			if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
				a.t.Errorf("%s of %+v goes to %v, and by the rule to %v", trigger, n, got, want)
			}
		}
		for j := range readers {
			r := &readers[j]
			if m := n.MailingTo(r.ID, a.inTeam(r, n)); r.mailable && n.Enabled && (m.Named || m.Team) {
				mails[r.ID] = append(mails[r.ID], fmt.Sprint(n.ID, m.Named))
			}
		}
	}
	found := 0
	for i := range readers {
		r := &readers[i]
		list, err := tx.MailedTo(r.ID, 1000)
		check(a.t, err)
		list = slices.DeleteFunc(list, func(m notices.MailedNotification) bool { // those that teams begin with
			return !slices.ContainsFunc(a.wanting, func(n notices.Notification) bool { return n.ID == m.ID })
		})
		var got []string
		for j := range list {
			got = append(got, fmt.Sprint(list[j].ID, list[j].Named))
			if list[j].Organization != "acme" || list[j].Of == "" || (list[j].InProject != "") != (list[j].WorkspaceID != "") {
				a.t.Errorf("told with %+v", list[j])
			}
		}
		want := mails[r.ID]
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			a.t.Errorf("%s is mailed by %v, and by the rule by %v", r.Username, got, want)
		}
		found += len(got)
		leftOut, err := tx.LeftOut(r.ID)
		check(a.t, err)
		if slices.Sort(r.leftOut); !slices.Equal(leftOut, r.leftOut) {
			a.t.Errorf("%s has left out %v, and %v is kept", r.Username, r.leftOut, leftOut)
		}
	}
	if found == 0 {
		a.t.Error("nobody is mailed")
	}
}

// name has a configuration name this and that.
func (a *audience) name(tx *store.Tx, n *notices.Notification, readers []reader) {
	if n.Destination != notices.EmailDestination || a.often(2) {
		return
	}
	if a.often(3) {
		n.UserIDs = []string{readers[a.chance.IntN(len(readers))].ID}
	}
	if !a.often(3) {
		n.EmailAddresses = []string{"list@example.com"}
	}
	n.EmailAllMembers = !a.often(3)
	check(a.t, tx.SaveNotification(n))
}
