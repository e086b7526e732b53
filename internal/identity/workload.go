package identity

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/signin"
)

// Workloads checks the tokens that others give to their jobs.
type Workloads interface {
	Issuer(raw string) (string, error)
	Check(ctx context.Context, issuer, raw string) (signin.WorkloadToken, error)
}

// mostWorkloadRules is how many rules a team may have.
const mostWorkloadRules = 100

// CreateWorkloadRule lets jobs have tokens of a team. It takes whoever could make such a
// token, and its tokens are never more than that one would be.
func (m *Room) CreateWorkloadRule(ctx context.Context, s belay.Principal, teamID string, p signin.WorkloadRulePatch) (r signin.WorkloadRule, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		t, err := m.tokensTeam(&tx.Locked, s, teamID)
		if err != nil {
			return err
		}
		n, err := tx.Peek().CountWorkloadRules(t.ID)
		if err != nil {
			return err
		}
		if n >= mostWorkloadRules {
			return belay.Refuse(belay.Invalid, "a team has at most %d rules", mostWorkloadRules)
		}
		made := teamToken(s, t)
		r = signin.WorkloadRule{
			ID: belay.NewID("wir"), OrganizationID: t.OrganizationID, TeamID: t.ID, TokenMinutes: signin.DefaultWorkloadMinutes,
			CreatedBy: made.CreatedBy, ByOrganization: made.ByOrganization, CreatedAt: tx.Now, Organization: t.Organization,
		}
		r.EndWith(s.EndsAt)
		if err := r.Apply(p); err != nil {
			return err
		}
		if err := tx.AddWorkloadRule(&r); err != nil {
			return err
		}
		return emitRule(tx, s, "workload_rule.created", &r)
	})
	return r, err
}

func emitRule(tx *store.Tx, s belay.Principal, kind string, r *signin.WorkloadRule) error {
	return record.EmitOrganization(tx, s, kind, r.OrganizationID, "workload-rules", r.ID, r.Name)
}

// WorkloadRules is the rules of a team, to those who may make its tokens.
func (m *Room) WorkloadRules(ctx context.Context, s belay.Principal, teamID string, page belay.Page) (list []signin.WorkloadRule, total int, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		t, err := m.tokensTeam(v, s, teamID)
		if err != nil {
			return err
		}
		list, total, err = v.WorkloadRules(t.ID, page)
		return err
	})
	return list, total, err
}

// rule hands out a rule to those who may make tokens of its team. The team is held first.
func (m *Room) rule(v store.Reader, s belay.Principal, id string) (signin.WorkloadRule, error) {
	r, err := v.Peek().WorkloadRule(id)
	if err != nil {
		return r, err
	}
	if _, err := m.tokensTeam(v, s, r.TeamID); err != nil {
		return r, err
	}
	return v.WorkloadRule(id)
}

// WorkloadRule is one rule.
func (m *Room) WorkloadRule(ctx context.Context, s belay.Principal, id string) (r signin.WorkloadRule, err error) {
	err = m.db.View(ctx, func(v *store.View) error {
		r, err = m.rule(v, s, id)
		return err
	})
	return r, err
}

// UpdateWorkloadRule changes a rule. What an organization token had a hand in stays under
// what that may do.
func (m *Room) UpdateWorkloadRule(ctx context.Context, s belay.Principal, id string, p signin.WorkloadRulePatch) (r signin.WorkloadRule, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		if r, err = m.rule(&tx.Locked, s, id); err != nil {
			return err
		}
		r.ByOrganization = r.ByOrganization || s.Organizational()
		if p.Issuer.Set || p.Audience.Set || p.Claims.Set || p.TokenMinutes.Value > r.TokenMinutes {
			r.EndWith(s.EndsAt)
		}
		if err := r.Apply(p); err != nil {
			return err
		}
		if err := tx.SaveWorkloadRule(&r); err != nil {
			return err
		}
		return emitRule(tx, s, "workload_rule.updated", &r)
	})
	return r, err
}

// DeleteWorkloadRule deletes a rule.
func (m *Room) DeleteWorkloadRule(ctx context.Context, s belay.Principal, id string) error {
	return m.db.Update(ctx, func(tx *store.Tx) error {
		r, err := m.rule(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if err := tx.DropWorkloadRule(&r); err != nil {
			return err
		}
		return emitRule(tx, s, "workload_rule.deleted", &r)
	})
}

// errWorkload is the answer to every token of a job that gets none of ours: what a team's
// rules are is nobody's business.
var errWorkload = &signin.GrantError{Code: "invalid_grant", Detail: "the token is not one that a rule of this team takes, or it came before"}

// ExchangeWorkload gives a job a token of a team for the token that its own provider gave
// it, once. The provider is asked only where a rule of the team names it.
func (m *Room) ExchangeWorkload(ctx context.Context, teamID, raw string) (value string, lasts time.Duration, err error) {
	if m.workloads == nil {
		return "", 0, errWorkload
	}
	issuer, err := m.workloads.Issuer(raw)
	if err != nil || signin.CheckIssuer(issuer) != nil || !utf8.ValidString(teamID) || strings.ContainsRune(teamID, 0) {
		return "", 0, errWorkload
	}
	var rules []signin.WorkloadRule
	if err := m.db.View(ctx, func(v *store.View) error { rules, err = v.WorkloadRulesOf(teamID, issuer); return err }); err != nil {
		return "", 0, err
	}
	if len(rules) == 0 {
		return "", 0, errWorkload
	}
	said, err := m.workloads.Check(ctx, issuer, raw)
	if err != nil {
		m.log.Info("token of a job refused", "team", teamID, "issuer", issuer, "error", err)
		return "", 0, errWorkload
	}
	for _, r := range rules {
		if r.Admits(&said) {
			return m.giveWorkload(ctx, r.ID, &said)
		}
	}
	m.log.Info("token of a job refused", "team", teamID, "issuer", issuer, "subject", said.Claims["sub"], "error", "no rule fits")
	return "", 0, errWorkload
}

// giveWorkload makes the token, if the rule still takes the job and the job's token is new.
func (m *Room) giveWorkload(ctx context.Context, ruleID string, said *signin.WorkloadToken) (value string, lasts time.Duration, err error) {
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		r, err := tx.Peek().WorkloadRule(ruleID)
		if err != nil {
			return errWorkload
		}
		team, err := tx.Team(r.TeamID)
		if err != nil {
			return errWorkload
		}
		if r, err = tx.WorkloadRule(ruleID); err != nil || !r.Admits(said) {
			return errWorkload
		}
		fresh, err := tx.SeeOnce(belay.HashToken("workload "+said.Issuer+" "+said.ID), said.Until)
		if err != nil {
			return err
		}
		if !fresh {
			return errWorkload
		}
		if lasts = r.Lasts(tx.Now); lasts == 0 {
			return errWorkload
		}
		t, made, err := AddToken(tx, belay.Principal{}, belay.Token{
			OwnerKind: belay.TeamPrincipal, OwnerID: team.ID, OrganizationID: team.OrganizationID, Purpose: belay.WorkloadPurpose,
			CreatedBy: r.CreatedBy, ByOrganization: r.ByOrganization,
		}, NewToken{Description: r.Name, ExpiredAt: patch.Of(tx.Now.Add(lasts))})
		if err != nil {
			return err
		}
		value = made
		return emitToken(tx, belay.Principal{Kind: belay.TeamPrincipal, ID: team.ID, Name: team.Name}, "token.created", &t)
	})
	return value, lasts, err
}
