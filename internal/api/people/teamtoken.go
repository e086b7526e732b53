package people

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/identity"
)

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Team + "/authentication-token", Status: http.StatusOK, Do: door.Showing(Tokens, a.showTeamToken), Needs: belay.ManageTeams, Does: "See when a team's token was made and used"},
		{Method: http.MethodPost, Path: paths.Team + "/authentication-token", Status: http.StatusCreated, Do: Issuing(a.replaceTeamToken), Needs: belay.ManageTeams, Does: "Make a team's token anew"},
		{Method: http.MethodDelete, Path: paths.Team + "/authentication-token", Status: http.StatusNoContent, Do: door.Doing(a.deleteTeamToken), Needs: belay.ManageTeams, Does: "Revoke a team's token"},
		{Method: http.MethodGet, Path: paths.Team + "/authentication-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listTeamTokens), Needs: belay.ManageTeams, Does: "List the tokens of a team"},
		{Method: http.MethodPost, Path: paths.Team + "/authentication-tokens", Status: http.StatusCreated, Do: Issuing(a.createTeamToken), Needs: belay.ManageTeams, Does: "Make one more token of a team"},
		{Method: http.MethodGet, Path: paths.Organization + "/team-tokens", Status: http.StatusOK, Do: door.Listing(Tokens, a.listOrganizationTeamTokens), Query: []string{"q", "sort"}, Filters: door.StatusFilters, Needs: belay.Traverse, Does: "List the tokens of the teams whose tokens one may manage"},
		{Method: http.MethodDelete, Path: paths.Organization + "/team-tokens", Status: http.StatusNoContent, Do: door.Naming("authentication-tokens", a.deleteOrganizationTeamTokens), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.GiveRights, Does: "Revoke tokens of any teams"},
		{Method: http.MethodGet, Path: paths.Organization + "/authentication-token", Status: http.StatusOK, Do: door.Showing(Tokens, a.showOrganizationToken), Query: []string{"token"}, Needs: belay.ManageOrganizationTokens, Does: "See when its token was made and used"},
		{Method: http.MethodPost, Path: paths.Organization + "/authentication-token", Status: http.StatusCreated, Do: Issuing(a.replaceOrganizationToken), Query: []string{"token"}, Needs: belay.ManageOrganizationTokens, Does: "Make its token anew"},
		{Method: http.MethodDelete, Path: paths.Organization + "/authentication-token", Status: http.StatusNoContent, Do: door.Doing(a.deleteOrganizationToken), Query: []string{"token"}, Needs: belay.ManageOrganizationTokens, Does: "Revoke its token"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/issue-run-token", Status: http.StatusCreated, Do: Issuing(a.issueRunToken), Needs: belay.QueueRuns, Does: "Make a token for a run of the workspace"},
	}
})

func (a *Verbs) createTeamToken(r *door.Request, want identity.NewToken) (TokenDoc, error) {
	return Made(a.App.CreateTeamToken(r.Context(), r.Principal, r.Param("team_id"), want))
}

func (a *Verbs) listTeamTokens(r *door.Request) ([]TokenDoc, int, error) {
	return KeptAll(a.App.TeamTokens(r.Context(), r.Principal, r.Param("team_id"), r.Page()))
}

func (a *Verbs) replaceTeamToken(r *door.Request, want identity.NewToken) (TokenDoc, error) {
	return Made(a.App.ReplaceTeamToken(r.Context(), r.Principal, r.Param("team_id"), want))
}

func (a *Verbs) showTeamToken(r *door.Request) (TokenDoc, error) {
	return kept(a.App.TeamToken(r.Context(), r.Principal, r.Param("team_id")))
}

func (a *Verbs) deleteTeamToken(r *door.Request) error {
	return a.App.DeleteTeamToken(r.Context(), r.Principal, r.Param("team_id"))
}

func (a *Verbs) listOrganizationTeamTokens(r *door.Request) ([]TokenDoc, int, error) {
	q := r.Query()
	sort, descending := strings.CutPrefix(q.Get("sort"), "-")
	return KeptAll(a.App.OrganizationTeamTokens(r.Context(), r.Principal, r.Param("organization_name"), belay.TokenQuery{
		Search: q.Get("q"), Statuses: door.Commas(q["filter[status]"]...), Sort: sort, Descending: descending, Page: r.Page(),
	}))
}

func (a *Verbs) deleteOrganizationTeamTokens(r *door.Request, ids []string) error {
	return a.App.DeleteTeamTokens(r.Context(), r.Principal, r.Param("organization_name"), ids)
}

// purpose is which of an organization's tokens the query is about.
func purpose(r *door.Request) (string, error) {
	switch purpose := r.Query().Get("token"); purpose {
	case "", "organization":
		return "", nil
	case belay.AuditTrails, "audit_trails":
		return belay.AuditTrails, nil
	default:
		return "", belay.Refuse(belay.BadRequest, "%s is no kind of organization token", purpose)
	}
}

func (a *Verbs) replaceOrganizationToken(r *door.Request, want identity.NewToken) (TokenDoc, error) {
	purpose, err := purpose(r)
	if err != nil {
		return TokenDoc{}, err
	}
	return Made(a.App.ReplaceOrganizationToken(r.Context(), r.Principal, r.Param("organization_name"), purpose, want))
}

func (a *Verbs) showOrganizationToken(r *door.Request) (TokenDoc, error) {
	purpose, err := purpose(r)
	if err != nil {
		return TokenDoc{}, err
	}
	return kept(a.App.OrganizationToken(r.Context(), r.Principal, r.Param("organization_name"), purpose))
}

func (a *Verbs) deleteOrganizationToken(r *door.Request) error {
	purpose, err := purpose(r)
	if err != nil {
		return err
	}
	return a.App.DeleteOrganizationToken(r.Context(), r.Principal, r.Param("organization_name"), purpose)
}

func (a *Verbs) issueRunToken(r *door.Request, want identity.NewToken) (TokenDoc, error) {
	return Made(a.App.IssueRunToken(r.Context(), r.Principal, paths.WorkspaceRef(r), want))
}
