package api

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
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

var membershipAttributes = attributes[membershipDoc, membershipPatch]{
	{name: "status", show: value(func(m *membershipDoc) string { return m.Status })},
	{name: "email", show: value(func(m *membershipDoc) string { return m.Email }), write: field(func(p *membershipPatch) *patch.Field[string] { return &p.Email })},
	{name: "created-at", show: value(func(m *membershipDoc) time.Time { return m.CreatedAt })},
}

// organizationPath is where an organization is shown.
func organizationPath(name string) string { return "/api/v2/organizations/" + url.PathEscape(name) }

var memberships = &noun[membershipDoc, membershipPatch]{
	typ:        "organization-memberships",
	id:         func(m *membershipDoc) string { return m.ID },
	path:       func(m *membershipDoc) string { return "/api/v2/organization-memberships/" + m.ID },
	attributes: membershipAttributes,
	relations: []relation[membershipDoc, membershipPatch]{
		toMany[membershipDoc, membershipPatch]("teams", "teams", "", func(m *membershipDoc) []string { return m.TeamIDs }).
			taking(openapi.List(bodyRef("teams")), func(_ *request, in *jsonapi.Incoming, p *membershipPatch) error {
				return relatedIDs(in, &p.Teams, "teams", "teams")
			}),
		to[membershipDoc, membershipPatch]("user", "users", func(m *membershipDoc) string { return m.UserID }),
		ofOrganization[membershipDoc, membershipPatch](func(m *membershipDoc) string { return m.Organization.Name }),
	},
}

// membershipIncludes is what a document of memberships can include. Of identities that
// another program manages there are none.
var membershipIncludes = []string{"user", "teams", "organization", "scim_identity"}

// includes reads the include parameter: the names it may hold, in any spelling, without
// repetition. A known name that ends in .* stands for all that begin with it.
func (r *request) includes(known ...string) ([]string, error) {
	var names []string
	for _, part := range commas(r.URL.Query()["include"]...) {
		name := strings.ReplaceAll(part, "-", "_")
		if !slices.Contains(known, name) && !slices.Contains(known, strings.SplitN(name, ".", 2)[0]+".*") {
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

// withMemberships is what documents of memberships may include.
func (a *API) withMemberships() *inclusion[membershipDoc] {
	return &inclusion[membershipDoc]{names: membershipIncludes, add: a.includeWithMemberships}
}

func (a *API) includeWithMemberships(r *request, document *jsonapi.Document, list []membershipDoc, names []string) error {
	var people, theirs []string
	for _, m := range list {
		people, theirs = append(people, m.UserID), append(theirs, m.TeamIDs...)
	}
	if slices.Contains(names, "user") {
		found, err := a.App.UsersSeen(r.Context(), r.subject, once(people))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, each(found, memberUsers.in(r))...)
	}
	if slices.Contains(names, "teams") {
		found, err := a.App.TeamsSeen(r.Context(), r.subject, once(theirs))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, each(found, teams.in(r))...)
	}
	if slices.Contains(names, "organization") {
		ids := make([]string, len(list))
		for i, m := range list {
			ids[i] = m.OrganizationID
		}
		found, err := a.App.OrganizationsSeen(r.Context(), r.subject, once(ids))
		if err != nil {
			return err
		}
		document.Included = append(document.Included, each(found, organizations.in(r))...)
	}
	return nil
}

// createMembership invites an e-mail address.
func (a *API) createMembership(r *request, p membershipPatch) (membershipDoc, error) {
	return a.App.Invite(r.Context(), r.subject, r.param("organization_name"), p.Email.Value, p.Teams.Value)
}

// inviting answers with the user as well, asked or not: clients learn its id from it.
func (a *API) inviting() action {
	invite := writing(memberships, a.createMembership, &inclusion[membershipDoc]{
		names: membershipIncludes,
		asked: func([]string) []string { return []string{"user"} },
		add:   a.includeWithMemberships, late: true,
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

func (a *API) listMemberships(r *request) ([]membershipDoc, int, error) {
	q := r.query()
	list, total, counts, err := a.App.Memberships(r.Context(), r.subject, r.param("organization_name"), belay.MembershipQuery{
		Search: q.Get("q"), Emails: commas(q["filter[email]"]...), Status: q.Get("filter[status]"), Page: r.page(),
	})
	r.meta = append(r.meta, statusCounts(counts, belay.ActiveMember, belay.InvitedMember))
	return list, total, err
}

func (a *API) listMyMemberships(r *request) ([]membershipDoc, int, error) {
	return a.App.MyMemberships(r.Context(), r.subject, r.page())
}

func (a *API) showMembership(r *request) (membershipDoc, error) {
	return a.App.Membership(r.Context(), r.subject, r.param("membership_id"))
}

func (a *API) deleteMembership(r *request) error {
	return a.App.DeleteMembership(r.Context(), r.subject, r.param("membership_id"))
}

// seenAttributes is what anybody sees of a user that it may see at all, with a picture.
func seenAttributes(avatar func(*belay.User) string) attributes[belay.User, userPatch] {
	return attributes[belay.User, userPatch]{
		{name: "username", show: maybe(func(u *belay.User) string { return u.Username })}, // null: invited, and not come yet
		{name: "is-service-account", show: value(func(u *belay.User) bool { return u.IsServiceAccount })},
		{name: "auth-method", show: fixed[belay.User]("belay")},
		{name: "avatar-url", show: value(avatar)},
		{name: "v2-only", show: fixed[belay.User](true)},
	}
}

// memberUsers is users as those see them who see their membership, and so their address.
var memberUsers = &noun[belay.User, userPatch]{
	typ:    "users",
	schema: "Member",
	id:     func(u *belay.User) string { return u.ID },
	path:   func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	attributes: append(seenAttributes(avatarURL), attributes[belay.User, userPatch]{
		{name: "email", show: value(func(u *belay.User) string { return u.Email })},
		{name: "two-factor", show: parts(twoFactor)},
	}...),
}

// publicUsers is users as others see them.
var publicUsers = &noun[belay.User, userPatch]{
	typ:        "users",
	id:         func(u *belay.User) string { return u.ID },
	path:       func(u *belay.User) string { return "/api/v2/users/" + u.ID },
	attributes: seenAttributes(publicAvatarURL),
}

// showUser answers all of a user only to those who may know it.
func (a *API) showUser() action {
	run := func(r *request) (*jsonapi.Document, error) {
		u, whole, err := a.App.User(r.Context(), r.subject, r.param("user_id"))
		n := publicUsers
		if whole {
			n = users
		}
		return n.answer(r, u, err, nil, nil)
	}
	return action{run: run, gives: func(d *describer) *openapi.Schema {
		return answerOf(openapi.Any(users.shown(d), publicUsers.shown(d)))
	}}
}
