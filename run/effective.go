package run

import (
	"cmp"
	"slices"

	"github.com/belayhq/belay/inputs"
)

// Effective is the variables that the engine of a run gets: the run's own beat those of
// the workspace and of sets, but not those of sets that have priority. ranked is the
// winners among workspace and sets, priority says which of them come from such a set.
func Effective(own []Variable, ranked []inputs.Variable, priority map[string]bool) []JobVariable {
	var list []JobVariable
	taken := map[string]bool{}
	for _, v := range ranked {
		if v.Category == inputs.EngineVariable && !priority[v.ID] && slices.ContainsFunc(own, func(o Variable) bool { return o.Key == v.Key }) {
			continue
		}
		taken[v.Category+" "+v.Key] = true
		list = append(list, JobVariable{Key: v.Key, Value: v.Value, Category: v.Category, HCL: v.HCL, Sensitive: v.Sensitive})
	}
	for _, v := range own {
		if !taken[inputs.EngineVariable+" "+v.Key] {
			list = append(list, JobVariable{Key: v.Key, Value: v.Value, Category: inputs.EngineVariable, HCL: true})
		}
	}
	slices.SortFunc(list, func(a, b JobVariable) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Key, b.Key))
	})
	return list
}
