package api

import (
	"encoding/json"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamDoc   = app.TeamView
	teamPatch = belay.TeamPatch
)

var teamAttributes = attributes[teamDoc, teamPatch]{
	{name: "name", show: value(func(t *teamDoc) string { return t.Name }), write: lenient(func(p *teamPatch) *patch.Field[string] { return &p.Name })},
	{name: "description", show: maybe(func(t *teamDoc) string { return t.Description }), write: nullable(func(p *teamPatch) *patch.Field[string] { return &p.Description })},
	{name: "sso-team-id", most: belay.MaxLabel, show: maybe(func(t *teamDoc) string { return t.SSOTeamID }), write: nullable(func(p *teamPatch) *patch.Field[string] { return &p.SSOTeamID })},
	{name: "users-count", show: value(func(t *teamDoc) int { return t.UsersCount })},
	{name: "non-service-users-count", show: value(func(t *teamDoc) int { return t.PeopleCount })},
	{name: "visibility", allowed: []string{"secret", "organization"}, show: value(func(t *teamDoc) string { return t.Visibility }), write: lenient(func(p *teamPatch) *patch.Field[string] { return &p.Visibility })},
	{name: "allow-member-token-management", show: value(func(t *teamDoc) bool { return t.AllowMemberTokenManagement }), write: lenient(func(p *teamPatch) *patch.Field[bool] { return &p.AllowMemberTokenManagement })},
	{name: "is-unified", show: fixed[teamDoc](false)},
	{name: "permissions", show: parts(teamCan)},
	{name: "organization-access", show: reader[teamDoc]{organizationAccess, organizationSwitches()}, write: flatMembers(switchesGiven)},
}

var teamCan = attributes[teamDoc, teamPatch]{
	{name: "can-update-membership", show: value(func(t *teamDoc) bool { return t.Access.MayManage(t.Team, belay.ManageMembership) })},
	{name: "can-destroy", show: value(func(t *teamDoc) bool { return manages(t) && !t.Owners() })},
	{name: "can-update-organization-access", show: value(func(t *teamDoc) bool { return manages(t) && t.Access.Everywhere.Has(belay.ManageOrganizationAccess) })},
	{name: "can-update-api-token", show: value(func(t *teamDoc) bool { return t.Access.MayManageTokens(t.Team) })},
	{name: "can-update-visibility", show: value(manages)},
	{name: "can-update-name", show: value(func(t *teamDoc) bool { return manages(t) && !t.Owners() })},
	{name: "can-update-sso-team-id", show: value(manages)},
	{name: "can-update-member-token-management", show: value(manages)},
	{name: "can-view-api-token", show: value(func(t *teamDoc) bool { return t.Access.MayManageTokens(t.Team) })},
}

func manages(t *teamDoc) bool { return t.Access.MayManage(t.Team, belay.ManageTeams) }

func organizationSwitches() *openapi.Schema {
	is := openapi.Object()
	belay.OrganizationAccess{}.Each(func(name string, _ bool) { is.Add(name, openapi.Of[bool](), true) })
	return is
}

// switchesGiven is what organization-access holds in a body; null leaves a switch as it is.
var switchesGiven = func() (rows attributes[teamPatch, teamPatch]) {
	belay.OrganizationAccess{}.Each(func(name string, _ bool) {
		take := func(p *teamPatch, raw json.RawMessage) error {
			var on *bool
			if err := json.Unmarshal(raw, &on); err != nil || on == nil {
				return err
			}
			if !p.Access.Set {
				p.Access = patch.Of(map[string]bool{})
			}
			p.Access.Value[name] = *on
			return nil
		}
		rows = append(rows, attribute[teamPatch, teamPatch]{name: name, write: writer[teamPatch]{take, openapi.Of[bool]().OrNull()}})
	})
	return rows
}()

// organizationAccess is the switches of a team; the owners have all of them.
func organizationAccess(t *teamDoc) any {
	var object jsonapi.Object
	t.Team.Access.Each(func(name string, on bool) {
		object = append(object, jsonapi.Member{Name: name, Value: on || t.Owners()})
	})
	return object
}

var teams = &noun[teamDoc, teamPatch]{
	typ:        "teams",
	id:         func(t *teamDoc) string { return t.ID },
	path:       func(t *teamDoc) string { return "/api/v2/teams/" + t.ID },
	attributes: teamAttributes,
	relations: []relation[teamDoc, teamPatch]{
		ofOrganization[teamDoc, teamPatch](func(t *teamDoc) string { return t.Organization.Name }),
		toMany[teamDoc, teamPatch]("users", "users", "/relationships/users", teamUsers),
		toMany[teamDoc, teamPatch]("organization-memberships", "organization-memberships", "", teamMemberships),
		below[teamDoc, teamPatch]("authentication-token", "/authentication-token"),
		below[teamDoc, teamPatch]("authentication-tokens", "/authentication-tokens"),
	},
}

// teamUsers is those who have accepted; who was only invited has no user yet.
func teamUsers(t *teamDoc) (ids []string) {
	for _, m := range t.Members {
		if !m.Invited {
			ids = append(ids, m.UserID)
		}
	}
	return ids
}

func teamMemberships(t *teamDoc) []string {
	ids := make([]string, len(t.Members))
	for i, m := range t.Members {
		ids[i] = m.MembershipID
	}
	return ids
}

// withTeams is what documents of teams may include.
func (a *API) withTeams() *inclusion[teamDoc] {
	return &inclusion[teamDoc]{names: []string{"users", "organization_memberships"}, add: a.includeWithTeams}
}

func (a *API) includeWithTeams(r *request, document *jsonapi.Document, list []teamDoc, names []string) error {
	var people, joined []string
	for i := range list {
		people, joined = append(people, teamUsers(&list[i])...), append(joined, teamMemberships(&list[i])...)
	}
	if slices.Contains(names, "users") {
		found, err := a.App.UsersSeen(r.Context(), r.subject, once(people))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, each(found, publicUsers.in(r))...)
	}
	if slices.Contains(names, "organization_memberships") {
		found, err := a.App.MembershipsSeen(r.Context(), r.subject, once(joined))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, each(found, memberships.in(r))...)
	}
	return nil
}

// once is a list without its repetitions.
func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (a *API) createTeam(r *request, p teamPatch) (teamDoc, error) {
	return a.App.CreateTeam(r.Context(), r.subject, r.param("organization_name"), p)
}

func (a *API) listTeams(r *request) ([]teamDoc, int, error) {
	q := r.query()
	return a.App.Teams(r.Context(), r.subject, r.param("organization_name"), belay.TeamQuery{
		Search: q.Get("q"), Names: commas(q["filter[names]"]...), Page: r.page(),
	})
}

func (a *API) showTeam(r *request) (teamDoc, error) {
	return a.App.Team(r.Context(), r.subject, r.param("team_id"))
}

func (a *API) updateTeam(r *request, p teamPatch) (teamDoc, error) {
	return a.App.UpdateTeam(r.Context(), r.subject, r.param("team_id"), p)
}

func (a *API) deleteTeam(r *request) error {
	return a.App.DeleteTeam(r.Context(), r.subject, r.param("team_id"))
}

// listTeamUsers is those in the team who have come in.
func (a *API) listTeamUsers(r *request) ([]belay.User, error) {
	t, err := a.App.Team(r.Context(), r.subject, r.param("team_id"))
	if err != nil {
		return nil, err
	}
	return a.App.UsersSeen(r.Context(), r.subject, once(teamUsers(&t)))
}

func (a *API) addTeamUsers(r *request, ids []string) error {
	return a.App.AddTeamMembers(r.Context(), r.subject, r.param("team_id"), ids)
}

func (a *API) removeTeamUsers(r *request, ids []string) error {
	return a.App.RemoveTeamMembers(r.Context(), r.subject, r.param("team_id"), ids)
}

func (a *API) listTeamMemberships(r *request) ([]membershipDoc, error) {
	t, err := a.App.Team(r.Context(), r.subject, r.param("team_id"))
	if err != nil {
		return nil, err
	}
	return a.App.MembershipsSeen(r.Context(), r.subject, teamMemberships(&t))
}

func (a *API) addTeamMemberships(r *request, ids []string) error {
	return a.App.AddTeamMemberships(r.Context(), r.subject, r.param("team_id"), ids)
}

func (a *API) removeTeamMemberships(r *request, ids []string) error {
	return a.App.RemoveTeamMemberships(r.Context(), r.subject, r.param("team_id"), ids)
}
