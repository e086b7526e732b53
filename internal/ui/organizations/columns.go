package organizations

import (
	"slices"
	"strings"

	"github.com/belayhq/belay/internal/ui/frame"
)

// columnsCookie keeps which columns a browser shows of the list of workspaces.
const columnsCookie = "belay-columns"

// columnsLast is for how many seconds: a year.
const columnsLast = 365 * 24 * 60 * 60

// listColumns are the columns of the list of workspaces, after the name.
var listColumns = []frame.Choice{
	{Value: "run", Text: "Run", On: true}, {Value: "project", Text: "Project", On: true}, {Value: "lock", Text: "Lock", On: true}, {Value: "resources", Text: "Resources", On: true},
	{Value: "engine", Text: "Engine", On: true}, {Value: "requests", Text: "Requests", On: true}, {Value: "tags", Text: "Tags", On: true}, {Value: "changed", Text: "Last change", On: true},
}

// columns is the columns that the address chooses, which the browser keeps; else those that it
// kept, else all.
func columns(v *frame.Visit, requests bool) (list []frame.Choice, shown map[string]bool) {
	asked := v.URL.Query()["columns"]
	kept := asked
	if len(asked) == 0 {
		kept = strings.Split(v.ReadCookie(columnsCookie), ".")
	}
	known := func(name string) bool {
		return slices.ContainsFunc(listColumns, func(c frame.Choice) bool { return c.Value == name })
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
		v.SetCookie(columnsCookie, strings.Join(slices.Compact(slices.Sorted(slices.Values(kept))), "."), columnsLast)
	}
	return list, shown
}
