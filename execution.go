package belay

import "github.com/belayhq/belay/internal/patch"

// Mode is the execution mode that is in force: the workspace's own, or the inherited one.
func (w *Workspace) Mode() ExecutionMode {
	mode, _ := w.execution()
	return mode
}

// PoolID is the agent pool that is in force; empty unless the mode is agent.
func (w *Workspace) PoolID() string {
	_, pool := w.execution()
	return pool
}

func (w *Workspace) execution() (ExecutionMode, string) {
	if w.OwnsExecution {
		return w.OwnMode, w.OwnPoolID
	}
	w.Project.Organization = w.Organization
	return w.Project.Execution()
}

// applyExecution settles execution-mode, operations, agent-pool-id and setting-overwrites.
// A literal value makes the setting the workspace's own; an explicit false gives it back.
func (w *Workspace) applyExecution(problems *Problems, p WorkspacePatch, facts Facts) {
	mode, ok := w.requestedMode(problems, p)
	if !ok {
		return
	}
	own, given, ok := overwrites(problems, p.SettingOverwrites)
	if !ok {
		return
	}
	pool := p.AgentPoolID
	if pool.Value == "" {
		pool.Null = true // known clients send an empty id for none
	}
	switch {
	case given && !own:
		w.OwnsExecution, w.OwnMode, w.OwnPoolID = false, "", ""
		return
	case p.SettingOverwrites.Value.ExecutionMode.Value && !mode.Given() && !w.OwnsExecution:
		problems.Attribute("execution-mode", "Execution mode must be given when setting-overwrites.execution-mode is true")
		return
	case mode.Given() || pool.Given():
		w.ownExecution(mode)
	case own && !w.OwnsExecution:
		problems.Attribute("agent-pool-id", "Agent pool must be given when setting-overwrites.agent-pool is true")
		return
	}
	w.applyPool(problems, pool, facts)
}

// ownExecution takes the execution settings from the ones that are in force.
func (w *Workspace) ownExecution(mode patch.Field[ExecutionMode]) {
	inForce, pool := w.execution()
	w.OwnsExecution, w.OwnMode, w.OwnPoolID = true, mode.Or(inForce), pool
}

func (w *Workspace) applyPool(problems *Problems, pool patch.Field[string], facts Facts) {
	pool.Into(&w.OwnPoolID)
	if !w.OwnsExecution {
		return
	}
	switch agent := w.OwnMode == AgentExecution; {
	case !agent && pool.Given():
		problems.Attribute("agent-pool-id", "Agent pool must not be specified unless using 'agent' execution mode")
	case !agent:
		w.OwnPoolID = ""
	case w.OwnPoolID == "":
		problems.Attribute("agent-pool-id", "Agent pool must be specified when using 'agent' execution mode")
	case pool.Given() && !facts.PoolUsable:
		problems.Attribute("agent-pool-id", "The provided agent pool does not exist")
	}
}

// requestedMode is the mode that the body asks for, by either of its two names.
func (w *Workspace) requestedMode(problems *Problems, p WorkspacePatch) (patch.Field[ExecutionMode], bool) {
	mode := p.ExecutionMode
	if p.Operations.Given() && mode.Given() {
		problems.Attribute("operations", "Operations must not be given together with execution-mode")
		return mode, false
	}
	if p.Operations.Given() {
		mode = patch.Of(LocalExecution)
		if p.Operations.Value {
			mode = patch.Of(RemoteExecution)
		}
	}
	if mode.Given() && !mode.Value.Valid() {
		problems.Attribute("execution-mode", "Execution mode is not included in the list")
		return mode, false
	}
	return mode, true
}

func overwrites(problems *Problems, field patch.Field[SettingOverwrites]) (own, given, ok bool) {
	mode, pool := field.Value.ExecutionMode, field.Value.AgentPool
	if mode.Given() && pool.Given() && mode.Value != pool.Value {
		problems.Attribute("setting-overwrites", "If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.")
		return false, false, false
	}
	return mode.Value || pool.Value, mode.Given() || pool.Given(), true
}

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
	w.checkCommits(&problems, before)
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

// checkCommits refuses what has commits of a repository carried out that were not before.
func (w *Workspace) checkCommits(problems *Problems, before *Workspace) {
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
