package moving

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/remote"
)

// Files is a folder or bucket with state files.
type Files interface {
	Walk(ctx context.Context, visit func(key string) error) error
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// Place is where state files lie, and what their workspaces shall be.
type Place struct {
	Files         Files
	Organization  string
	Project       string // by name; empty: the default one
	ExecutionMode string // of new workspaces; empty: the organization's
	Prefix        string // of the S3 backend's workspaces; empty is env:
}

// RunFiles brings the state files of a folder or bucket, each into a workspace of its own.
func RunFiles(ctx context.Context, c Config, from Place) error {
	m := &mover{Config: c}
	o := &organization{mover: m, fromName: from.Organization, toName: from.Organization, from: newSide(), to: newSide()}
	found, err := from.find(ctx, c.Filter)
	if err != nil {
		return err
	}
	c.Report.expect(len(found))
	if o.me, err = remote.One(ctx, c.To, "account/details"); err != nil {
		return err
	}
	target, err := o.ownOrganization(ctx, remote.Resource{Ref: remote.Ref{ID: from.Organization}})
	if err != nil || target == nil {
		return err
	}
	if err := o.projectNamed(ctx, from.Project); err != nil {
		return err
	}
	err = each(ctx, c.Concurrency, found, func(ctx context.Context, f stateFile) error {
		defer c.Report.step()
		return o.file(ctx, from, f)
	})
	c.Report.seen("workspaces", len(found), 0)
	return err
}

// stateFile is a state file and the workspace that it becomes.
type stateFile struct{ key, workspace string }

// find lists the state files and names their workspaces. Two of one name are refused: they
// are never put into one.
func (p Place) find(ctx context.Context, filter Filter) (list []stateFile, err error) {
	keys := []string{}
	if err := p.Files.Walk(ctx, func(key string) error {
		keys = append(keys, key)
		return nil
	}); err != nil {
		return nil, err
	}
	slices.Sort(keys)
	taken := map[string]string{}
	for _, key := range keys {
		name, ok := p.workspace(key, keys)
		if !ok {
			continue
		}
		name = filter.RenamedWorkspace(p.Organization, name)
		if !filter.Workspace(p.Organization, name) {
			continue
		}
		if other, there := taken[name]; there {
			return nil, fmt.Errorf("%s and %s would both be the workspace %s: leave one out with --skip, or move it away", other, key, name)
		}
		taken[name] = key
		list = append(list, stateFile{key, name})
	}
	if len(list) == 0 {
		return nil, errors.New("no state file was found that was asked for: they end in .tfstate, or lie below " + cmp.Or(p.Prefix, "env:") + "/")
	}
	return list, nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// workspace is what a file's workspace is called, and whether it is a state file at all:
// terraform.tfstate.d/NAME/terraform.tfstate, env:/NAME/KEY, KEY beside such, or *.tfstate.
func (p Place) workspace(key string, all []string) (string, bool) {
	stack, name, known := key, "", strings.HasSuffix(key, ".tfstate")
	prefix := cmp.Or(p.Prefix, "env:") + "/"
	if rest, ok := strings.CutPrefix(key, prefix); ok {
		name, stack, known = strings.Cut(rest, "/")
	} else if before, rest, ok := strings.Cut("/"+key, "/terraform.tfstate.d/"); ok {
		name, known = path.Dir(rest), known && strings.Count(rest, "/") == 1
		stack = strings.TrimPrefix(before, "/")
	} else if !known {
		known = slices.ContainsFunc(all, func(other string) bool {
			rest, ok := strings.CutPrefix(other, prefix)
			_, of, _ := strings.Cut(rest, "/")
			return ok && of == key
		})
	}
	if !known || slices.Contains(strings.Split(key, "/"), ".terraform") {
		return "", false
	}
	stack = strings.TrimSuffix(strings.TrimSuffix(stack, "terraform.tfstate"), ".tfstate")
	joined := strings.Trim(strings.Trim(stack, "/")+"/"+name, "/")
	return strings.Trim(unfit.ReplaceAllString(cmp.Or(joined, "default"), "-"), "-"), true
}

// projectNamed finds the project that new workspaces shall be in.
func (o *organization) projectNamed(ctx context.Context, name string) error {
	if name == "" || o.fresh && o.Mode != Import {
		return nil
	}
	err := remote.Each(ctx, o.To, remote.Path("organizations", o.toName, "projects"), func(r remote.Resource) error {
		o.to.learn("projects", r.ID, r.Text("name"))
		return nil
	})
	if err == nil && o.to.id("projects", name) == "" {
		err = fmt.Errorf("%s has no project %q: make it first", o.toName, name)
	}
	return err
}

// file brings one state file.
func (o *organization) file(ctx context.Context, from Place, f stateFile) error {
	thing := o.toName + "/" + f.workspace
	open := func(ctx context.Context) (io.ReadCloser, error) { return from.Files.Open(ctx, f.key) }
	v, err := o.look(ctx, open)
	if errors.Is(err, errNoState) {
		o.Report.left(thing, f.key+": "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p, err := o.fileWorkspace(ctx, from, f, thing)
	if err != nil || p.to.ID == "" && o.Mode != DryRun {
		return err
	}
	return o.bringStates(ctx, nil, []version{v}, p, thing)
}

// look reads what a file says of itself: bytes that are no state are told at once.
func (o *organization) look(ctx context.Context, open opener) (v version, err error) {
	s, err := o.fetchFile(ctx, open, "", 0)
	if err != nil {
		return v, err
	}
	defer func() { _ = s.Close() }()
	v = version{md5: s.md5(), size: s.size, open: open}
	v.serial, v.lineage, err = head(s.open())
	return v, err
}

var errNoState = errors.New("it is no state file")

// head finds the serial and the lineage of a state file, as a stream.
func head(r io.Reader) (serial int64, lineage string, err error) {
	d := json.NewDecoder(r)
	depth, key, numbered := 0, "", false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, "", fmt.Errorf("%w: not JSON", errNoState)
		}
		switch t := token.(type) {
		case json.Delim:
			depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[t]
		case string:
			if depth == 1 && key == "" {
				key = t
				continue
			}
			if depth == 1 && key == "lineage" {
				lineage = t
			}
		case float64:
			if depth == 1 && key == "serial" {
				serial, numbered = int64(t), true
			}
		}
		key = ""
	}
	if !numbered || lineage == "" {
		return 0, "", fmt.Errorf("%w: it has no serial and lineage", errNoState)
	}
	return serial, lineage, nil
}

// fileWorkspace finds or makes the workspace of a file. One that is there is left as it is.
func (o *organization) fileWorkspace(ctx context.Context, from Place, f stateFile, thing string) (p pair, err error) {
	want := facts{"name": f.workspace}
	if from.ExecutionMode != "" {
		want["execution-mode"] = from.ExecutionMode
	}
	if from.Project != "" {
		want["project"] = link{"projects", from.Project}
	}
	for try := range lostTries {
		pause(ctx, try)
		if !o.fresh || o.Mode == Import {
			p.to, err = remote.One(ctx, o.To, remote.Path("organizations", o.toName, "workspaces", f.workspace))
			if remote.Status(err) != http.StatusNotFound {
				return p, err
			}
		}
		if p.fresh = true; o.lacking("workspaces", thing) {
			p.to = remote.Resource{}
			return p, nil
		}
		p.to, err = o.send(ctx, sending{
			method: http.MethodPost, path: remote.Path("organizations", o.toName, "workspaces"), typ: "workspaces", thing: thing, facts: want,
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
