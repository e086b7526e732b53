// Package settings owns the settings of a workspace, a page for each section: what its form sets, and the call of the
// API that does the same.
package settings

import (
	"net/http"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// visit is a visit to a page of settings.
type visit struct{ *workspaces.Opened }

// section is one page of settings.
type section struct {
	at, name string
	opens    func(*visit) bool
	fill     func(*visit, *page) error
}

// sections are the pages in their order; the first is at the address of the tab.
var sections = []section{
	{"general", "General", updates, (*visit).general},
	{"execution", "Execution", updates, (*visit).execution},
	{"repository", "Repository", updates, (*visit).repository},
	{"triggers", "Run triggers", func(t *visit) bool { return updates(t) && t.W.Can.Has(belay.ReadRuns) }, (*visit).triggers},
	{"sharing", "State sharing", updates, (*visit).sharing},
	{"notifications", "Notifications", updates, (*visit).notifications},
	{"retention", "Old states", func(t *visit) bool { return updates(t) && t.UI.App.Edition().Offers(site.DataRetention) }, (*visit).retention},
	{"destroy", "Destroy by itself", func(t *visit) bool { return updates(t) && t.W.Can.Has(belay.ApplyRuns) }, (*visit).destroy},
	{"delete", "Delete", func(t *visit) bool { return t.W.Can.Has(belay.DeleteWorkspace) }, (*visit).goodbye},
}

func updates(t *visit) bool { return t.W.Can.Has(belay.UpdateWorkspace) }

// sectionOf is the page that has a form; every form but these is on the page of its own name.
func sectionOf(form string) string {
	at, other := map[string]string{"runs": "execution", "disconnect": "repository", "trigger": "triggers", "untrigger": "triggers", "reader": "sharing", "unreader": "sharing"}[form]
	if !other {
		at = form
	}
	if !slices.ContainsFunc(sections, func(s section) bool { return s.at == at }) {
		return sections[0].at
	}
	return at
}

// page is one page of settings: the list of all, and what the one has.
type page struct {
	Here  string // the section
	Path  string // of the settings
	Tabs  []frame.TabLink
	Calls []call
	Form  string            // the secret that forms carry
	Was   map[string]string // what each form shows, as it sends it back

	General       *generalPart
	Execution     *executionPart
	Repository    *repositoryPart
	Triggers      *triggersPart
	Sharing       *sharingPart
	Notifications *notificationsPart
	Retention     *retentionPart
	Destroy       *destroyPart
	Delete        *deletePart
}

type generalPart struct{ Name, Description, Folder, Engine string }

type executionPart struct {
	Mode, Inherited         string // empty mode: as the project or organization has it
	Pools                   []frame.Choice
	AutoApply, AllowDestroy bool
}

type deletePart struct {
	Name   string
	Forced bool
	Kept   bool // by its organization, for a time
}

// Show shows the section that the address names.
func Show(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		show(v, s, v.PathValue("section"), http.StatusOK, "")
	}
}

// show shows a section; an empty one is the first that the visitor may open.
func show(v *frame.Visit, s belay.Principal, at string, status int, problem string) {
	workspaces.ShowIn(v, s, "settings", "settings", status, problem, func(o *workspaces.Opened) (any, error) {
		t := &visit{o}
		p := &page{Path: t.Path + "/settings", Form: t.FormSecret(), Was: map[string]string{}}
		var here *section
		for i := range sections {
			one := &sections[i]
			if !one.opens(t) {
				continue
			}
			if here == nil && (at == "" || at == one.at) {
				here = one
			}
			p.Tabs = append(p.Tabs, frame.TabLink{Name: one.name, Path: sectionPath(p.Path, one.at), Here: here == one})
		}
		if here == nil {
			return nil, belay.ErrNotFound
		}
		p.Here = here.at
		for form, fields := range shows {
			if sectionOf(form) == here.at {
				p.Was[form] = frame.ShownIn(fields(t))
			}
		}
		return p, here.fill(t, p)
	})
}

// sectionPath is the address of a section.
func sectionPath(settings, at string) string {
	if at == sections[0].at {
		return settings
	}
	return settings + "/" + at
}

func (t *visit) general(p *page) error {
	w := &t.W
	p.General = &generalPart{w.Name, w.Description, w.WorkingDirectory, w.EngineVersion}
	p.Calls = []call{t.patch("general", map[string]any{"name": w.Name, "description": w.Description, "working-directory": w.WorkingDirectory, "terraform-version": w.EngineVersion})}
	if t.refused("general") {
		p.General = &generalPart{t.again("name", w.Name), t.again("description", w.Description), t.again("folder", w.WorkingDirectory), t.again("engine", w.EngineVersion)}
	}
	return nil
}

// again is a field of a form that was refused: what was typed, or what it is by now where it was left as it was shown.
func (t *visit) again(name, now string) string {
	if t.Kept(name) {
		return now
	}
	return t.Typed(name)
}

// refused says whether it was this form that came, and was refused.
func (t *visit) refused(form string) bool { return t.Wrong != "" && t.PostFormValue("section") == form }

func (t *visit) execution(p *page) error {
	w := &t.W
	mode, pool := t.ownExecution()
	p.Execution = &executionPart{Mode: mode, Inherited: string(w.Mode()), AutoApply: w.AutoApply, AllowDestroy: w.AllowDestroyPlan}
	switch {
	case t.refused("execution"):
		p.Execution.Mode, pool = t.again("mode", mode), t.again("pool", pool)
	case t.refused("runs"):
		p.Execution.AutoApply, p.Execution.AllowDestroy = t.Ticked("auto-apply").Or(w.AutoApply), t.Ticked("allow-destroy").Or(w.AllowDestroyPlan)
	}
	p.Calls = []call{t.patch("where runs happen", t.executionCall()), t.patch("runs", map[string]any{"auto-apply": w.AutoApply, "allow-destroy-plan": w.AllowDestroyPlan})}
	var err error
	p.Execution.Pools, err = t.pools(pool)
	return err
}

// pools is the pools that the workspace could run on, to those who may know them.
func (t *visit) pools(now string) ([]frame.Choice, error) {
	list, _, err := t.UI.App.AgentPoolNames(t.Context(), t.Principal, t.Org.Name, run.AgentPoolQuery{Page: belay.Page{Number: 1, Size: workspaces.TeamsAtOnce}})
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	var all []string
	for i := range list {
		all = append(all, list[i].ID, list[i].Name)
	}
	if now != "" {
		return frame.OptionsAsItIs(now, all...), err
	}
	return frame.Options("", all...), err
}

func (t *visit) goodbye(p *page) error {
	p.Delete = &deletePart{t.W.Name, t.W.MayForceDelete(t.W.Can), t.Org.RecoverableItems}
	p.Calls = []call{t.call("delete", "POST", "/actions/safe-delete", nil)}
	return nil
}
