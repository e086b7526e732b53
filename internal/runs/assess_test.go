package runs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// healthy is a house whose workspace has been applied, and is assessed; something hears of it.
type healthy struct {
	*scheduled
	fails bool // what is assessed
}

func eachHealthy(t *testing.T, test func(*testing.T, *healthy)) {
	t.Helper()
	each(t, func(t *testing.T, h *house) {
		s := &healthy{scheduled: &scheduled{house: h}}
		n, err := h.verbs.CreateNotification(t.Context(), h.admin, notices.Notification{WorkspaceID: h.ws.ID}, notices.NotificationPatch{
			Name: patch.Of("all"), Destination: patch.Of(notices.EmailDestination), Enabled: patch.Of(true),
			Triggers: patch.Of([]string{run.TriggerDrifted, run.TriggerCheckFailure, run.TriggerAssessmentFailed, "run:created", "run:completed"}),
		})
		h.must(err)
		s.hears = n.ID
		test(t, s)
	})
}

// appliedOnce lets a run of the workspace be applied, that leaves resources.
func (s *healthy) appliedOnce() {
	s.t.Helper()
	s.create(func(want *run.Wanted) { want.AutoApply = patch.Of(true) })
	s.plan()
	s.apply()
	s.state()
}

func (s *healthy) enable() {
	s.t.Helper()
	s.set(belay.WorkspacePatch{AssessmentsEnabled: patch.Of(true)})
}

// pass lets time pass, and does what is due then.
func (s *healthy) passing(d time.Duration) {
	s.t.Helper()
	s.pass(d)
	s.must(s.Reconcile(s.t.Context()))
	s.must(s.Reconcile(s.t.Context())) // nothing is done twice
}

// waits says whether an assessment waits for a runner.
func (s *healthy) waits() bool {
	s.t.Helper()
	return len(s.assessing("waiting")) > 0
}

func (s *healthy) assessing(states ...string) (found []run.Job) {
	s.t.Helper()
	s.must(s.db.View(s.t.Context(), func(v *store.View) error {
		for _, r := range s.hidden() {
			j, err := v.OpenJob(r.ID)
			if err != nil {
				return err
			}
			if j != nil && slices.Contains(states, string(j.State)) {
				found = append(found, *j)
			}
		}
		return nil
	}))
	return found
}

// hidden is the runs that plan assessments and are not over, of all workspaces.
func (s *healthy) hidden() (list []run.Run) {
	s.t.Helper()
	s.must(s.db.View(s.t.Context(), func(v *store.View) error {
		o, err := v.Organization("acme")
		if err != nil {
			return err
		}
		all, _, err := v.Workspaces(o, belay.WorkspaceQuery{Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 100}})
		for _, w := range all {
			if w.AssessingID == "" {
				continue
			}
			r, err := v.Run(w.AssessingID)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return err
	}))
	return list
}

// carry carries the next assessment out, which finds something.
func (s *healthy) carry(found run.Findings) {
	s.t.Helper()
	j, spec := s.started()
	if j.Kind != run.AssessJob || !spec.Plan.Speculative || spec.Plan.RefreshOnly {
		s.t.Fatalf("%+v is no assessment", spec)
	}
	*s.files.found = found
	end := planned(found.ResourcesDrifted > 0)
	if s.fails {
		end = run.End{Outcome: run.Failed, ExitCode: 1, Error: "Error: no"}
	}
	s.end(j, end)
}

func (s *healthy) results() []run.Assessment {
	s.t.Helper()
	list, err := s.Assessments(s.t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID})
	s.must(err)
	found := make([]run.Assessment, len(list))
	for i, a := range list {
		found[i] = a.Assessment
	}
	return found
}

func (s *healthy) told() string {
	s.t.Helper()
	var list []notices.Delivery
	s.must(s.db.View(s.t.Context(), func(v *store.View) (err error) {
		list, _, err = v.Deliveries(s.hears, notices.DeliveryQuery{Page: belay.Page{Number: 1, Size: 100}})
		return err
	}))
	slices.SortFunc(list, func(a, b notices.Delivery) int { return a.CreatedAt.Compare(b.CreatedAt) })
	var words []string
	for _, d := range list {
		if strings.HasPrefix(d.Trigger, "assessment:") {
			words = append(words, strings.TrimPrefix(d.Trigger, "assessment:"))
		}
	}
	return strings.Join(words, " ")
}

func TestAWorkspaceIsAssessed(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		s.appliedOnce()
		s.enable()
		s.passing(time.Minute)
		if s.waits() {
			t.Fatal("assessed before two minutes had passed")
		}
		s.passing(time.Minute)
		if !s.waits() {
			t.Fatal("not assessed two minutes after it came into force")
		}
		if w := s.look(); w.Lock.Held() || w.CurrentRunID == w.AssessingID {
			t.Fatalf("the assessment holds the workspace: %+v", w.Lock)
		}
		s.carry(run.Findings{ChecksPassed: 2})
		w := s.look()
		if list := s.results(); len(list) != 1 || !list[0].Succeeded || list[0].Drifted() || list[0].ResourcesUndrifted != 1 || w.AssessmentID != list[0].ID || !w.AssessedAt.Equal(list[0].CreatedAt) || w.AssessingID != "" {
			t.Fatalf("%+v of %+v", list, w)
		}
		s.passing(20 * time.Hour)
		if s.waits() {
			t.Fatal("assessed again before its time")
		}
		s.passing(5 * time.Hour)
		s.pass(time.Second)
		s.carry(run.Findings{ResourcesDrifted: 1, ChecksFailed: 1})
		s.passing(26 * time.Hour)
		s.carry(run.Findings{ResourcesDrifted: 1, ChecksErrored: 1}) // as before: nobody is told again
		s.passing(26 * time.Hour)
		s.fails = true
		s.carry(run.Findings{})
		if got := s.told(); got != "drifted check_failure failed" && got != "check_failure drifted failed" {
			t.Errorf("told %q", got)
		}
		if a := s.results()[0]; a.Succeeded || a.Drifted() || a.Problem == "" || a.ResourcesUndrifted != 1 {
			t.Errorf("%+v", a)
		}
		list, _, err := s.List(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}, run.Query{Page: belay.Page{Number: 1, Size: 100}})
		if err != nil || len(list) != 1 {
			t.Errorf("%d runs are listed, %v; an assessment is none", len(list), err)
		}
	})
}

// toRead is the run whose plan is to be read for what has drifted; empty when there is none.
func (s *healthy) toRead() (id string) {
	s.t.Helper()
	s.must(s.db.Update(s.t.Context(), func(tx *store.Tx) error {
		for {
			next, found, err := tx.NextReading(tx.Now)
			if err != nil || !found || next.RunID != "" {
				id = next.RunID
				return err
			}
			if err := tx.EndReading(next); err != nil { // what the state holds
				return err
			}
		}
	}))
	return id
}

// TestWhichPlansTellWhatDrifted: only that of an assessment that succeeded, of the state that
// is still the current one.
func TestWhichPlansTellWhatDrifted(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		s.appliedOnce()
		s.enable()
		s.passing(2 * time.Minute)
		s.carry(run.Findings{ResourcesDrifted: 1})
		if id := s.toRead(); id == "" || id != s.results()[0].RunID {
			t.Errorf("the plan of %q is to be read", id)
		}
		s.fails = true
		s.must(s.Assess(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}))
		s.carry(run.Findings{})
		if id := s.toRead(); id != "" {
			t.Errorf("the plan of %q is to be read, which failed", id)
		}
		s.fails = false
		s.must(s.Assess(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}))
		j, _ := s.started()
		s.state()
		s.end(j, planned(true))
		if id := s.toRead(); id != "" {
			t.Errorf("the plan of %q is to be read, which was made of another state", id)
		}
		s.must(s.Assess(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}))
		s.carry(run.Findings{ResourcesDrifted: 1})
		s.create(func(want *run.Wanted) { want.AutoApply = patch.Of(true) })
		s.plan()
		s.apply()
		if id := s.toRead(); id != "" {
			t.Errorf("the plan of %q is to be read, and an apply has mended what had drifted", id)
		}
	})
}

func TestTheRunBehindAnAssessmentIsHidden(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		s.appliedOnce()
		s.enable()
		s.passing(2 * time.Minute)
		hidden := s.hidden()[0]
		_, err := s.Show(t.Context(), s.admin, hidden.ID)
		s.refused(err, belay.NotFound, "")
		_, err = s.Phase(t.Context(), s.admin, hidden.Plan.ID, belay.ReadRuns)
		s.refused(err, belay.NotFound, "")
		s.refused(s.Cancel(t.Context(), s.admin, hidden.ID, ""), belay.NotFound, "")
		list, _, err := s.Queue(t.Context(), s.admin, "acme", belay.Page{Number: 1, Size: 20})
		if _, c, err2 := s.Capacity(t.Context(), s.admin, "acme"); err != nil || err2 != nil || len(list) != 0 || c.Pending+c.Running != 0 {
			t.Errorf("%d in the queue, %+v", len(list), c)
		}
		all, _, err := s.AdminList(t.Context(), s.admin, run.Query{Page: belay.Page{Number: 1, Size: 20}})
		if found, err2 := s.ByID(t.Context(), s.admin, "acme", []string{hidden.ID}); err != nil || err2 != nil || len(all) != 1 || len(found) != 0 {
			t.Errorf("%d of all, %d by its id", len(all), len(found))
		}
	})
}

func TestARunComesBeforeAnAssessment(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		s.appliedOnce()
		s.enable()
		s.passing(2 * time.Minute)
		j, _ := s.started()
		r := s.create(nil)
		s.is(r.ID, run.PlanQueued)
		if w := s.look(); w.AssessingID != "" {
			t.Fatal("the assessment is still in progress")
		}
		beat, err := s.Beat(t.Context(), s.runner, "", run.Beat{Jobs: []run.BeatJob{{ID: j.ID, Lease: j.Lease}}})
		if err != nil || beat.Jobs[0].Order != run.CancelOrder {
			t.Fatalf("%+v, %v: the runner is not told to stop", beat, err)
		}
		s.end(j, planned(true)) // it was done all the same
		if list := s.results(); len(list) != 0 {
			t.Fatalf("%+v is kept of an assessment that was stopped", list)
		}
		s.refused(s.Assess(t.Context(), s.admin, belay.WorkspaceRef{ID: s.ws.ID}), belay.Conflict, "run is")
		s.passing(72 * time.Hour)
		if s.waits() {
			t.Fatal("assessed beside a run")
		}
		s.plan()
		s.passing(72 * time.Hour)
		if s.waits() {
			t.Fatal("assessed while a plan waits for a person")
		}
		s.must(s.Discard(t.Context(), s.admin, r.ID, ""))
		s.passing(72 * time.Hour)
		if s.waits() {
			t.Fatal("assessed after a run that was discarded")
		}
		s.create(func(want *run.Wanted) { want.AutoApply = patch.Of(true) })
		s.plan()
		s.apply()
		s.passing(2 * time.Minute)
		s.carry(run.Findings{})
	})
}

func TestWhenAssessmentsAreNotMade(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		ref := belay.WorkspaceRef{ID: s.ws.ID}
		s.refused(s.Assess(t.Context(), s.admin, ref), belay.NotFound, "not in force")
		s.enable()
		s.refused(s.Assess(t.Context(), s.admin, ref), belay.Conflict, "No run was applied yet")
		s.passing(2 * time.Minute)
		s.appliedOnce()
		s.must(s.Assess(t.Context(), s.admin, ref))
		s.refused(s.Assess(t.Context(), s.admin, ref), belay.Conflict, "in progress")
		s.carry(run.Findings{})
		s.set(belay.WorkspacePatch{ExecutionMode: patch.Of(belay.LocalExecution)})
		s.refused(s.Assess(t.Context(), s.admin, ref), belay.NotFound, "not in force")
		s.passing(48 * time.Hour)
		s.set(belay.WorkspacePatch{ExecutionMode: patch.Of(belay.RemoteExecution)})
		s.passing(2 * time.Minute)
		s.carry(run.Findings{})
		s.set(belay.WorkspacePatch{AssessmentsEnabled: patch.Of(false)})
		s.passing(48 * time.Hour)
		if s.waits() {
			t.Error("assessed though nobody wants it")
		}
		_, err := s.verbs.UpdateOrganization(t.Context(), s.admin, "acme", belay.OrganizationPatch{AssessmentsEnforced: patch.Of(true)})
		s.must(err)
		s.passing(2*time.Minute + time.Second)
		s.passing(2*time.Minute + time.Second) // the first look noted them
		s.carry(run.Findings{})
		for range belay.KeptAssessments {
			s.must(s.Assess(t.Context(), s.admin, ref))
			s.carry(run.Findings{})
			s.pass(time.Second)
		}
		if n := len(s.results()); n != belay.KeptAssessments {
			t.Errorf("%d results are kept", n)
		}
		s.Edition = site.EditionSelfManaged
		s.refused(s.Assess(t.Context(), s.admin, ref), belay.NotFound, "not in force")
	})
}

func TestFewAssessmentsOfAnOrganizationGoOnAtOnce(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		first := s.ws
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			s.ws = s.workspace(name)
			s.appliedOnce()
			s.enable()
		}
		s.passing(2*time.Minute + time.Second)
		if waiting, held := len(s.assessing("waiting")), len(s.assessing("held")); waiting != 4 || held != 1 {
			t.Fatalf("%d wait and %d are held", waiting, held)
		}
		s.carry(run.Findings{})
		s.must(s.Reconcile(t.Context()))
		if waiting, held := len(s.assessing("waiting")), len(s.assessing("held")); waiting != 4 || held != 0 {
			t.Errorf("%d wait and %d are held after one has ended", waiting, held)
		}
		s.ws = first
	})
}

func TestALostAssessmentIsGivenAgain(t *testing.T) {
	eachHealthy(t, func(t *testing.T, s *healthy) {
		s.appliedOnce()
		s.enable()
		s.passing(2 * time.Minute)
		for range run.MaxAttempts {
			s.started()
			s.passing(run.Lease + time.Second)
		}
		if list := s.results(); len(list) != 1 || list[0].Succeeded || !strings.Contains(list[0].Problem, "lost twice") {
			t.Errorf("%+v", list)
		}
	})
}
