package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	membershipDoc   = app.MembershipView
	membershipPatch struct{ Email patch.Field[string] }
)

var membershipAttributes = attributes[membershipDoc, membershipPatch]{
	{name: "status", read: func(m *membershipDoc) any { return m.Status }},
	{name: "email", read: func(m *membershipDoc) any { return m.Email }, write: field(func(p *membershipPatch) *patch.Field[string] { return &p.Email })},
	{name: "created-at", read: func(m *membershipDoc) any { return m.CreatedAt }},
}

// organizationPath is where an organization is shown.
func organizationPath(name string) string { return "/api/v2/organizations/" + url.PathEscape(name) }

func (a *API) membership(m membershipDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "organization-memberships", ID: m.ID,
		Attributes: membershipAttributes.object(&m, a.App.Edition()),
		Relationships: []jsonapi.Relation{
			{Name: "teams", Data: jsonapi.Many("teams", m.TeamIDs)},
			linked("user", "users", m.UserID),
			{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: m.Organization.Name}, Related: organizationPath(m.Organization.Name)},
		},
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/organization-memberships/" + m.ID}},
	}
}

// includes reads the include parameter: the names it may hold, in any spelling, without
// repetition.
func (r *request) includes(known ...string) ([]string, error) {
	var names []string
	for _, part := range commas(r.URL.Query()["include"]...) {
		name := strings.ReplaceAll(part, "-", "_")
		if !slices.Contains(known, name) {
			refusal := belay.Refuse(belay.BadRequest, "%s can't be included here", part)
			refusal.Title = "Invalid include parameter"
			return nil, refusal
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (a *API) membershipsIncluded(r *request, list []membershipDoc, names []string) ([]*jsonapi.Resource, error) {
	if len(names) == 0 {
		return nil, nil
	}
	included := []*jsonapi.Resource{}
	var users, teams []string
	for _, m := range list {
		users, teams = append(users, m.UserID), append(teams, m.TeamIDs...)
	}
	if slices.Contains(names, "user") {
		found, err := a.App.UsersSeen(r.Context(), once(users))
		if err != nil {
			return nil, err
		}
		included = append(included, each(found, a.memberUser)...)
	}
	if slices.Contains(names, "teams") {
		found, err := a.App.TeamsSeen(r.Context(), r.subject, once(teams))
		if err != nil {
			return nil, err
		}
		included = append(included, each(found, a.team)...)
	}
	return included, nil
}

func (a *API) membershipAnswer(r *request, m membershipDoc, names []string) (*jsonapi.Document, error) {
	document := one(a.membership(m))
	var err error
	document.Included, err = a.membershipsIncluded(r, []membershipDoc{m}, names)
	return document, err
}

func (a *API) membershipsAnswer(r *request, list []membershipDoc, total int, names []string) (*jsonapi.Document, error) {
	document := r.list(each(list, a.membership), total)
	var err error
	document.Included, err = a.membershipsIncluded(r, list, names)
	return document, err
}

// createMembership invites an e-mail address. The answer tells of the user, too: clients
// learn the id from it.
func (a *API) createMembership(r *request) (*jsonapi.Document, error) {
	in, err := r.resource("organization-memberships")
	if err != nil {
		return nil, err
	}
	var p membershipPatch
	if err := membershipAttributes.decode(in, &p, a.App.Edition()); err != nil {
		return nil, err
	}
	teams, err := refs(in, "teams")
	if err != nil {
		return nil, err
	}
	m, err := a.App.Invite(r.Context(), r.subject, r.param("organization_name"), p.Email.Value, teams)
	if err != nil {
		return nil, err
	}
	return a.membershipAnswer(r, m, []string{"user"})
}

// refs reads a to-many relationship and gives its ids.
func refs(in *jsonapi.Incoming, name string) ([]string, error) {
	relation, ok := in.Relationships[name]
	if !ok || !relation.Set {
		return nil, nil
	}
	var list []struct{ ID string }
	if err := json.Unmarshal(relation.Data, &list); err != nil {
		var problems belay.Problems
		problems.At("/data/relationships/"+name+"/data", "must be a list of resource identifiers")
		return nil, problems
	}
	ids := make([]string, len(list))
	for i, ref := range list {
		ids[i] = ref.ID
	}
	return ids, nil
}

func (a *API) listMemberships(r *request) (*jsonapi.Document, error) {
	names, err := r.includes("user", "teams")
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	list, total, err := a.App.Memberships(r.Context(), r.subject, r.param("organization_name"), belay.MembershipQuery{
		Search: q.Get("q"), Emails: commas(q["filter[email]"]...), Status: q.Get("filter[status]"), Page: r.page(),
	})
	if err != nil {
		return nil, err
	}
	return a.membershipsAnswer(r, list, total, names)
}

func (a *API) listMyMemberships(r *request) (*jsonapi.Document, error) {
	names, err := r.includes("user", "teams")
	if err != nil {
		return nil, err
	}
	list, total, err := a.App.MyMemberships(r.Context(), r.subject, r.page())
	if err != nil {
		return nil, err
	}
	return a.membershipsAnswer(r, list, total, names)
}

func (a *API) showMembership(r *request) (*jsonapi.Document, error) {
	names, err := r.includes("user", "teams")
	if err != nil {
		return nil, err
	}
	m, err := a.App.Membership(r.Context(), r.subject, r.param("membership_id"))
	if err != nil {
		return nil, err
	}
	return a.membershipAnswer(r, m, names)
}

func (a *API) deleteMembership(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DeleteMembership(r.Context(), r.subject, r.param("membership_id"))
}

// publicAttributes is what anybody sees of a user that it may see at all.
var publicAttributes = attributes[belay.User, userPatch]{
	{name: "username", read: func(u *belay.User) any { return u.Username }},
	{name: "is-service-account", read: func(u *belay.User) any { return u.IsServiceAccount }},
	{name: "auth-method", read: func(*belay.User) any { return "belay" }},
	{name: "avatar-url", read: avatarURL},
	{name: "v2-only", read: func(*belay.User) any { return true }},
}

// memberUser is a user as those see it who see its membership, and so its address.
func (a *API) memberUser(u belay.User) *jsonapi.Resource {
	resource := a.publicUser(u)
	resource.Attributes = append(resource.Attributes,
		jsonapi.Member{Name: "email", Value: u.Email}, jsonapi.Member{Name: "two-factor", Value: twoFactor(&u)})
	return resource
}

// publicUser is a user as others see it.
func (a *API) publicUser(u belay.User) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: "users", ID: u.ID, Attributes: publicAttributes.object(&u, a.App.Edition()),
		Links: jsonapi.Object{{Name: "self", Value: "/api/v2/users/" + u.ID}},
	}
}

func (a *API) showUser(r *request) (*jsonapi.Document, error) {
	u, whole, err := a.App.User(r.Context(), r.subject, r.param("user_id"))
	if err != nil {
		return nil, err
	}
	if whole {
		return one(a.user(u)), nil
	}
	return one(a.publicUser(u)), nil
}
