package belay

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/patch"
)

// OwnersTeam is the name of the team that every organization has: its members may do
// everything in it, and the team can't be deleted.
const OwnersTeam = "owners"

// Team is a group of users of an organization that gets rights together.
type Team struct {
	ID                         string
	OrganizationID             string
	Name                       string
	Description                string
	SSOTeamID                  string
	Visibility                 string // secret or organization
	AllowMemberTokenManagement bool
	Access                     OrganizationAccess
	AccessGiven                Given // zero: nobody gave any
	CreatedAt                  time.Time
	UsersCount                 int // read with the row: those who have come in
	PeopleCount                int // read with the row: those of them who are no service accounts

	Organization Organization // read with the row: its name
	Grants       []Grant      // what it opens, read for those who would change it
}

// Owners says whether this is the organization's owners team.
func (t *Team) Owners() bool { return t.Name == OwnersTeam }

// The visibilities of a team: to its members and those who may see secret teams, or to
// every member of the organization.
const (
	SecretTeam  = "secret"
	VisibleTeam = "organization"
)

// TeamPatch is a change of a team.
type TeamPatch struct {
	Name, Description, SSOTeamID, Visibility patch.Field[string]
	AllowMemberTokenManagement               patch.Field[bool]
	Access                                   patch.Field[map[string]bool] // switches by name; those not named stay
}

var teamName = regexp.MustCompile(`^[A-Za-z0-9_-]([A-Za-z0-9 _-]*[A-Za-z0-9_-])?$`)

// NewTeam is a team as it is before anything is said of it.
func NewTeam(o Organization, now time.Time) Team {
	return Team{
		ID: NewID("team"), OrganizationID: o.ID, Organization: o, Visibility: SecretTeam,
		AllowMemberTokenManagement: true, CreatedAt: now,
	}
}

// Apply changes the team, or says all that is wrong with the patch.
func (t *Team) Apply(change TeamPatch) error {
	var problems Problems
	was := t.Name
	if t.Owners() && change.Name.Given() && change.Name.Value != OwnersTeam {
		problems.Attribute("name", "Name of the owners team can't be changed")
	}
	change.Name.Into(&t.Name)
	change.Description.Into(&t.Description)
	change.SSOTeamID.Into(&t.SSOTeamID)
	change.Visibility.Into(&t.Visibility)
	change.AllowMemberTokenManagement.Into(&t.AllowMemberTokenManagement)
	t.Access.set(change.Access.Value)
	switch {
	case t.Name == "":
		problems.Attribute("name", "Name can't be blank")
	case !teamName.MatchString(t.Name):
		problems.Attribute("name", "Name can only contain letters, numbers, spaces, -, and _, and can't start or end with a space")
	case len(t.Name) > 90:
		problems.Attribute("name", "Name is too long (maximum is 90 characters)")
	case was != OwnersTeam && was != t.Name && strings.EqualFold(t.Name, OwnersTeam): // nobody is to take one for the other
		problems.Attribute("name", "Name has already been taken")
	}
	CheckLength(&problems, "description", "Description", t.Description, 256)
	CheckLength(&problems, "sso-team-id", "Sso team", change.SSOTeamID.Value, MaxLabel)
	if t.Visibility != SecretTeam && t.Visibility != VisibleTeam {
		problems.Attribute("visibility", "Visibility is not included in the list")
	}
	return problems.Err()
}

// TeamsInOrder is the order in which transactions take teams.
func TeamsInOrder(one, other Team) int {
	return cmp.Or(strings.Compare(one.OrganizationID, other.OrganizationID), strings.Compare(one.ID, other.ID))
}

// TeamQuery is what a list of teams asks for.
type TeamQuery struct {
	Search   string
	Names    []string // nil: any
	Secret   bool     // the caller sees the secret teams, too
	MemberOf []string // the teams that the caller is in: it sees these anyway
	Page     Page
}

// TeamMember is one user's place in a team.
type TeamMember struct {
	TeamID, UserID, MembershipID string
	Visibility, Team, Email      string // of the team, its name, and that of the membership
	Invited                      bool   // has not come in yet
	OnlyOne                      bool   // no other of the owners has
	JoinedAt                     time.Time
	ByGroups                     bool // only because of groups at an identity provider
}
