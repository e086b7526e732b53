package belay

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
	ID             string // of the user, team, organization, agent pool or run
	Name           string // what people know it by
	TokenID        string // empty: signed in with a browser
	Purpose        string // of a narrower token, such as "audit-trails"; else empty
	OrganizationID string // of a team, organization, agent or run token; else empty
	WorkspaceID    string // of a run token: the workspace the run belongs to
	ServiceUserID  string // the user that stands for a subject that is no user
	ServiceName    string // and that user's name
	SiteAdmin      bool
}

// Actor is the user that created-by and archived-by name: the subject itself, or the
// service user of its organization.
func (s Subject) Actor() (id, name string) {
	if s.Kind == UserSubject {
		return s.ID, s.Name
	}
	return s.ServiceUserID, s.ServiceName
}

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
