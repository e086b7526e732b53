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

// listColumns are the columns of the list of workspaces, after the name; those that are on are shown unless
// somebody chooses.
var listColumns = []frame.Choice{
	{Value: "run", Text: "Run", On: true}, {Value: "project", Text: "Project", On: true}, {Value: "lock", Text: "Lock", On: true}, {Value: "resources", Text: "Resources", On: true},
	{Value: "engine", Text: "Engine", On: true}, {Value: "requests", Text: "Requests", On: true}, {Value: "weeks", Text: "12 weeks", On: true}, {Value: "tags", Text: "Tags", On: false},
	{Value: "team", Text: "Team", On: false}, {Value: "description", Text: "Description", On: false}, {Value: "repository", Text: "Repository", On: false}, {Value: "pool", Text: "Agent pool", On: false},
	{Value: "drift", Text: "Drift", On: false}, {Value: "created", Text: "Made", On: false}, {Value: "id", Text: "ID", On: false}, {Value: "changed", Text: "Last change", On: true},
}

// columns is the columns that the address chooses, which the browser keeps; else those that it
// kept, else the usual ones.
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
		if len(kept) > 0 {
			c.On = slices.Contains(kept, c.Value)
		}
		shown[c.Value] = c.On
		list = append(list, c)
	}
	if len(asked) > 0 && len(kept) > 0 {
		v.SetCookie(columnsCookie, strings.Join(slices.Compact(slices.Sorted(slices.Values(kept))), "."), columnsLast)
	}
	return list, shown
}

// rowHeights is how high the rows of the list may be.
var rowHeights = []frame.Choice{{Value: "usual", Text: "Usual rows", On: false}, {Value: "low", Text: "Low rows", On: false}}

// heights is the heights of rows with the one on that the address chooses, which the browser keeps; else
// the one that it kept.
func heights(v *frame.Visit) (list []frame.Choice, low bool) {
	asked := v.Asked("rows")
	known := func(value string) bool {
		return slices.ContainsFunc(rowHeights, func(c frame.Choice) bool { return c.Value == value })
	}
	if known(asked) {
		v.SetCookie(frame.RowsCookie, asked, columnsLast)
	} else if asked = v.ReadCookie(frame.RowsCookie); !known(asked) {
		asked = rowHeights[0].Value
	}
	for _, c := range rowHeights {
		c.On = c.Value == asked
		list = append(list, c)
	}
	return list, asked == "low"
}
