package ui

import (
	"slices"
	"strings"
)

// columnsCookie keeps which columns a browser shows of the list of workspaces.
const columnsCookie = "belay-columns"

// columnsLast is for how many seconds: a year.
const columnsLast = 365 * 24 * 60 * 60

// listColumns are the columns of the list of workspaces, after the name.
var listColumns = []choice{
	{"run", "Run", true}, {"project", "Project", true}, {"lock", "Lock", true}, {"resources", "Resources", true},
	{"engine", "Engine", true}, {"requests", "Requests", true}, {"tags", "Tags", true}, {"changed", "Last change", true},
}

// columns is the columns that the address chooses, which the browser keeps; else those that it
// kept, else all.
func (v *visit) columns(requests bool) (list []choice, shown map[string]bool) {
	asked := v.URL.Query()["columns"]
	kept := asked
	if len(asked) == 0 {
		kept = strings.Split(v.cookie(columnsCookie), ".")
	}
	known := func(name string) bool {
		return slices.ContainsFunc(listColumns, func(c choice) bool { return c.Value == name })
	}
	kept = slices.DeleteFunc(slices.Clone(kept), func(name string) bool { return !known(name) })
	shown = map[string]bool{}
	for _, c := range listColumns {
		if c.Value == "requests" && !requests {
			continue
		}
		c.On = len(kept) == 0 || slices.Contains(kept, c.Value)
		shown[c.Value] = c.On
		list = append(list, c)
	}
	if len(asked) > 0 && len(kept) > 0 {
		v.setCookie(columnsCookie, strings.Join(slices.Compact(slices.Sorted(slices.Values(kept))), "."), columnsLast)
	}
	return list, shown
}
