// Package moving owns bringing what another server, a folder or a bucket holds into a
// server of ours, and comparing both afterwards. It speaks to the target as any client
// does, so that rights and rules hold; what is on the target is the truth, and one walk
// over both sides makes things, tells what it would make, or tells what differs.
//
// It never invents a secret, never deletes what it did not bring, and holds no state file
// in memory.
package moving

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/belayhq/belay/internal/remote"
)

// Mode is what is done about what the target lacks.
type Mode int

// The modes: make it, say that it would be made, or call it a difference.
const (
	Import Mode = iota
	DryRun
	Verify
)

// AllStates asks for every state version of a workspace.
const AllStates = -1

// Source is a server that things come from.
type Source interface {
	remote.Reader
	// Open opens a file by its URL.
	Open(ctx context.Context, address string) (io.ReadCloser, error)
	// Ours says whether it is a server of the same program, which keeps flat tags and tag
	// bindings apart.
	Ours() bool
}

// Config is what is moved, and how.
type Config struct {
	From        Source
	To          *remote.Client
	Mode        Mode
	States      int // how many of a workspace, the newest; AllStates, or 0 for none
	Concurrency int
	Filter      Filter
	Secrets     map[string]string // by what the report calls them
	Compare     bool              // Verify reads the files of both sides, whatever checksums they tell
	Journal     *Journal          // nil: none
	Report      *Report
	Scratch     string // folder for the file under way
}

// mover is one walk over both sides.
type mover struct {
	Config
	absent sync.Map        // kinds that the source does not offer, told once
	me     remote.Resource // the account on the target
}

// Run walks over both sides. Its error ends the walk; what single things were refused is
// in the report.
func Run(ctx context.Context, c Config) error {
	m := &mover{Config: c}
	m.Concurrency = max(1, m.Concurrency)
	found := 0
	var err error
	if m.me, err = remote.One(ctx, m.To, "account/details"); err != nil {
		return err
	}
	err = remote.Each(ctx, m.From, "organizations", func(r remote.Resource) error {
		if !m.Filter.Organization(name(&r)) {
			return nil
		}
		found++
		return m.organization(ctx, r)
	})
	if err == nil && found == 0 {
		err = fmt.Errorf("the source has no organization that was asked for, or its token sees none")
	}
	return err
}

// name is what an organization is called: its id, where a list leaves the attribute out.
func name(r *remote.Resource) string {
	if text := r.Text("name"); text != "" {
		return text
	}
	return r.ID
}

// organization is the walk over one organization.
type organization struct {
	*mover
	fromName, toName string
	from, to         *side
	fresh            bool // the target has just got it, or would: it holds nothing

	mu         sync.Mutex
	workspaces []moved
	sets       []pair
	pools      []pair
}

// pair is one thing on both sides.
type pair struct {
	from, to remote.Resource
	fresh    bool // made by this walk, so that nothing hangs on it yet
}

// moved is what later steps need to know of a workspace.
type moved struct {
	fromID, toID, name string
	fresh, shared      bool
}

func (m *mover) organization(ctx context.Context, listed remote.Resource) error {
	o := &organization{mover: m, fromName: name(&listed), from: newSide(), to: newSide()}
	o.toName = m.Filter.Renamed(o.fromName)
	source, err := remote.One(ctx, m.From, remote.Path("organizations", o.fromName))
	if err != nil {
		return err
	}
	target, err := o.ownOrganization(ctx, source)
	if err != nil || target == nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		o.bringPools, o.bringKeys, o.bringConnections, o.bringProjects, o.bringTeams, o.bringMembers,
		func(ctx context.Context) error { return o.settings(ctx, source, *target) },
		o.bringSets, o.bringWorkspaces, o.bringLinks, o.bringScopes, o.bringReserved, o.told,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ownOrganization finds or makes the organization; nil when there is nothing to go on with.
func (o *organization) ownOrganization(ctx context.Context, source remote.Resource) (*remote.Resource, error) {
	target, err := remote.One(ctx, o.To, remote.Path("organizations", o.toName))
	if remote.Status(err) != 404 {
		return &target, err
	}
	o.fresh = true
	switch o.Mode {
	case Verify:
		o.Report.differ(o.toName, "the target has no such organization")
		return nil, nil
	case DryRun:
		o.Report.plan("organizations", o.toName, "would be made")
		return &remote.Resource{}, nil
	}
	email := source.Text("email")
	if email == "" {
		email = o.me.Text("email")
		o.Report.left(o.toName, "the source tells no e-mail address of the organization, so it has yours: "+email)
	}
	made, err := o.To.Send(ctx, "POST", "organizations", body("organizations", map[string]any{"name": o.toName, "email": email}, nil))
	if err != nil {
		again, failed := remote.One(ctx, o.To, remote.Path("organizations", o.toName))
		if failed != nil {
			return nil, err
		}
		return &again, nil
	}
	o.Report.made("organizations")
	return &made, nil
}
