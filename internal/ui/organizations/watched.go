package organizations

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// listRevision is what the rows of a list show that changes while somebody looks.
func listRevision(list []app.WorkspaceView, total int) string {
	var b strings.Builder
	fmt.Fprint(&b, total)
	for i := range list {
		w := &list[i]
		fmt.Fprint(&b, " ", w.ID, w.Lock.Holder, w.CurrentRunID, w.CurrentRunStatus, w.LatestChangeAt.UnixMilli(), w.OpenChangeRequests)
	}
	return b.String()
}

// watchedList is what a list is watched by: its organization, and what it is asked for.
func watchedList(v *frame.Visit, organization string, list []app.WorkspaceView, total int) string {
	return frame.Watching("workspaces", organization+"?"+v.URL.RawQuery, listRevision(list, total))
}

// WatchedWorkspaces looks at the rows that a list shows. What it asks for is read once, and who may see it each time.
func WatchedWorkspaces(v *frame.Visit, id string) frame.Look {
	organization, query, _ := strings.Cut(id, "?")
	asked := *v
	asked.Request = v.Clone(v.Context())
	asked.URL = &url.URL{RawQuery: query}
	var want *belay.WorkspaceQuery
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		o, err := v.UI.App.Organization(ctx, s, organization)
		if err != nil {
			return "", false, err
		}
		if want == nil {
			read, err := wanted(&asked, s, o.Name, &workspacesPage{Requests: v.UI.OffersRequests()})
			if err != nil {
				return "", false, err
			}
			read.Page = asked.Page(frame.PageSize)
			want = &read
		}
		list, total, err := v.UI.App.Workspaces(ctx, s, o.Name, *want)
		return listRevision(list, total), false, err
	}
}
