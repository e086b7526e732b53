package app

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// TestCopiesOfSensitiveVariablesOpen: the copy of a sealed value is sealed anew, for the variable that it is then.
func TestCopiesOfSensitiveVariablesOpen(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx := t.Context()
		var refs []belay.WorkspaceRef
		for _, name := range []string{"from", "to"} {
			w, err := a.CreateWorkspace(ctx, a.admin, "acme", belay.WorkspacePatch{Name: patch.Of(name)})
			a.must(err)
			refs = append(refs, belay.WorkspaceRef{ID: w.ID})
		}
		set := func(ref belay.WorkspaceRef, key, value string, sensitive bool) string {
			v, err := a.CreateVariable(ctx, a.admin, ref, inputs.VariablePatch{
				Key: patch.Of(key), Value: patch.Of(value), Category: patch.Of(inputs.EnvironmentVariable), Sensitive: patch.Of(sensitive), Description: patch.Of("of " + key),
			})
			a.must(err)
			return v.ID
		}
		ids := []string{set(refs[0], "FRESH", "s3cret", true), set(refs[0], "OVER", "s3cret 2", true), set(refs[0], "PLAIN", "open", false), set(refs[0], "SAME", "as it is", false)}
		set(refs[0], "STAYS", "not asked for", false)
		set(refs[1], "OVER", "old", false)
		set(refs[1], "PLAIN", "old", true)
		set(refs[1], "SAME", "as it is", false)
		want := Copying{From: refs[0], To: refs[1], IDs: ids}
		effects := func(list []inputs.Effect) string {
			text := ""
			for _, e := range list {
				text += string(e) + ";"
			}
			return text
		}
		_, looked, err := a.LookAtCopy(ctx, a.admin, want)
		a.must(err)
		done, err := a.CopyVariables(ctx, a.admin, want)
		a.must(err)
		for name, list := range map[string]int{"look": len(looked), "copy": len(done)} {
			if list != 4 {
				t.Fatalf("the %s is of %d variables", name, list)
			}
		}
		var was, is []inputs.Effect
		for i := range looked {
			was, is = append(was, looked[i].Effect), append(is, done[i].Effect)
		}
		if effects(was) != "added;overwritten;overwritten;unchanged;" || effects(is) != effects(was) {
			t.Errorf("the look says %v, the copy %v", was, is)
		}
		got := map[string]string{}
		a.must(a.db.View(ctx, func(v *store.View) error {
			list, err := v.Variables(refs[1].ID)
			for _, one := range list {
				value := one.Value
				if one.Sensitive {
					raw, err := a.ring.Unseal(value, one.ID)
					a.must(err)
					value = "sealed " + string(raw)
				}
				got[one.Key] = value + ", " + one.Description
			}
			return err
		}))
		for key, value := range map[string]string{"FRESH": "sealed s3cret, of FRESH", "OVER": "sealed s3cret 2, of OVER", "PLAIN": "sealed open, of PLAIN", "SAME": "as it is, of SAME", "STAYS": ""} {
			if got[key] != value {
				t.Errorf("%s is %q there", key, got[key])
			}
		}
		if _, _, err := a.LookAtCopy(ctx, a.admin, Copying{From: refs[0], To: refs[0], IDs: ids}); belay.KindOf(err) != belay.Invalid {
			t.Errorf("a copy to itself: %v", err)
		}
	})
}
