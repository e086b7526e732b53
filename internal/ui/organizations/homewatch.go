package organizations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// homeAnew is after how long a home is read anew where nothing happened: what waits for long waits by the clock.
const homeAnew = time.Minute

// revision changes with what a home shows, but for how long ago it was.
func (p *homeOfPage) revision() string {
	var b strings.Builder
	fmt.Fprint(&b, p.Start.revision(), p.PutOff, p.OpenRequests, p.runsToday, p.Slots, p.MoreRuns)
	for _, row := range p.Inbox {
		fmt.Fprint(&b, " ", row.Later, row.Title, row.Where)
	}
	for _, row := range p.Now {
		fmt.Fprint(&b, " ", row.Path, row.Status.Text)
	}
	for _, row := range p.Happened {
		fmt.Fprint(&b, " ", row.What, row.At.UnixMilli())
	}
	return b.String()
}

// WatchedHome looks at what waits and goes on in an organization: anew whenever something has happened there, and every
// time on the way to its first state.
func WatchedHome(v *frame.Visit, id string) frame.Look {
	organization, query, _ := strings.Cut(id, "?")
	asked := *v
	var newest, revision string
	var at time.Time
	return func(ctx context.Context, s belay.Principal) (string, bool, error) {
		last, err := v.UI.App.NewestEvent(ctx, s, organization)
		if err != nil || revision != "" && last == newest && v.UI.Now().Sub(at) < homeAnew {
			return revision, false, err
		}
		o, err := v.UI.App.Organization(ctx, s, organization)
		if err != nil {
			return "", false, err
		}
		asked.Request = v.Clone(ctx)
		asked.URL = &url.URL{RawQuery: query}
		page, err := homeOf(&asked, s, &o)
		if err != nil {
			return "", false, err
		}
		if newest, revision, at = last, page.revision(), v.UI.Now(); page.Start != nil {
			newest = "" // what is waited for is no event of the organization
		}
		return revision, false, nil
	}
}

// happenedRows is events as a home tells them: what, to which workspace or thing, and by whom.
func happenedRows(organization string, list []belay.Event) []frame.HappenedRow {
	rows := workspaces.HappenedRows(list, "")
	for i := range list {
		var facts struct{ Workspace, Name, Subject string }
		_ = json.Unmarshal([]byte(list[i].Payload), &facts) // what is no document names nothing
		row := &rows[i]
		row.Facts = ""
		switch of := list[i].ResourceType; {
		case facts.Workspace != "":
			row.Thing, row.Path = facts.Workspace, frame.WorkspacePath(organization, facts.Workspace)
		case of == "workspaces" && facts.Name != "":
			row.Thing, row.Path = facts.Name, frame.WorkspacePath(organization, facts.Name)
		case facts.Subject != "":
			row.Thing = frame.Cut(facts.Subject, frame.LongestValue)
		default:
			row.Thing = frame.Cut(facts.Name, frame.LongestValue)
		}
	}
	return rows
}
