package moving

import (
	"context"
	"net/http"
	"slices"

	"github.com/belayhq/belay/internal/remote"
)

// hanging brings what hangs on a workspace.
func (o *organization) hanging(ctx context.Context, p pair, thing string) error {
	if err := o.bringVariables(ctx, "workspaces/%s/vars", "workspaces/%s/vars/%s", p, thing); err != nil {
		return err
	}
	if err := o.bringAccess(ctx, "team-workspaces", "workspaces", p, thing,
		"runs", "variables", "state-versions", "sentinel-mocks", "workspace-locking", "run-tasks", "policy-overrides"); err != nil {
		return err
	}
	if err := o.bringNotifications(ctx, "workspaces", p, thing); err != nil {
		return err
	}
	if err := o.retention(ctx, "workspaces/", p, thing); err != nil {
		return err
	}
	return o.sshKey(ctx, p, thing)
}

// sshKey assigns the SSH key by its name.
func (o *organization) sshKey(ctx context.Context, p pair, thing string) error {
	want, given := o.from.one(&p.from, "ssh-key")
	have, _ := o.to.one(&p.to, "ssh-key")
	if !given && p.from.One("ssh-key").ID != "" {
		o.Report.left(thing, "ssh-key: its key is not on the target")
	}
	if !given && o.Mode != Verify || want.name == have.name {
		return nil
	}
	if o.Mode != Import {
		return o.change(ctx, "workspaces", "", thing, facts{"ssh-key": want}, []string{"ssh-key"}, facts{"ssh-key": have})
	}
	id := o.refer(thing, "ssh-key", want)
	if id == "" {
		return nil
	}
	_, err := o.To.Send(ctx, http.MethodPatch, "workspaces/"+p.to.ID+"/relationships/ssh-key", body("workspaces", map[string]any{"id": id}, nil))
	return o.spared(thing, err)
}

// retention brings the data retention policy that is a workspace's or organization's own.
func (o *organization) retention(ctx context.Context, below string, p pair, thing string) error {
	const relation = "data-retention-policy"
	if p.from.One(relation).ID == "" {
		if o.Mode == Verify && p.to.One(relation).ID != "" {
			o.Report.differ(thing, relation+": only the target has one")
		}
		return nil
	}
	want, err := remote.One(ctx, o.From, below+p.from.ID+"/relationships/"+relation)
	if remote.Status(err) == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	have := remote.Resource{}
	if p.to.One(relation).ID != "" {
		if have, err = remote.One(ctx, o.To, below+p.to.ID+"/relationships/"+relation); err != nil {
			return err
		}
	}
	wanted, there := retentionFacts(&want), retentionFacts(&have)
	unlike := wanted.unlike(there)
	if len(unlike) == 0 {
		return nil
	}
	if o.Mode != Import {
		return o.change(ctx, "data-retention-policies", "", thing, wanted, unlike, there)
	}
	attributes := map[string]any{}
	if days := wanted["days"]; days != nil {
		attributes["delete-older-than-n-days"] = days
	}
	for try := range lostTries { // the same policy again changes nothing
		pause(ctx, try)
		_, err = o.To.Send(ctx, http.MethodPost, below+p.to.ID+"/relationships/"+relation, body(want.Type, attributes, nil))
		if !remote.Uncertain(err) {
			break
		}
	}
	if err == nil {
		o.Report.made("data-retention-policies")
	}
	return o.spared(thing, err)
}

func retentionFacts(r *remote.Resource) facts {
	f := facts{"kind": r.Type}
	for _, spelling := range []string{"delete-older-than-n-days", "deleteOlderThanNDays"} {
		if days, there := r.Attributes[spelling]; there && days != nil {
			f["days"] = days
		}
	}
	return f
}

// repository is a repository in the terms of both sides: its connection by name.
func (s *side) repository(repo map[string]any) map[string]any {
	f := map[string]any{}
	for _, name := range []string{"identifier", "branch", "ingress-submodules", "tags-regex", "source-directory", "tag-prefix"} {
		if value, there := repo[name]; there && !nothing(value) {
			f[name] = value
		}
	}
	token, _ := repo["oauth-token-id"].(string)
	f["connection"] = s.name(remote.Ref{Type: "oauth-tokens", ID: token})
	return f
}

// repository is a repository as a request has it; nil, and reported, without its connection.
func (o *organization) repository(thing string, repo map[string]any) any {
	connection, _ := repo["connection"].(string)
	token := o.to.id("oauth-tokens", connection)
	if connection == "" || token == "" {
		o.Report.left(thing, "vcs-repo: the target has no such connection to a version control service")
		return nil
	}
	wanted := map[string]any{"oauth-token-id": token}
	for name, value := range repo {
		if name != "connection" {
			wanted[name] = value
		}
	}
	return wanted
}

// bringLinks brings what ties workspaces to each other, once all are there.
func (o *organization) bringLinks(ctx context.Context) error {
	return each(ctx, o.Concurrency, o.workspaces, func(ctx context.Context, w moved) error {
		if w.toID == "" && o.Mode != DryRun {
			return nil
		}
		thing := o.toName + "/" + w.name
		if !w.shared {
			if err := o.consumers(ctx, w, thing); err != nil {
				return err
			}
		}
		return o.bring(ctx, o.triggers(), owner{w.fromID, w.toID, thing, w.fresh})
	})
}

// triggers is the kind of run triggers, known by the workspace whose runs set them off.
func (o *organization) triggers() *kind {
	source := func(s *side, r *remote.Resource) string {
		return s.name(remote.Ref{Type: "workspaces", ID: r.One("sourceable").ID})
	}
	return &kind{
		typ: "run-triggers", list: "workspaces/%s/run-triggers?filter%%5Brun-trigger%%5D%%5Btype%%5D=inbound",
		create: "workspaces/%s/run-triggers", key: source,
		facts: func(s *side, r *remote.Resource) facts { return facts{"sourceable": link{"workspaces", source(s, r)}} },
	}
}

// consumers brings which workspaces may read the state of one.
func (o *organization) consumers(ctx context.Context, w moved, thing string) error {
	const below = "/relationships/remote-state-consumers"
	want, err := o.linked(ctx, o.From, o.from, "workspaces/"+w.fromID+below)
	if err != nil {
		return err
	}
	have := links{typ: "workspaces"}
	if w.toID != "" && !w.fresh {
		if have, err = o.linked(ctx, o.To, o.to, "workspaces/"+w.toID+below); err != nil {
			return err
		}
	}
	o.Report.seen("remote-state-consumers", len(want.names), len(have.names))
	return o.tie(ctx, "remote-state-consumers", "workspaces/"+w.toID+below, thing, want, have)
}

// tie adds what a relationship lacks, or says that it does.
func (o *organization) tie(ctx context.Context, relation, path, thing string, want, have links) error {
	if slices.Equal(want.names, have.names) || o.Mode != Verify && !lacks(want, have) {
		return nil
	}
	if o.Mode != Import {
		return o.change(ctx, relation, "", thing, facts{relation: want}, []string{relation}, facts{relation: have})
	}
	var refs []remote.Ref
	for _, name := range want.names {
		if id := o.refer(thing, relation, link{want.typ, name}); id != "" && !slices.Contains(have.names, name) {
			refs = append(refs, remote.Ref{Type: want.typ, ID: id})
		}
	}
	err := o.join(ctx, path, refs...)
	if err == nil && len(refs) > 0 {
		o.Report.changed(relation)
	}
	return o.spared(thing, err)
}

func lacks(want, have links) bool {
	return slices.ContainsFunc(want.names, func(name string) bool { return !slices.Contains(have.names, name) })
}

// linked is the things of a list by their names.
func (o *organization) linked(ctx context.Context, from remote.Reader, s *side, path string) (links, error) {
	all := links{typ: "workspaces", names: []string{}}
	err := remote.Each(ctx, from, path, func(r remote.Resource) error {
		if name := s.name(r.Ref); name != "" {
			all.names = append(all.names, name)
		}
		return nil
	})
	slices.Sort(all.names)
	switch remote.Status(err) {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return all, nil
	}
	return all, err
}
