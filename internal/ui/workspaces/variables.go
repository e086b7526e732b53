package workspaces

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// variablesPage is what a run of a workspace gets, and from where.
type variablesPage struct {
	Path     string
	Rows     []variableRow
	Own      int // of the rows that are the workspace's own
	MayWrite bool
	Form     *variableForm // nil: none is open
}

type variableRow struct {
	ID, Key, Value, Kind, Description, Set string
	Sensitive, Own, Wins                   bool
	Over                                   string // where the one that wins comes from, when this one doesn't
	Edit                                   string
}

// variableForm is a variable that is made or changed.
type variableForm struct {
	ID, Key, Value, Description string
	Environment, HCL, Sensitive bool
	Sealed                      bool // it is sensitive already, which can't be taken back
}

// VariableKinds is the words for categories of variables.
var VariableKinds = map[string]string{inputs.EngineVariable: "Input", inputs.EnvironmentVariable: "Environment"}

// variables is the page of a workspace's variables.
func (t *tabVisit) variables() (any, error) {
	list, err := t.UI.App.RankedVariables(t.Context(), t.s, t.ref())
	if err != nil {
		return nil, err
	}
	page := &variablesPage{Path: t.path + "/variables", MayWrite: t.w.Can.Has(belay.WriteVariables)}
	over := ""
	for i := range list {
		v := &list[i]
		row := page.rowOf(v, over)
		if v.Wins {
			over = sourceOf(v)
		}
		if row.Own {
			page.Own++
		}
		page.Rows = append(page.Rows, row)
	}
	if page.MayWrite {
		page.Form = t.variableForm(list)
	}
	return page, nil
}

func sourceOf(v *inputs.RankedVariable) string {
	if v.Set == "" {
		return "this workspace"
	}
	return "the set " + v.Set
}

// rowOf is one variable as a row, beneath the one of its key that comes from over.
func (p *variablesPage) rowOf(v *inputs.RankedVariable, over string) variableRow {
	row := variableRow{
		ID: v.ID, Key: v.Key, Kind: VariableKinds[v.Category], Description: v.Description, Set: v.Set, Sensitive: v.Sensitive, Own: v.Set == "", Wins: v.Wins,
		Edit: p.Path + "?edit=" + url.QueryEscape(v.ID),
	}
	if v.HCL {
		row.Kind += ", HCL"
	}
	if !v.Wins {
		row.Over = over
	}
	if !v.Sensitive {
		row.Value = frame.Cut(v.Value, frame.LongestValue)
	}
	return row
}

// variableForm is the form that the address or a refusal asks for.
func (t *tabVisit) variableForm(list []inputs.RankedVariable) *variableForm {
	form := &variableForm{}
	id := t.Asked("edit")
	if t.wrong != "" {
		id = t.PostFormValue("id")
	}
	for i := range list {
		if v := &list[i]; v.Set == "" && v.ID == id {
			form = &variableForm{ID: v.ID, Key: v.Key, Description: v.Description, Environment: v.Category == inputs.EnvironmentVariable, HCL: v.HCL, Sensitive: v.Sensitive, Sealed: v.Sensitive}
			if !v.Sensitive {
				form.Value = v.Value
			}
		}
	}
	switch {
	case t.wrong != "" && t.PostForm.Has("key"):
		form.take(t.Visit)
	case form.ID == "" && !t.URL.Query().Has("new"):
		return nil
	}
	return form
}

// take puts what was typed into the form, but for a value that is to be secret.
func (f *variableForm) take(v *frame.Visit) {
	f.Key, f.Description = v.PostFormValue("key"), v.PostFormValue("description")
	f.Environment, f.HCL = v.PostFormValue("category") == inputs.EnvironmentVariable, v.PostFormValue("hcl") != ""
	if f.Sensitive = f.Sealed || v.PostFormValue("sensitive") != ""; f.Sensitive {
		f.Value = ""
	} else {
		f.Value = v.Typed("value")
	}
}

// SaveVariable makes or changes a variable. The value of a sensitive one stays when none is typed.
func SaveVariable(v *frame.Visit) {
	actOnTab(v, "variables", func(t *tabVisit) (string, error) {
		id, value := t.PostFormValue("id"), t.Typed("value")
		p := inputs.VariablePatch{
			Key: patch.Of(t.PostFormValue("key")), Category: patch.Of(t.PostFormValue("category")), Description: patch.Of(t.PostFormValue("description")),
			HCL: patch.Of(t.PostFormValue("hcl") != ""),
		}
		if t.PostFormValue("sensitive") != "" {
			p.Sensitive = patch.Of(true)
		}
		if t.PostFormValue("sealed") == "" || value != "" {
			p.Value = patch.Of(value)
		}
		var err error
		if id == "" {
			_, err = t.UI.App.CreateVariable(t.Context(), t.s, t.ref(), p)
		} else {
			_, err = t.UI.App.UpdateVariable(t.Context(), t.s, t.ref(), id, p)
		}
		return t.path + "/variables", err
	})
}

// DeleteVariable deletes a variable of a workspace.
func DeleteVariable(v *frame.Visit) {
	actOnTab(v, "variables", func(t *tabVisit) (string, error) {
		return t.path + "/variables", t.UI.App.DeleteVariable(t.Context(), t.s, t.ref(), t.PostFormValue("id"))
	})
}
