package workspaces

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// healthPage is what assessments found of a workspace.
type healthPage struct {
	Path   string
	Wanted bool // assessments are in force
	Going  bool // one is in progress
	May    bool // the visitor may ask for one
	Every  time.Duration
	Newest *healthRow // nil: there is none
	Rows   []healthRow
}

// healthRow is one result.
type healthRow struct {
	run.Assessment
	Class, Icon, Text string
	Checks            int
}

// health is the page of a workspace's assessments.
func (t *tabVisit) health() (any, error) {
	list, err := t.UI.Runs.Assessments(t.Context(), t.s, t.ref())
	if err != nil {
		return nil, err
	}
	page := &healthPage{
		Path: t.path + "/health", Wanted: t.w.Assessed(), Going: t.w.AssessingID != "", Every: t.UI.Runs.AssessEvery,
		May: t.w.Can.Has(belay.ManageAssessments) && t.w.Assessed() && t.w.AssessingID == "",
	}
	for i := range list {
		page.Rows = append(page.Rows, rowOfAssessment(&list[i]))
	}
	if len(page.Rows) > 0 {
		page.Newest = &page.Rows[0]
	}
	return page, nil
}

func rowOfAssessment(a *runs.AssessmentView) healthRow {
	word := HealthWord(&a.Assessment)
	return healthRow{
		Assessment: a.Assessment, Checks: a.ChecksPassed + a.ChecksFailed + a.ChecksErrored + a.ChecksUnknown,
		Class: word.Class, Icon: word.Icon, Text: word.Text,
	}
}

// HealthWord is what an assessment came to as people say it.
func HealthWord(a *run.Assessment) StatusWord {
	switch {
	case !a.Succeeded:
		return StatusWord{"bad", "alert", "failed"}
	case a.Drifted():
		return StatusWord{"wait", "alert", "drifted"}
	case a.ChecksBroken():
		return StatusWord{"wait", "alert", "checks failed"}
	default:
		return StatusWord{"ok", "check", "healthy"}
	}
}

// Assess has a workspace assessed now.
func Assess(v *frame.Visit) {
	actOnTab(v, "health", func(t *tabVisit) (string, error) {
		return t.path + "/health", v.UI.Runs.Assess(t.Context(), t.s, t.ref())
	})
}
