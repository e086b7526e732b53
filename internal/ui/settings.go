package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// settingsPage is what a workspace's admins set.
type settingsPage struct {
	Path, Section                string // the section whose form was refused
	General                      generalPart
	Mode, PoolID                 string // empty mode: as the project or organization has it
	Inherited                    string
	Pools                        []choice
	AutoApply, AllowDestroy      bool
	Sharing                      string
	Repository                   repositoryPart
	MayUpdate, MayDelete, Forced bool
	Name                         string
}

type generalPart struct{ Name, Description, Folder, Engine string }

// settings is the page of a workspace's settings.
func (t *tabVisit) settings() (any, error) {
	w := &t.w
	page := &settingsPage{
		Path: t.path + "/settings", Name: w.Name, General: generalPart{w.Name, w.Description, w.WorkingDirectory, w.EngineVersion}, Inherited: string(w.Mode()),
		AutoApply: w.AutoApply, AllowDestroy: w.AllowDestroyPlan,
		MayUpdate: w.Can.Has(belay.UpdateWorkspace), MayDelete: w.Can.Has(belay.DeleteWorkspace), Forced: w.MayForceDelete(w.Can),
	}
	if w.OwnsExecution {
		page.Mode, page.PoolID = string(w.OwnMode), w.OwnPoolID
	}
	switch {
	case w.GlobalRemoteState:
		page.Sharing = "organization"
	case w.ProjectRemoteState:
		page.Sharing = "project"
	}
	if page.MayUpdate {
		var err error
		if page.Repository, err = t.repository(); err != nil {
			return nil, err
		}
	}
	if t.wrong != "" {
		page.take(t.visit)
	}
	return page, t.fillPools(page)
}

// take puts what was typed into the form that was refused.
func (p *settingsPage) take(v *visit) {
	if p.Section = v.PostFormValue("section"); p.Section == "general" {
		p.General = generalPart{v.PostFormValue("name"), v.typed("description"), v.PostFormValue("folder"), v.PostFormValue("engine")}
	}
}

// fillPools adds the pools that the workspace could run on, to those who may know them.
func (t *tabVisit) fillPools(page *settingsPage) error {
	if !page.MayUpdate {
		return nil
	}
	pools, _, err := t.ui.App.AgentPools(t.Context(), t.s, t.o.Name, belay.AgentPoolQuery{Page: belay.Page{Number: 1, Size: teamsAtOnce}})
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	var all []string
	for i := range pools {
		all = append(all, pools[i].ID, pools[i].Name)
	}
	if page.Pools = options(page.PoolID, all...); page.PoolID != "" {
		page.Pools = optionsAsItIs(page.PoolID, all...)
	}
	return err
}

// sections are what each form of the page changes: only what it shows.
var sections = map[string]func(*visit) belay.WorkspacePatch{
	"general": func(v *visit) belay.WorkspacePatch {
		return belay.WorkspacePatch{
			Name: patch.Of(v.PostFormValue("name")), Description: patch.Of(v.typed("description")),
			WorkingDirectory: patch.Of(v.PostFormValue("folder")), EngineVersion: patch.Of(v.PostFormValue("engine")),
		}
	},
	"execution": func(v *visit) belay.WorkspacePatch {
		mode := v.PostFormValue("mode")
		if mode == "" {
			return belay.WorkspacePatch{SettingOverwrites: patch.Of(belay.SettingOverwrites{ExecutionMode: patch.Of(false), AgentPool: patch.Of(false)})}
		}
		p := belay.WorkspacePatch{ExecutionMode: patch.Of(belay.ExecutionMode(mode))}
		if p.ExecutionMode.Value == belay.AgentExecution {
			p.AgentPoolID = patch.Of(v.PostFormValue("pool"))
		}
		return p
	},
	"runs": func(v *visit) belay.WorkspacePatch {
		on := func(name string) patch.Field[bool] { return patch.Of(v.PostFormValue(name) != "") }
		return belay.WorkspacePatch{AutoApply: on("auto-apply"), AllowDestroyPlan: on("allow-destroy")}
	},
	"repository": repositoryPatch,
	"disconnect": func(*visit) belay.WorkspacePatch {
		return belay.WorkspacePatch{VCSRepo: patch.Field[belay.VCSRepoPatch]{Set: true, Null: true}}
	},
	"sharing": func(v *visit) belay.WorkspacePatch {
		with := v.PostFormValue("sharing")
		return belay.WorkspacePatch{GlobalRemoteState: patch.Of(with == "organization"), ProjectRemoteState: patch.Of(with == "project")}
	},
}

// saveSettings changes what one form of the page shows.
func (u *UI) saveSettings(v *visit) {
	u.actOnTab(v, "settings", func(t *tabVisit) (string, error) {
		change := sections[t.PostFormValue("section")]
		if change == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		p := change(t.visit)
		if p.EngineVersion.Value == t.w.EngineVersion { // the form shows it, and nobody chose it
			p.EngineVersion = patch.Field[string]{}
		}
		w, err := u.App.UpdateWorkspace(t.Context(), t.s, t.ref(), p)
		t.faults = faultsOf(err)
		return workspacePath(t.o.Name, w.Name) + "/settings", err
	})
}

// deleteWorkspace deletes the workspace whose name was typed.
func (u *UI) deleteWorkspace(v *visit) {
	u.actOnTab(v, "settings", func(t *tabVisit) (string, error) {
		if t.PostFormValue("name") != t.w.Name {
			return "", belay.Refuse(belay.Invalid, "Type the name of the workspace to delete it.")
		}
		drop := u.App.SafeDeleteWorkspace
		if t.PostFormValue("force") != "" {
			drop = u.App.ForceDeleteWorkspace
		}
		return organizationPath(t.o.Name, "workspaces"), drop(t.Context(), t.s, t.ref())
	})
}
