package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/remote"
)

// runCommand works on the runs of a workspace.
func (p *program) runCommand() *cobra.Command {
	parent := &cobra.Command{Use: "run", Short: "Work on runs", Example: "  belay run list --organization acme --workspace net\n  belay run logs -f run-1a2b3c4d5e6f7g8h"}
	list := p.ask("list", "List the runs of a workspace, the newest first", "  belay run list --organization acme --workspace net", "workspace", cobra.NoArgs, func(a *asking, _ []string) error {
		w, err := a.ownWorkspace()
		if err != nil {
			return err
		}
		list, err := remote.All(a.c.Context(), a, "workspaces/"+w.ID+"/runs")
		if err != nil {
			return err
		}
		return p.Write(a.form, []string{"id", "status", "message", "is-destroy", "created-at"}, "id", list)
	})
	show := p.ask("show RUN", "Show a run", "  belay run show run-1a2b3c4d5e6f7g8h -o json", "", cobra.ExactArgs(1), func(a *asking, args []string) error {
		r, err := remote.One(a.c.Context(), a, remote.Path("runs", args[0]))
		if err != nil {
			return err
		}
		return p.show(a.form, "id", r)
	})
	parent.AddCommand(list, show, p.runLogs())
	for _, action := range []struct{ name, short string }{
		{"apply", "Apply what a run planned"}, {"discard", "Give up what a run planned"}, {"cancel", "Cancel a run that goes on"},
	} {
		parent.AddCommand(p.runAction(action.name, action.short))
	}
	return parent
}

// runAction is a verb that moves a run on.
func (p *program) runAction(name, short string) *cobra.Command {
	var comment string
	var yes bool
	c := p.ask(name+" RUN", short, "  belay run "+name+" run-1a2b3c4d5e6f7g8h --comment \"as agreed\" --yes", "", cobra.ExactArgs(1), func(a *asking, args []string) error {
		if err := p.Sure(a.c, yes, short+" ("+args[0]+" of "+a.Base+")"); err != nil {
			return err
		}
		_, err := a.Send(a.c.Context(), http.MethodPost, remote.Path("runs", args[0], "actions", name), map[string]any{"comment": comment})
		return err
	})
	c.Flags().StringVar(&comment, "comment", "", "why")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// ended is the states in which nothing more comes to a log.
var ended = []string{"finished", "errored", "canceled", "unreachable"}

func (p *program) runLogs() *cobra.Command {
	var follow bool
	c := p.ask("logs RUN", "Write the logs of a run: of its plan, and of its apply", "  belay run logs run-1a2b3c4d5e6f7g8h\n  belay run logs -f run-1a2b3c4d5e6f7g8h", "", cobra.ExactArgs(1), func(a *asking, args []string) error {
		for _, phase := range []string{"plan", "apply"} {
			if err := a.log(a.c.Context(), remote.Path("runs", args[0], phase), follow); err != nil {
				return err
			}
		}
		return nil
	})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run has ended")
	return c
}

// log writes one log, and what comes to it.
func (a *asking) log(ctx context.Context, path string, follow bool) error {
	written := int64(0)
	for {
		phase, err := remote.One(ctx, a, path)
		if remote.Status(err) == http.StatusNotFound && written == 0 {
			return nil // a run that only plans
		}
		if err != nil {
			return err
		}
		if address := phase.Text("log-read-url"); address != "" && phase.Text("status") != "pending" {
			n, err := a.further(ctx, address, written)
			if err != nil {
				return err
			}
			written += n
		}
		if !follow || slices.Contains(ended, phase.Text("status")) || phase.Text("status") == "pending" && a.over(ctx, path) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// over says whether the run of a phase that has not begun is over.
func (a *asking) over(ctx context.Context, path string) bool {
	r, err := remote.One(ctx, a, path[:len(path)-len("/apply")])
	return err == nil && slices.Contains([]string{"discarded", "errored", "canceled", "force_canceled", "planned_and_finished", "planned", "planned_and_saved"}, r.Text("status"))
}

// further writes what a log has beyond what was written.
func (a *asking) further(ctx context.Context, address string, written int64) (int64, error) {
	body, err := a.Open(ctx, address+"?offset="+strconv.FormatInt(written, 10))
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	return io.Copy(withoutMarks{a.p.Out}, body)
}

// withoutMarks leaves out the marks at both ends of a log.
type withoutMarks struct{ to io.Writer }

func (w withoutMarks) Write(raw []byte) (int, error) {
	shown := slices.DeleteFunc(slices.Clone(raw), func(b byte) bool { return b == 2 || b == 3 })
	if _, err := w.to.Write(shown); err != nil {
		return 0, fmt.Errorf("write the log: %w", err)
	}
	return len(raw), nil
}
