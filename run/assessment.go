package run

import "time"

// Assessment is the result of a health assessment: what a plan that nobody applies found out
// about a workspace.
type Assessment struct {
	ID             string
	WorkspaceID    string
	OrganizationID string
	RunID          string // of the run that planned it, which is in no list
	Succeeded      bool
	Problem        string // why it did not succeed; else empty
	CreatedAt      time.Time
	Findings
}

// Findings is what an assessment found.
type Findings struct {
	ResourcesDrifted   int // managed ones that are otherwise than the state says, and that the plan would act on
	ResourcesUndrifted int // the other managed ones
	ChecksPassed       int
	ChecksFailed       int
	ChecksErrored      int
	ChecksUnknown      int
}

// Drifted says that some resource has drifted.
func (a *Assessment) Drifted() bool { return a.Succeeded && a.ResourcesDrifted > 0 }

// AllChecksSucceeded says that every check passed; where there is none, none failed.
func (a *Assessment) AllChecksSucceeded() bool {
	return a.Succeeded && a.ChecksFailed+a.ChecksErrored+a.ChecksUnknown == 0
}

// ChecksBroken says that checks failed, or could not be carried out.
func (a *Assessment) ChecksBroken() bool { return a.ChecksFailed+a.ChecksErrored > 0 }

// What people are told of assessments, as notifications call it.
const (
	TriggerDrifted          = "assessment:drifted"
	TriggerCheckFailure     = "assessment:check_failure"
	TriggerAssessmentFailed = "assessment:failed"
)

// Triggers is what people are told of a result, after the one before it, which may be none:
// what is new, and every failure.
func (a *Assessment) Triggers(before *Assessment) (list []string) {
	if !a.Succeeded {
		return []string{TriggerAssessmentFailed}
	}
	if a.Drifted() && (before == nil || !before.Drifted()) {
		list = append(list, TriggerDrifted)
	}
	if a.ChecksBroken() && (before == nil || !before.ChecksBroken()) {
		list = append(list, TriggerCheckFailure)
	}
	return list
}

// AssessmentNews is what a delivery tells of an assessment: the result, and the one before.
type AssessmentNews struct {
	New   Assessment  `json:"new"`
	Prior *Assessment `json:"prior,omitempty"`
}
