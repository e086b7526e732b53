package inputs_test

import (
	"fmt"

	"github.com/belayhq/belay/inputs"
)

// Of several variables with one key a run gets one: those of sets with priority come before the
// workspace's own, and its own before those of other sets.
func ExampleRankedVariables() {
	region := func(value string) []inputs.Variable {
		return []inputs.Variable{{Key: "region", Category: inputs.EngineVariable, Value: value}}
	}
	sets := []inputs.VariableSet{
		{ID: "set-all", Name: "everywhere", Global: true},
		{ID: "set-law", Name: "law", WorkspaceIDs: []string{"ws-1"}, Priority: true},
	}
	for _, v := range inputs.RankedVariables("ws-1", region("own"), sets, map[string][]inputs.Variable{"set-all": region("any"), "set-law": region("here")}) {
		fmt.Println(v.Value, v.Set, v.Wins)
	}
	// Output:
	// here law true
	// own  false
	// any everywhere false
}
