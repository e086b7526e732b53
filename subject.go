package belay

import "time"

// SubjectKind is the kind of token that a request came with, and so the kind of actor.
type SubjectKind string

// The kinds of subject. Agents and runs have tokens of their own, with narrow rights.
const (
	UserSubject         SubjectKind = "user"
	TeamSubject         SubjectKind = "team"
	OrganizationSubject SubjectKind = "organization"
	AgentSubject        SubjectKind = "agent"
	RunSubject          SubjectKind = "run"
)

// Subject is who makes a request: the owner of the token it carries.
type Subject struct {
	Kind           SubjectKind
	ID             string    // of the user, team, organization, agent pool or run
	Name           string    // what people know it by
	TokenID        string    // empty: signed in with a browser
	EndsAt         time.Time // the end of what the token makes, see Token.Bound; zero: none
	IdentityID     string    // by which a user came in, or the token it came with was made; else empty
	SessionID      string    // of a subject that is signed in with a browser; else empty
	Purpose        string    // of a narrower token, such as "audit-trails"; else empty
	OrganizationID string    // of a team, organization, agent or run token; else empty
	WorkspaceID    string    // of a run token: the workspace the run belongs to
	Issuer         *Subject  // of a run token that somebody made: who that is now; else nil
	ServiceUserID  string    // the user that stands for a subject that is no user
	ServiceName    string    // and that user's name
	ByOrganization bool      // a team token that an organization token made: it is never more than that
	SiteAdmin      bool
}

// By names a subject for a record of what it did, once it is not there to be asked.
type By struct {
	Kind     SubjectKind
	ID, Name string
}

// By is the subject, for a record.
func (s Subject) By() By { return By{s.Kind, s.ID, s.Name} }

// Subject is who did it. It may do nothing more.
func (b By) Subject() Subject { return Subject{Kind: b.Kind, ID: b.ID, Name: b.Name} }

// Actor is the user that created-by and archived-by name: the subject itself, or the
// service user of its organization.
func (s Subject) Actor() (id, name string) {
	if s.Kind == UserSubject {
		return s.ID, s.Name
	}
	return s.ServiceUserID, s.ServiceName
}

// Organizational says whether the subject came with the token of an organization, or with
// one that it made: they have no keys and no notifications, whatever else they may do.
func (s Subject) Organizational() bool { return s.Kind == OrganizationSubject || s.ByOrganization }

// KnowsPeople says whether the subject is shown documents of its organization and of users: runs
// and agents have their own work to know.
func (s Subject) KnowsPeople() bool { return s.Kind != RunSubject && s.Kind != AgentSubject }

// ByUserToken says whether the subject is a user that came with a token of its own.
func (s Subject) ByUserToken() bool { return s.Kind == UserSubject && s.TokenID != "" }

// Holder is the subject as the holder of a lock: a team token locks as the team, and
// an organization token as the organization's service user ("Lock" in the spec).
func (s Subject) Holder() Holder {
	switch s.Kind {
	case TeamSubject:
		return Holder{Type: "teams", ID: s.ID, Name: s.Name}
	case RunSubject:
		return Holder{Type: "runs", ID: s.ID, Name: s.ID}
	case OrganizationSubject, AgentSubject:
		return Holder{Type: "users", ID: s.ServiceUserID, Name: s.ServiceName}
	default:
		return Holder{Type: "users", ID: s.ID, Name: s.Name}
	}
}

// ServiceUsername is the name of the user that stands for an organization's own tokens.
func ServiceUsername(organization string) string { return "api-org-" + organization }
