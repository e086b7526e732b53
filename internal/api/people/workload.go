package people

import (
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/signin"
)

// workloadPath is where a job exchanges the token of its own provider.
const workloadPath = paths.V2 + "/workload-identity/token"

// The words of RFC 8693 that are read and written.
const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	jwtType       = "urn:ietf:params:oauth:token-type:jwt"
	idTokenType   = "urn:ietf:params:oauth:token-type:id_token"
	accessType    = "urn:ietf:params:oauth:token-type:access_token"
)

type workloadRulePatch = signin.WorkloadRulePatch

// WorkloadRuleAttributes is every attribute of a rule for the tokens of jobs.
var WorkloadRuleAttributes = doc.Attributes[signin.WorkloadRule, workloadRulePatch]{
	{Name: "name", Show: doc.Value(func(r *signin.WorkloadRule) string { return r.Name }), Write: doc.Field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Name })},
	{Name: "issuer", Show: doc.Value(func(r *signin.WorkloadRule) string { return r.Issuer }), Write: doc.Field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Issuer })},
	{Name: "audience", Show: doc.Value(func(r *signin.WorkloadRule) string { return r.Audience }), Write: doc.Field(func(p *workloadRulePatch) *patch.Field[string] { return &p.Audience })},
	{Name: "claims", Show: doc.Value(func(r *signin.WorkloadRule) map[string]string { return r.Claims }), Write: doc.Field(func(p *workloadRulePatch) *patch.Field[map[string]string] { return &p.Claims })},
	{Name: "token-minutes", Show: doc.Value(func(r *signin.WorkloadRule) int { return r.TokenMinutes }), Write: doc.Field(func(p *workloadRulePatch) *patch.Field[int] { return &p.TokenMinutes })},
	{Name: "expired-at", Show: doc.Maybe(func(r *signin.WorkloadRule) time.Time { return r.EndsAt })},
	{Name: "created-at", Show: doc.Value(func(r *signin.WorkloadRule) time.Time { return r.CreatedAt })},
}

var workloadRules = &doc.Noun[signin.WorkloadRule, workloadRulePatch]{
	Type:       "workload-rules",
	ID:         func(r *signin.WorkloadRule) string { return r.ID },
	Path:       func(r *signin.WorkloadRule) string { return "/api/v2/workload-rules/" + r.ID },
	Attributes: WorkloadRuleAttributes,
	Relations:  []doc.Relation[signin.WorkloadRule, workloadRulePatch]{paths.OfOrganization[signin.WorkloadRule, workloadRulePatch](func(r *signin.WorkloadRule) string { return r.Organization.Name })},
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: workloadPath, Status: http.StatusOK, Raw: a.exchangeWorkload, Open: true, JSON: openapi.Of[grantedWorkload], Grants: true, Does: "Exchange the token of a job for one of a team (open: the token is signed)"},
		{Method: http.MethodGet, Path: paths.Team + "/workload-rules", Status: http.StatusOK, Do: door.Listing(workloadRules, a.listWorkloadRules), Needs: belay.ManageTeams, Does: "List whose jobs get tokens of a team"},
		{Method: http.MethodPost, Path: paths.Team + "/workload-rules", Status: http.StatusCreated, Do: door.Writing(workloadRules, a.createWorkloadRule), Needs: belay.ManageTeams, Does: "Let jobs have tokens of a team"},
		{Method: http.MethodGet, Path: paths.WorkloadRule, Status: http.StatusOK, Do: door.Showing(workloadRules, a.showWorkloadRule), Needs: belay.ManageTeams, Does: "See whose jobs get tokens of a team"},
		{Method: http.MethodPatch, Path: paths.WorkloadRule, Status: http.StatusOK, Do: door.Writing(workloadRules, a.updateWorkloadRule), Needs: belay.ManageTeams, Does: "Change whose jobs get tokens of a team"},
		{Method: http.MethodDelete, Path: paths.WorkloadRule, Status: http.StatusNoContent, Do: door.Doing(a.deleteWorkloadRule), Needs: belay.ManageTeams, Does: "Let jobs have no tokens of a team any more"},
	}
})

func (a *Verbs) listWorkloadRules(r *door.Request) ([]signin.WorkloadRule, int, error) {
	return a.App.WorkloadRules(r.Context(), r.Principal, r.Param("team_id"), r.Page())
}

func (a *Verbs) createWorkloadRule(r *door.Request, p workloadRulePatch) (signin.WorkloadRule, error) {
	return a.App.CreateWorkloadRule(r.Context(), r.Principal, r.Param("team_id"), p)
}

func (a *Verbs) showWorkloadRule(r *door.Request) (signin.WorkloadRule, error) {
	return a.App.WorkloadRule(r.Context(), r.Principal, r.Param("rule_id"))
}

func (a *Verbs) updateWorkloadRule(r *door.Request, p workloadRulePatch) (signin.WorkloadRule, error) {
	return a.App.UpdateWorkloadRule(r.Context(), r.Principal, r.Param("rule_id"), p)
}

func (a *Verbs) deleteWorkloadRule(r *door.Request) error {
	return a.App.DeleteWorkloadRule(r.Context(), r.Principal, r.Param("rule_id"))
}

// grantedWorkload is a token of a team that the token of a job was exchanged for, as RFC 8693 has it.
type grantedWorkload struct {
	Token   string `json:"access_token"`
	Issued  string `json:"issued_token_type"`
	Type    string `json:"token_type"`
	Seconds int    `json:"expires_in"`
}

// exchangeWorkload gives a job a token of a team for its own, in the words of RFC 8693.
func (a *Verbs) exchangeWorkload(r *door.Request) error {
	r.Writer.Header().Set("Cache-Control", "no-store")
	form, err := form(r)
	if err != nil {
		return refuseGrant(r, err)
	}
	kind := form.Get("subject_token_type")
	switch {
	case form.Get("grant_type") != exchangeGrant:
		return refuseGrant(r, &signin.GrantError{Code: "unsupported_grant_type", Detail: "grant_type must be " + exchangeGrant})
	case kind != jwtType && kind != idTokenType:
		return refuseGrant(r, &signin.GrantError{Code: "invalid_request", Detail: "subject_token_type must be " + jwtType + " or " + idTokenType})
	case form.Get("subject_token") == "" || form.Get("team") == "":
		return refuseGrant(r, &signin.GrantError{Code: "invalid_request", Detail: "subject_token and team must be given"})
	}
	token, lasts, err := a.App.ExchangeWorkload(r.Context(), form.Get("team"), form.Get("subject_token"))
	if err != nil {
		return refuseGrant(r, err)
	}
	return r.SendJSON(http.StatusOK, grantedWorkload{Token: token, Issued: accessType, Type: "Bearer", Seconds: int(lasts.Seconds())})
}
