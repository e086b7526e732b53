package workspaces

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
)

// workspaceQuery reads the filters and the order of a list of workspaces.
func workspaceQuery(r *door.Request) belay.WorkspaceQuery {
	q := r.Query()
	want := belay.WorkspaceQuery{
		Page:        r.Page(),
		Search:      strings.TrimSpace(q.Get("search[name]")),
		Wildcard:    strings.TrimSpace(q.Get("search[wildcard-name]")),
		Projects:    door.Commas(q["filter[project][id]"]...),
		RunStatuses: door.Commas(q["filter[current-run][status]"]...),
		Tags:        door.Commas(q["search[tags]"]...),
		ExcludeTags: door.Commas(q["search[exclude-tags]"]...),
		Tagged:      tagFilters(q),
	}
	want.Sort = workspaceSort(q.Get("sort"))
	return want
}

var tagFilterKey = regexp.MustCompile(`^filter\[tagged\]\[(-?\d+)\]\[key\]$`)

// tagFilters reads filter[tagged][i][key] and its value. The indexes only pair them: they
// may be any numbers. A value without a key asks for nothing.
func tagFilters(q url.Values) (filters []belay.TagFilter) {
	for name, keys := range q {
		index := tagFilterKey.FindStringSubmatch(name)
		if index == nil || keys[0] == "" {
			continue
		}
		filter := belay.TagFilter{Key: keys[0], Value: q.Get("filter[tagged][" + index[1] + "][value]")}
		if !slices.Contains(filters, filter) {
			filters = append(filters, filter)
		}
	}
	// In one order, so that the same filters find the same count.
	slices.SortFunc(filters, func(a, b belay.TagFilter) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
	return filters
}

// workspaceSort reads the order; one that is not known is ignored.
func workspaceSort(sort string) belay.WorkspaceSort {
	key, descending := strings.CutPrefix(sort, "-")
	switch key {
	case "name", "latest-change-at", "current-run.created-at":
		return belay.WorkspaceSort{Key: key, Descending: descending}
	default:
		return belay.WorkspaceSort{}
	}
}
