package people

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	teamDoc   = app.TeamView
	teamPatch = belay.TeamPatch
)

// TeamAttributes is every attribute of a team.
var TeamAttributes = doc.Attributes[teamDoc, teamPatch]{
	{Name: "name", Show: doc.Value(func(t *teamDoc) string { return t.Name }), Write: doc.Lenient(func(p *teamPatch) *patch.Field[string] { return &p.Name })},
	{Name: "description", Show: doc.Maybe(func(t *teamDoc) string { return t.Description }), Write: doc.Nullable(func(p *teamPatch) *patch.Field[string] { return &p.Description })},
	{Name: "sso-team-id", Most: belay.MaxLabel, Show: doc.Maybe(func(t *teamDoc) string { return t.SSOTeamID }), Write: doc.Nullable(func(p *teamPatch) *patch.Field[string] { return &p.SSOTeamID })},
	{Name: "users-count", Show: doc.Value(func(t *teamDoc) int { return t.UsersCount })},
	{Name: "non-service-users-count", Show: doc.Value(func(t *teamDoc) int { return t.PeopleCount })},
	{Name: "visibility", Allowed: []string{"secret", "organization"}, Show: doc.Value(func(t *teamDoc) string { return t.Visibility }), Write: doc.Lenient(func(p *teamPatch) *patch.Field[string] { return &p.Visibility })},
	{Name: "allow-member-token-management", Show: doc.Value(func(t *teamDoc) bool { return t.AllowMemberTokenManagement }), Write: doc.Lenient(func(p *teamPatch) *patch.Field[bool] { return &p.AllowMemberTokenManagement })},
	{Name: "is-unified", Show: doc.Fixed[teamDoc](false)},
	{Name: "permissions", Show: doc.Parts(teamCan)},
	{Name: "organization-access", Show: doc.Reader[teamDoc]{Get: organizationAccess, Is: organizationSwitches()}, Write: doc.FlatMembers(switchesGiven)},
}

var teamCan = doc.Attributes[teamDoc, teamPatch]{
	{Name: "can-update-membership", Show: doc.Value(func(t *teamDoc) bool { return t.Access.MayManage(t.Team, belay.ManageMembership) })},
	{Name: "can-destroy", Show: doc.Value(func(t *teamDoc) bool { return manages(t) && !t.Owners() })},
	{Name: "can-update-organization-access", Show: doc.Value(func(t *teamDoc) bool { return manages(t) && t.Access.Everywhere.Has(belay.ManageOrganizationAccess) })},
	{Name: "can-update-api-token", Show: doc.Value(func(t *teamDoc) bool { return t.Access.MayManageTokens(t.Team) })},
	{Name: "can-update-visibility", Show: doc.Value(manages)},
	{Name: "can-update-name", Show: doc.Value(func(t *teamDoc) bool { return manages(t) && !t.Owners() })},
	{Name: "can-update-sso-team-id", Show: doc.Value(manages)},
	{Name: "can-update-member-token-management", Show: doc.Value(manages)},
	{Name: "can-view-api-token", Show: doc.Value(func(t *teamDoc) bool { return t.Access.MayManageTokens(t.Team) })},
}

func manages(t *teamDoc) bool { return t.Access.MayManage(t.Team, belay.ManageTeams) }

func organizationSwitches() *openapi.Schema {
	is := openapi.Object()
	belay.OrganizationAccess{}.Each(func(name string, _ bool) { is.Add(name, openapi.Of[bool](), true) })
	return is
}

// switchesGiven is what organization-access holds in a body; null leaves a switch as it is.
var switchesGiven = func() (rows doc.Attributes[teamPatch, teamPatch]) {
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
		rows = append(rows, doc.Attribute[teamPatch, teamPatch]{Name: name, Write: doc.Writer[teamPatch]{Take: take, Is: openapi.Of[bool]().OrNull()}})
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

// Teams is the teams of organizations.
var Teams = &doc.Noun[teamDoc, teamPatch]{
	Type:       "teams",
	ID:         func(t *teamDoc) string { return t.ID },
	Path:       func(t *teamDoc) string { return "/api/v2/teams/" + t.ID },
	Attributes: TeamAttributes,
	Relations: []doc.Relation[teamDoc, teamPatch]{
		paths.OfOrganization[teamDoc, teamPatch](func(t *teamDoc) string { return t.Organization.Name }),
		doc.ToMany[teamDoc, teamPatch]("users", "users", "/relationships/users", teamUsers),
		doc.ToMany[teamDoc, teamPatch]("organization-memberships", "organization-memberships", "", teamMemberships),
		doc.Below[teamDoc, teamPatch]("authentication-token", "/authentication-token"),
		doc.Below[teamDoc, teamPatch]("authentication-tokens", "/authentication-tokens"),
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

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/teams", Status: http.StatusOK, Do: door.Listing(Teams, a.listTeams, a.withTeams()), Query: []string{"q"}, Filters: nameFilters, Needs: belay.Traverse, Does: "List the teams that one sees"},
		{Method: http.MethodPost, Path: paths.Organization + "/teams", Status: http.StatusOK, Do: door.Writing(Teams, a.createTeam, a.withTeams()), Creates: true, Needs: belay.ManageTeams, Does: "Make a team"},
		{Method: http.MethodGet, Path: paths.Team, Status: http.StatusOK, Do: door.Showing(Teams, a.showTeam, a.withTeams()), Needs: belay.Traverse, Does: "See a visible team of others"},
		{Method: http.MethodPatch, Path: paths.Team, Status: http.StatusOK, Do: door.Writing(Teams, a.updateTeam, a.withTeams()), Needs: belay.ManageTeams, Does: "Change a team"},
		{Method: http.MethodDelete, Path: paths.Team, Status: http.StatusNoContent, Do: door.Doing(a.deleteTeam), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageTeams, Does: "Delete a team"},
		{Method: http.MethodGet, Path: paths.Team + "/relationships/users", Status: http.StatusOK, Do: door.ListingAll(PublicUsers, a.listTeamUsers), Needs: belay.Traverse, Does: "List the users in a visible team"},
		{Method: http.MethodPost, Path: paths.Team + "/relationships/users", Status: http.StatusNoContent, Do: door.Naming("users", a.addTeamUsers), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageMembership, Does: "Put users into a team"},
		{Method: http.MethodDelete, Path: paths.Team + "/relationships/users", Status: http.StatusNoContent, Do: door.Naming("users", a.removeTeamUsers), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageMembership, Does: "Take users out of a team"},
		{Method: http.MethodGet, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusOK, Do: door.ListingAll(Memberships, a.listTeamMemberships), Needs: belay.Traverse, Does: "List who is in a visible team"},
		{Method: http.MethodPost, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusNoContent, Do: door.Naming("organization-memberships", a.addTeamMemberships), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageMembership, Does: "Put members into a team"},
		{Method: http.MethodDelete, Path: paths.Team + "/relationships/organization-memberships", Status: http.StatusNoContent, Do: door.Naming("organization-memberships", a.removeTeamMemberships), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageMembership, Does: "Take members out of a team"},
	}
})

// withTeams is what documents of teams may include.
func (a *Verbs) withTeams() *door.Inclusion[teamDoc] {
	return &door.Inclusion[teamDoc]{Names: []string{"users", "organization_memberships"}, Add: a.includeWithTeams}
}

func (a *Verbs) includeWithTeams(r *door.Request, document *jsonapi.Document, list []teamDoc, names []string) error {
	var people, joined []string
	for i := range list {
		people, joined = append(people, teamUsers(&list[i])...), append(joined, teamMemberships(&list[i])...)
	}
	if slices.Contains(names, "users") {
		found, err := a.App.UsersSeen(r.Context(), r.Principal, once(people))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, door.Each(found, PublicUsers.In(r.Edition))...)
	}
	if slices.Contains(names, "organization_memberships") {
		found, err := a.App.MembershipsSeen(r.Context(), r.Principal, once(joined))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, door.Each(found, Memberships.In(r.Edition))...)
	}
	return nil
}

// once is a list without its repetitions.
func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (a *Verbs) createTeam(r *door.Request, p teamPatch) (teamDoc, error) {
	return a.App.CreateTeam(r.Context(), r.Principal, r.Param("organization_name"), p)
}

func (a *Verbs) listTeams(r *door.Request) ([]teamDoc, int, error) {
	q := r.Query()
	return a.App.Teams(r.Context(), r.Principal, r.Param("organization_name"), belay.TeamQuery{
		Search: q.Get("q"), Names: door.Commas(q["filter[names]"]...), Page: r.Page(),
	})
}

func (a *Verbs) showTeam(r *door.Request) (teamDoc, error) {
	return a.App.Team(r.Context(), r.Principal, r.Param("team_id"))
}

func (a *Verbs) updateTeam(r *door.Request, p teamPatch) (teamDoc, error) {
	return a.App.UpdateTeam(r.Context(), r.Principal, r.Param("team_id"), p)
}

func (a *Verbs) deleteTeam(r *door.Request) error {
	return a.App.DeleteTeam(r.Context(), r.Principal, r.Param("team_id"))
}

// listTeamUsers is those in the team who have come in.
func (a *Verbs) listTeamUsers(r *door.Request) ([]belay.User, error) {
	t, err := a.App.Team(r.Context(), r.Principal, r.Param("team_id"))
	if err != nil {
		return nil, err
	}
	return a.App.UsersSeen(r.Context(), r.Principal, once(teamUsers(&t)))
}

func (a *Verbs) addTeamUsers(r *door.Request, ids []string) error {
	return a.App.AddTeamMembers(r.Context(), r.Principal, r.Param("team_id"), ids)
}

func (a *Verbs) removeTeamUsers(r *door.Request, ids []string) error {
	return a.App.RemoveTeamMembers(r.Context(), r.Principal, r.Param("team_id"), ids)
}

func (a *Verbs) listTeamMemberships(r *door.Request) ([]membershipDoc, error) {
	t, err := a.App.Team(r.Context(), r.Principal, r.Param("team_id"))
	if err != nil {
		return nil, err
	}
	return a.App.MembershipsSeen(r.Context(), r.Principal, teamMemberships(&t))
}

func (a *Verbs) addTeamMemberships(r *door.Request, ids []string) error {
	return a.App.AddTeamMemberships(r.Context(), r.Principal, r.Param("team_id"), ids)
}

func (a *Verbs) removeTeamMemberships(r *door.Request, ids []string) error {
	return a.App.RemoveTeamMemberships(r.Context(), r.Principal, r.Param("team_id"), ids)
}
