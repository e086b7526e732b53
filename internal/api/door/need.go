package door

// By is whose token it must be, beside the permission that a route needs. Empty: of whoever has that.
type By string

// Whose token it must be.
const (
	AnyToken      By = "any-token"    // no matter what it may do
	People        By = "user"         // a user's own
	UsersAndTeams By = "user-or-team" // all but an organization's
	Organizations By = "organization" // an organization's
	Themselves    By = "oneself"      // that of the user whom it is about, or of a site admin
	SiteAdmins    By = "site-admin"
)

// roles is what the description of the API says that a token must have and be.
func (row *Route) roles() []string {
	roles := row.Needs.Names()
	if row.By != "" {
		roles = append(roles, string(row.By))
	}
	return roles
}
