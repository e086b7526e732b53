package store

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/store/base"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/signin"
)

// Reader reads rows one by one, current or locked: whoever is given one reads as its caller has to. What needs no lock
// whoever calls is read through Peek, and what cannot do without one asks for a Locked.
type Reader interface {
	// Peek makes current reads.
	Peek() *View
	// Holds says that reading a row alone holds it: what was read of it before may be past.
	Holds() bool

	Access(s belay.Principal, o belay.Organization) (belay.Access, error) // holds nothing either way
	FillGrants(list []belay.Team, on belay.Scope) error                   // as Access

	BareAgentPool(id string) (run.AgentPool, error)
	BulkAction(id string) (backlog.BulkAction, error)
	ChangeRequest(id string) (backlog.ChangeRequest, error)
	MailLink(hash string) (signin.MailLink, error)
	Membership(id string) (belay.Membership, error)
	Notification(id string) (notices.Notification, error)
	OAuthClient(id string) (forge.OAuthClient, error)
	OAuthToken(id string) (forge.OAuthToken, error)
	Organization(name string) (belay.Organization, error)
	Project(id string) (belay.Project, error)
	ProjectsOfWorkspaces(organizationID string, ids []string) (map[string]string, error)
	Run(id string) (run.Run, error)
	RunTrigger(id string) (run.RunTrigger, error)
	Runner(id string) (run.Runner, error)
	SSHKey(id string) (inputs.SSHKey, error)
	SavedView(o belay.Organization, id string) (backlog.SavedView, error)
	SetVariable(id string) (inputs.Variable, error)
	Team(id string) (belay.Team, error)
	TeamProject(id string) (belay.TeamProject, error)
	TeamWorkspace(id string) (belay.TeamWorkspace, error)
	Token(id string) (belay.Token, error)
	User(id string) (belay.User, error)
	Variable(id string) (inputs.Variable, error)
	WorkloadRule(id string) (signin.WorkloadRule, error)
	Workspace(ref belay.WorkspaceRef) (belay.Workspace, error)
	WorkspaceForRuns(ref belay.WorkspaceRef) (belay.Workspace, error)
	WorkspaceKnowing(ref belay.WorkspaceRef, user belay.Holder) (belay.Workspace, error)
	WorkspaceView(id string) (backlog.WorkspaceView, error)
}

// Peek makes current reads beside those that are locked: for what a transaction only looks at.
func (v *reads) Peek() *View { return &View{v.on(v.baseView.Peek())} }

// Seizing makes locked reads that hold a row as one that is to be deleted. Whoever holds it
// otherwise first, and deletes it then, waits for those who refer to it while they wait for it.
func (tx *Tx) Seizing() *Locked { return &Locked{reads: tx.on(tx.baseView.Seizing())} }

// on is the same reads over another view of the database.
func (v *reads) on(other *base.View) reads {
	same := v.db.reading(*other)
	same.mine = v.mine
	return same
}
