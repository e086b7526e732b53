package settings

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// changes are what each form changes of the workspace: only what it shows.
var changes = map[string]func(*frame.Visit) (belay.WorkspacePatch, error){
	"general": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		return belay.WorkspacePatch{Name: v.Edited("name"), Description: v.Edited("description"), WorkingDirectory: v.Edited("folder"), EngineVersion: v.Edited("engine")}, nil
	},
	"execution": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		mode := v.PostFormValue("mode")
		if v.Kept("mode") && (mode != string(belay.AgentExecution) || v.Kept("pool")) {
			return belay.WorkspacePatch{}, nil
		}
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
		return belay.WorkspacePatch{AutoApply: v.Ticked("auto-apply"), AllowDestroyPlan: v.Ticked("allow-destroy")}, nil
	},
	"repository": repositoryPatch,
	"disconnect": func(*frame.Visit) (belay.WorkspacePatch, error) {
		return belay.WorkspacePatch{VCSRepo: patch.Field[belay.VCSRepoPatch]{Set: true, Null: true}}, nil
	},
	"destroy": destroyPatch,
	"sharing": func(v *frame.Visit) (belay.WorkspacePatch, error) {
		with := v.PostFormValue("sharing")
		if v.Kept("sharing") {
			return belay.WorkspacePatch{}, nil
		}
		if with != "" && with != "project" && with != "organization" {
			return belay.WorkspacePatch{}, belay.Refuse(belay.Invalid, "Choose one of the ways that are offered.")
		}
		return belay.WorkspacePatch{GlobalRemoteState: patch.Of(with == "organization"), ProjectRemoteState: patch.Of(with == "project")}, nil
	},
}

// acts are the forms that change what is not the workspace's own row.
var acts = map[string]func(*visit) error{
	"trigger": addTrigger, "untrigger": dropTrigger, "reader": addReader, "unreader": dropReader, "retention": saveRetention,
}

// Save does what one form of the pages asks for.
func Save(v *frame.Visit) {
	form := v.PostFormValue("section")
	workspaces.ActIn(v, func(o *workspaces.Opened) (string, error) {
		t := &visit{o}
		if fields := shows[form]; fields != nil {
			if err := t.Overtaken(fields(t)); err != nil {
				return "", err
			}
		}
		if act := acts[form]; act != nil {
			return sectionPath(t.Path+"/settings", sectionOf(form)), act(t)
		}
		change := changes[form]
		if change == nil {
			return "", belay.Refuse(belay.Invalid, "There is no such form.")
		}
		p, err := change(t.Visit)
		if err != nil {
			return "", err
		}
		w, err := t.UI.App.UpdateWorkspace(t.Context(), t.Principal, t.Ref(), p)
		t.Faults = faultsOf(err)
		return sectionPath(frame.WorkspacePath(t.Org.Name, w.Name)+"/settings", sectionOf(form)), err
	}, func(s belay.Principal, status int, problem string) { show(v, s, sectionOf(form), status, problem) })
}

// Delete deletes the workspace whose name was typed.
func Delete(v *frame.Visit) {
	workspaces.ActIn(v, func(t *workspaces.Opened) (string, error) {
		if t.PostFormValue("name") != t.W.Name {
			return "", belay.Refuse(belay.Invalid, "Type the name of the workspace to delete it.")
		}
		drop := t.UI.App.SafeDeleteWorkspace
		if t.PostFormValue("force") != "" {
			drop = t.UI.App.ForceDeleteWorkspace
		}
		return frame.OrganizationPath(t.Org.Name, "workspaces"), drop(t.Context(), t.Principal, t.Ref())
	}, func(s belay.Principal, status int, problem string) { show(v, s, "delete", status, problem) })
}
