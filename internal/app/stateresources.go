package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/big"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/statefile"
	"github.com/belayhq/belay/internal/store"
)

// ResourceView is one instance of a resource in the current state of a workspace.
type ResourceView struct {
	statefile.Listed
	ID    string
	State belay.StateVersion // the state that it was read from
}

// StateResources is one page of the instances in the current state of a workspace, in the
// order of the state. They are read from the state itself: no copy of them is kept.
func (a *App) StateResources(ctx context.Context, s belay.Subject, ref belay.WorkspaceRef, page belay.Page) (list []ResourceView, total int, err error) {
	var current *belay.StateVersion
	err = a.db.View(ctx, func(v *store.View) error {
		w, err := a.stateReader(v, s, ref, belay.ReadState)
		if err != nil {
			return err
		}
		current, err = currentState(v, &w.Workspace)
		return err
	})
	if err != nil || current == nil || current.Problem != "" {
		return nil, 0, err
	}
	err = a.reading(ctx, current.State, func(r io.Reader) error {
		state, err := statefile.Parse(r)
		if err != nil && belay.KindOf(err) == belay.Internal { // it was a state when it came
			return unread(errors.Join(blob.ErrDamaged, err))
		}
		if err != nil {
			return err
		}
		rows := state.List()
		total = len(rows)
		first := min(page.Offset(), total)
		for _, row := range rows[first:min(first+page.Size, total)] {
			list = append(list, ResourceView{row, resourceID(current.WorkspaceID, row), *current})
		}
		return nil
	})
	return list, total, err
}

// resourceID is the id of an instance: the same for its address in every state. An address
// alone may be that of two: "data.aws_ami.a" is a data source, and a resource in module.data.
func resourceID(workspaceID string, row statefile.Listed) string {
	sum := sha256.Sum256([]byte(workspaceID + " " + row.Module + " " + row.Address))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return "wsr-" + (strings.Repeat("0", 16) + text)[len(text):]
}
