package runs

import (
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

// What counts against the limits of jobs: all that wait for a runner or that one has.
const (
	underWay sqldb.Text = "o.state <> 'ended' AND o.state <> 'held'"

	speculativeIn sqldb.Text = `(SELECT count(*) FROM jobs o JOIN runs q ON q.id = o.run_id
		WHERE ` + underWay + ` AND NOT q.queued AND o.kind <> 'assessment' AND o.workspace_id = `
	assessmentsOf sqldb.Text = "(SELECT count(*) FROM jobs o WHERE " + underWay + " AND o.kind = 'assessment' AND o.organization_id = "

	jobsOf sqldb.Text = "(SELECT count(*) FROM jobs o WHERE " + underWay + " AND o.organization_id = "
)

// SpeculativeJobs is how many jobs of plan-only runs and of saved plans a workspace has
// under way.
func (v *View) SpeculativeJobs(workspaceID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT "+speculativeIn+"?)", workspaceID))
	return n, err
}

// AssessmentsUnderWay is how many assessments an organization has under way.
func (v *View) AssessmentsUnderWay(organizationID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT "+assessmentsOf+"?)", organizationID))
	return n, err
}

// JobsUnderWay is how many jobs an organization has under way.
func (v *View) JobsUnderWay(organizationID string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT "+jobsOf+"?)", organizationID))
	return n, err
}

// ReleasableJobs is held jobs that may wait for a runner now, the first first. speculative is
// how many such jobs a workspace may have under way; assessing and limit, how many assessments
// and jobs an organization: it may have chosen a lower limit, and a limit of 0 is any number.
func (v *View) ReleasableJobs(speculative, assessing, limit, atMost int) ([]run.Job, error) {
	q := v.SQL(jobs.Selected+"WHERE jobs.state = 'held' AND (jobs.class <> ? OR "+speculativeIn+"jobs.workspace_id) < ?)", int64(run.SpeculativeClass), speculative)
	q.Add(" AND (jobs.kind <> 'assessment' OR "+assessmentsOf+"jobs.organization_id) < ?)", assessing)
	q.Add(" AND NOT EXISTS (SELECT 1 FROM organizations m WHERE m.id = jobs.organization_id AND (? > 0 OR m.run_limit > 0)", limit)
	q.Add(" AND "+jobsOf+"m.id) >= CASE WHEN m.run_limit = 0 OR ? > 0 AND ? < m.run_limit THEN ? ELSE m.run_limit END)", limit, limit, limit)
	return jobs.Many(v, q.Add(" ORDER BY jobs.class, jobs.queued_at, jobs.id").First(atMost))
}
