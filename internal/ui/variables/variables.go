// Package variables owns the tab of a workspace's variables: what a run gets, and how variables are typed, pasted and copied.
package variables

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// visit is a visit to the tab.
type visit struct{ *workspaces.Opened }

// Show shows the variables, and the form that the address asks for.
func Show(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		show(v, s, http.StatusOK, "", nil)
	}
}

// show shows the tab; look is what a paste or a copy would do, nil for none.
func show(v *frame.Visit, s belay.Principal, status int, problem string, look *lookPart) {
	workspaces.ShowIn(v, s, "variables", "variables", status, problem, func(o *workspaces.Opened) (any, error) { return (&visit{o}).variables(look) })
}

// act does what a form asks for. A refusal comes back to the page with what was typed.
func act(v *frame.Visit, do func(*visit) (to string, err error)) {
	workspaces.ActIn(v, func(o *workspaces.Opened) (string, error) { return do(&visit{o}) },
		func(s belay.Principal, status int, problem string) { show(v, s, status, problem, nil) })
}

// variablesPage is what a run of a workspace gets, and from where.
type variablesPage struct {
	Path     string
	Rows     []variableRow
	Own      int // of the rows that are the workspace's own
	MayWrite bool
	Form     *variableForm // nil: none is open
	Paste    *pasteForm
	Copy     *copyForm
	Look     *lookPart // what a paste or a copy would do
	Copied   bool      // just now
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
	Was                         string
}

// formOf is the form that changes a variable.
func formOf(v *inputs.Variable) *variableForm {
	form := &variableForm{ID: v.ID, Key: v.Key, Description: v.Description, Environment: v.Category == inputs.EnvironmentVariable, HCL: v.HCL, Sensitive: v.Sensitive, Sealed: v.Sensitive}
	if !v.Sensitive {
		form.Value = v.Value
	}
	form.Was = frame.ShownIn(fieldsOf(v))
	return form
}

// fieldsOf is what the form shows of a variable.
func fieldsOf(v *inputs.Variable) []frame.FormField {
	fields := []frame.FormField{
		{Name: "key", Label: "Key", Value: v.Key}, {Name: "category", Label: "Kind", Value: v.Category}, {Name: "description", Label: "Description", Value: v.Description},
		{Kind: "check", Name: "hcl", Label: "The value is an expression (HCL)", On: v.HCL},
	}
	if !v.Sensitive {
		fields = append(fields, frame.FormField{Name: "value", Label: "Value", Value: v.Value})
	}
	return fields
}

// variables is the page of a workspace's variables.
func (t *visit) variables(look *lookPart) (any, error) {
	list, err := t.UI.App.RankedVariables(t.Context(), t.Principal, t.Ref())
	if err != nil {
		return nil, err
	}
	page := &variablesPage{Path: t.Path + "/variables", MayWrite: t.W.Can.Has(belay.WriteVariables), Copied: t.Wrong == "" && t.URL.Query().Has("copied")}
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
	switch page.Look = look; {
	case look != nil:
	case t.asks("copy"):
		page.Copy = t.copyForm(list)
	case page.MayWrite && t.asks("paste"):
		page.Paste = t.pasteForm()
	case page.MayWrite:
		page.Form = t.variableForm(list)
	}
	return page, nil
}

// asks says whether the address, or the form that was refused, is for one of the other forms.
func (t *visit) asks(form string) bool {
	return t.URL.Query().Has(form) || t.Wrong != "" && strings.HasSuffix(t.URL.Path, "/"+form)
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
		ID: v.ID, Key: v.Key, Kind: frame.VariableKinds[v.Category], Description: v.Description, Set: v.Set, Sensitive: v.Sensitive, Own: v.Set == "", Wins: v.Wins,
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
func (t *visit) variableForm(list []inputs.RankedVariable) *variableForm {
	form := &variableForm{}
	id := t.Asked("edit")
	if t.Wrong != "" {
		id = t.PostFormValue("id")
	}
	for i := range list {
		if v := &list[i]; v.Set == "" && v.ID == id {
			form = formOf(&v.Variable)
		}
	}
	switch {
	case t.Wrong != "" && t.PostForm.Has("key"):
		form.take(t.Visit)
	case form.ID == "" && !t.URL.Query().Has("new"):
		return nil
	}
	return form
}

// take puts what was typed into the form, but for a value that is to be secret, and for what was left as it was shown.
func (f *variableForm) take(v *frame.Visit) {
	f.Key, f.Description, f.HCL = v.Edited("key").Or(f.Key), v.Edited("description").Or(f.Description), v.Ticked("hcl").Or(f.HCL)
	if !v.Kept("category") {
		f.Environment = v.PostFormValue("category") == inputs.EnvironmentVariable
	}
	switch f.Sensitive = f.Sealed || v.PostFormValue("sensitive") != ""; {
	case f.Sensitive:
		f.Value = ""
	case !v.Kept("value"):
		f.Value = v.Typed("value")
	}
}

// Save makes or changes a variable. The value of a sensitive one stays when none is typed.
func Save(v *frame.Visit) {
	act(v, func(t *visit) (string, error) {
		id, value := t.PostFormValue("id"), t.Typed("value")
		p := inputs.VariablePatch{Key: t.Edited("key"), Category: t.Edited("category"), Description: t.Edited("description"), HCL: t.Ticked("hcl")}
		if t.PostFormValue("sensitive") != "" {
			p.Sensitive = patch.Of(true)
		}
		if t.PostFormValue("hcl") != "" { // no run would get further
			if err := inputs.CheckCollection(value); err != nil {
				return "", err
			}
		}
		if !t.Kept("value") && (t.PostFormValue("sealed") == "" || value != "") {
			p.Value = patch.Of(value)
		}
		if id == "" {
			_, err := t.UI.App.CreateVariable(t.Context(), t.Principal, t.Ref(), p)
			return t.Path + "/variables", err
		}
		now, err := t.UI.App.Variable(t.Context(), t.Principal, t.Ref(), id)
		if err == nil {
			err = t.Overtaken(fieldsOf(&now))
		}
		if err == nil {
			_, err = t.UI.App.UpdateVariable(t.Context(), t.Principal, t.Ref(), id, p)
		}
		return t.Path + "/variables", err
	})
}

// Delete deletes a variable of a workspace.
func Delete(v *frame.Visit) {
	act(v, func(t *visit) (string, error) {
		return t.Path + "/variables", t.UI.App.DeleteVariable(t.Context(), t.Principal, t.Ref(), t.PostFormValue("id"))
	})
}
