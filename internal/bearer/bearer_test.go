package bearer_test

import (
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/bearer"
)

func TestWhoseTokenOpensNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	users := func(change func(*bearer.Bearer)) bearer.Bearer {
		b := bearer.Bearer{Token: belay.Token{ID: "at-1", OwnerKind: belay.UserPrincipal, OwnerID: "user-1"}, User: belay.User{ID: "user-1", Username: "ann", IsAdmin: true}}
		change(&b)
		return b
	}
	runs := func(change func(*bearer.Bearer)) bearer.Bearer {
		return users(func(b *bearer.Bearer) {
			b.Token.OwnerKind, b.Token.OwnerID, b.Issuer = belay.RunPrincipal, "run-1", belay.Token{OwnerKind: belay.UserPrincipal, OwnerID: "user-1"}
			change(b)
		})
	}
	for name, c := range map[string]struct {
		b    bearer.Bearer
		want bool
	}{
		"a user's":                         {users(func(*bearer.Bearer) {}), true},
		"of nobody any more":               {users(func(b *bearer.Bearer) { b.User = belay.User{} }), false},
		"of one suspended":                 {users(func(b *bearer.Bearer) { b.User.Suspended = true }), false},
		"to end in a moment":               {users(func(b *bearer.Bearer) { b.Token.ExpiredAt = now.Add(time.Millisecond) }), true},
		"ending now":                       {users(func(b *bearer.Bearer) { b.Token.ExpiredAt = now }), false},
		"a run's":                          {runs(func(*bearer.Bearer) {}), true},
		"a run's, its issuer suspended":    {runs(func(b *bearer.Bearer) { b.User.Suspended = true }), true}, // who is asked by the rights that are left
		"a run's, issued by what is gone":  {runs(func(b *bearer.Bearer) { b.IssuerGone = true }), false},
		"of an organization being deleted": {runs(func(b *bearer.Bearer) { b.Of.Name = "acme deleted" }), false},
	} {
		s, err := c.b.Principal(now)
		if (err == nil) != c.want || err != nil && belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("a token %s: %+v %v", name, s, err)
		}
		if by := s.Issuer; by != nil && by.SiteAdmin == c.b.User.Suspended {
			t.Errorf("a token %s has an issuer %+v", name, by)
		}
	}
	job := bearer.Bearer{Token: belay.Token{ID: "job-1", OwnerID: "run-1", ExpiredAt: now.Add(time.Minute)}}
	if s, err := job.OfJob(now); err != nil || s.Kind != belay.RunPrincipal || s.TokenID != "at-1" {
		t.Errorf("a job's: %+v %v", s, err)
	}
	for _, ended := range []time.Time{{}, now} {
		job.Token.ExpiredAt = ended
		if s, err := job.OfJob(now); belay.KindOf(err) != belay.Unauthenticated {
			t.Errorf("of a job that ended at %v: %+v %v", ended, s, err)
		}
	}
}

func TestWhichTokensArePlain(t *testing.T) {
	t.Parallel()
	ann, of := belay.User{ID: "user-1"}, belay.Organization{Name: "acme"}
	token := func(kind belay.PrincipalKind, organization string) belay.Token {
		return belay.Token{OwnerKind: kind, OwnerID: "user-1", OrganizationID: organization}
	}
	for name, c := range map[string]struct {
		b    bearer.Bearer
		want bool
	}{
		"a user's":                  {bearer.Bearer{Token: token(belay.UserPrincipal, ""), User: ann}, true},
		"of nobody any more":        {bearer.Bearer{Token: token(belay.UserPrincipal, "")}, false},
		"a user's, in one place":    {bearer.Bearer{Token: token(belay.UserPrincipal, "org-1"), User: ann, Of: of}, false},
		"a team's":                  {bearer.Bearer{Token: token(belay.TeamPrincipal, "org-1"), Team: "devs", Of: of}, true},
		"of no team any more":       {bearer.Bearer{Token: token(belay.TeamPrincipal, "org-1"), Of: of}, false},
		"of a team of nowhere":      {bearer.Bearer{Token: token(belay.TeamPrincipal, "org-1"), Team: "devs"}, false},
		"an organization's":         {bearer.Bearer{Token: token(belay.OrganizationPrincipal, "org-1"), Of: of}, true},
		"an agent's":                {bearer.Bearer{Token: token(belay.AgentPrincipal, "org-1"), Of: of}, false},
		"a run's":                   {bearer.Bearer{Token: token(belay.RunPrincipal, "org-1"), Of: of}, false},
		"issued by another":         {bearer.Bearer{Token: token(belay.UserPrincipal, ""), User: ann, Issuer: belay.Token{OwnerKind: belay.UserPrincipal}}, false},
		"issued by one that is not": {bearer.Bearer{Token: token(belay.UserPrincipal, ""), User: ann, IssuerGone: true}, false},
	} {
		if c.b.Plain() != c.want {
			t.Errorf("a token %s is plain: %v", name, !c.want)
		}
	}
}
