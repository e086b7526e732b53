package belay_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/signin"
)

// untaken is every field of a patch that Apply alone does not take, with the reason.
var untaken = map[string]string{
	"Notification.Token":          "sealed by the verb",
	"Notification.UserIDs":        "a link table, written by the verb",
	"OAuthClient.Secret":          "sealed by the verb",
	"OAuthClient.TokenString":     "sealed by the verb, in a token of its own",
	"Team.Access":                 "takes the names of switches alone: organizationSwitches",
	"VariableSet.ParentProject":   "found by the verb: it is the owner of a new set",
	"VariableSet.Variables":       "made by the verb, each by its own Apply",
	"Workspace.ProjectID":         "moving takes rights, which the verb asks for",
	"Workspace.SettingOverwrites": "says whose the mode is, beside execution-mode",
}

// TestEveryFieldOfAPatchIsTaken finds the attribute that would be accepted and dropped: what
// a patch has, its Apply takes or refuses.
func TestEveryFieldOfAPatchIsTaken(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, noun := range map[string]struct{ patch, apply any }{
		"Workspace": {belay.WorkspacePatch{}, func(w *belay.Workspace, p belay.WorkspacePatch) error {
			*w = belay.NewWorkspace(belay.Organization{}, belay.Project{}, now)
			return w.Apply(p, belay.Facts{}, true)
		}},
		"Project":        {belay.ProjectPatch{}, func(n *belay.Project, p belay.ProjectPatch) error { return n.Apply(p, belay.BindingFacts{}) }},
		"Organization":   {belay.OrganizationPatch{}, (*belay.Organization).Apply},
		"Team":           {belay.TeamPatch{}, (*belay.Team).Apply},
		"Variable":       {inputs.VariablePatch{}, (*inputs.Variable).Apply},
		"VariableSet":    {inputs.VariableSetPatch{}, (*inputs.VariableSet).Apply},
		"SSHKey":         {inputs.SSHKeyPatch{}, (*inputs.SSHKey).Apply},
		"User":           {belay.UserPatch{}, (*belay.User).Apply},
		"WorkloadRule":   {signin.WorkloadRulePatch{}, (*signin.WorkloadRule).Apply},
		"AgentPool":      {run.AgentPoolPatch{}, (*run.AgentPool).Apply},
		"OAuthClient":    {forge.OAuthClientPatch{}, func(c *forge.OAuthClient, p forge.OAuthClientPatch) error { return c.Apply(p, nil, true) }},
		"Notification":   {notices.NotificationPatch{}, func(n *notices.Notification, p notices.NotificationPatch) error { return n.Apply(p, true) }},
		"ReservedTagKey": {belay.ReservedTagKeyPatch{}, func(k *belay.ReservedTagKey, p belay.ReservedTagKeyPatch) error { return k.Apply(p, now) }},
	} {
		kind := reflect.TypeOf(noun.patch)
		nothing := applied(noun.apply, reflect.New(kind).Elem())
		for i := range kind.NumField() {
			field := name + "." + kind.Field(i).Name
			taken := false
			for _, value := range samples(kind.Field(i).Type) {
				p := reflect.New(kind).Elem()
				p.Field(i).Set(value)
				taken = taken || !reflect.DeepEqual(nothing, applied(noun.apply, p))
			}
			switch reason := untaken[field]; {
			case !taken && reason == "":
				t.Errorf("the attribute %s is accepted and dropped: let Apply take it, or say in untaken who does", field)
			case taken && reason != "":
				t.Errorf("Apply takes %s: take it out of untaken", field)
			}
		}
	}
}

// applied is what a patch makes of a new noun, and what is said against it.
func applied(apply any, p reflect.Value) [2]any {
	f := reflect.ValueOf(apply)
	noun := reflect.New(f.Type().In(0).Elem())
	err := f.Call([]reflect.Value{noun, p})[0].Interface()
	noun = noun.Elem()
	if id := noun.FieldByName("ID"); id.IsValid() {
		id.SetString("")
	}
	return [2]any{noun.Interface(), err}
}

// samples is values of a field that differ from any default.
func samples(of reflect.Type) (list []reflect.Value) {
	if of.Kind() != reflect.Struct {
		return plain(of)
	}
	if value, is := of.FieldByName("Value"); is && of.NumField() == 3 {
		for _, one := range plain(value.Type) {
			field := reflect.New(of).Elem()
			field.FieldByName("Set").SetBool(true)
			field.FieldByName("Value").Set(one)
			list = append(list, field)
		}
		return list
	}
	return plain(of)
}

func plain(of reflect.Type) []reflect.Value {
	one := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Bool:
		yes := reflect.New(of).Elem()
		yes.SetBool(true)
		return []reflect.Value{one, yes}
	case reflect.String:
		one.SetString("x\x00y")
		word := reflect.New(of).Elem()
		word.SetString("some-word")
		return []reflect.Value{one, word}
	case reflect.Int, reflect.Int64:
		one.SetInt(77)
	case reflect.Slice:
		one = reflect.Append(one, plain(of.Elem())[0])
	case reflect.Map:
		one = reflect.MakeMap(of)
		one.SetMapIndex(plain(of.Key())[0], plain(of.Elem())[0])
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() && of != reflect.TypeFor[time.Time]() {
				one.Field(i).Set(samples(of.Field(i).Type)[0])
			}
		}
		if of == reflect.TypeFor[time.Time]() {
			one.Set(reflect.ValueOf(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
		}
	}
	return []reflect.Value{one}
}
