package inputs_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
)

// TestWhatAVariableMayBe names each attribute that is wrong, all at once.
func TestWhatAVariableMayBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key, category, value, description string
		hcl                               bool
		wrong                             string
	}{
		"of the engine":             {key: "größe_1-a", category: inputs.EngineVariable, value: "[1]", hcl: true},
		"of the environment":        {key: "A.B-c", category: inputs.EnvironmentVariable},
		"the longest":               {key: strings.Repeat("k", 128), category: inputs.EngineVariable, value: strings.Repeat("v", 256<<10), description: strings.Repeat("d", 512)},
		"nothing":                   {wrong: "key category"},
		"too long":                  {key: strings.Repeat("k", 129), category: inputs.EngineVariable, value: strings.Repeat("v", 256<<10+1), description: strings.Repeat("d", 513), wrong: "key description value"},
		"an option":                 {key: "-target", category: inputs.EngineVariable, wrong: "key"},
		"an assignment":             {key: "A=B", category: inputs.EnvironmentVariable, wrong: "key"},
		"an expression without one": {key: "A", category: inputs.EnvironmentVariable, hcl: true, wrong: "hcl"},
	} {
		v := inputs.NewVariable("ws-1", "workspaces", time.Time{})
		err := v.Apply(inputs.VariablePatch{
			Key: patch.Of(c.key), Category: patch.Of(c.category), Value: patch.Of(c.value), Description: patch.Of(c.description), HCL: patch.Of(c.hcl),
		})
		var problems belay.Problems
		errors.As(err, &problems)
		var wrong []string
		for _, p := range problems {
			wrong = append(wrong, string(p.Place)[strings.LastIndexAny(string(p.Place), "/.")+1:])
		}
		if got := strings.Join(wrong, " "); got != c.wrong {
			t.Errorf("%s: wrong are %q, want %q", name, got, c.wrong)
		}
	}
}

// TestASensitiveVariableStaysSo: nobody gets its value by taking the mark away.
func TestASensitiveVariableStaysSo(t *testing.T) {
	t.Parallel()
	v := inputs.NewVariable("ws-1", "workspaces", time.Time{})
	if err := v.Apply(inputs.VariablePatch{Key: patch.Of("k"), Category: patch.Of(inputs.EngineVariable), Sensitive: patch.Of(true)}); err != nil {
		t.Fatal(err)
	}
	before, taken := v.VersionID, v
	if err := taken.Apply(inputs.VariablePatch{Sensitive: patch.Of(false)}); belay.KindOf(err) != belay.Invalid {
		t.Errorf("it came to %v", err)
	}
	if err := v.Apply(inputs.VariablePatch{Value: patch.Of("other")}); err != nil || v.VersionID == before || !v.Sensitive {
		t.Errorf("changed, it is %+v (%v)", v, err)
	}
}

// TestASensitiveValueKeepsItsName: nobody has a sealed value told by a run under a name that it shows.
func TestASensitiveValueKeepsItsName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sensitive bool
		patch     inputs.VariablePatch
		refused   bool
	}{
		"another key":            {true, inputs.VariablePatch{Key: patch.Of("shown")}, true},
		"another kind":           {true, inputs.VariablePatch{Category: patch.Of(inputs.EnvironmentVariable)}, false}, // as go-tfe does
		"both with a value":      {true, inputs.VariablePatch{Key: patch.Of("shown"), Category: patch.Of(inputs.EnvironmentVariable), Value: patch.Of("new")}, false},
		"the same":               {true, inputs.VariablePatch{Key: patch.Of("secret"), Category: patch.Of(inputs.EngineVariable), Description: patch.Of("x")}, false},
		"sealed in the same way": {false, inputs.VariablePatch{Key: patch.Of("shown"), Sensitive: patch.Of(true)}, false},
	} {
		v := inputs.NewVariable("ws-1", "workspaces", time.Now())
		v.Key, v.Category, v.Sensitive = "secret", inputs.EngineVariable, c.sensitive
		if err := v.Apply(c.patch); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
