package belay

// Steering is what it takes to have code carried out in a workspace that nobody looked at
// there: whoever decides whose code that is, on whose machine, or that it is applied by
// itself, has its values and its state.
const Steering = QueueRuns | ApplyRuns

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

// CheckSteering is the same for the agents that a project gives its workspaces. before is
// their pool until now.
func (p *Project) CheckSteering(can Permission, before string) error {
	var problems Problems
	if pool := p.PoolID(); pool != "" && pool != before && !can.Has(Steering) {
		problems.Attribute("default-agent-pool-id", maySteer+"choose its agents")
	}
	return problems.Err()
}

// PoolID is the agent pool that its workspaces inherit; empty unless the mode is agent.
func (p *Project) PoolID() string {
	_, pool := p.Execution()
	return pool
}
