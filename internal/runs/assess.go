package runs

import (
	"context"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

const assessMessage = "Health assessment"

// AssessmentView is a result as a principal sees it, with its place.
type AssessmentView struct {
	run.Assessment
	Can                     belay.Permission // on its workspace
	Organization, Workspace string           // names
}

// Assess has a workspace assessed now.
func (m *Room) Assess(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) error {
	return m.DB.Update(ctx, func(tx *store.Tx) error {
		w, _, err := gate.WorkspaceForRuns(&tx.Locked, s, ref, belay.ManageAssessments)
		switch {
		case err != nil:
			return err
		case !w.Assessed() || !m.Edition.Offers(site.Assessments):
			return belay.Refuse(belay.NotFound, "assessments are not in force in this workspace")
		}
		why, err := m.assess(tx, s, &w)
		if err == nil && why != "" {
			err = belay.Refuse(belay.Conflict, "%s", why)
		}
		return err
	})
}

// assessDue assesses a workspace whose time has come. Where it can't be, whatever lets it be
// notes it again: the end of a run, a state, or settings.
func (m *Room) assessDue(tx *store.Tx, w *belay.Workspace) error {
	if !w.Assessed() || !m.Edition.Offers(site.Assessments) {
		return nil
	}
	if next := w.NextAssessment(tx.Now.Add(-belay.FirstAssessment), m.AssessEvery); next.After(tx.Now) {
		return tx.SetDue(store.AssessDue, w.ID, next)
	}
	server, err := asServer(tx, w)
	if err != nil {
		return err
	}
	_, err = m.assess(tx, server, w)
	return err
}

// assess makes the run that plans an assessment, or says why there can be none now.
func (m *Room) assess(tx *store.Tx, s belay.Principal, w *belay.Workspace) (why string, err error) {
	if current := run.Status(w.CurrentRunStatus); current.Active() || current == run.Pending {
		return "A run is " + w.CurrentRunStatus, nil
	}
	applied, newest, err := tx.RunsSoFar(w.ID)
	if err != nil {
		return "", err
	}
	if why := w.AssessmentHindrance(applied, string(newest)); why != "" {
		return why, nil
	}
	want := run.Wanted{DefaultMessage: assessMessage, Origin: run.Origin{Source: run.SourceLifecycle, Reason: run.ReasonAssessment}}
	want.PlanOnly.Set, want.PlanOnly.Value = true, true
	c, _, making, err := m.configuration(tx, s, w, want)
	if err == nil && (c == nil || !c.There()) {
		return "Configuration version is missing", nil
	}
	var r run.Run
	if err == nil {
		r, err = m.makeWith(tx, s, w, want, run.Given{Configuration: c}, making)
	}
	if belay.KindOf(err) == belay.Invalid {
		return belay.Reason(err), nil
	}
	if err != nil {
		return "", err
	}
	w.AssessingID = r.ID
	return "", tx.SaveHealth(w)
}

// stopAssessing ends the assessment of a workspace that is in progress: a run comes first.
func (m *Room) stopAssessing(tx *store.Tx, w *belay.Workspace) error {
	if w.AssessingID == "" {
		return nil
	}
	r, err := tx.Run(w.AssessingID)
	if err != nil {
		return gone(err)
	}
	w.AssessingID = ""
	if err := tx.SaveHealth(w); err != nil || r.Status.Final() {
		return err
	}
	return m.take(tx, belay.Principal{}, w, &r, run.Fact{Kind: run.Superseded, Why: "a run has come", ForceAfter: m.ForceCancelAfter})
}

// noteAssessed notes when a workspace is to be assessed next.
func (m *Room) noteAssessed(tx *store.Tx, w *belay.Workspace) error {
	if !w.Assessed() || !m.Edition.Offers(site.Assessments) {
		return nil
	}
	return tx.SetDue(store.AssessDue, w.ID, w.NextAssessment(tx.Now, m.AssessEvery))
}

// ended follows a run to its end for those who asked for it without a person.
func (t *taking) ended(f run.Fact) error {
	switch {
	case t.r.Assesses():
		return t.assessed(f.Findings)
	case t.r.IsDestroy:
		if err := t.destroyed(); err != nil {
			return err
		}
	}
	if !t.r.Stamps.At(run.Applying).IsZero() && t.w.AssessmentID != "" { // it may have mended what had drifted, and left the state as it was
		if err := t.tx.ForgetDrift(t.w); err != nil {
			return err
		}
	}
	return t.m.noteAssessed(t.tx, t.w)
}

// assessed keeps what an assessment found, and tells of it. One that was stopped found nothing.
func (t *taking) assessed(found run.Findings) error {
	w, r := t.w, t.r
	if w.AssessingID == r.ID {
		w.AssessingID = ""
	}
	if err := t.tx.DropAssessing(w.ID, r.ID); err != nil {
		return err
	}
	if r.Status == run.Canceled {
		return t.tx.SaveHealth(w)
	}
	a := run.Assessment{
		ID: belay.NewID("asmtres"), WorkspaceID: w.ID, OrganizationID: w.OrganizationID, RunID: r.ID,
		Succeeded: r.Status == run.PlannedAndFinished, Problem: r.Error, CreatedAt: t.tx.Now, Findings: found,
	}
	a.ResourcesUndrifted = max(0, w.ResourceCount-a.ResourcesDrifted)
	var before *run.Assessment
	if w.AssessmentID != "" {
		prior, err := t.tx.Assessment(w.AssessmentID)
		if err == nil {
			before = &prior
		} else if gone(err) != nil {
			return err
		}
	}
	w.AssessmentID, w.AssessedAt = a.ID, a.CreatedAt
	if err := t.tx.AddAssessment(&a, w); err != nil {
		return err
	}
	if err := t.drifts(&a); err != nil {
		return err
	}
	if err := tellOfAssessment(t.tx, w, &a, before); err != nil {
		return err
	}
	return t.m.noteAssessed(t.tx, w)
}

// drifts has the plan of an assessment read for what has drifted, if it tells that of the
// current state.
func (t *taking) drifts(a *run.Assessment) error {
	if a.Succeeded && t.r.InputStateVersionID == t.w.CurrentStateVersionID {
		return t.tx.AskDrift(t.w, t.r.ID)
	}
	return t.tx.ForgetDrift(t.w)
}

// tellOfAssessment records a result, and who is to be told what is new in it: an event for each
// thing, so that somebody is told of each once.
func tellOfAssessment(tx *store.Tx, w *belay.Workspace, a, before *run.Assessment) error {
	facts := record.Payload(map[string]any{
		"workspace": w.Name, "succeeded": a.Succeeded, "resources_drifted": a.ResourcesDrifted,
		"checks_failed": a.ChecksFailed, "checks_errored": a.ChecksErrored,
	})
	triggers := a.Triggers(before)
	words := triggers
	if len(words) == 0 {
		words = []string{"assessment:checked"}
	}
	told := make([]belay.Event, len(words))
	for i, word := range words {
		told[i] = belay.Event{
			Kind: strings.Replace(word, ":", ".", 1), OrganizationID: w.OrganizationID, WorkspaceID: w.ID,
			ResourceType: "assessment-results", ResourceID: a.ID, Payload: facts,
		}
	}
	if err := tx.EmitAll(told); err != nil {
		return err
	}
	for i, trigger := range triggers {
		d := notices.Delivery{EventID: told[i].ID, Trigger: trigger, Assessment: &run.AssessmentNews{New: *a, Prior: before}}
		if err := tx.TellOfAssessment(d, w); err != nil {
			return err
		}
	}
	return nil
}

// assessAll notes that the workspaces of an organization or a project may be assessed, some of
// them in each transaction.
func (m *Room) assessAll(ctx context.Context, d store.Due) error {
	last, place := "", 0
	for {
		next, n := "", 0 // apart: the transaction may be run again
		err := m.DB.Update(ctx, func(tx *store.Tx) (err error) {
			if next, n, err = tx.NoteAssessedIn(d.Subject, last, place, batch); err != nil || next != "" {
				return err
			}
			_, err = tx.TakeDue(d)
			return err
		})
		if last, place = next, place+n; err != nil || last == "" {
			return err
		}
	}
}

// Assessment is one result.
func (m *Room) Assessment(ctx context.Context, s belay.Principal, id string, need belay.Permission) (view AssessmentView, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		a, err := v.Assessment(id)
		if err != nil {
			return err
		}
		w, access, err := gate.Workspace(v, s, belay.WorkspaceRef{ID: a.WorkspaceID}, need)
		view = AssessmentView{a, access.OnWorkspace(w.ID, w.ProjectID), w.Organization.Name, w.Name}
		return err
	})
	return view, err
}

// CurrentAssessment is the newest result of a workspace; belay.ErrNotFound when there is none.
func (m *Room) CurrentAssessment(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (AssessmentView, error) {
	list, err := m.Assessments(ctx, s, ref)
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return AssessmentView{}, err
	}
	return list[0], nil
}

// Assessments is the results of a workspace, the newest first.
func (m *Room) Assessments(ctx context.Context, s belay.Principal, ref belay.WorkspaceRef) (list []AssessmentView, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		w, access, err := gate.Workspace(v, s, ref, belay.ReadAssessments)
		if err != nil {
			return err
		}
		found, err := v.Assessments(w.ID)
		for _, a := range found {
			list = append(list, AssessmentView{a, access.OnWorkspace(w.ID, w.ProjectID), w.Organization.Name, w.Name})
		}
		return err
	})
	return list, err
}

// AssessmentsByID is those of some results of one organization that the caller may read.
func (m *Room) AssessmentsByID(ctx context.Context, s belay.Principal, organization string, ids []string) (list []AssessmentView, err error) {
	if ids = distinct(ids); len(ids) == 0 {
		return nil, nil
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		_, access, err := gate.Organization(v, s, organization, belay.Traverse)
		if err != nil {
			return err
		}
		found, err := v.AssessmentsByID(ids)
		if err != nil {
			return err
		}
		of := make([]string, len(found))
		for i, a := range found {
			of[i] = a.WorkspaceID
		}
		workspaces, err := workspacesOf(v, of)
		for _, a := range found {
			if w := workspaces[a.WorkspaceID]; w != nil && access.OnWorkspace(w.ID, w.ProjectID).Has(belay.ReadWorkspace.And(belay.ReadAssessments)) {
				list = append(list, AssessmentView{a, access.OnWorkspace(w.ID, w.ProjectID), w.Organization.Name, w.Name})
			}
		}
		return err
	})
	return list, err
}

// AssessmentRun is the run that planned a result, for those who have a permission on its
// workspace: its files are the result's.
func (m *Room) AssessmentRun(ctx context.Context, s belay.Principal, id string, need belay.Permission) (r run.Run, err error) {
	view, err := m.Assessment(ctx, s, id, need)
	if err != nil {
		return r, err
	}
	err = m.DB.View(ctx, func(v *store.View) error {
		r, err = v.Run(view.RunID)
		return err
	})
	return r, err
}
