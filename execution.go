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
