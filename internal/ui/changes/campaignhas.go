package changes

import (
	"slices"
	"time"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/ui/frame"
)

// longestHas is how many letters of what a workspace has stand in a list.
const longestHas = 24

// listed is the fields that hold more than a list has room for.
var listed = []string{"providers", "modules", "tags"}

// hasText is what a workspace has of what was asked for first; empty: there is nothing to tell.
func hasText(fit backlog.CampaignFit) string {
	switch v := fit.Value.(type) {
	case int64:
		return frame.Count(int(v))
	case bool:
		return frame.YesNo(v)
	case time.Time:
		return v.Format(time.DateOnly)
	case string:
		if slices.Contains(listed, fit.Field) {
			return ""
		}
		return frame.Cut(v, longestHas)
	default:
		return ""
	}
}
