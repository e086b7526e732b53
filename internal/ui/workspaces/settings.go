package workspaces

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// settingsPage is what a workspace's admins set.
type settingsPage struct {
	Path, Section                string // the section whose form was refused
	General                      generalPart
	Mode, PoolID                 string // empty mode: as the project or organization has it
	Inherited                    string
	Pools                        []frame.Choice
	AutoApply, AllowDestroy      bool
	Sharing                      string
	Repository                   repositoryPart
	Destroy                      *destroyPart      // nil: the visitor may not say when
	Calls                        map[string]string // each section as a call of the API
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
		page.Destroy, page.Calls = t.destroyPart(), t.calls()
	}
	if t.wrong != "" {
		page.take(t.Visit)
	}
	return page, t.fillPools(page)
}

// take puts what was typed into the form that was refused.
func (p *settingsPage) take(v *frame.Visit) {
	if p.Section = v.PostFormValue("section"); p.Section == "general" {
		p.General = generalPart{v.PostFormValue("name"), v.Typed("description"), v.PostFormValue("folder"), v.PostFormValue("engine")}
	}
}

// fillPools adds the pools that the workspace could run on, to those who may know them.
func (t *tabVisit) fillPools(page *settingsPage) error {
	if !page.MayUpdate {
		return nil
	}
	pools, _, err := t.UI.App.AgentPoolNames(t.Context(), t.s, t.o.Name, run.AgentPoolQuery{Page: belay.Page{Number: 1, Size: TeamsAtOnce}})
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	var all []string
	for i := range pools {
		all = append(all, pools[i].ID, pools[i].Name)
	}
	if page.Pools = frame.Options(page.PoolID, all...); page.PoolID != "" {
		page.Pools = frame.OptionsAsItIs(page.PoolID, all...)
	}
	return err
}

// sections are what each form of the page changes: only what it shows.
var sections = map[string]func(*frame.Visit) (belay.WorkspacePatch, error){
	"general": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		return belay.WorkspacePatch{
			Name: patch.Of(v.PostFormValue("name")), Description: patch.Of(v.Typed("description")),
			WorkingDirectory: patch.Of(v.PostFormValue("folder")), EngineVersion: patch.Of(v.PostFormValue("engine")),
		}, nil
	},
	"execution": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		mode := v.PostFormValue("mode")
		if mode == "" {
			return belay.WorkspacePatch{SettingOverwrites: patch.Of(belay.SettingOverwrites{ExecutionMode: patch.Of(false), AgentPool: patch.Of(false)})}, nil
		}
		p := belay.WorkspacePatch{ExecutionMode: patch.Of(belay.ExecutionMode(mode))}
		if p.ExecutionMode.Value == belay.AgentExecution {
			p.AgentPoolID = patch.Of(v.PostFormValue("pool"))
		}
		return p, nil
	},
	"runs": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		on := func(name string) patch.Field[bool] { return patch.Of(v.PostFormValue(name) != "") }
		return belay.WorkspacePatch{AutoApply: on("auto-apply"), AllowDestroyPlan: on("allow-destroy")}, nil
	},
	"repository": repositoryPatch,
	"disconnect": func(*frame.Visit) (belay.WorkspacePatch, error) {
		return belay.WorkspacePatch{VCSRepo: patch.Field[belay.VCSRepoPatch]{Set: true, Null: true}}, nil
	},
	"destroy": destroyPatch,
	"sharing": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		with := v.PostFormValue("sharing")
		return belay.WorkspacePatch{GlobalRemoteState: patch.Of(with == "organization"), ProjectRemoteState: patch.Of(with == "project")}, nil
	},
}

// SaveSettings changes what one form of the page shows.
func SaveSettings(v *frame.Visit) {
	actOnTab(v, "settings", func(t *tabVisit) (string, error) {
		change := sections[t.PostFormValue("section")]
		if change == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		p, err := change(t.Visit)
		if err != nil {
			return "", err
		}
		if p.EngineVersion.Value == t.w.EngineVersion { // the form shows it, and nobody chose it
			p.EngineVersion = patch.Field[string]{}
		}
		w, err := v.UI.App.UpdateWorkspace(t.Context(), t.s, t.ref(), p)
		t.Faults = faultsOf(err)
		return frame.WorkspacePath(t.o.Name, w.Name) + "/settings", err
	})
}

// DeleteWorkspace deletes the workspace whose name was typed.
func DeleteWorkspace(v *frame.Visit) {
	actOnTab(v, "settings", func(t *tabVisit) (string, error) {
		if t.PostFormValue("name") != t.w.Name {
			return "", belay.Refuse(belay.Invalid, "Type the name of the workspace to delete it.")
		}
		drop := v.UI.App.SafeDeleteWorkspace
		if t.PostFormValue("force") != "" {
			drop = v.UI.App.ForceDeleteWorkspace
		}
		return frame.OrganizationPath(t.o.Name, "workspaces"), drop(t.Context(), t.s, t.ref())
	})
}
