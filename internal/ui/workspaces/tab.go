// Package workspaces owns the pages of one workspace, tab by tab, and of its runs. Other families show its
// rows in their lists; it knows none of them.
package workspaces

import (
	"net/http"
	"slices"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// tab is one page of a workspace.
type tab struct {
	path, name, template string
	opens                func(*tabVisit) bool // nil: to whoever reads the workspace
	count                func(*tabVisit) int  // what stands beside the name; nil or 0: nothing
	readers, marks       int                  // how many of those are told who read the state, and of its newest states
	fill                 func(*tabVisit) (body any, err error)
}

// tabs are the pages of a workspace in their order; the first is at its own address.
func tabs(u *frame.UI) []tab {
	return []tab{
		{path: "", name: "Overview", template: "overview", fill: (*tabVisit).overview, marks: mostMarks},
		{path: "runs", name: "Runs", template: "runs", opens: may(belay.ReadRuns), fill: (*tabVisit).runs, count: func(t *tabVisit) int { return t.beside.Runs }},
		{
			path: "health", name: "Health", template: "health", fill: (*tabVisit).health,
			opens: func(t *tabVisit) bool {
				return t.UI.App.Edition().Offers(site.Assessments) && t.w.Can.Has(belay.ReadAssessments)
			},
		},
		{path: "state", name: "State", template: "state", opens: may(belay.ReadState.And(belay.ReadOutputs)), fill: (*tabVisit).state, count: func(t *tabVisit) int { return t.beside.States }, readers: mostReaders + 1},
		{
			path: "variables", name: "Variables", opens: may(belay.ReadVariables), // its page is in a room of its own
			count: func(t *tabVisit) int { return len(t.w.VariableIDs) },
		},
		{
			path: "change-requests", name: "Change requests", template: "workspacerequests", fill: (*tabVisit).requests,
			opens: func(t *tabVisit) bool { return u.OffersRequests() && t.w.Can.Has(belay.ReadChangeRequests) },
			count: func(t *tabVisit) int { return t.w.OpenChangeRequests },
		},
		{
			path: "activity", name: "Activity", template: "activity", fill: (*tabVisit).activity,
			opens: func(t *tabVisit) bool { return t.o.Can.Has(belay.ReadAuditTrail) },
		},
		{path: "access", name: "Access", template: "access", fill: (*tabVisit).access},
		{path: "settings", name: "Settings", opens: may(belay.UpdateWorkspace.And(belay.DeleteWorkspace))}, // its pages are a room of their own
	}
}

// may opens a tab to those who have one of the rights.
func may(some belay.Permission) func(*tabVisit) bool {
	return func(t *tabVisit) bool { return t.w.Can.HasAny(some) }
}

// tabVisit is a visit to a page of a workspace: who comes, and what they see of it.
type tabVisit struct {
	*frame.Visit
	s     belay.Principal
	w     app.WorkspaceView
	o     app.OrganizationView
	path  string      // of the workspace
	wrong string      // what went wrong with the form before
	shown *shownValue // a hidden value that is shown once; nil: none
	back  string      // where the head leads to roll back
	self  string      // where the page asks for itself when something changed; empty: at its own address

	beside runs.Beside
}

// tabPage is a page of a workspace: the head that all have, and what is under it.
type tabPage struct {
	Head headPart
	Body any
}

// headPart is the head over every page of a workspace.
type headPart struct {
	Path, Form                        string
	Name, Project, Repository, Engine string
	Status                            *StatusWord // of the current run; nil: there is none, or it is hidden
	Lock                              LockPart
	Tags                              []string
	Bindings                          []BindingRow
	Tabs                              []frame.TabLink
	Back                              string     // where it is rolled back to the version that is shown; empty: it is not
	Start                             *startPart // nil: the visitor begins no runs here
}

// AllTags is its tags with those that have a value.
func (p headPart) AllTags() TagsPart { return TagsPart{p.Tags, p.Bindings} }

// BindingRow is a tag with a value.
type BindingRow struct {
	Key, Value string
	Inherited  bool
}

// TagsPart is the tags of a workspace.
type TagsPart struct {
	Tags     []string
	Bindings []BindingRow
}

// Draw writes them.
func (p TagsPart) Draw(m *frame.Markup) {
	m.Add(`<span class="tags">`)
	for _, tag := range p.Tags {
		m.Tag(tag)
	}
	for _, b := range p.Bindings {
		if m.Add(`<span class="tag"><b>`).Text(b.Key).Add("</b>").Text(b.Value); b.Inherited {
			m.Add(`<span class="hidden"> from its project</span>`)
		}
		m.Add("</span> ")
	}
	m.Add("</span>")
}

// LockPart is the lock, and what the visitor may do with it.
type LockPart struct {
	Held                         bool
	By, Reason                   string
	At                           time.Time
	MayLock, MayUnlock, MayForce bool
	Mine                         bool
	ByRun                        bool   // a run of the workspace holds it
	RunPath                      string // of that run, for who may see it
	TypedReason                  string // when the lock was refused
	MayAsk, Asks                 bool   // whoever holds it; that is where the address leads
	TypedQuestion                string // when it was refused
	Questions                    []QuestionRow
}

// Draw writes it for a list.
func (l LockPart) Draw(m *frame.Markup) {
	if !l.Held {
		m.Add(`<span class="faint">Unlocked</span>`)
		return
	}
	if m.Add(`<span class="icon-cell `); l.ByRun {
		m.Add(`running"`)
	} else {
		m.Add(`locked"`)
	}
	if l.Reason != "" {
		m.Add(` title="`).Text(l.Reason).Add(`"`)
	}
	if m.Add(">").Icon("lock").Add(`<span><span class="hidden">Locked by </span>`).Text(l.Word()); !l.ByRun {
		m.Add(" · ").Since(l.At)
	}
	m.Add("</span></span>")
}

// Word is who holds the lock, in a list.
func (l LockPart) Word() string {
	switch {
	case l.ByRun:
		return "its run"
	case l.Mine:
		return "you"
	default:
		return l.By
	}
}

func workspaceRef(v *frame.Visit) belay.WorkspaceRef {
	return belay.WorkspaceRef{Organization: v.PathValue("organization"), Name: v.PathValue("name")}
}

// ShowTab shows a page of the workspace that the address names.
func ShowTab(v *frame.Visit, path string) {
	s, ok := v.SignedIn()
	if !ok {
		return
	}
	for _, page := range tabs(v.UI) {
		if page.path == path {
			openTab(v, s, page, http.StatusOK, "")
			return
		}
	}
	frame.NoPage(v)
}

// tabOf is the page of a workspace at a path, which there is.
func tabOf(v *frame.Visit, path string) tab {
	list := tabs(v.UI)
	return list[slices.IndexFunc(list, func(page tab) bool { return page.path == path })]
}

// openTab shows a page of a workspace to those who may open it, and what went wrong before.
func openTab(v *frame.Visit, s belay.Principal, page tab, status int, problem string) {
	t, err := visitTab(v, s)
	if err == nil && page.opens != nil && !page.opens(t) {
		err = belay.ErrNotFound
	}
	if err != nil {
		v.Refuse(err)
		return
	}
	t.wrong = problem
	showTab(t, page, status)
}

// showTab shows a page of a workspace to whoever may open it.
func showTab(t *tabVisit, page tab, status int) {
	v, s := t.Visit, t.s
	var err error
	if t.beside, err = v.UI.Runs.Beside(t.Context(), s, t.ref(), v.UI.Now().AddDate(0, 0, -lateDays), page.readers, page.marks); err != nil {
		v.Refuse(err)
		return
	}
	body, err := page.fill(t)
	if err != nil {
		v.Refuse(err)
		return
	}
	head, err := t.head(page.path)
	if err != nil {
		v.Refuse(err)
		return
	}
	f := frame.Frame{
		Title: t.w.Name, OwnHead: true, Error: t.wrong, Visitor: s.Name, Page: tabPage{head, body}, Place: v.Place(&t.o, "workspaces"),
		Crumbs: []frame.Crumb{{Name: "Workspaces", Path: frame.OrganizationPath(t.o.Name, "workspaces")}}, Live: frame.Watching("workspace", t.w.ID, workspaceRevision(&t.w)), Self: t.self,
	}
	if page.path != "" {
		f.Title, f.Step = page.name+" of "+t.w.Name, page.name
		f.Crumbs = append(f.Crumbs, frame.Crumb{Name: t.w.Name, Path: t.path})
	}
	v.Show(status, page.template, f)
}

// visitTab reads what every page of a workspace needs.
func visitTab(v *frame.Visit, s belay.Principal) (*tabVisit, error) {
	w, err := v.UI.App.Workspace(v.Context(), s, workspaceRef(v))
	if err != nil {
		return nil, err
	}
	o, err := v.UI.App.Organization(v.Context(), s, w.Organization.Name)
	return &tabVisit{Visit: v, s: s, w: w, o: o, path: frame.WorkspacePath(o.Name, w.Name)}, err
}

func (t *tabVisit) ref() belay.WorkspaceRef { return belay.WorkspaceRef{ID: t.w.ID} }

// head is the head over the page at a path.
func (t *tabVisit) head(here string) (headPart, error) {
	head := headPart{Path: t.path, Back: t.back, Form: t.FormSecret(), Name: t.w.Name, Engine: t.w.EngineVersion, Lock: LockOf(t.s, &t.w), Tags: t.w.TagNames}
	if t.wrong != "" {
		head.Lock.TypedReason, head.Lock.TypedQuestion = t.PostFormValue("reason"), t.PostFormValue("question")
	}
	head.Lock.Asks = head.Lock.TypedQuestion != "" || t.URL.Query().Has("ask")
	asked, err := Questions(t.Visit, t.w)
	if head.Lock.Questions = asked[t.w.ID]; err != nil {
		return head, err
	}
	if repo := t.w.VCSRepo; repo != nil {
		head.Repository = repo.Identifier + " " + repo.Branch
	}
	head.Status, head.Start = StatusOf(&t.w), t.startPart()
	for _, page := range tabs(t.UI) {
		if page.opens != nil && !page.opens(t) {
			continue
		}
		link := frame.TabLink{Name: page.name, Path: t.path, Here: page.path == here}
		if page.path != "" {
			link.Path += "/" + page.path
		}
		if page.count != nil && page.count(t) > 0 {
			link.Count = frame.Count(page.count(t))
		}
		head.Tabs = append(head.Tabs, link)
	}
	head.Project = t.w.ProjectName
	for _, b := range t.beside.Bindings {
		head.Bindings = append(head.Bindings, BindingRow{b.Key, b.Value, b.ProjectID != ""})
	}
	return head, err
}

// StatusOf is the status of the current run of a workspace; nil where there is none, or it is hidden.
func StatusOf(w *app.WorkspaceView) *StatusWord {
	word, known := StatusWords[run.Status(w.CurrentRunStatus)]
	if !known || !w.Can.Has(belay.ReadRuns) {
		return nil
	}
	return &word
}

// ShortStatusOf is StatusOf in a list, where what waits for somebody asks them.
func ShortStatusOf(w *app.WorkspaceView) *StatusWord {
	word := StatusOf(w)
	if word != nil && WaitsToBeConfirmed(w) {
		word.Text = "Confirm?"
	}
	return word
}

// WaitsToBeConfirmed says that the plan of a workspace's current run waits for somebody.
func WaitsToBeConfirmed(w *app.WorkspaceView) bool {
	return run.Status(w.CurrentRunStatus) == run.Planned
}

// actOnTab does what a form of a workspace's page asks for, and goes on to where it leads. A
// refusal comes back to the page with what was typed.
func actOnTab(v *frame.Visit, path string, act func(*tabVisit) (to string, err error)) {
	v.Submitted(func(s belay.Principal) (string, error) {
		t, err := visitTab(v, s)
		if err != nil {
			return "", err
		}
		return act(t)
	}, func(s belay.Principal, status int, problem string) {
		openTab(v, s, tabOf(v, path), status, problem)
	})
}
