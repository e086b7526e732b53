package organizations

import (
	"context"
	"fmt"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// startPart is the way to the first state of an organization, and how far it is gone.
type startPart struct {
	Host, Organization, Name string
	MayCreate                bool
	Path                     string // of the workspace that is there; empty: there is none yet
	There                    bool   // its state
	Resources                int
}

// startLasts is how long the way stays where its end has been reached.
const startLasts = time.Hour

// start is the way to the first state; nil where one has more to do with than that.
func start(ctx context.Context, u *frame.UI, s belay.Principal, o *app.OrganizationView, host string) (*startPart, error) {
	if o.WorkspaceCount > 1 || !o.Can.HasAny(belay.ReadWorkspace.And(belay.CreateWorkspace)) {
		return nil, nil
	}
	part := &startPart{Host: host, Organization: o.Name, Name: "my-workspace", MayCreate: o.Can.Has(belay.CreateWorkspace)}
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

// revision changes with what the way shows.
func (p *startPart) revision() string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(p.Path, p.There, p.Resources)
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
