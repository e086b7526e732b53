package workspaces

import (
	"fmt"
	"html/template"
	"time"

	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
)

// runStep is one thing that happened.
type runStep struct {
	Name, By, Why string
	At            time.Time
}

// commentRow is what somebody said.
type commentRow struct {
	By   string
	At   time.Time
	Body template.HTML
}

// happenings is what events are called.
var happenings = map[string]string{
	"queued": "Queued", "fetched": "Configuration fetched", "planning": "Plan begun", "planned": "Planned", "confirmed": "Confirmed",
	"applying": "Apply begun", "applied": "Applied", "planned_and_finished": "Planned, and nothing left to do", "planned_and_saved": "Plan saved",
	"errored": "Failed", "cancel_requested": "Cancel asked for", "canceled": "Canceled", "force_canceled": "Canceled by force", "discarded": "Discarded",
	"force_executed": "Put before the others", "auto_discarded": "Discarded by itself", "auto_canceled": "Canceled by itself", "runner_lost": "Its runner was lost",
}

// deeds is what people decide: whoever comes after them hears of it.
var deeds = map[string]string{
	"confirmed": "confirmed this", "discarded": "discarded this", "cancel_requested": "canceled this", "force_canceled": "canceled this by force",
}

// fillHappened adds what happened, and what people said.
func fillHappened(v *frame.Visit, r *runs.View, page *runPage) error {
	ids := []string{r.CreatedBy}
	for _, e := range r.Events {
		ids = append(ids, e.ActorID)
	}
	names, err := v.Names(ids...)
	page.By = names[r.CreatedBy]
	for _, e := range r.Events {
		by := names[e.ActorID]
		if e.CommentID != "" {
			page.Comments = append(page.Comments, commentRow{by, e.CreatedAt, markdown.HTML(e.Body)})
			continue
		}
		name := happenings[e.Action]
		if name == "" {
			name = e.Action
		}
		page.Steps = append(page.Steps, runStep{name, by, e.Description, e.CreatedAt})
		if deed := deeds[e.Action]; deed != "" && by != "" {
			page.Decided = fmt.Sprintf("%s %s %s.", by, deed, frame.Ago(e.CreatedAt, v.UI.Now()))
		}
	}
	return err
}
