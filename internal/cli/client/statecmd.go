package client

import (
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
)

// stateCommand works on the states of a workspace.
func (p *program) stateCommand() *cobra.Command {
	parent := &cobra.Command{Use: "state", Short: "Work on the states of a workspace", Example: "  belay state list --organization acme --workspace net"}
	const where = " --organization acme --workspace net"
	list := p.ask("list", "List its state versions, the newest first", "  belay state list"+where, "workspace", cobra.NoArgs, func(a *asking, _ []string) error {
		list, err := a.states(0)
		if err != nil {
			return err
		}
		return p.Write(a.form, []string{"id", "serial", "status", "size", "md5", "created-at"}, "id", list)
	})
	pull := p.ask("pull [ID|SERIAL]", "Write a state to the standard output, the current one when none is named",
		"  belay state pull"+where+" > net.tfstate\n  belay state pull 41"+where+" > before.tfstate", "workspace", cobra.MaximumNArgs(1), func(a *asking, args []string) error {
			v, err := a.state(args)
			if err != nil {
				return err
			}
			return a.download(v, p.Out)
		})
	parent.AddCommand(list, pull, p.statePush(where), p.stateDiff(where), p.stateRollback(where))
	return parent
}

// states lists the newest n state versions of the workspace; 0 is all.
func (a *asking) states(n int) (list []remote.Resource, err error) {
	org, err := a.org()
	if err != nil {
		return nil, err
	}
	if a.workspace == "" {
		return nil, shell.Misconfigured(errors.New("no workspace is named: give --workspace"))
	}
	path := "state-versions?" + url.Values{"filter[organization][name]": {org}, "filter[workspace][name]": {a.workspace}}.Encode()
	err = remote.Each(a.c.Context(), a, path, func(r remote.Resource) error {
		if list = append(list, r); n > 0 && len(list) == n {
			return ErrThere
		}
		return nil
	})
	if errors.Is(err, ErrThere) {
		err = nil
	}
	return list, err
}

// state is the state version that is named by its id or serial; the current one without.
func (a *asking) state(args []string) (remote.Resource, error) {
	if len(args) == 0 {
		w, err := a.ownWorkspace()
		if err != nil {
			return w, err
		}
		current, err := remote.One(a.c.Context(), a, "workspaces/"+w.ID+"/current-state-version")
		if remote.Status(err) == http.StatusNotFound {
			err = fmt.Errorf("%s: the workspace %s has no state yet", a.Base, a.workspace)
		}
		return current, err
	}
	list, err := a.states(0)
	if err != nil {
		return remote.Resource{}, err
	}
	for _, v := range list {
		if v.ID == args[0] || shell.Cell(&v, "serial") == args[0] {
			return v, nil
		}
	}
	return remote.Resource{}, fmt.Errorf("%s: the workspace %s has no state version %s: \"belay state list\" lists them", a.Base, a.workspace, args[0])
}

// download writes the file of a state version, and says when it is cut.
func (a *asking) download(v remote.Resource, w io.Writer) error {
	address := v.Text("hosted-state-download-url")
	if address == "" {
		return fmt.Errorf("%s: the file of %s can't be had: its status is %s, or you may not read it", a.Base, v.ID, v.Text("status"))
	}
	body, err := a.Open(a.c.Context(), address)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	_, err = io.Copy(w, body)
	return err
}

// locked works under a lock of its own.
func (a *asking) locked(w remote.Resource, reason string, work func() error) error {
	ctx, path := a.c.Context(), "workspaces/"+w.ID
	if _, err := a.Send(ctx, http.MethodPost, path+"/actions/lock", map[string]any{"reason": reason}); err != nil {
		return err
	}
	err := work()
	if err != nil {
		_, failed := a.Send(ctx, http.MethodPost, path+"/actions/force-unlock", nil)
		return errors.Join(err, failed)
	}
	_, err = a.Send(ctx, http.MethodPost, path+"/actions/unlock", nil)
	return err
}

// pushed is what a state file says of itself.
type pushed struct {
	Serial  *int64 `json:"serial"`
	Lineage string `json:"lineage"`
}

func (p *program) statePush(where string) *cobra.Command {
	var force bool
	c := p.ask("push FILE", "Make a file the workspace's state; - is the standard input", "  belay state push net.tfstate"+where, "workspace", cobra.ExactArgs(1), func(a *asking, args []string) error {
		raw, err := readFile(a.c, args[0])
		if err != nil {
			return err
		}
		var told pushed
		if json.Unmarshal(raw, &told) != nil || told.Serial == nil {
			return shell.Misconfigured(fmt.Errorf("%s is no state file: it has no serial", args[0]))
		}
		w, err := a.ownWorkspace()
		if err != nil {
			return err
		}
		sum := md5.Sum(raw) //nolint:gosec // see the import
		attributes := map[string]any{
			"serial": *told.Serial, "md5": hex.EncodeToString(sum[:]), "lineage": told.Lineage, "state": base64.StdEncoding.EncodeToString(raw), "force": force,
		}
		var made remote.Resource
		err = a.locked(w, "belay state push", func() (err error) {
			made, err = a.Send(a.c.Context(), http.MethodPost, "workspaces/"+w.ID+"/state-versions", Asked("state-versions", attributes))
			return err
		})
		if err != nil {
			return err
		}
		return p.Write(a.form, []string{"id", "serial", "size", "md5"}, "id", []remote.Resource{made})
	})
	c.Flags().BoolVar(&force, "force", false, "whatever the serial and lineage of the state before it")
	return c
}

func readFile(c *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(c.InOrStdin())
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, shell.Misconfigured(err)
	}
	return raw, nil
}

func (p *program) stateRollback(where string) *cobra.Command {
	var yes bool
	c := p.ask("rollback ID|SERIAL", "Make an earlier state the newest again", "  belay state rollback 41"+where+" --yes", "workspace", cobra.ExactArgs(1), func(a *asking, args []string) error {
		v, err := a.state(args)
		if err != nil {
			return err
		}
		w, err := a.ownWorkspace()
		if err != nil {
			return err
		}
		if err := p.Sure(a.c, yes, "Roll the state of "+a.workspace+" back to serial "+shell.Cell(&v, "serial")); err != nil {
			return err
		}
		return a.locked(w, "belay state rollback", func() error {
			_, err := a.Send(a.c.Context(), http.MethodPatch, "workspaces/"+w.ID+"/state-versions", map[string]any{"data": map[string]any{
				"type": "state-versions", "relationships": map[string]any{"rollback-state-version": map[string]any{"data": v.Ref}},
			}})
			return err
		})
	})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
