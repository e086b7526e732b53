package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/runs"
)

// running is how runs are made and bounded, whoever carries them out.
type running struct {
	defaultEngine                           string
	planTimeout, applyTimeout               time.Duration
	forceCancelAfter, applyLostAfter, saved time.Duration
	assessEvery                             time.Duration
	logLimit                                int64
	speculativeLimit, runLimit              int
}

func (r *running) flags(flags *pflag.FlagSet) {
	flags.StringVar(&r.defaultEngine, "default-engine", autoEngine, "engine of workspaces that name none: tofu, terraform, or auto, what the runners have (BELAY_DEFAULT_ENGINE)")
	flags.DurationVar(&r.planTimeout, "plan-timeout", 2*time.Hour, "how long a plan may take (BELAY_PLAN_TIMEOUT)")
	flags.DurationVar(&r.applyTimeout, "apply-timeout", 24*time.Hour, "how long an apply may take (BELAY_APPLY_TIMEOUT)")
	flags.DurationVar(&r.forceCancelAfter, "force-cancel-after", 30*time.Second, "how long an engine has to end by itself before a cancel may be forced (BELAY_FORCE_CANCEL_AFTER)")
	flags.DurationVar(&r.applyLostAfter, "apply-lost-after", 15*time.Minute, "how long an apply may be silent before its run has errored (BELAY_APPLY_LOST_AFTER)")
	flags.DurationVar(&r.saved, "saved-plan-lifetime", 504*time.Hour, "how long a saved plan can be applied (BELAY_SAVED_PLAN_LIFETIME)")
	flags.DurationVar(&r.assessEvery, "assessment-interval", 24*time.Hour, "how often workspaces are assessed that want it (BELAY_ASSESSMENT_INTERVAL)")
	flags.IntVar(&r.speculativeLimit, "speculative-per-workspace", runs.DefaultSpeculativeLimit, "plan-only runs and saved plans of a workspace that go on at once (BELAY_SPECULATIVE_PER_WORKSPACE)")
	flags.IntVar(&r.runLimit, "run-limit", 0, "plans and applies of an organization that go on at once; 0 is any number (BELAY_RUN_LIMIT)")
	flags.Int64Var(&r.logLimit, "max-log-size", runlog.DefaultLimit, "bytes that are kept of one log (BELAY_MAX_LOG_SIZE)")
}

// autoEngine is what the runners have.
const autoEngine = "auto"

// leastLog is how many bytes of a log are kept at the least: an error has to be found in it.
const leastLog = 64 << 10

func (r *running) check() error {
	if !slices.Contains(append([]string{autoEngine}, engine.Products...), r.defaultEngine) {
		return fmt.Errorf("--default-engine is tofu, terraform or auto, not %q", r.defaultEngine)
	}
	for name, d := range map[string]time.Duration{
		"plan-timeout": r.planTimeout, "apply-timeout": r.applyTimeout, "force-cancel-after": r.forceCancelAfter,
		"apply-lost-after": r.applyLostAfter, "saved-plan-lifetime": r.saved, "assessment-interval": r.assessEvery,
	} {
		if d < time.Second {
			return fmt.Errorf("--%s is a second or more, not %v", name, d)
		}
	}
	if r.logLimit < leastLog {
		return fmt.Errorf("--max-log-size is %d bytes or more, not %d", leastLog, r.logLimit)
	}
	if r.speculativeLimit < 1 {
		return fmt.Errorf("--speculative-per-workspace is 1 or more, not %d", r.speculativeLimit)
	}
	if r.runLimit < 0 {
		return fmt.Errorf("--run-limit is 0 or more, not %d", r.runLimit)
	}
	return nil
}

// rules fills the configuration of runs with these settings.
func (r *running) rules(c runs.Config) runs.Config {
	c.DefaultEngine, c.PlanTimeout, c.ApplyTimeout = r.defaultEngine, r.planTimeout, r.applyTimeout
	c.ForceCancelAfter, c.ApplyLostAfter, c.SavedPlanLife, c.LogLimit = r.forceCancelAfter, r.applyLostAfter, r.saved, r.logLimit
	c.AssessEvery = r.assessEvery
	c.SpeculativeLimit, c.RunLimit = r.speculativeLimit, r.runLimit
	return c
}
