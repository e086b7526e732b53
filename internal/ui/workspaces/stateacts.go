package workspaces

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/state"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/site"
)

// stateActs is what the visitor may do with the shown state and its workspace.
type stateActs struct {
	ID, Form, Path string
	PutAside       bool   // the file of the shown state
	PutBack        bool   // its file was put aside
	Upload         bool   // another state
	Blocked        string // why that can't be done now
}

// shownValue is a hidden value that the visitor asked to see.
type shownValue struct{ address, path, value string }

// waitingState is a state that is in force once the workspace is unlocked.
type waitingState struct {
	Path, Form    string
	Serial        int64
	As            string // the serial that it goes back to; empty: to none
	ByRun         bool   // the lock is a run's
	MayUnlock     bool
	NothingBefore bool // no other state is in force until then
}

// waitingState is what was written under the lock of the workspace; nil: nothing.
func (t *tabVisit) waitingState() (*waitingState, error) {
	lock := LockOf(t.s, &t.w)
	if !lock.Held {
		return nil, nil //nolint:nilnil // nothing waits for an unlock that is not needed
	}
	serial, as, err := t.UI.App.WaitingState(t.Context(), t.s, t.ref())
	if err != nil || serial < 0 {
		return nil, err
	}
	part := &waitingState{
		Path: t.path, Form: t.FormSecret(), Serial: serial, ByRun: lock.ByRun, MayUnlock: lock.MayUnlock,
		NothingBefore: t.w.CurrentStateVersionID == "",
	}
	if as >= 0 {
		part.As = strconv.FormatInt(as, 10)
	}
	return part, nil
}

// acts is what the visitor may do on the page of a state: what the API lets them do.
func (t *tabVisit) acts(page *statePage, v *belay.StateVersion) stateActs {
	acts := stateActs{Form: t.FormSecret(), Path: page.Path, Upload: t.w.Can.Has(belay.WriteState)}
	if acts.Upload {
		acts.Blocked = t.lockedOut("uploads to it")
	}
	if v == nil || !t.UI.App.Edition().Offers(site.DataRetention) || !t.o.Can.Has(belay.DeleteOrganization) {
		return acts
	}
	acts.ID = v.ID
	acts.PutAside = v.Status == belay.StateFinalized && v.ID != t.w.CurrentStateVersionID && !v.Intermediate
	acts.PutBack = v.Status == belay.StateSoftDeleted
	return acts
}

// lockedOut is why a state can't be given to the workspace now; empty: it can.
func (t *tabVisit) lockedOut(what string) string {
	switch lock := LockOf(t.s, &t.w); {
	case !lock.Held:
		return "Lock the workspace first: only whoever holds its lock " + what + "."
	case !lock.Mine:
		return "It is locked by " + lock.Word() + ": only whoever holds the lock " + what + "."
	}
	return ""
}

// StateFile is the file of a state, to be saved.
func StateFile(v *frame.Visit) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	serial, err := strconv.ParseInt(v.PathValue("serial"), 10, 64)
	if err != nil {
		v.Refuse(belay.ErrNotFound)
		return
	}
	file, rc, err := v.UI.App.StateOfSerial(v.Context(), s, workspaceRef(v), serial)
	if err != nil {
		v.Refuse(err)
		return
	}
	defer func() { _ = rc.Close() }()
	head := v.Writer.Header()
	head.Set("Content-Type", "application/json")
	head.Set("Content-Length", strconv.FormatInt(file.Size, 10))
	head.Set("Content-Disposition", `attachment; filename="`+v.PathValue("name")+"-"+strconv.FormatInt(serial, 10)+`.tfstate"`)
	v.Status = http.StatusOK
	_, _ = io.Copy(v.Writer, rc) // a browser that has gone is no fault of ours
}

// MoveState puts the file of an older state aside, takes it back, or deletes it for good.
func MoveState(v *frame.Visit) {
	actOnTab(v, "state", func(t *tabVisit) (string, error) {
		do := map[string]func(context.Context, belay.Principal, string) (state.View, error){
			"aside": v.UI.App.SoftDeleteState, "back": v.UI.App.RestoreState, "forever": v.UI.App.DeleteStateForGood,
		}[t.PostFormValue("do")]
		if do == nil || !v.UI.App.Edition().Offers(site.DataRetention) {
			return "", belay.ErrNotFound
		}
		moved, err := do(t.Context(), t.s, t.PostFormValue("id"))
		return t.path + "/state/" + strconv.FormatInt(moved.Serial, 10), err
	})
}

// ShowValue shows a hidden value of a resource, once, to who asked for it with a form.
func ShowValue(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		t, err := visitTab(v, s)
		if err != nil {
			return "", err
		}
		serial, err := t.serial()
		if err != nil {
			return "", err
		}
		shown := &shownValue{address: t.Asked("at"), path: t.PostFormValue("path")}
		if shown.value, err = v.UI.App.ShowValue(t.Context(), s, t.ref(), serial, shown.address, shown.path); err != nil {
			return "", err
		}
		t.shown = shown
		v.URL.Path, v.URL.RawPath = strings.TrimSuffix(v.URL.Path, "/show"), "" // where the page is that is shown
		showTab(t, tabOf(v, "state"), http.StatusOK)
		return "", nil
	}, func(s belay.Principal, status int, problem string) { openTab(v, s, tabOf(v, "state"), status, problem) })
}

// inPagesWords is a refusal as a page says it: what clients read of the lineage names their settings and their servers.
func inPagesWords(err error) error {
	if errors.Is(err, belay.ErrOtherLineage) {
		return belay.Refuse(belay.Conflict, "This file has another lineage than the state of this workspace, so it is most likely the state of something else. "+
			"Choose a file that was downloaded from this workspace, or upload this one to the workspace that it came from.")
	}
	return err
}

// largestUpload is how many bytes a state may have that comes from a page.
const largestUpload = 256 << 20

// UploadState gives the workspace a state from a file. The form's secret comes before the file, which
// is taken as it comes and never held whole.
func UploadState(v *frame.Visit) {
	v.SubmittedFile("state", largestUpload, func(s belay.Principal, file io.Reader) (string, error) {
		t, err := visitTab(v, s)
		if err != nil {
			return "", err
		}
		d, err := v.UI.App.DraftState(t.Context(), s, t.ref())
		if err != nil {
			return "", err
		}
		if err := d.State(t.Context(), file); err != nil {
			d.Abandon(t.Context())
			return "", err
		}
		// Until the workspace is unlocked the state has no page of its own: the current one's says that it waits.
		_, err = d.Commit(t.Context(), d.Announced())
		return t.path + "/state", inPagesWords(err)
	}, func(s belay.Principal, status int, problem string) { openTab(v, s, tabOf(v, "state"), status, problem) })
}

// rollBackPart is what going back to the shown state would do.
type rollBackPart struct {
	Path, Form, ID   string
	Lock             string // the address that locks the workspace
	Blocked          string // why it can't be done now
	Serial, Next     int64
	MayLock          bool // which is what it waits for
	Changes          []treeLeaf
	Rest             int
	Resources, Older int
	Outputs          *outputChanges
}

// rollBack is what going back to the shown state would do.
func (t *tabVisit) rollBack(page *statePage, now, current *state.StateOutline, changes map[string]state.StateChange) *rollBackPart {
	part := &rollBackPart{
		Path: page.Path, Form: t.FormSecret(), ID: now.ID, Serial: now.Serial, Next: current.Serial + 1,
		Resources: len(now.Rows), Older: len(current.Rows), Blocked: t.lockedOut("rolls it back"), Outputs: page.Shown.Outputs,
		Lock: t.path + "/lock", MayLock: LockOf(t.s, &t.w).MayLock,
	}
	if page.Waiting != nil {
		part.Next = page.Waiting.Serial + 1
	}
	addresses := make([]string, 0, len(changes))
	for address := range changes {
		addresses = append(addresses, address)
	}
	slices.Sort(addresses)
	part.Rest = len(addresses) - min(len(addresses), previewed)
	for _, address := range addresses[:len(addresses)-part.Rest] {
		part.Changes = append(part.Changes, treeLeaf{Name: address, Mark: markOf(changes[address])})
	}
	return part
}

// RollBack gives the workspace a copy of an earlier state.
func RollBack(v *frame.Visit) {
	actOnTab(v, "state", func(t *tabVisit) (string, error) {
		_, err := v.UI.App.RollBack(t.Context(), t.s, t.ref(), t.PostFormValue("id"))
		return t.path + "/state", err
	})
}
