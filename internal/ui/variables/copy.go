package variables

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// errLookOver refuses what was looked at too long ago, or by somebody else.
var errLookOver = belay.Refuse(belay.Conflict, "You looked too long ago. Begin again.")

// copyForm is which variables are copied, and to where.
type copyForm struct {
	Rows []copyRow
	To   string
}

type copyRow struct {
	ID, Key, Kind string
	On            bool
}

// mostCopied is how many workspaces variables are copied to at once.
const mostCopied = 20

func (t *visit) copyForm(list []inputs.RankedVariable) *copyForm {
	form := &copyForm{To: t.Typed("to")}
	for i := range list {
		if v := &list[i]; v.Set == "" {
			on := t.Wrong == "" || slices.Contains(t.PostForm["id"], v.ID)
			form.Rows = append(form.Rows, copyRow{v.ID, v.Key, frame.VariableKinds[v.Category], on})
		}
	}
	return form
}

// Copy shows what a copy of variables to other workspaces would do, or has them copied: to one workspace after the other, to
// each all or none.
func Copy(v *frame.Visit) {
	act(v, func(t *visit) (string, error) {
		form := url.Values{"id": t.PostForm["id"], "to": namesIn(t.Typed("to"))}
		writes := t.PostForm.Has("sealed")
		if writes {
			var ok bool
			if form, ok = t.Unseal(t.Principal, t.PostFormValue("sealed")); !ok {
				return "", errLookOver
			}
		}
		switch n := len(form["to"]); {
		case len(form["id"]) == 0:
			return "", belay.Refuse(belay.Invalid, "Choose at least one variable.")
		case n == 0:
			return "", belay.Refuse(belay.Invalid, "Name at least one workspace.")
		case n > mostCopied:
			return "", belay.Refuse(belay.Invalid, "At most %d workspaces at once.", mostCopied)
		}
		look, err := t.lookAtCopy(form)
		if err != nil {
			return "", err
		}
		if !writes {
			show(v, t.Principal, http.StatusOK, "", look)
			return "", nil
		}
		if !slices.Equal(seenOf(look), form["seen"]) {
			return "", belay.Refuse(belay.Conflict, "The variables changed since you looked. Begin again.")
		}
		for i, name := range form["to"] {
			if _, err := t.UI.App.CopyVariables(t.Context(), t.Principal, t.copying(name, form["id"])); err != nil {
				return "", t.stoppedAt(err, i, form["to"])
			}
		}
		return t.Path + "/variables?copied", nil
	})
}

// stoppedAt is what is wrong with one of some workspaces, and how many were copied to before it: these stay.
func (t *visit) stoppedAt(err error, done int, to []string) error {
	status, why := t.Describe(err)
	if status == http.StatusInternalServerError || done == 0 && len(to) == 1 {
		return err
	}
	return belay.Refuse(belay.Conflict, "Copied to %s of %s; not to %s: %s", frame.Count(done), frame.Many(len(to), "workspace", "workspaces"), to[done], why)
}

// namesIn is the names in a text, with blanks or commas between.
func namesIn(text string) []string {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == ' ' || r == '\t' })
	slices.Sort(names)
	return slices.Compact(names)
}

func (t *visit) copying(to string, ids []string) app.Copying {
	return app.Copying{From: t.Ref(), To: belay.WorkspaceRef{Organization: t.Org.Name, Name: to}, IDs: ids}
}

func (t *visit) lookAtCopy(form url.Values) (*lookPart, error) {
	look := &lookPart{Title: "What is copied", Do: t.Path + "/variables/copy"}
	writes := 0
	for _, name := range form["to"] {
		to, list, err := t.UI.App.LookAtCopy(t.Context(), t.Principal, t.copying(name, form["id"]))
		if belay.KindOf(err) == belay.NotFound {
			err = belay.Refuse(belay.Invalid, "There is no workspace %q whose variables you write.", name)
		}
		if err != nil {
			return nil, err
		}
		group := lookGroup{Name: to.Name}
		for i := range list {
			group.Rows = append(group.Rows, lookRowOf(&list[i].Variable, list[i].Effect))
			if e := list[i].Effect; e == inputs.Added || e == inputs.Overwritten {
				writes++
			}
		}
		look.Groups = append(look.Groups, group)
	}
	if writes > 0 {
		look.Submit = "Copy " + frame.Many(writes, "variable", "variables")
	}
	var err error
	look.Sealed, err = t.Seal(t.Principal, url.Values{"id": form["id"], "to": form["to"], "seen": seenOf(look)})
	return look, err
}

// seenOf is what of a look is to be so still when it is done.
func seenOf(look *lookPart) (seen []string) {
	for _, group := range look.Groups {
		for _, row := range group.Rows {
			seen = append(seen, group.Name+" "+row.Key+" "+row.Kind+" "+row.Effect+" "+row.version)
		}
	}
	return seen
}
