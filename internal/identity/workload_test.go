package identity_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/signin"
)

// jobs is the tokens that issuers gave, by their texts.
type jobs struct {
	tokens map[string]signin.WorkloadToken
	asked  int
}

func (j *jobs) Issuer(raw string) (string, error) { return j.tokens[raw].Issuer, nil }

func (j *jobs) Check(_ context.Context, _, raw string) (signin.WorkloadToken, error) {
	j.asked++
	if raw == "forged" {
		return signin.WorkloadToken{}, fmt.Errorf("forged")
	}
	return j.tokens[raw], nil
}

func TestWorkloadIdentity(t *testing.T) {
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
			j := &jobs{tokens: map[string]signin.WorkloadToken{}}
			exchange(t, app.New(app.Config{DB: db, Now: clock, Workloads: j}), j, &now)
		})
	}
}

func exchange(t *testing.T, a *app.App, j *jobs, now *time.Time) {
	t.Helper()
	ctx, h := t.Context(), &house{App: a, t: t}
	founder, team := h.organization("acme", "")
	const github = "https://token.actions.githubusercontent.com"
	job := func(id, repository string) signin.WorkloadToken {
		return signin.WorkloadToken{
			Issuer: github, Audience: []string{"belay"}, ID: id, Until: now.Add(10 * time.Minute),
			Claims: map[string]any{"repository": repository, "sub": "repo:" + repository + ":ref:refs/heads/main"},
		}
	}
	j.tokens["good"], j.tokens["stranger"], j.tokens["forged"] = job("1", "octo/infra"), job("2", "evil/infra"), job("3", "octo/infra")
	j.tokens["elsewhere"] = signin.WorkloadToken{Issuer: "http://169.254.169.254", ID: "4"}
	refused := func(name, team, raw string) {
		t.Helper()
		if value, _, err := a.ExchangeWorkload(ctx, team, raw); err == nil || value != "" {
			t.Errorf("%s was given a token", name)
		}
	}
	refused("a job without a rule", team, "good")
	if j.asked != 0 {
		t.Error("an issuer was asked that no rule names")
	}
	want := signin.WorkloadRulePatch{
		Name: patch.Of("ci"), Issuer: patch.Of(github), Audience: patch.Of("belay"), Claims: patch.Of(map[string]string{"repository": "octo/*"}),
	}
	outsider := belay.Principal{Kind: belay.UserPrincipal, ID: "user-0000000000000000"}
	if _, err := a.CreateWorkloadRule(ctx, outsider, team, want); belay.KindOf(err) != belay.NotFound {
		t.Errorf("an outsider made a rule: %v", err)
	}
	rule, err := a.CreateWorkloadRule(ctx, founder, team, want)
	if err != nil {
		t.Fatal(err)
	}
	refused("a stranger's job", team, "stranger")
	refused("a forged token", team, "forged")
	refused("an address inside", team, "elsewhere")
	refused("another team", "team-0000000000000000", "good")
	refused("a text that no database keeps", "team\x00", "good")
	value, lasts, err := a.ExchangeWorkload(ctx, team, "good")
	if err != nil || lasts != signin.DefaultWorkloadMinutes*time.Minute {
		t.Fatalf("%v %v", lasts, err)
	}
	s, err := a.Authenticate(ctx, value)
	if err != nil || s.Kind != belay.TeamPrincipal || s.ID != team || s.ByOrganization || !h.sees(s, "acme") {
		t.Errorf("%+v %v", s, err)
	}
	refused("a token that came before", team, "good")
	if list, _, err := a.TeamTokens(ctx, founder, team, belay.Page{Number: 1, Size: 20}); err != nil || len(list) != 0 {
		t.Errorf("tokens of jobs are among those that people keep: %v %v", list, err)
	}
	*now = now.Add(lasts)
	if _, err := a.Authenticate(ctx, value); belay.KindOf(err) != belay.Unauthenticated {
		t.Errorf("the token lives on: %v", err)
	}
	// What an organization token has a hand in is never more than that token may do.
	organization := belay.Principal{Kind: belay.OrganizationPrincipal, ID: rule.OrganizationID, OrganizationID: rule.OrganizationID}
	if _, err := a.UpdateWorkloadRule(ctx, organization, rule.ID, signin.WorkloadRulePatch{TokenMinutes: patch.Of(5)}); err != nil {
		t.Fatal(err)
	}
	j.tokens["next"] = job("5", "octo/infra")
	if value, _, err = a.ExchangeWorkload(ctx, team, "next"); err != nil {
		t.Fatal(err)
	}
	if s, err := a.Authenticate(ctx, value); err != nil || !s.ByOrganization {
		t.Errorf("%+v %v", s, err)
	}
	// What a token that ends has let in, its end keeps out.
	ends := now.Add(7 * time.Minute).UTC().Truncate(time.Millisecond)
	brief := founder
	brief.EndsAt = ends
	for _, minutes := range []int{5, 3} {
		if r, err := a.UpdateWorkloadRule(ctx, brief, rule.ID, signin.WorkloadRulePatch{TokenMinutes: patch.Of(minutes)}); err != nil || !r.EndsAt.IsZero() {
			t.Errorf("a rule that lets in the same, and for no longer, ends %v: %v", r.EndsAt, err)
		}
	}
	if r, err := a.CreateWorkloadRule(ctx, founder, team, want); err != nil {
		t.Error(err)
	} else if r, err = a.UpdateWorkloadRule(ctx, brief, r.ID, signin.WorkloadRulePatch{TokenMinutes: patch.Of(r.TokenMinutes + 1)}); err != nil || !r.EndsAt.Equal(ends) {
		t.Errorf("a rule whose tokens live longer ends %v, want %v: %v", r.EndsAt, ends, err)
	} else if err := a.DeleteWorkloadRule(ctx, founder, r.ID); err != nil {
		t.Error(err)
	}
	if r, err := a.UpdateWorkloadRule(ctx, brief, rule.ID, signin.WorkloadRulePatch{Claims: want.Claims}); err != nil || !r.EndsAt.Equal(ends) {
		t.Errorf("a changed rule ends %v, want %v: %v", r.EndsAt, ends, err)
	}
	want.Name = patch.Of("brief")
	if r, err := a.CreateWorkloadRule(ctx, brief, team, want); err != nil || !r.EndsAt.Equal(ends) {
		t.Errorf("a rule of a token that ends %v ends %v: %v", ends, r.EndsAt, err)
	} else if err := a.DeleteWorkloadRule(ctx, founder, r.ID); err != nil {
		t.Error(err)
	}
	j.tokens["short"], j.tokens["over"] = job("7", "octo/infra"), job("8", "octo/infra")
	if value, lasts, err := a.ExchangeWorkload(ctx, team, "short"); err != nil || lasts > 7*time.Minute {
		t.Errorf("a token of a rule that ends lasts %v: %v", lasts, err)
	} else if s, err := a.Authenticate(ctx, value); err != nil || s.EndsAt.After(ends) {
		t.Errorf("it ends %v: %v", s.EndsAt, err)
	}
	*now = now.Add(7 * time.Minute)
	refused("a job whose rule is over", team, "over")
	if err := a.DeleteWorkloadRule(ctx, founder, rule.ID); err != nil {
		t.Fatal(err)
	}
	j.tokens["late"] = job("6", "octo/infra")
	refused("a job whose rule is gone", team, "late")
}
