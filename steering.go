package belay

// Steering is what it takes to have code carried out in a workspace that nobody looked at
// there: whoever decides whose code that is, on whose machine, or that it is applied by
// itself, has its values and its state.
var Steering = QueueRuns.And(ApplyRuns)

const maySteer = "Only those who may queue and apply runs there can "

// CheckSteering refuses to those who may not queue and apply runs in a workspace what would
// make them: a repository, what starts or applies the runs of one, and agents. before is how
// it was, or how one begins; taking any of it away is everybody's.
func (w *Workspace) CheckSteering(can Permission, before *Workspace) error {
	if can.Has(Steering) {
		return nil
	}
	var problems Problems
	switch {
	case w.VCSRepo == nil:
	case before.VCSRepo == nil || w.VCSTokenID != before.VCSTokenID || w.VCSRepo.followed() != before.VCSRepo.followed():
		problems.Attribute("vcs-repo", maySteer+"connect a repository")
	default:
		for _, s := range []struct {
			name   string
			is, by bool
		}{
			{"auto-apply", w.AutoApply, before.AutoApply},
			{"queue-all-runs", w.QueueAllRuns, before.QueueAllRuns},
			{"speculative-enabled", w.SpeculativeEnabled, before.SpeculativeEnabled},
			{"execution-mode", w.Mode() != LocalExecution, before.Mode() != LocalExecution},
		} {
			if s.is && !s.by {
				problems.Attribute(s.name, maySteer+"have its repository run more")
			}
		}
		if w.WorkingDirectory != before.WorkingDirectory {
			problems.Attribute("working-directory", maySteer+"choose what of its repository runs")
		}
	}
	if w.AutoApplyRunTrigger && !before.AutoApplyRunTrigger {
		problems.Attribute("auto-apply-run-trigger", maySteer+"have them applied")
	}
	switch {
	case !w.AnotherPool(before):
	case w.ProjectID != before.ProjectID && !w.OwnsExecution:
		problems.At(Related("project"), maySteer+"choose its agents")
	default:
		problems.Attribute("agent-pool-id", maySteer+"choose its agents")
	}
	return problems.Err()
}

// AnotherPool says whether agents carry its runs out that did not before.
func (w *Workspace) AnotherPool(before *Workspace) bool {
	return w.PoolID() != "" && w.PoolID() != before.PoolID()
}

// followed is what of a repository decides about the code.
func (r VCSRepo) followed() VCSRepo {
	r.ServiceProvider, r.HTTPURL, r.WebhookID = "", "", ""
	return r
}

// CheckSteering is the same for the mode and the agents that a project gives its workspaces,
// connected says whether it gives them to any that has a repository. before and pool are theirs
// until now.
func (p *Project) CheckSteering(can Permission, before ExecutionMode, pool string, connected bool) error {
	var problems Problems
	mode, chosen := p.Execution()
	switch {
	case can.Has(Steering):
	case chosen != "" && chosen != pool:
		problems.Attribute("default-agent-pool-id", maySteer+"choose its agents")
	case connected && before == LocalExecution && mode != LocalExecution:
		problems.Attribute("default-execution-mode", maySteer+"have the repositories of its workspaces run")
	}
	return problems.Err()
}
