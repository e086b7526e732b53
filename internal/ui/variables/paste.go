package variables

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
)

// pasteForm is a text with variables that is pasted.
type pasteForm struct {
	Text        string
	Environment bool
	Sensitive   bool
}

// lookPart is what a paste or a copy would do, before it does.
type lookPart struct {
	Title, Do, Sealed, Submit string
	Groups                    []lookGroup
}

type lookGroup struct {
	Name string // of the workspace; empty: this one
	Rows []lookRow
}

type lookRow struct {
	Key, Kind, Was, Now, Effect, Class string
	Hidden, WasHidden                  bool
	version                            string // of what is written
}

var effectClasses = map[inputs.Effect]string{inputs.Added: "ok", inputs.Overwritten: "wait", inputs.Unchanged: "plain", inputs.LeftOut: "bad"}

func lookRowOf(v *inputs.Variable, effect inputs.Effect) lookRow {
	row := lookRow{Key: v.Key, Kind: frame.VariableKinds[v.Category], Effect: string(effect), Class: effectClasses[effect], Hidden: v.Sensitive, version: v.VersionID}
	if v.HCL {
		row.Kind += ", HCL"
	}
	if !v.Sensitive {
		row.Now = frame.Cut(v.Value, frame.LongestValue)
	}
	return row
}

func (t *visit) pasteForm() *pasteForm {
	form := &pasteForm{}
	if t.Wrong != "" {
		form.Environment, form.Sensitive = t.PostFormValue("category") == inputs.EnvironmentVariable, t.PostFormValue("sensitive") != ""
		if !form.Sensitive {
			form.Text = t.Typed("text")
		}
	}
	return form
}

// pasting is what was pasted, as changes, and what each does.
type pasting struct {
	changes []inputs.VariableChange
	rows    []lookRow
	seen    []string // what the look was of: the versions of what is written over
}

// pasted reads what a form pasted against the variables that there are.
func (t *visit) pasted(form url.Values) (p pasting, err error) {
	category := inputs.EngineVariable
	if form.Get("category") == inputs.EnvironmentVariable {
		category = inputs.EnvironmentVariable
	}
	list, err := inputs.Paste(form.Get("text"), category)
	if err == nil {
		err = inputs.CheckManyPasted(len(list))
	}
	if err != nil {
		return p, err
	}
	own, err := t.UI.App.Variables(t.Context(), t.Principal, t.Ref(), false)
	if err != nil {
		return p, err
	}
	sensitive := form.Get("sensitive") != ""
	for _, one := range list {
		change, effect := inputs.Writes(own, one.Key, category, inputs.VariablePatch{Value: patch.Of(one.Value), HCL: patch.Of(one.HCL), Sensitive: patch.Field[bool]{Set: sensitive, Value: sensitive}})
		if err := inputs.CheckPasted(one.Line, change); err != nil {
			return p, err
		}
		was := beside(own, change.ID)
		row := lookRowOf(&inputs.Variable{Key: one.Key, Value: one.Value, Category: category, HCL: one.HCL, Sensitive: sensitive || was.Sensitive}, effect)
		if row.WasHidden = was.Sensitive; !was.Sensitive {
			row.Was = frame.Cut(was.Value, frame.LongestValue)
		}
		p.rows, p.seen = append(p.rows, row), append(p.seen, one.Key+" "+was.VersionID)
		if effect != inputs.Unchanged {
			p.changes = append(p.changes, change)
		}
	}
	return p, nil
}

// beside is the variable that a change writes over; an empty one where it writes over none.
func beside(own []inputs.Variable, id string) *inputs.Variable {
	for i := range own {
		if own[i].ID == id {
			return &own[i]
		}
	}
	return &inputs.Variable{}
}

// Paste shows what the variables of a text would do, or has them written: all of them, or none.
func Paste(v *frame.Visit) {
	act(v, func(t *visit) (string, error) {
		if !t.W.Can.Has(belay.WriteVariables) {
			return "", belay.ErrNotFound
		}
		if t.PostForm.Has("sealed") {
			return t.writePasted()
		}
		form := url.Values{"text": {t.Typed("text")}, "category": {t.PostFormValue("category")}, "sensitive": {t.PostFormValue("sensitive")}}
		p, err := t.pasted(form)
		if err != nil {
			return "", err
		}
		form["seen"] = p.seen
		look := &lookPart{Title: "What is written", Do: t.Path + "/variables/paste", Groups: []lookGroup{{Rows: p.rows}}}
		if look.Sealed, err = t.Seal(t.Principal, form); err != nil {
			return "", err
		}
		if len(p.changes) > 0 {
			look.Submit = "Write " + frame.Many(len(p.changes), "variable", "variables")
		}
		show(v, t.Principal, http.StatusOK, "", look)
		return "", nil
	})
}

func (t *visit) writePasted() (string, error) {
	form, ok := t.Unseal(t.Principal, t.PostFormValue("sealed"))
	if !ok {
		return "", errLookOver
	}
	p, err := t.pasted(form)
	if err != nil {
		return "", err
	}
	if !slices.Equal(p.seen, form["seen"]) {
		return "", belay.Refuse(belay.Conflict, "The variables changed since you looked. Paste the text again.")
	}
	_, err = t.UI.App.ChangeVariables(t.Context(), t.Principal, t.Ref(), p.changes)
	return t.Path + "/variables", err
}
