package api

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

func (a *API) createTeamToken(r *request, want app.NewToken) (tokenDoc, error) {
	return made(a.App.CreateTeamToken(r.Context(), r.subject, r.param("team_id"), want))
}

func (a *API) listTeamTokens(r *request) ([]tokenDoc, int, error) {
	return keptAll(a.App.TeamTokens(r.Context(), r.subject, r.param("team_id"), r.page()))
}

func (a *API) replaceTeamToken(r *request, want app.NewToken) (tokenDoc, error) {
	return made(a.App.ReplaceTeamToken(r.Context(), r.subject, r.param("team_id"), want))
}

func (a *API) showTeamToken(r *request) (tokenDoc, error) {
	return kept(a.App.TeamToken(r.Context(), r.subject, r.param("team_id")))
}

func (a *API) deleteTeamToken(r *request) error {
	return a.App.DeleteTeamToken(r.Context(), r.subject, r.param("team_id"))
}

func (a *API) listOrganizationTeamTokens(r *request) ([]tokenDoc, int, error) {
	q := r.query()
	sort, descending := strings.CutPrefix(q.Get("sort"), "-")
	return keptAll(a.App.OrganizationTeamTokens(r.Context(), r.subject, r.param("organization_name"), belay.TokenQuery{
		Search: q.Get("q"), Statuses: commas(q["filter[status]"]...), Sort: sort, Descending: descending, Page: r.page(),
	}))
}

func (a *API) deleteOrganizationTeamTokens(r *request, ids []string) error {
	return a.App.DeleteTeamTokens(r.Context(), r.subject, r.param("organization_name"), ids)
}

// purpose is which of an organization's tokens the query is about.
func (r *request) purpose() (string, error) {
	switch purpose := r.query().Get("token"); purpose {
	case "", "organization":
		return "", nil
	case belay.AuditTrails, "audit_trails":
		return belay.AuditTrails, nil
	default:
		return "", belay.Refuse(belay.BadRequest, "%s is no kind of organization token", purpose)
	}
}

func (a *API) replaceOrganizationToken(r *request, want app.NewToken) (tokenDoc, error) {
	purpose, err := r.purpose()
	if err != nil {
		return tokenDoc{}, err
	}
	return made(a.App.ReplaceOrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose, want))
}

func (a *API) showOrganizationToken(r *request) (tokenDoc, error) {
	purpose, err := r.purpose()
	if err != nil {
		return tokenDoc{}, err
	}
	return kept(a.App.OrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose))
}

func (a *API) deleteOrganizationToken(r *request) error {
	purpose, err := r.purpose()
	if err != nil {
		return err
	}
	return a.App.DeleteOrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose)
}
