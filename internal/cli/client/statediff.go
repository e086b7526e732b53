package client

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
	"github.com/belayhq/belay/internal/statefile"
)

// errDiffers is the failure of a comparison that found something.
var errDiffers = errors.New("the states differ")

func (p *program) stateDiff(where string) *cobra.Command {
	return p.ask("diff [OLD [NEW]]", "Compare two states by the addresses in them: the current one and the one before, when none is named",
		"  belay state diff"+where+"\n  belay state diff 41 43"+where, "workspace", cobra.MaximumNArgs(2), func(a *asking, args []string) error {
			before, after, err := a.two(args)
			if err != nil {
				return err
			}
			old, err := a.outline(before)
			if err != nil {
				return err
			}
			now, err := a.outline(after)
			if err != nil {
				return err
			}
			lines := compared(old, now)
			_, _ = fmt.Fprintf(p.Out, "serial %s -> %s\n", shell.Cell(&before, "serial"), shell.Cell(&after, "serial"))
			for _, line := range lines {
				_, _ = fmt.Fprintln(p.Out, line)
			}
			if len(lines) > 0 {
				return errDiffers
			}
			return nil
		})
}

// two is the states that are compared.
func (a *asking) two(args []string) (before, after remote.Resource, err error) {
	if len(args) > 0 {
		if before, err = a.state(args[:1]); err == nil {
			after, err = a.state(args[1:])
		}
		return before, after, err
	}
	list, err := a.states(2)
	if err == nil && len(list) < 2 {
		err = fmt.Errorf("%s: the workspace %s has no two states to compare", a.Base, a.workspace)
	}
	if err != nil {
		return before, after, err
	}
	return list[1], list[0], nil
}

func (a *asking) outline(v remote.Resource) ([]statefile.Row, error) {
	var file bytes.Buffer
	if err := a.download(v, &file); err != nil {
		return nil, err
	}
	return statefile.Outline(&file)
}

// compared is the addresses that came, went and changed.
func compared(before, after []statefile.Row) (lines []string) {
	old := map[string]*statefile.Row{}
	for i := range before {
		old[before[i].Address()] = &before[i]
	}
	for i := range after {
		address := after[i].Address()
		switch was, there := old[address]; {
		case !there:
			lines = append(lines, "+ "+address)
		case !was.Same(&after[i]):
			lines = append(lines, "~ "+address)
		}
		delete(old, address)
	}
	for address := range old {
		lines = append(lines, "- "+address)
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines
}
