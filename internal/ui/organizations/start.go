package organizations

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
)

// startPart is the way to the first state of an organization, and how far it is gone.
type startPart struct {
	Host, Organization, Name string
	Command                  string // tofu or terraform
	Commands                 []frame.Seg
	Login                    *loginPart // the visitor has signed in from the command line; nil: not yet
	Elsewhere                []elsewhere
	MayCreate                bool
	Path                     string // of the workspace that is there; empty: there is none yet
	There                    bool   // its state
	Resources                int
}

// loginPart is the newest token that the visitor's command line has got.
type loginPart struct {
	Tail string
	At   time.Time
}

// elsewhere is another way to begin than the one with three steps.
type elsewhere struct{ Icon, Name, Text, Code, Path string }

// startLasts is how long the way stays where its end has been reached.
const startLasts = time.Hour

// start is the way to the first state; nil where one has more to do with than that.
func start(ctx context.Context, u *frame.UI, s belay.Principal, o *app.OrganizationView, host string) (*startPart, error) {
	if o.WorkspaceCount > 1 || !o.Can.HasAny(belay.ReadWorkspace.And(belay.CreateWorkspace)) {
		return nil, nil
	}
	login, err := loginOf(ctx, u, s)
	if err != nil {
		return nil, err
	}
	part := &startPart{Login: login, Command: "tofu", Host: host, Organization: o.Name, Name: "my-workspace", MayCreate: o.Can.Has(belay.CreateWorkspace)}
	if o.WorkspaceCount == 0 {
		return part, nil
	}
	list, _, err := u.App.Workspaces(ctx, s, o.Name, belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: 1}})
	if err != nil || len(list) == 0 || u.Now().Sub(list[0].CreatedAt) > startLasts {
		return nil, err
	}
	w := &list[0]
	part.Name, part.Path, part.There, part.Resources = w.Name, frame.WorkspacePath(o.Name, w.Name), w.CurrentStateVersionID != "", w.ResourceCount
	return part, nil
}

// loginOf is the newest token of the visitor that a login of a command line made, if there is one.
func loginOf(ctx context.Context, u *frame.UI, s belay.Principal) (*loginPart, error) {
	list, _, err := u.App.UserTokens(ctx, s, s.ID, belay.Page{Number: 1, Size: frame.MostTokens})
	var newest *loginPart
	for i := range list {
		if t := &list[i]; t.Description == identity.LoginDescription || t.Description == frame.PastedLogin {
			newest = &loginPart{frame.Tail(t), t.CreatedAt}
		}
	}
	return newest, err
}

// plainName is what a workspace may be called.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,90}$`)

// take fills in what the address asks for: the command, and what the workspace is to be called.
func (p *startPart) take(v *frame.Visit, o *app.OrganizationView) {
	if p == nil {
		return
	}
	if v.Asked("command") == "terraform" {
		p.Command = "terraform"
	}
	for _, c := range [][2]string{{"OpenTofu", "tofu"}, {"Terraform", "terraform"}} {
		query := v.URL.Query()
		query.Set("command", c[1])
		p.Commands = append(p.Commands, frame.Seg{Name: c[0], Path: "?" + query.Encode(), Here: c[1] == p.Command})
	}
	if name := v.Asked("name"); p.Path == "" && plainName.MatchString(name) {
		p.Name = name
	}
	p.Elsewhere = []elsewhere{{"export", "Move state that you have", "One moves with init, many with the importer: from another server, a folder or a bucket.", p.Command + " init -migrate-state", ""}}
	for _, way := range []struct {
		need belay.Permission
		elsewhere
	}{
		{belay.ManageVCS, elsewhere{"branch", "Connect a repository", "A run for each push, a plan for each pull request.", "", "connections"}},
		{belay.ManageMembership.And(belay.ReadEveryMember), elsewhere{"users", "Invite your team", "Or let groups of your identity provider lead to teams.", "", "members"}},
		{belay.ManageTeams, elsewhere{"term", "A token for a pipeline", "A team's token, in a variable of the pipeline.", access.TokenVariable(p.Host), "teams"}},
	} {
		if o.Can.HasAny(way.need) {
			way.Path = frame.OrganizationPath(o.Name, way.Path)
			p.Elsewhere = append(p.Elsewhere, way.elsewhere)
		}
	}
}

// revision changes with what the way shows.
func (p *startPart) revision() string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(p.Path, p.There, p.Resources, p.Login != nil)
}

// WatchedHome looks at what goes on in an organization, and at the way to its first state.
func WatchedHome(v *frame.Visit, id string) frame.Look {
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		o, err := v.UI.App.Organization(ctx, s, id)
		if err != nil {
			return "", false, err
		}
		begins, err := start(ctx, v.UI, s, &o, "")
		if err != nil {
			return "", false, err
		}
		list, err := unfinished(v, ctx, s, o.Name)
		return organizationRevision(o.WorkspaceCount, list) + begins.revision(), false, err
	}
}
