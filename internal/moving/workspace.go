package moving

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/belayhq/belay/internal/remote"
)

// workspaceAttributes is what a workspace has of its own, whatever it is tied to.
var workspaceAttributes = []string{
	"description", "allow-destroy-plan", "assessments-enabled", "auto-apply", "auto-apply-run-trigger",
	"auto-destroy-at", "file-triggers-enabled", "global-remote-state", "project-remote-state", "queue-all-runs",
	"source-name", "source-url", "migration-environment", "speculative-enabled", "structured-run-output-enabled",
	"trigger-patterns", "trigger-prefixes", "working-directory", "inherits-project-auto-destroy", "engine",
}

// bringWorkspaces walks over the workspaces, several at once.
func (o *organization) bringWorkspaces(ctx context.Context) error {
	if err := o.expected(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan remote.Resource)
	var done sync.WaitGroup
	for range o.Concurrency {
		done.Go(func() {
			for r := range work {
				if err := o.workspace(ctx, r); err != nil {
					cancel(err)
				}
			}
		})
	}
	source := 0
	err := remote.Each(ctx, o.From, remote.Path("organizations", o.fromName, "workspaces"), func(r remote.Resource) error {
		if !o.Filter.Workspace(o.fromName, r.Text("name")) {
			return nil
		}
		source++
		select {
		case work <- r:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(work)
	done.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	return o.countWorkspaces(ctx, source)
}

// expected asks how many workspaces there are, for the progress.
func (o *organization) expected(ctx context.Context) error {
	document, err := o.From.Document(ctx, remote.Path("organizations", o.fromName, "workspaces")+"?page%5Bsize%5D=1")
	o.Report.expect(document.Meta.Pagination.Total)
	return err
}

// countWorkspaces counts both sides, and names what only the target has.
func (o *organization) countWorkspaces(ctx context.Context, source int) error {
	target := 0
	if o.Mode == Verify {
		known := map[string]bool{}
		for _, w := range o.workspaces {
			known[w.name] = true
		}
		err := remote.Each(ctx, o.To, remote.Path("organizations", o.toName, "workspaces"), func(r remote.Resource) error {
			target++
			if !known[r.Text("name")] && o.Filter.Workspace(o.fromName, r.Text("name")) {
				o.Report.differ(o.toName+"/"+r.Text("name"), "only the target has it")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	o.Report.seen("workspaces", source, target)
	return nil
}

// workspace brings one workspace with all that hangs on it.
func (o *organization) workspace(ctx context.Context, source remote.Resource) error {
	defer o.Report.step()
	to := o.Filter.RenamedWorkspace(o.fromName, source.Text("name"))
	thing := o.toName + "/" + to
	o.from.learn("workspaces", source.ID, to)
	stamp := source.Text("updated-at") + " " + source.Text("latest-change-at") + " " + source.One("current-state-version").ID
	if id, ok := o.Journal.done(thing, source.ID, stamp); ok && o.Mode == Import {
		o.Report.seen("workspaces", 0, 1)
		o.keep(moved{source.ID, id, to, false, source.Truth("global-remote-state")})
		return nil
	}
	p, err := o.ownWorkspace(ctx, source, to, thing)
	if err != nil || p.to.ID == "" && o.Mode != DryRun {
		if err == nil && o.Mode == Verify {
			o.keep(moved{source.ID, "", to, true, true})
		}
		return err
	}
	o.keep(moved{source.ID, p.to.ID, to, p.fresh, source.Truth("global-remote-state")})
	if err := o.hanging(ctx, p, thing); err != nil {
		return err
	}
	if err := o.states(ctx, p, thing); err != nil {
		return err
	}
	if o.Mode != Import {
		return nil
	}
	return o.Journal.finish(thing, source.ID, stamp, p.to.ID)
}

func (o *organization) keep(w moved) {
	if w.toID != "" {
		o.to.learn("workspaces", w.toID, w.name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.workspaces = append(o.workspaces, w)
}

// ownWorkspace finds or makes the workspace.
func (o *organization) ownWorkspace(ctx context.Context, source remote.Resource, to, thing string) (pair, error) {
	p := pair{from: source}
	want := o.workspaceFacts(o.from, &source)
	want["name"] = to
	tags, err := o.workspaceTags(ctx, &source)
	if err != nil {
		return p, err
	}
	for try := range lostTries {
		pause(ctx, try)
		if !o.fresh || o.Mode == Import && try > 0 { // what was made just now holds nothing yet
			p.to, err = remote.One(ctx, o.To, remote.Path("organizations", o.toName, "workspaces", to))
			if err == nil {
				o.found()
				return p, o.settleWorkspace(ctx, p, want, tags, thing)
			}
			if remote.Status(err) != http.StatusNotFound {
				return p, err
			}
		}
		if p.fresh = true; o.lacking("workspaces", thing) {
			return p, nil
		}
		p.to, err = o.send(ctx, sending{
			method: http.MethodPost, path: remote.Path("organizations", o.toName, "workspaces"), typ: "workspaces",
			thing: thing, facts: o.withTags(want, source, tags),
		})
		if !remote.Uncertain(err) {
			break
		}
		p.fresh = false
	}
	if err == nil {
		o.Report.made("workspaces")
	}
	return p, o.spared(thing, err)
}

// found counts a workspace that the target has; to verify, all of them are counted.
func (o *organization) found() {
	if o.Mode != Verify {
		o.Report.seen("workspaces", 0, 1)
	}
}

// lacking tells of what the target lacks, and whether that is all that is to be done about it.
func (o *organization) lacking(typ, thing string) bool {
	switch o.Mode {
	case Verify:
		o.Report.differ(thing, "the target lacks it")
	case DryRun:
		o.Report.plan(typ, thing, "would be made")
	default:
		return false
	}
	return true
}

// workspaceTags is the tag bindings of a workspace of the source. Servers that show flat
// tags among them are told apart by the names of the flat ones.
func (o *organization) workspaceTags(ctx context.Context, r *remote.Resource) (map[string]any, error) {
	tags, err := o.bindingsOf(ctx, o.From, "workspaces", r.ID)
	if err != nil || o.From.Ours() {
		return tags, err
	}
	flat, _ := r.Attributes["tag-names"].([]any)
	maps.DeleteFunc(tags, func(key string, value any) bool { return value == "" && slices.Contains(flat, any(key)) })
	return tags, nil
}

// withTags is the facts of a new workspace.
func (o *organization) withTags(want facts, source remote.Resource, tags map[string]any) facts {
	f := maps.Clone(want)
	if len(tags) > 0 {
		f["tag-bindings"] = bindingData(tags)
	}
	flat := []any{}
	names, _ := source.Attributes["tag-names"].([]any)
	for _, name := range names {
		flat = append(flat, map[string]any{"type": "tags", "attributes": map[string]any{"name": name}})
	}
	if len(flat) > 0 {
		f["tags"] = related{flat}
	}
	return f
}

// settleWorkspace brings a workspace that is there into line.
func (o *organization) settleWorkspace(ctx context.Context, p pair, want facts, tags map[string]any, thing string) error {
	have := o.workspaceFacts(o.to, &p.to)
	if unlike := want.unlike(have); len(unlike) > 0 {
		if err := o.change(ctx, "workspaces", "workspaces/"+p.to.ID, thing, want, unlike, have); err != nil {
			return err
		}
	}
	if err := o.flatTags(ctx, p, thing); err != nil {
		return err
	}
	there, err := o.bindingsOf(ctx, o.To, "workspaces", p.to.ID)
	if err != nil || same(tags, there) && same(there, tags) {
		return err
	}
	return o.change(ctx, "workspaces", "workspaces/"+p.to.ID, thing, facts{"tag-bindings": bindingData(tags)}, []string{"tag-bindings"}, facts{"tag-bindings": there})
}

// flatTags adds the flat tags that the target's workspace lacks.
func (o *organization) flatTags(ctx context.Context, p pair, thing string) error {
	want, have := p.from.Attributes["tag-names"], p.to.Attributes["tag-names"]
	if same(want, have) {
		return nil
	}
	if o.Mode != Import {
		return o.change(ctx, "workspaces", "", thing, facts{"tag-names": want}, []string{"tag-names"}, facts{"tag-names": have})
	}
	there, _ := have.([]any)
	missing := []any{}
	all, _ := want.([]any)
	for _, name := range all {
		if !slices.Contains(there, name) {
			missing = append(missing, map[string]any{"type": "tags", "attributes": map[string]any{"name": name}})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := o.To.Send(ctx, http.MethodPost, "workspaces/"+p.to.ID+"/relationships/tags", map[string]any{"data": missing})
	if err == nil {
		o.Report.changed("workspaces")
	}
	return o.spared(thing, err)
}

// workspaceFacts is what is true of a workspace on both sides.
func (o *organization) workspaceFacts(s *side, r *remote.Resource) facts {
	f := facts{}
	f.take(r, workspaceAttributes...)
	f["name"] = r.Text("name")
	version := r.Text("engine-version")
	if version == "" {
		version = r.Text("terraform-version")
	}
	if version != "" {
		f["engine-version"] = version
	}
	if !r.Truth("inherits-project-auto-destroy") {
		f.take(r, "auto-destroy-activity-duration")
	} else {
		delete(f, "auto-destroy-at") // it follows from the project
	}
	own, told := r.Attributes["setting-overwrites"].(map[string]any)
	owns, _ := own["execution-mode"].(bool)
	if told {
		f["setting-overwrites"] = map[string]any{"execution-mode": owns, "agent-pool": owns}
	}
	if owns || !told {
		f.take(r, "execution-mode")
		if pool, ok := s.pool(r); ok {
			f["agent-pool-id"] = pool
		}
	}
	if project, ok := s.one(r, "project"); ok {
		f["project"] = project
	}
	if repo, ok := r.Attributes["vcs-repo"].(map[string]any); ok {
		f["vcs-repo"] = s.repository(repo)
	}
	return f
}

func (s *side) pool(r *remote.Resource) (link, bool) {
	if name := s.name(remote.Ref{Type: "agent-pools", ID: r.Text("agent-pool-id")}); name != "" {
		return link{"agent-pools", name}, true
	}
	return s.one(r, "agent-pool")
}
