package api

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// workloadPath is where a job exchanges the token of its own provider.
const workloadPath = v2 + "/workload-identity/token"

// The words of RFC 8693 that are read and written.
const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	jwtType       = "urn:ietf:params:oauth:token-type:jwt"
	idTokenType   = "urn:ietf:params:oauth:token-type:id_token" //nolint:gosec // a name, not a credential
	accessType    = "urn:ietf:params:oauth:token-type:access_token"
)

type workloadRulePatch = belay.WorkloadRulePatch

var workloadRuleAttributes = attributes[belay.WorkloadRule, workloadRulePatch]{
	{name: "name", show: value(func(r *belay.WorkloadRule) string { return r.Name }), write: field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Name })},
	{name: "issuer", show: value(func(r *belay.WorkloadRule) string { return r.Issuer }), write: field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Issuer })},
	{name: "audience", show: value(func(r *belay.WorkloadRule) string { return r.Audience }), write: field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Audience })},
	{name: "claims", show: value(func(r *belay.WorkloadRule) map[string]string { return r.Claims }), write: field(func(p *workloadRulePatch) *patch.Field[map[string]string] { return &p.Claims })},
	{name: "token-minutes", show: value(func(r *belay.WorkloadRule) int { return r.TokenMinutes }), write: field(func(p *workloadRulePatch) *patch.Field[int] { return &p.TokenMinutes })},
	{name: "expired-at", show: maybe(func(r *belay.WorkloadRule) time.Time { return r.EndsAt })},
	{name: "created-at", show: value(func(r *belay.WorkloadRule) time.Time { return r.CreatedAt })},
}

var workloadRules = &noun[belay.WorkloadRule, workloadRulePatch]{
	typ:        "workload-rules",
	id:         func(r *belay.WorkloadRule) string { return r.ID },
	path:       func(r *belay.WorkloadRule) string { return "/api/v2/workload-rules/" + r.ID },
	attributes: workloadRuleAttributes,
	relations:  []relation[belay.WorkloadRule, workloadRulePatch]{ofOrganization[belay.WorkloadRule, workloadRulePatch](func(r *belay.WorkloadRule) string { return r.Organization.Name })},
}

func (a *API) listWorkloadRules(r *request) ([]belay.WorkloadRule, int, error) {
	return a.App.WorkloadRules(r.Context(), r.subject, r.param("team_id"), r.page())
}

func (a *API) createWorkloadRule(r *request, p workloadRulePatch) (belay.WorkloadRule, error) {
	return a.App.CreateWorkloadRule(r.Context(), r.subject, r.param("team_id"), p)
}

func (a *API) showWorkloadRule(r *request) (belay.WorkloadRule, error) {
	return a.App.WorkloadRule(r.Context(), r.subject, r.param("rule_id"))
}

func (a *API) updateWorkloadRule(r *request, p workloadRulePatch) (belay.WorkloadRule, error) {
	return a.App.UpdateWorkloadRule(r.Context(), r.subject, r.param("rule_id"), p)
}

func (a *API) deleteWorkloadRule(r *request) error {
	return a.App.DeleteWorkloadRule(r.Context(), r.subject, r.param("rule_id"))
}

// exchangeWorkload gives a job a token of a team for its own, in the words of RFC 8693.
func (a *API) exchangeWorkload(r *request) error {
	r.w.Header().Set("Cache-Control", "no-store")
	form, err := r.form()
	if err != nil {
		return r.refuseGrant(err)
	}
	kind := form.Get("subject_token_type")
	switch {
	case form.Get("grant_type") != exchangeGrant:
		return r.refuseGrant(&belay.GrantError{Code: "unsupported_grant_type", Detail: "grant_type must be " + exchangeGrant})
	case kind != jwtType && kind != idTokenType:
		return r.refuseGrant(&belay.GrantError{Code: "invalid_request", Detail: "subject_token_type must be " + jwtType + " or " + idTokenType})
	case form.Get("subject_token") == "" || form.Get("team") == "":
		return r.refuseGrant(&belay.GrantError{Code: "invalid_request", Detail: "subject_token and team must be given"})
	}
	token, lasts, err := a.App.ExchangeWorkload(r.Context(), form.Get("team"), form.Get("subject_token"))
	if err != nil {
		return r.refuseGrant(err)
	}
	return r.json(http.StatusOK, map[string]any{
		"access_token": token, "issued_token_type": accessType, "token_type": "Bearer", "expires_in": int(lasts.Seconds()),
	})
}
