package api

import (
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamDoc   = app.TeamView
	teamPatch = belay.TeamPatch
)

var teamAttributes = attributes[teamDoc, teamPatch]{
	{name: "name", read: func(t *teamDoc) any { return t.Name }, write: lenient(func(p *teamPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", read: func(t *teamDoc) any { return orNull(t.Description) }, write: nullable(func(p *teamPatch) *patch.Field[string] { return &p.Description })},
	{name: "sso-team-id", read: func(t *teamDoc) any { return orNull(t.SSOTeamID) }, write: nullable(func(p *teamPatch) *patch.Field[string] { return &p.SSOTeamID })},
	{name: "users-count", read: func(t *teamDoc) any { return t.UsersCount }},
	{name: "visibility", read: func(t *teamDoc) any { return t.Visibility }, write: lenient(func(p *teamPatch) *patch.Field[string] { return &p.Visibility })},
	{name: "allow-member-token-management", read: func(t *teamDoc) any { return t.AllowMemberTokenManagement }, write: lenient(func(p *teamPatch) *patch.Field[bool] { return &p.AllowMemberTokenManagement })},
	{name: "is-unified", read: func(*teamDoc) any { return false }},
	{name: "permissions", read: teamCan},
	{name: "organization-access", read: organizationAccess, write: lenient(func(p *teamPatch) *patch.Field[map[string]bool] { return &p.Access })},
}

func teamCan(t *teamDoc) any {
	manages := t.Access.MayManage(t.Team, belay.ManageTeams)
	return jsonapi.Object{
		{Name: "can-update-membership", Value: t.Access.MayManage(t.Team, belay.ManageMembership)},
		{Name: "can-destroy", Value: manages && !t.Owners()},
		{Name: "can-update-organization-access", Value: manages && t.Access.Everywhere.Has(belay.ManageOrganizationAccess)},
		{Name: "can-update-api-token", Value: t.Access.MayManageTokens(t.Team)},
		{Name: "can-update-visibility", Value: manages},
		{Name: "can-update-name", Value: manages && !t.Owners()},
		{Name: "can-update-sso-team-id", Value: manages},
		{Name: "can-update-member-token-management", Value: manages},
		{Name: "can-view-api-token", Value: t.Access.MayManageTokens(t.Team)},
	}
}

// organizationAccess is the switches of a team; the owners have all of them.
func organizationAccess(t *teamDoc) any {
	var object jsonapi.Object
	t.Team.Access.Each(func(name string, on bool) {
		object = append(object, jsonapi.Member{Name: name, Value: on || t.Owners()})
	})
	return object
}

func (a *API) team(t teamDoc) *jsonapi.Resource {
	self := "/api/v2/teams/" + t.ID
	users, memberships := []jsonapi.Ref{}, []jsonapi.Ref{}
	for _, m := range t.Members {
		if !m.Invited {
			users = append(users, jsonapi.Ref{Type: "users", ID: m.UserID})
		}
		memberships = append(memberships, jsonapi.Ref{Type: "organization-memberships", ID: m.MembershipID})
	}
	return &jsonapi.Resource{
		Type: "teams", ID: t.ID,
		Attributes: teamAttributes.object(&t, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: t.Organization.Name}, Related: organizationPath(t.Organization.Name)},
			{Name: "users", Data: users, Related: self + "/relationships/users"},
			{Name: "organization-memberships", Data: memberships},
			{Name: "authentication-token", Related: self + "/authentication-token"},
			{Name: "authentication-tokens", Related: self + "/authentication-tokens"},
		},
		Links: jsonapi.Object{{Name: "self", Value: self}},
	}
}

// teamsDocument is a document of teams with what its include parameter asks for.
func (a *API) teamsIncluded(r *request, list []teamDoc, names []string) ([]*jsonapi.Resource, error) {
	if len(names) == 0 {
		return nil, nil
	}
	included := []*jsonapi.Resource{}
	var users, memberships []string
	for _, t := range list {
		for _, m := range t.Members {
			if !m.Invited {
				users = append(users, m.UserID)
			}
			memberships = append(memberships, m.MembershipID)
		}
	}
	if slices.Contains(names, "users") {
		found, err := a.App.UsersSeen(r.Context(), once(users))
		if err != nil {
			return nil, err
		}
		included = append(included, each(found, a.publicUser)...)
	}
	if slices.Contains(names, "organization_memberships") {
		found, err := a.App.MembershipsSeen(r.Context(), once(memberships))
		if err != nil {
			return nil, err
		}
		included = append(included, each(found, a.membership)...)
	}
	return included, nil
}

// once is a list without its repetitions.
func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (a *API) teamAnswer(r *request, t teamDoc, err error) (*jsonapi.Document, error) {
	if err != nil {
		return nil, err
	}
	names, err := r.includes("users", "organization_memberships")
	if err != nil {
		return nil, err
	}
	document := one(a.team(t))
	document.Included, err = a.teamsIncluded(r, []teamDoc{t}, names)
	return document, err
}

func (r *request) teamPatch() (p teamPatch, err error) {
	if _, err := r.includes("users", "organization_memberships"); err != nil {
		return p, err
	}
	in, err := r.resource("teams")
	if err != nil {
		return p, err
	}
	return p, teamAttributes.decode(in, &p, r.api.App.Edition())
}

func (a *API) createTeam(r *request) (*jsonapi.Document, error) {
	p, err := r.teamPatch()
	if err != nil {
		return nil, err
	}
	t, err := a.App.CreateTeam(r.Context(), r.subject, r.param("organization_name"), p)
	return a.teamAnswer(r, t, err)
}

func (a *API) listTeams(r *request) (*jsonapi.Document, error) {
	names, err := r.includes("users", "organization_memberships")
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	list, total, err := a.App.Teams(r.Context(), r.subject, r.param("organization_name"), belay.TeamQuery{
		Search: q.Get("q"), Names: commas(q["filter[names]"]...), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	document := r.list(each(list, a.team), total)
	document.Included, err = a.teamsIncluded(r, list, names)
	return document, err
}

func (a *API) showTeam(r *request) (*jsonapi.Document, error) {
	t, err := a.App.Team(r.Context(), r.subject, r.param("team_id"))
	return a.teamAnswer(r, t, err)
}

func (a *API) updateTeam(r *request) (*jsonapi.Document, error) {
	p, err := r.teamPatch()
	if err != nil {
		return nil, err
	}
	t, err := a.App.UpdateTeam(r.Context(), r.subject, r.param("team_id"), p)
	return a.teamAnswer(r, t, err)
}

func (a *API) deleteTeam(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteTeam(r.Context(), r.subject, r.param("team_id"))
}

func (a *API) addTeamUsers(r *request) (*jsonapi.Document, error) {
	names, err := r.identifiers("users")
	if err != nil {
		return nil, err
	}
	return nil, a.App.AddTeamMembers(r.Context(), r.subject, r.param("team_id"), names)
}

func (a *API) removeTeamUsers(r *request) (*jsonapi.Document, error) {
	names, err := r.identifiers("users")
	if err != nil {
		return nil, err
	}
	return nil, a.App.RemoveTeamMembers(r.Context(), r.subject, r.param("team_id"), names)
}

func (a *API) listTeamMemberships(r *request) (*jsonapi.Document, error) {
	t, err := a.App.Team(r.Context(), r.subject, r.param("team_id"))
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(t.Members))
	for i, m := range t.Members {
		ids[i] = m.MembershipID
	}
	list, err := a.App.MembershipsSeen(r.Context(), ids)
	return &jsonapi.Document{Data: each(list, a.membership)}, err
}

func (a *API) addTeamMemberships(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("organization-memberships")
	if err != nil {
		return nil, err
	}
	return nil, a.App.AddTeamMemberships(r.Context(), r.subject, r.param("team_id"), ids)
}

func (a *API) removeTeamMemberships(r *request) (*jsonapi.Document, error) {
	ids, err := r.identifiers("organization-memberships")
	if err != nil {
		return nil, err
	}
	return nil, a.App.RemoveTeamMemberships(r.Context(), r.subject, r.param("team_id"), ids)
}
