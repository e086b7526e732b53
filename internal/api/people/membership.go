package people

import (
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	membershipDoc   = app.MembershipView
	membershipPatch struct {
		Email patch.Field[string]
		Teams patch.Field[[]string] // relationships.teams
	}
)

// MembershipAttributes is every attribute of a membership.
var MembershipAttributes = doc.Attributes[membershipDoc, membershipPatch]{
	{Name: "status", Show: doc.Value(func(m *membershipDoc) string { return m.Status })},
	{Name: "email", Show: doc.Value(func(m *membershipDoc) string { return m.Email }), Write: doc.Field(func(p *membershipPatch) *patch.Field[string] { return &p.Email })},
	{Name: "created-at", Show: doc.Value(func(m *membershipDoc) time.Time { return m.CreatedAt })},
	{Name: "last-seen-at", Show: doc.Maybe(func(m *membershipDoc) time.Time { return m.LastSeen })},
	{Name: "last-token-use-at", Show: doc.Maybe(func(m *membershipDoc) time.Time { return m.LastToken })},
}

// Memberships is who belongs to organizations.
var Memberships = &doc.Noun[membershipDoc, membershipPatch]{
	Type:       "organization-memberships",
	ID:         func(m *membershipDoc) string { return m.ID },
	Path:       func(m *membershipDoc) string { return "/api/v2/organization-memberships/" + m.ID },
	Attributes: MembershipAttributes,
	Relations: []doc.Relation[membershipDoc, membershipPatch]{
		doc.ToMany[membershipDoc, membershipPatch]("teams", "teams", "", func(m *membershipDoc) []string { return m.TeamIDs }).
			Taking(openapi.List(doc.BodyRef("teams")), func(_ doc.Reading, in *jsonapi.Incoming, p *membershipPatch) error {
				return doc.RelatedIDs(in, &p.Teams, "teams", "teams")
			}),
		doc.To[membershipDoc, membershipPatch]("user", "users", func(m *membershipDoc) string { return m.UserID }),
		paths.OfOrganization[membershipDoc, membershipPatch](func(m *membershipDoc) string { return m.Organization.Name }),
	},
}

// membershipIncludes is what a document of memberships can include. Of identities that
// another program manages there are none.
var membershipIncludes = []string{"user", "teams", "organization", "scim_identity"}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.User, Status: http.StatusOK, Do: a.showUser(), Needs: belay.Traverse, Does: "See another member of the organization"},
		{Method: http.MethodGet, Path: paths.Organization + "/organization-memberships", Status: http.StatusOK, Do: door.Listing(Memberships, a.listMemberships, a.withMemberships()).Counting(belay.ActiveMember, belay.InvitedMember), Query: []string{"q"}, Filters: memberFilters, Needs: belay.Traverse, Does: "List the members (who manages none sees only itself)"},
		{Method: http.MethodPost, Path: paths.Organization + "/organization-memberships", Status: http.StatusCreated, Do: a.inviting(), Needs: belay.ManageMembership, Does: "Invite somebody"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization-memberships", Status: http.StatusOK, Do: door.Listing(Memberships, a.listMyMemberships, a.withMemberships()), Filters: memberFilters, By: door.People, Does: "List one's own memberships (users only)"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization-memberships/{membership_id}", Status: http.StatusOK, Do: door.Showing(Memberships, a.showMembership, a.withMemberships()), Needs: belay.ReadEveryMember, Does: "See another one's membership"},
		{Method: http.MethodPost, Path: paths.V2 + "/organization-memberships/{membership_id}/actions/resend", Status: http.StatusNoContent, Do: door.Doing(a.resendInvitation), Refuses: []belay.Kind{belay.Forbidden, belay.Invalid}, Needs: belay.ManageMembership, Does: "Mail an invitation again"},
		{Method: http.MethodDelete, Path: paths.V2 + "/organization-memberships/{membership_id}", Status: http.StatusNoContent, Do: door.Doing(a.deleteMembership), Refuses: []belay.Kind{belay.Forbidden}, Needs: belay.ManageMembership, Does: "Take another user out of the organization"},
	}
})

// withMemberships is what documents of memberships may include.
func (a *Verbs) withMemberships() *door.Inclusion[membershipDoc] {
	return &door.Inclusion[membershipDoc]{Names: membershipIncludes, Add: a.includeWithMemberships}
}

func (a *Verbs) includeWithMemberships(r *door.Request, document *jsonapi.Document, list []membershipDoc, names []string) error {
	var people, theirs []string
	for _, m := range list {
		people, theirs = append(people, m.UserID), append(theirs, m.TeamIDs...)
	}
	if slices.Contains(names, "user") {
		found, err := a.App.UsersSeen(r.Context(), r.Principal, once(people))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, door.Each(found, MemberUsers.In(r.Edition))...)
	}
	if slices.Contains(names, "teams") {
		found, err := a.App.TeamsSeen(r.Context(), r.Principal, once(theirs))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, door.Each(found, Teams.In(r.Edition))...)
	}
	if slices.Contains(names, "organization") {
		ids := make([]string, len(list))
		for i, m := range list {
			ids[i] = m.OrganizationID
		}
		found, err := a.App.OrganizationsSeen(r.Context(), r.Principal, once(ids))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, door.Each(found, organizations.Organizations.In(r.Edition))...)
	}
	return nil
}

// createMembership invites an e-mail address.
func (a *Verbs) createMembership(r *door.Request, p membershipPatch) (membershipDoc, error) {
	return a.App.Invite(r.Context(), r.Principal, r.Param("organization_name"), p.Email.Value, p.Teams.Value)
}

// inviting answers with the user as well, asked or not: clients learn its id from it.
func (a *Verbs) inviting() door.Action {
	invite := door.Writing(Memberships, a.createMembership, &door.Inclusion[membershipDoc]{
		Names: membershipIncludes,
		Asked: func([]string) []string { return []string{"user"} },
		Add:   a.includeWithMemberships, Late: true,
	})
	return invite
}

// statusCounts is how many of a list's rows, whatever its filters, have each status.
func statusCounts(counts map[string]int, statuses ...string) jsonapi.Member {
	object, total := jsonapi.Object{}, 0
	for _, status := range statuses {
		object, total = append(object, jsonapi.Member{Name: status, Value: counts[status]}), total+counts[status]
	}
	return jsonapi.Member{Name: "status-counts", Value: append(object, jsonapi.Member{Name: "total", Value: total})}
}

func (a *Verbs) listMemberships(r *door.Request) ([]membershipDoc, int, error) {
	q := r.Query()
	list, total, counts, err := a.App.Memberships(r.Context(), r.Principal, r.Param("organization_name"), belay.MembershipQuery{
		Search: q.Get("q"), Emails: door.Commas(q["filter[email]"]...), Status: q.Get("filter[status]"), Page: r.Page(),
	})
	r.Meta = append(r.Meta, statusCounts(counts, belay.ActiveMember, belay.InvitedMember))
	return list, total, err
}

func (a *Verbs) listMyMemberships(r *door.Request) ([]membershipDoc, int, error) {
	return a.App.MyMemberships(r.Context(), r.Principal, r.Page(), true)
}

func (a *Verbs) showMembership(r *door.Request) (membershipDoc, error) {
	return a.App.Membership(r.Context(), r.Principal, r.Param("membership_id"))
}

func (a *Verbs) resendInvitation(r *door.Request) error {
	return a.App.Resend(r.Context(), r.Principal, r.Param("membership_id"))
}

func (a *Verbs) deleteMembership(r *door.Request) error {
	return a.App.DeleteMembership(r.Context(), r.Principal, r.Param("membership_id"))
}

// seenAttributes is what anybody sees of a user that it may see at all, with a picture.
func seenAttributes(avatar func(*belay.User) string) doc.Attributes[belay.User, userPatch] {
	return doc.Attributes[belay.User, userPatch]{
		{Name: "username", Show: doc.Maybe(func(u *belay.User) string { return u.Username })}, // null: invited, and not come yet
		{Name: "is-service-account", Show: doc.Value(func(u *belay.User) bool { return u.IsServiceAccount })},
		{Name: "auth-method", Show: doc.Fixed[belay.User]("belay")},
		{Name: "avatar-url", Show: doc.Value(avatar)},
		{Name: "v2-only", Show: doc.Fixed[belay.User](true)},
	}
}

// MemberUsers is users as those see them who see their membership, and so their address.
var MemberUsers = &doc.Noun[belay.User, userPatch]{
	Type:   "users",
	Schema: "Member",
	ID:     func(u *belay.User) string { return u.ID },
	Path:   func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	Attributes: append(seenAttributes(avatarURL), doc.Attributes[belay.User, userPatch]{
		{Name: "email", Show: doc.Value(func(u *belay.User) string { return u.Email })},
		{Name: "two-factor", Show: doc.Parts(twoFactor)},
	}...),
}

// PublicUsers is users as others see them.
var PublicUsers = &doc.Noun[belay.User, userPatch]{
	Type:       "users",
	ID:         func(u *belay.User) string { return u.ID },
	Path:       func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	Attributes: seenAttributes(publicAvatarURL),
}

// showUser answers all of a user only to those who may know it.
func (a *Verbs) showUser() door.Action {
	run := func(r *door.Request) (*jsonapi.Document, error) {
		u, whole, err := a.App.User(r.Context(), r.Principal, r.Param("user_id"))
		n := PublicUsers
		if whole {
			n = Users
		}
		return door.Answered(n, r, u, err, nil, nil)
	}
	return door.Action{Run: run, Gives: func(d *doc.Describer) *openapi.Schema {
		return doc.AnswerOf(openapi.Any(Users.Shown(d), PublicUsers.Shown(d)))
	}}
}
