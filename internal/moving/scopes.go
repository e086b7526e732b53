package moving

import (
	"context"
	"net/http"
	"sync"

	"github.com/belayhq/belay/internal/remote"
)

// settings brings the attributes of the organization itself, once its agent pools are
// there.
func (o *organization) settings(ctx context.Context, source, target remote.Resource) error {
	want, have := o.from.organizationFacts(&source), o.to.organizationFacts(&target)
	if unlike := want.unlike(have); len(unlike) > 0 {
		if err := o.change(ctx, "organizations", remote.Path("organizations", o.toName), o.toName, want, unlike, have); err != nil {
			return err
		}
	}
	o.Report.seen("organizations", 1, 1)
	source.ID, target.ID = remote.Path(o.fromName), remote.Path(o.toName)
	return o.retention(ctx, "organizations/", pair{from: source, to: target}, o.toName)
}

func (s *side) organizationFacts(r *remote.Resource) facts {
	f := facts{}
	f.take(r, "email", "session-timeout", "session-remember", "collaborator-auth-policy", "cost-estimation-enabled",
		"send-passing-statuses-for-untriggered-speculative-plans", "aggregated-commit-status-enabled",
		"speculative-plan-management-enabled", "allow-force-delete-workspaces", "assessments-enforced",
		"default-execution-mode", "global-remote-state", "owners-team-saml-role-id", "user-tokens-enabled",
		"max-ttl-enabled", "stacks-enabled", "enforce-hyok", "registry-monorepo-support-enabled", "recoverable-items-enabled")
	for name, value := range f {
		if value == nil || value == "" {
			delete(f, name) // what a server does not tell is left as it is
		}
	}
	if pool, ok := s.one(r, "default-agent-pool"); ok {
		f["default-agent-pool"] = pool
	}
	return f
}

// bringSets brings sets of variables; whom they reach comes once all workspaces are there.
func (o *organization) bringSets(ctx context.Context) error {
	k := &kind{
		typ: "varsets", list: "organizations/%s/varsets", one: "varsets/%s", key: by("name"),
		facts: func(s *side, r *remote.Resource) facts {
			f := facts{}
			f.take(r, "name", "description", "global", "priority")
			if parent, ok := s.one(r, "parent"); ok && parent.typ == "projects" {
				f["parent"] = parent
			}
			return f
		},
	}
	k.found = func(ctx context.Context, p pair) error {
		o.sets = append(o.sets, p)
		return o.bringVariables(ctx, "varsets/%s/relationships/vars", "varsets/%s/relationships/vars/%s", p, o.toName+" varsets "+p.from.Text("name"))
	}
	return o.bring(ctx, k, o.top())
}

// bringScopes brings what reaches projects and workspaces from the organization.
func (o *organization) bringScopes(ctx context.Context) error {
	for _, p := range o.sets {
		if err := o.reach(ctx, p); err != nil {
			return err
		}
	}
	for _, p := range o.pools {
		if err := o.scope(ctx, p); err != nil {
			return err
		}
	}
	err := remote.Each(ctx, o.From, remote.Path("organizations", o.fromName, "projects"), func(r remote.Resource) error {
		return o.project(ctx, r)
	})
	if remote.Status(err) == http.StatusNotFound {
		return nil // there are no projects on the source, which was said before
	}
	return err
}

// project brings what hangs on a project.
func (o *organization) project(ctx context.Context, r remote.Resource) error {
	name := o.from.name(r.Ref)
	p := pair{from: r, to: remote.Resource{Ref: remote.Ref{Type: "projects", ID: o.to.id("projects", name)}}}
	if name == "" || p.to.ID == "" && o.Mode != DryRun {
		return nil
	}
	thing := o.toName + " projects " + r.Text("name")
	if err := o.bringAccess(ctx, "team-projects", "projects", p, thing, "project-access", "workspace-access"); err != nil {
		return err
	}
	return o.bringNotifications(ctx, "projects", p, thing)
}

// reach applies a set of variables to its workspaces and projects.
func (o *organization) reach(ctx context.Context, p pair) error {
	thing := o.toName + " varsets " + p.from.Text("name")
	if p.from.Truth("global") || p.to.ID == "" && o.Mode != DryRun {
		return nil
	}
	if _, told := p.from.Many("workspaces"); !told { // some servers tell only who asks
		whole, err := remote.One(ctx, o.From, "varsets/"+p.from.ID+"?include=workspaces%2Cprojects")
		if err != nil {
			return err
		}
		p.from = whole
	}
	for _, typ := range []string{"workspaces", "projects"} {
		want, _ := o.from.many(&p.from, typ, typ)
		have, _ := o.to.many(&p.to, typ, typ)
		if err := o.tie(ctx, "varset-"+typ, "varsets/"+p.to.ID+"/relationships/"+typ, thing, want, have); err != nil {
			return err
		}
	}
	return nil
}

// scope says which workspaces and projects may name an agent pool.
func (o *organization) scope(ctx context.Context, p pair) error {
	facts := func(s *side, r *remote.Resource) facts {
		f := facts{}
		f.take(r, "organization-scoped")
		for relation, typ := range map[string]string{"allowed-workspaces": "workspaces", "allowed-projects": "projects", "excluded-workspaces": "workspaces"} {
			if all, told := s.many(r, relation, typ); told {
				f[relation] = all
			}
		}
		return f
	}
	want, have := facts(o.from, &p.from), facts(o.to, &p.to)
	unlike := want.unlike(have)
	if len(unlike) == 0 {
		return nil
	}
	return o.change(ctx, "agent-pools", "agent-pools/"+p.to.ID, o.toName+" agent-pools "+p.from.Text("name"), want, unlike, have)
}

// bringReserved brings reserved tag keys, last: they forbid what may be there already.
func (o *organization) bringReserved(ctx context.Context) error {
	return o.bring(ctx, &kind{
		typ: "reserved-tag-keys", list: "organizations/%s/reserved-tag-keys", one: "reserved-tag-keys/%s",
		key: by("key"), facts: plain("key", "disable-overrides"),
	}, o.top())
}

// told says what is never brought, where the source has any of it.
func (o *organization) told(ctx context.Context) error {
	if o.Mode == Verify {
		return nil
	}
	for _, never := range []struct{ path, what string }{
		{"runs", "runs, their plans, logs and configuration versions stay on the source"},
		{"policies", "policies are not known here"},
		{"policy-sets", "policy sets are not known here"},
		{"tasks", "run tasks are not known here"},
		{"registry-modules", "there is no registry of modules here"},
		{"registry-providers", "there is no registry of providers here"},
		{"team-tokens", "tokens are told by no server: make new ones"},
		{"explorer/views", "saved questions of the explorer stay on the source"},
	} {
		document, err := o.From.Document(ctx, remote.Path("organizations", o.fromName)+"/"+never.path)
		if status := remote.Status(err); status >= 400 && status < 500 && status != http.StatusUnauthorized {
			continue
		}
		if err != nil {
			return err
		}
		if list, err := document.List(); err == nil && len(list) > 0 {
			o.Report.left(o.toName+" "+never.path, never.what)
		}
	}
	return nil
}

// each works on a list, several at once, and ends at the first error.
func each[T any](ctx context.Context, at int, list []T, work func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	items := make(chan T)
	var done sync.WaitGroup
	for range max(1, at) {
		done.Go(func() {
			for item := range items {
				if err := work(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
feeding:
	for _, item := range list {
		select {
		case items <- item:
		case <-ctx.Done():
			break feeding
		}
	}
	close(items)
	done.Wait()
	return context.Cause(ctx)
}
