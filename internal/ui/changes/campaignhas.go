package changes

import (
	"slices"
	"time"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/explorer"
	"github.com/belayhq/belay/internal/ui/frame"
)

// longestHas is how many letters of what a workspace has stand in a list.
const longestHas = 24

// firstAsked is what a campaign asked for first; the zero value: nothing, or what can be asked no more.
func firstAsked(c *backlog.Campaign) explorer.Filter {
	question, err := explorer.FromJSON([]byte(c.Query), "", "")
	if !c.Asked || err != nil || len(question.Filters) == 0 {
		return explorer.Filter{}
	}
	return question.Filters[0]
}

// listed is the fields that hold more than a list has room for.
var listed = []string{"providers", "modules", "tags"}

// hasText is what a workspace has of what was asked for; empty: there is nothing to tell.
func hasText(asked explorer.Filter, value any) string {
	switch v := value.(type) {
	case int64:
		return frame.Count(int(v))
	case bool:
		return frame.YesNo(v)
	case time.Time:
		return v.Format(time.DateOnly)
	case string:
		if slices.Contains(listed, asked.Field.Name) {
			return ""
		}
		return frame.Cut(v, longestHas)
	default:
		return ""
	}
}
