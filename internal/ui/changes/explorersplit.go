package changes

import (
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// legendRow is what a part of the bars is of.
type legendRow struct{ Name, Fill string }

// split is the bars of a chart by a second field: which values have a fill, and how many of each bar they are.
type split struct {
	fills  map[string]string
	counts map[string]map[string]int // by the value of the bar, then by fill
}

// partFills are the fills of the most frequent values; all others share the last of the sheet.
var partFills = []string{"p0", "p1", "p2", "p4", "p3"}

const otherFill = "p5"

// splitOf finds how the bars of a chart are split by the field that the address names; nil: they are whole.
func splitOf(t *frame.OrgVisit, page *explorerPage, want explorer.Query, by explorer.Field, chart *chartPart) (*split, error) {
	stack, known := explorer.Workspaces.Field(page.Stack)
	known = known && groupable(page.Stack) && page.Stack != by.Name
	chart.Stack = frame.Segs{{Name: "Whole", Path: with(t, "stack", ""), Here: !known}}
	for _, name := range explorer.Groupable {
		if name != by.Name {
			chart.Stack = append(chart.Stack, frame.Seg{Name: fieldName(name), Path: with(t, "stack", name), Here: known && name == stack.Name})
		}
	}
	if !known {
		return nil, nil
	}
	values, err := t.UI.App.ExploreGroups(t.Context(), t.Principal, t.Org.Name, want, stack, len(partFills))
	if err != nil {
		return nil, err
	}
	crosses, err := t.UI.App.ExploreCross(t.Context(), t.Principal, t.Org.Name, want, by, stack)
	s := &split{map[string]string{}, map[string]map[string]int{}}
	for i, g := range values {
		s.fills[g.Value] = partFills[i]
		chart.Legend = append(chart.Legend, legendRow{valueName(stack, g.Value), partFills[i]})
	}
	chart.Legend = append(chart.Legend, legendRow{"others", otherFill})
	for _, c := range crosses {
		fill, has := s.fills[c.Other]
		if !has {
			continue
		}
		if s.counts[c.Value] == nil {
			s.counts[c.Value] = map[string]int{}
		}
		s.counts[c.Value][fill] += c.Count
	}
	return s, err
}

// parts are the parts of a bar, in the order of the legend; nil: it is whole.
func (s *split) parts(g explorer.Group) (parts []draw.Part) {
	if s == nil {
		return nil
	}
	left := g.Count
	for _, fill := range partFills {
		if n := s.counts[g.Value][fill]; n > 0 {
			parts, left = append(parts, draw.Part{Of: n, Fill: fill}), left-n
		}
	}
	return append(parts, draw.Part{Of: max(left, 0), Fill: otherFill})
}

// labelOf says what the parts of a bar are; a whole one says nothing beside its number.
func (c *chartPart) labelOf(parts []draw.Part) string {
	var words []string
	for _, p := range parts {
		for _, l := range c.Legend {
			if l.Fill == p.Fill && p.Of > 0 {
				words = append(words, frame.Count(p.Of)+" "+l.Name)
			}
		}
	}
	return strings.Join(words, ", ")
}

// valueName is a value of a field as people say it.
func valueName(f explorer.Field, value string) string {
	if f.Name == "current_run_status" && value != "" {
		value = workspaces.StatusWords[statusOfText(value)].Text
	}
	return frame.OrNone(value)
}

// droppedPart is the one condition that a question had better not have: without it most are found.
type droppedPart struct {
	Text, Path string
	Left       int
}

// mostDropped is how many conditions are tried.
const mostDropped = 8

// dropping finds which condition of a question that nothing fits keeps most out; nil: none does so alone.
func dropping(t *frame.OrgVisit, want explorer.Query) (best *droppedPart, err error) {
	for i := range want.Filters[:min(len(want.Filters), mostDropped)] {
		less := want
		less.Filters = append(append([]explorer.Filter{}, want.Filters[:i]...), want.Filters[i+1:]...)
		_, left, err := t.UI.App.Explore(t.Context(), t.Principal, t.Org.Name, less, belay.Page{Number: 1, Size: 1})
		if err != nil {
			return nil, err
		}
		if left > 0 && (best == nil || left > best.Left) {
			one := explorer.Query{Filters: want.Filters[i : i+1]}
			best = &droppedPart{strings.Join(questionText(one), ""), t.Path + "?" + addressOfQuery(less).Encode(), left}
		}
	}
	return best, nil
}
