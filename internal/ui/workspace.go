package ui

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// workspacePage is the page of one workspace.
type workspacePage struct {
	Path     string
	Settings []setting
	Lock     lockPart
	State    statePart
	Tags     []string
	Bindings []bindingRow
	Requests requestsPart
}

type setting struct{ Name, Value string }

// lockPart is the lock, and what the visitor may do with it.
type lockPart struct {
	Held                         bool
	By, Reason                   string
	At                           time.Time
	MayLock, MayUnlock, MayForce bool
	Mine                         bool
	TypedReason                  string // when the lock was refused
}

// statePart is the current state of the workspace.
type statePart struct {
	Hidden  bool // the visitor may not read it
	There   bool
	Serial  int64
	At      time.Time
	By      string
	Engine  string
	Managed int
	Problem string

	OutputsHidden bool
	Outputs       []outputRow
	MoreOutputs   int
}

type outputRow struct {
	Name, Kind, Value string
	Sensitive         bool
}

type bindingRow struct {
	Key, Value string
	Inherited  bool
}

// The most that the page shows of a list or a value.
const (
	mostOutputs     = 200
	longestOutput   = 4000
	requestsPerPage = 20
)

func (v *visit) workspaceRef() belay.WorkspaceRef {
	return belay.WorkspaceRef{Organization: v.PathValue("organization"), Name: v.PathValue("name")}
}

func (u *UI) showWorkspace(v *visit) {
	if s, ok := v.signedIn(); ok {
		v.showWorkspaceTo(s, http.StatusOK, "")
	}
}

// showWorkspaceTo shows the workspace that the address names, and what went wrong before.
func (v *visit) showWorkspaceTo(s belay.Subject, status int, problem string) {
	w, err := v.ui.App.Workspace(v.Context(), s, v.workspaceRef())
	if err != nil {
		v.refuse(err)
		return
	}
	page := workspacePage{Path: workspacePath(w.Organization.Name, w.Name), Lock: lockOf(s, &w), Tags: w.TagNames}
	if problem != "" {
		page.Lock.TypedReason = v.PostFormValue("reason")
	}
	for _, fill := range []func(belay.Subject, *app.WorkspaceView, *workspacePage) error{
		v.fillSettings, v.fillState, v.fillOutputs, v.fillBindings, v.fillRequests,
	} {
		if err := fill(s, &w, &page); err != nil {
			v.refuse(err)
			return
		}
	}
	v.show(status, "workspace", frame{
		Title: w.Name, Error: problem, Visitor: s.Name, Place: v.place(w.Organization.Name, "workspaces"), Page: page,
	})
}

func lockOf(s belay.Subject, w *app.WorkspaceView) lockPart {
	l, me := w.Lock, s.Holder()
	mine := l.Held() && l.Holder.Type == me.Type && l.Holder.ID == me.ID
	return lockPart{
		Held: l.Held(), By: holderName(l.Holder), Reason: l.Reason, At: l.At, Mine: mine,
		MayLock:   !l.Held() && w.Can.Has(belay.LockWorkspace),
		MayUnlock: mine && w.Can.Has(belay.LockWorkspace),
		MayForce:  l.Held() && w.Can.Has(belay.ForceUnlockWorkspace),
	}
}

// fillSettings adds the settings at a glance; those that say nothing are left out.
func (v *visit) fillSettings(s belay.Subject, w *app.WorkspaceView, page *workspacePage) error {
	add := func(name, value string) {
		if value != "" {
			page.Settings = append(page.Settings, setting{name, value})
		}
	}
	project, err := v.ui.App.Project(v.Context(), s, w.ProjectID)
	if err != nil && belay.KindOf(err) != belay.NotFound {
		return err
	}
	add("Description", w.Description)
	add("Project", project.Name)
	add("Where it runs", executionText(w))
	add("Engine version", w.EngineVersion)
	add("Changes are applied", map[bool]string{true: "at once", false: "after somebody confirms them"}[w.AutoApply])
	add("Working directory", w.WorkingDirectory)
	if repo := w.VCSRepo; repo != nil {
		branch := repo.Branch
		if branch == "" {
			branch = "the default branch"
		}
		add("Repository", repo.Identifier+", "+branch)
	}
	add("Its state may be read by", sharingText(w))
	if at := w.DestroyAt(); !at.IsZero() {
		add("Is destroyed", minute(at))
	}
	add("Id", w.ID)
	add("Made", minute(w.CreatedAt))
	return nil
}

func minute(at time.Time) string { return at.Format("2006-01-02 15:04") + " UTC" }

func executionText(w *app.WorkspaceView) string {
	text := map[belay.ExecutionMode]string{
		belay.RemoteExecution: "here (remote)", belay.AgentExecution: "on agents of the pool " + w.PoolID(),
		belay.LocalExecution: "with whoever uses it (local)",
	}[w.Mode()]
	if !w.OwnsExecution {
		text += ", as its project or organization has it"
	}
	return text
}

func sharingText(w *app.WorkspaceView) string {
	switch {
	case w.GlobalRemoteState:
		return "runs of all workspaces of the organization"
	case w.ProjectRemoteState:
		return "runs of the workspaces of its project"
	default:
		return "runs of the workspaces that it names"
	}
}

func (v *visit) fillState(s belay.Subject, w *app.WorkspaceView, page *workspacePage) error {
	part := &page.State
	if part.Hidden = !w.Can.Has(belay.ReadState); part.Hidden || w.CurrentStateVersionID == "" {
		return nil
	}
	state, err := v.ui.App.CurrentStateVersion(v.Context(), s, belay.WorkspaceRef{ID: w.ID})
	if belay.KindOf(err) == belay.NotFound {
		return nil // it went meanwhile
	}
	if err != nil {
		return err
	}
	users, err := v.names(state.CreatedBy)
	if err != nil {
		return err
	}
	part.There, part.Serial, part.At, part.By = true, state.Serial, state.CreatedAt, users[state.CreatedBy]
	part.Managed, part.Engine, part.Problem = state.Contents.ManagedCount, state.Contents.EngineVersion, state.Problem
	return nil
}

// names is what users are called, by id.
func (v *visit) names(ids ...string) (map[string]string, error) {
	var known []string
	for _, id := range ids {
		if id != "" {
			known = append(known, id)
		}
	}
	users, err := v.ui.App.UsersSeen(v.Context(), known)
	names := make(map[string]string, len(users))
	for _, u := range users {
		names[u.ID] = u.Username
	}
	return names, err
}

func (v *visit) fillOutputs(s belay.Subject, w *app.WorkspaceView, page *workspacePage) error {
	part := &page.State
	if part.OutputsHidden = !w.Can.Has(belay.ReadOutputs); part.OutputsHidden || w.CurrentStateVersionID == "" {
		return nil
	}
	list, err := v.ui.App.CurrentStateOutputs(v.Context(), s, belay.WorkspaceRef{ID: w.ID})
	if belay.KindOf(err) == belay.NotFound {
		return nil // it went meanwhile
	}
	if err != nil {
		return err
	}
	for _, o := range list[:min(len(list), mostOutputs)] {
		part.Outputs = append(part.Outputs, outputOf(o))
	}
	part.MoreOutputs = len(list) - len(part.Outputs)
	return nil
}

func outputOf(o app.OutputView) outputRow {
	row := outputRow{Name: o.Name, Kind: o.Kind, Sensitive: o.Sensitive}
	if o.Sensitive {
		return row
	}
	var text string
	var indented bytes.Buffer
	switch {
	case json.Unmarshal(o.Value, &text) == nil:
		row.Value = text
	case json.Indent(&indented, o.Value, "", "  ") == nil:
		row.Value = indented.String()
	}
	if letters := []rune(row.Value); len(letters) > longestOutput {
		row.Value = string(letters[:longestOutput]) + "…"
	}
	return row
}

func (v *visit) fillBindings(s belay.Subject, w *app.WorkspaceView, page *workspacePage) error {
	list, err := v.ui.App.EffectiveBindings(v.Context(), s, belay.WorkspaceRef{ID: w.ID})
	for _, b := range list {
		page.Bindings = append(page.Bindings, bindingRow{b.Key, b.Value, b.ProjectID != ""})
	}
	return err
}

func (u *UI) lock(v *visit) {
	u.turnLock(v, func(s belay.Subject) error {
		_, err := u.App.LockWorkspace(v.Context(), s, v.workspaceRef(), v.PostFormValue("reason"))
		return err
	})
}

func (u *UI) unlock(v *visit) {
	u.turnLock(v, func(s belay.Subject) error {
		_, err := u.App.UnlockWorkspace(v.Context(), s, v.workspaceRef())
		return err
	})
}

func (u *UI) forceUnlock(v *visit) {
	u.turnLock(v, func(s belay.Subject) error {
		_, err := u.App.ForceUnlockWorkspace(v.Context(), s, v.workspaceRef())
		return err
	})
}

// turnLock does what a form of the page asks for, and comes back to the page.
func (u *UI) turnLock(v *visit, turn func(belay.Subject) error) {
	status, problem := v.form()
	s, ok := v.signedIn()
	if !ok {
		return
	}
	if problem == "" {
		err := turn(s)
		if err == nil {
			v.redirect(workspacePath(v.PathValue("organization"), v.PathValue("name")))
			return
		}
		if status, problem = describe(err); status == http.StatusNotFound || status == http.StatusInternalServerError {
			v.refuse(err)
			return
		}
	}
	v.showWorkspaceTo(s, status, problem)
}
