package belay

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// Organization owns projects, workspaces and teams. It is addressed by its name.
type Organization struct {
	ID                    string // the external id, org-…
	Name                  string
	Email                 string
	CollaboratorAuth      string // password or two_factor_mandatory
	SessionTimeout        int    // minutes; 0: the site's default
	SessionRemember       int    // minutes; 0: the site's default
	CostEstimation        bool
	SendPassingStatuses   bool
	AggregatedStatuses    bool
	PullRequestComments   bool // pull requests are told what their plans come to
	SpeculativeManagement bool
	AllowForceDelete      bool
	AssessmentsEnforced   bool
	DefaultExecutionMode  ExecutionMode
	DefaultAgentPoolID    string
	GlobalRemoteState     bool // what global-remote-state is for a workspace made without it
	OwnersTeamSAMLRoleID  string
	UserTokensEnabled     bool
	RecoverableItems      bool // deleted workspaces are kept for a time
	RunLimit              int  // plans and applies at once; 0: as many as the site allows
	Switches              OrganizationSwitches
	DefaultProjectID      string
	ServiceUserID         string // the user that stands for organization tokens
	Retention             RetentionPolicy
	WorkspaceCount        int
	Generation            int64  // moves with every change that a list may show
	GenerationParts       string // what is in it of each of several counters, by their numbers; empty where there is one
	FactsGeneration       int64  // moves with all else that the explorer reads
	AccessGeneration      int64  // moves with every change of who may do what
	CreatedAt             time.Time
}

// OrganizationSwitches is settings that clients send and that change nothing here: they
// are kept, so that a client finds what it has set.
type OrganizationSwitches struct {
	MaxTTL           bool `json:"max-ttl,omitempty"`
	Stacks           bool `json:"stacks,omitempty"`
	EnforceHYOK      bool `json:"enforce-hyok,omitempty"`
	RegistryMonorepo bool `json:"registry-monorepo,omitempty"`
}

// OrganizationPatch is a change of an organization's settings.
type OrganizationPatch struct {
	Name, Email, CollaboratorAuth, OwnersTeamSAMLRoleID patch.Field[string]
	DefaultAgentPoolID                                  patch.Field[string]
	DefaultExecutionMode                                patch.Field[ExecutionMode]
	SessionTimeout, SessionRemember, RunLimit           patch.Field[int]
	CostEstimation, SendPassingStatuses                 patch.Field[bool]
	AggregatedStatuses, SpeculativeManagement           patch.Field[bool]
	PullRequestComments                                 patch.Field[bool]
	AllowForceDelete, AssessmentsEnforced               patch.Field[bool]
	GlobalRemoteState, UserTokensEnabled                patch.Field[bool]
	RecoverableItems                                    patch.Field[bool]
	MaxTTL, Stacks, EnforceHYOK, RegistryMonorepo       patch.Field[bool]
}

// NewOrganization is an organization with the defaults of its settings.
func NewOrganization(now time.Time) Organization {
	return Organization{
		ID:                    NewID("org"),
		CollaboratorAuth:      "password",
		AggregatedStatuses:    true,
		SpeculativeManagement: true,
		UserTokensEnabled:     true,
		DefaultExecutionMode:  RemoteExecution,
		CreatedAt:             now,
	}
}

// ErrUserToken is the answer to a user's token where an organization takes none.
var ErrUserToken = Refuse(Unauthenticated, "the tokens of users are disabled in this organization: use the token of a team")

// Takes says whether the organization takes what a principal comes with. Who is signed in
// with a browser has no token.
func (o *Organization) Takes(s Principal) bool { return o.UserTokensEnabled || !s.ByUserToken() }

// Admit refuses those whose tokens the organization does not take. Who knows of it learns why: of
// others it hides.
func (o *Organization) Admit(s Principal, access Access) error {
	if !o.Takes(s) && access.Everywhere.Has(Traverse) {
		return ErrUserToken
	}
	return nil
}

// RunsAtOnce is how many plans and applies of the organization go on at once, where the site
// allows so many of each; 0 is any number.
func (o *Organization) RunsAtOnce(site int) int {
	if o.RunLimit == 0 || site > 0 && site < o.RunLimit {
		return site
	}
	return o.RunLimit
}

// externalID is the form of an organization's id: paths take an id or a name, so no name may look like one.
var externalID = regexp.MustCompile(`^org-[A-Za-z0-9]{16}$`)

// ReservedNames are what the pages have of their own where the name of an organization stands.
// What was called so before keeps its name.
var ReservedNames = []string{"api", "change-requests", "settings", "sign-in", "sign-out"}

// Apply changes the organization, or says all that is wrong with the patch.
func (o *Organization) Apply(p OrganizationPatch) error {
	var problems Problems
	if p.Name.Value != o.Name && slices.Contains(ReservedNames, strings.ToLower(p.Name.Value)) {
		problems.Attribute("name", "Name is reserved")
	}
	p.Name.Into(&o.Name)
	p.Email.Into(&o.Email)
	p.CollaboratorAuth.Into(&o.CollaboratorAuth)
	p.SessionTimeout.Into(&o.SessionTimeout)
	p.SessionRemember.Into(&o.SessionRemember)
	p.CostEstimation.Into(&o.CostEstimation)
	p.SendPassingStatuses.Into(&o.SendPassingStatuses)
	p.AggregatedStatuses.Into(&o.AggregatedStatuses)
	p.SpeculativeManagement.Into(&o.SpeculativeManagement)
	p.PullRequestComments.Into(&o.PullRequestComments)
	p.AllowForceDelete.Into(&o.AllowForceDelete)
	p.AssessmentsEnforced.Into(&o.AssessmentsEnforced)
	p.DefaultExecutionMode.Into(&o.DefaultExecutionMode)
	p.DefaultAgentPoolID.Into(&o.DefaultAgentPoolID)
	p.GlobalRemoteState.Into(&o.GlobalRemoteState)
	p.OwnersTeamSAMLRoleID.Into(&o.OwnersTeamSAMLRoleID)
	p.UserTokensEnabled.Into(&o.UserTokensEnabled)
	p.RecoverableItems.Into(&o.RecoverableItems)
	p.RunLimit.Into(&o.RunLimit)
	p.MaxTTL.Into(&o.Switches.MaxTTL)
	p.Stacks.Into(&o.Switches.Stacks)
	p.EnforceHYOK.Into(&o.Switches.EnforceHYOK)
	p.RegistryMonorepo.Into(&o.Switches.RegistryMonorepo)
	o.check(&problems, p)
	return problems.Err()
}

func (o *Organization) check(problems *Problems, p OrganizationPatch) {
	CheckPlainName(problems, o.Name, 90)
	if externalID.MatchString(o.Name) {
		problems.Attribute("name", "Name can't have the form of an organization's id")
	}
	checkEmail(problems, o.Email)
	CheckLength(problems, "owners-team-saml-role-id", "Owners team saml role", p.OwnersTeamSAMLRoleID.Value, MaxLabel)
	if o.CollaboratorAuth != "password" && o.CollaboratorAuth != "two_factor_mandatory" {
		problems.Attribute("collaborator-auth-policy", "Collaborator auth policy is not included in the list")
	}
	if o.SessionTimeout < 0 {
		problems.Attribute("session-timeout", "Session timeout must be greater than 0")
	}
	if o.SessionRemember < 0 {
		problems.Attribute("session-remember", "Session remember must be greater than 0")
	}
	if p.RunLimit.Given() && o.RunLimit < 1 {
		problems.Attribute("run-limit", "Run limit must be greater than 0")
	}
	checkDefaultExecution(problems, o.DefaultExecutionMode, p.DefaultAgentPoolID.Value != "", &o.DefaultAgentPoolID)
}

// checkDefaultExecution is the rule of default execution modes: a pool goes with agent,
// and with nothing else. A pool that was left from before is dropped with the mode.
func checkDefaultExecution(problems *Problems, mode ExecutionMode, poolGiven bool, poolID *string) {
	switch {
	case !mode.Valid():
		problems.Attribute("default-execution-mode", "Default execution mode is not included in the list")
	case mode == AgentExecution && *poolID == "":
		problems.Attribute("default-agent-pool-id", "Default agent pool must be specified when using 'agent' execution mode")
	case mode != AgentExecution && *poolID != "" && poolGiven:
		problems.Attribute("default-agent-pool-id", "Default agent pool must not be specified unless using 'agent' execution mode")
	case mode != AgentExecution:
		*poolID = ""
	}
}

// OrganizationQuery is what a list of organizations asks for.
type OrganizationQuery struct {
	Search, Name, Email string
	MemberID            string // only those that this user is a member of; empty: all
	OnlyID              string // only this one; empty: all
	UserTokens          bool   // only those that take the tokens of users
	Page                Page
}

// Standing is how much of an organization goes on, none of it counted beyond MostStanding.
type Standing struct {
	Running   int // current runs that are at work or wait for a runner
	Campaigns int // with open change requests
}

// MostStanding is the most that a Standing counts of anything.
const MostStanding = 100

// Membership is a user's place in an organization, or the invitation to it.
type Membership struct {
	ID             string
	OrganizationID string
	UserID         string // for an unknown address, of a user that holds the place until the person comes
	Email          string
	Status         string // active or invited
	ByGroups       bool   // only because of groups at an identity provider
	CreatedAt      time.Time

	Username     string       // of the user, read with the row
	Organization Organization // read with the row: its name
}

// Holdings is what somebody has in an organization. Who is taken out of it loses the tokens for runs and the mails;
// locks and change requests stay, for others to free.
type Holdings struct{ RunTokens, Mails, Locks, Requests int }

// The statuses of a membership.
const (
	ActiveMember  = "active"
	InvitedMember = "invited"
)

// MembershipQuery is what a list of memberships asks for.
type MembershipQuery struct {
	Search string
	Emails []string // nil: any
	Status string   // empty: any
	UserID string   // only this user's; empty: everybody's
	Page   Page
}

// CheckEmail is the rule of e-mail addresses.
func CheckEmail(email string) error {
	var problems Problems
	checkEmail(&problems, email)
	return problems.Err()
}
