package api

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

func (a *API) newTokenAnswer(t belay.Token, value string, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	return one(a.token(tokenDoc{t, value})), nil
}

func (a *API) tokenAnswer(t belay.Token, err error) (*jsonapi.Document, error) {
	return a.newTokenAnswer(t, "", err)
}

func (a *API) tokens(list []belay.Token) []*jsonapi.Resource {
	return each(list, func(t belay.Token) *jsonapi.Resource { return a.token(tokenDoc{Token: t}) })
}

func (a *API) createTeamToken(r *request) (*jsonapi.Document, error) {
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.CreateTeamToken(r.Context(), r.subject, r.param("team_id"), want)
	return a.newTokenAnswer(t, value, err)
}

func (a *API) listTeamTokens(r *request) (*jsonapi.Document, error) {
	list, total, err := a.App.TeamTokens(r.Context(), r.subject, r.param("team_id"), r.page())
	if err != nil {
		return nil, err
	}
	return r.list(a.tokens(list), total), nil
}

func (a *API) replaceTeamToken(r *request) (*jsonapi.Document, error) {
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.ReplaceTeamToken(r.Context(), r.subject, r.param("team_id"), want)
	return a.newTokenAnswer(t, value, err)
}

func (a *API) showTeamToken(r *request) (*jsonapi.Document, error) {
	t, err := a.App.TeamToken(r.Context(), r.subject, r.param("team_id"))
	return a.tokenAnswer(t, err)
}

func (a *API) deleteTeamToken(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteTeamToken(r.Context(), r.subject, r.param("team_id"))
}

func (a *API) listOrganizationTeamTokens(r *request) (*jsonapi.Document, error) {
	q := r.URL.Query()
	sort, descending := strings.CutPrefix(q.Get("sort"), "-")
	list, total, err := a.App.OrganizationTeamTokens(r.Context(), r.subject, r.param("organization_name"), belay.TokenQuery{
		Search: q.Get("q"), Statuses: commas(q["filter[status]"]...), Sort: sort, Descending: descending, Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return r.list(a.tokens(list), total), nil
}

func (a *API) deleteOrganizationTeamTokens(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("authentication-tokens")
	if err != nil {
		return nil, err
	}
	return nil, a.App.DeleteTeamTokens(r.Context(), r.subject, r.param("organization_name"), ids)
}

// purpose is which of an organization's tokens the query is about.
func (r *request) purpose() (string, error) {
	switch purpose := r.URL.Query().Get("token"); purpose {
	case "", "organization":
		return "", nil
	case belay.AuditTrails, "audit_trails":
		return belay.AuditTrails, nil
	default:
		return "", belay.Refuse(belay.BadRequest, "%s is no kind of organization token", purpose)
	}
}

func (a *API) replaceOrganizationToken(r *request) (*jsonapi.Document, error) {
	purpose, err := r.purpose()
	if err != nil {
		return nil, err
	}
	want, err := r.newToken()
	if err != nil {
		return nil, err
	}
	t, value, err := a.App.ReplaceOrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose, want)
	return a.newTokenAnswer(t, value, err)
}

func (a *API) showOrganizationToken(r *request) (*jsonapi.Document, error) {
	purpose, err := r.purpose()
	if err != nil {
		return nil, err
	}
	t, err := a.App.OrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose)
	return a.tokenAnswer(t, err)
}

func (a *API) deleteOrganizationToken(r *request) (*jsonapi.Document, error) {
	purpose, err := r.purpose()
	if err != nil {
		return nil, err
	}
	return nil, a.App.DeleteOrganizationToken(r.Context(), r.subject, r.param("organization_name"), purpose)
}
