package belay

import "time"

// PrincipalKind is the kind of token that a request came with, and so the kind of actor.
type PrincipalKind string

// The kinds of principal. Agents and runs have tokens of their own, with narrow rights.
const (
	UserPrincipal         PrincipalKind = "user"
	TeamPrincipal         PrincipalKind = "team"
	OrganizationPrincipal PrincipalKind = "organization"
	AgentPrincipal        PrincipalKind = "agent"
	RunPrincipal          PrincipalKind = "run"
)

// Principal is who makes a request: the owner of the token it carries.
type Principal struct {
	Kind           PrincipalKind
	ID             string     // of the user, team, organization, agent pool or run
	Name           string     // what people know it by
	TokenID        string     // empty: signed in with a browser
	EndsAt         time.Time  // the end of what the token makes, see Token.Bound; zero: none
	IdentityID     string     // by which a user came in, or the token it came with was made; else empty
	SessionID      string     // of a principal that is signed in with a browser; else empty
	Purpose        string     // of a narrower token, such as "audit-trails"; else empty
	OrganizationID string     // of a team, organization, agent or run token; else empty
	WorkspaceID    string     // of a run token: the workspace the run belongs to
	Issuer         *Principal // of a run token that somebody made: who that is now; else nil
	ServiceUserID  string     // the user that stands for a principal that is no user
	ServiceName    string     // and that user's name
	ByOrganization bool       // a team token that an organization token made: it is never more than that
	SiteAdmin      bool
}

// Tenant is with whom a principal shares what it uses of the server: those of an organization with each
// other, and users with nobody.
func (s Principal) Tenant() string {
	if s.OrganizationID != "" {
		return s.OrganizationID
	}
	return s.ID
}

// By names a principal for a record of what it did, once it is not there to be asked.
type By struct {
	Kind     PrincipalKind
	ID, Name string
}

// By is the principal, for a record.
func (s Principal) By() By { return By{s.Kind, s.ID, s.Name} }

// Principal is who did it. It may do nothing more.
func (b By) Principal() Principal { return Principal{Kind: b.Kind, ID: b.ID, Name: b.Name} }

// Actor is the user that created-by and archived-by name: the principal itself, or the
// service user of its organization.
func (s Principal) Actor() (id, name string) {
	if s.Kind == UserPrincipal {
		return s.ID, s.Name
	}
	return s.ServiceUserID, s.ServiceName
}

// Organizational says whether the principal came with the token of an organization, or with
// one that it made: they have no keys and no notifications, whatever else they may do.
func (s Principal) Organizational() bool { return s.Kind == OrganizationPrincipal || s.ByOrganization }

// KnowsPeople says whether the principal is shown documents of its organization and of users: runs
// and agents have their own work to know.
func (s Principal) KnowsPeople() bool { return s.Kind != RunPrincipal && s.Kind != AgentPrincipal }

// ByUserToken says whether the principal is a user that came with a token of its own.
func (s Principal) ByUserToken() bool { return s.Kind == UserPrincipal && s.TokenID != "" }

// Holder is the principal as the holder of a lock: a team token locks as the team, and
// an organization token as the organization's service user (docs/permissions.md).
func (s Principal) Holder() Holder {
	switch s.Kind {
	case TeamPrincipal:
		return Holder{Type: "teams", ID: s.ID, Name: s.Name}
	case RunPrincipal:
		return Holder{Type: "runs", ID: s.ID, Name: s.ID}
	case OrganizationPrincipal, AgentPrincipal:
		return Holder{Type: "users", ID: s.ServiceUserID, Name: s.ServiceName}
	default:
		return Holder{Type: "users", ID: s.ID, Name: s.Name}
	}
}

// ServiceUsername is the name of the user that stands for an organization's own tokens.
func ServiceUsername(organization string) string { return "api-org-" + organization }

// KeyHolder is whose an Idempotency-Key of the principal is: of one token alone, for another of
// the same owner may be more, or less.
func (s Principal) KeyHolder() string { return string(s.Kind) + " " + s.ID + " " + s.TokenID }
