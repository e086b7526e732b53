package organizations

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/ui/frame"
)

// startPart is the way to the first state of an organization, and how far it is gone.
type startPart struct {
	Host, Organization, Name string
	Command                  string // tofu or terraform
	Authority                string // where the certificate is that its command line has to trust; empty: it trusts the server's
	Bare                     bool   // the visitor came without TLS, which command lines don't
	Commands                 frame.Segs
	Login                    *loginPart // the visitor has signed in from the command line; nil: not yet
	Elsewhere                []elsewhere
	MayCreate                bool
	Others                   bool   // there are workspaces, and this is the way to one more
	Path                     string // of the workspace that is there; empty: there is none yet
	There                    bool   // its state
	Resources                int
	Refused                  *refusedPart // what the visitor's command line was last refused; nil: nothing, or it came further since
}

// refusedPart is a refusal, and what to do about it.
type refusedPart struct {
	At       time.Time
	What, Do string
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
func start(v *frame.Visit, s belay.Principal, o *app.OrganizationView) (*startPart, error) {
	ctx, u := v.Context(), v.UI
	again := v.URL.Query().Has("start")
	if !again && o.WorkspaceCount > 1 || !o.Can.HasAny(belay.ReadWorkspace.And(belay.CreateWorkspace)) {
		return nil, nil
	}
	login, err := loginOf(ctx, u, s)
	if err != nil {
		return nil, err
	}
	part := &startPart{Login: login, Command: "tofu", Bare: !v.Secure(), Host: v.HostName(), Organization: o.Name, Name: "my-workspace", MayCreate: o.Can.Has(belay.CreateWorkspace)}
	if part.Refused = refusedOf(v, s, o, login); u.Authority != "" {
		part.Authority = AuthorityPath
	}
	if o.WorkspaceCount == 0 {
		return part, nil
	}
	if o.WorkspaceCount == 1 {
		if first, err := firstWorkspace(v, s, o, part); first != nil || err != nil || !again {
			return first, err
		}
	}
	return part, part.oneMore(v, s, o)
}

// oneMore adds the workspace that the way names, in an organization that has others.
func (p *startPart) oneMore(v *frame.Visit, s belay.Principal, o *app.OrganizationView) error {
	p.Others = true
	p.Name = cmp.Or(nameAsked(v), p.Name)
	w, err := v.UI.App.Workspace(v.Context(), s, belay.WorkspaceRef{Organization: o.Name, Name: p.Name})
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	p.has(o, &w)
	return err
}

// has fills in the workspace that the way leads to.
func (p *startPart) has(o *app.OrganizationView, w *app.WorkspaceView) {
	p.Name, p.Path, p.There, p.Resources = w.Name, frame.WorkspacePath(o.Name, w.Name), w.CurrentStateVersionID != "", w.ResourceCount
	if p.There || p.Refused != nil && p.Refused.At.Before(w.CreatedAt) {
		p.Refused = nil
	}
}

// firstWorkspace adds the only workspace that there is; nil once that has been there for long.
func firstWorkspace(v *frame.Visit, s belay.Principal, o *app.OrganizationView, part *startPart) (*startPart, error) {
	list, _, err := v.UI.App.Workspaces(v.Context(), s, o.Name, belay.WorkspaceQuery{Page: belay.Page{Number: 1, Size: 1}})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if v.UI.Now().Sub(list[0].CreatedAt) > startLasts {
		return nil, nil
	}
	part.has(o, &list[0])
	return part, nil
}

// AuthorityPath is where the certificate lies of the authority that the server made its own by.
const AuthorityPath = "/app/~/belay-ca.pem"

// GiveAuthority answers with that certificate, which is no secret.
func GiveAuthority(v *frame.Visit) {
	if _, ok := v.SignedIn(); !ok {
		return
	}
	if v.UI.Authority == "" {
		frame.NoPage(v)
		return
	}
	raw, err := os.ReadFile(v.UI.Authority)
	if err != nil {
		v.Fail(err)
		return
	}
	v.Download("application/x-pem-file", path.Base(AuthorityPath))
	_, _ = v.Writer.Write(raw) // to a browser that may have gone
}

// organizationAsked is the organization in the path of a request of the API.
var organizationAsked = regexp.MustCompile(`^/api/v2/organizations/([^/]+)(/entitlement-set|/workspaces)?`)

// refusedOf is what the visitor's command line was last refused, in words, and what mends it. What no command line asks for is
// not told, nor a token that opened nothing before the one that it got since.
func refusedOf(v *frame.Visit, s belay.Principal, o *app.OrganizationView, login *loginPart) *refusedPart {
	r := v.UI.App.LastRefused(s.ID, v.Browser().Address)
	if r == nil {
		return nil
	}
	part := &refusedPart{At: r.At, What: fmt.Sprintf("%s %s: %s", r.Method, frame.Cut(r.Path, frame.LongestValue), r.Detail)}
	asked := organizationAsked.FindStringSubmatch(r.Path)
	switch {
	case r.Status == http.StatusUnauthorized && login.since(r.At):
		return nil
	case r.Status == http.StatusUnauthorized:
		part.What, part.Do = "A command line at your address came with a token that opens nothing here.", "Sign in again, with the first step."
	case asked != nil && asked[2] != "" && r.Status == http.StatusNotFound && asked[1] != o.Name:
		part.What = "The configuration names the organization “" + frame.Cut(asked[1], frame.LongestValue) + "”, and your token sees none that is called so."
		part.Do = "Write organization = \"" + o.Name + "\", as the second step has it."
	case asked != nil && asked[1] == o.Name && asked[2] == "/workspaces":
		part.Do = "Write a name that it takes, or ask an owner to let you make workspaces."
	case strings.HasSuffix(r.Path, "/actions/lock"):
		part.Do = "Wait until the workspace is unlocked, or unlock it on its page."
	case strings.HasSuffix(r.Path, "/state-versions"):
		part.Do = "The workspace has a state of its own already, or another serial: name a new workspace, or bring the state with init -migrate-state."
	default:
		return nil
	}
	return part
}

// since says whether there was a login after a moment.
func (l *loginPart) since(at time.Time) bool { return l != nil && l.At.After(at) }

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

// nameAsked is what the address wants the workspace to be called; empty: nothing, or what none may be called.
func nameAsked(v *frame.Visit) string { return plainName.FindString(v.Asked("name")) }

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
	if p.Path == "" {
		p.Name = cmp.Or(nameAsked(v), p.Name)
	}
	p.Elsewhere = []elsewhere{{"export", "Move state that you have", "One moves with init, many with the importer: from another server, a folder or a bucket.", p.Command + " init -migrate-state", ""}}
	for _, way := range []struct {
		need belay.Permission
		elsewhere
	}{
		{belay.ManageVCS, elsewhere{"branch", "Connect a repository", "A run for each push, a plan for each pull request.", "", "connections"}},
		{belay.ManageMembership.And(belay.ReadEveryMember), elsewhere{"users", "Invite your team", "Or let groups of your identity provider lead to teams.", "", "members"}},
		{belay.ManageTeams, elsewhere{"term", "A token for a pipeline", "A team's token, in a variable of the pipeline.", frame.TokenVariable(p.Host), "teams"}},
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
	refused := ""
	if p.Refused != nil {
		refused = p.Refused.What
	}
	return fmt.Sprint(p.Path, p.There, p.Resources, p.Login != nil, refused)
}
