package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// Opened is a visit to a page of a workspace that another room shows.
type Opened struct {
	*frame.Visit
	Principal belay.Principal
	W         app.WorkspaceView
	Org       app.OrganizationView
	Path      string // of the workspace
	Wrong     string // what went wrong with the form before
}

// Ref is the workspace, for verbs.
func (t *Opened) Ref() belay.WorkspaceRef { return belay.WorkspaceRef{ID: t.W.ID} }

func (t *tabVisit) opened() *Opened {
	return &Opened{Visit: t.Visit, Principal: t.s, W: t.w, Org: t.o, Path: t.path, Wrong: t.wrong}
}

// ShowIn shows a page within the tab at a path, to those who may open that; problem is what went wrong before.
func ShowIn(v *frame.Visit, s belay.Principal, path, template string, status int, problem string, fill func(*Opened) (any, error)) {
	page := tabOf(v, path)
	page.template, page.fill = template, func(t *tabVisit) (any, error) { return fill(t.opened()) }
	openTab(v, s, page, status, problem)
}

// ActIn does what a form of such a page asks for; again shows the page once more, where it is refused.
func ActIn(v *frame.Visit, act func(*Opened) (to string, err error), again func(s belay.Principal, status int, problem string)) {
	v.Submitted(func(s belay.Principal) (string, error) {
		t, err := visitTab(v, s)
		if err != nil {
			return "", err
		}
		return act(t.opened())
	}, again)
}
