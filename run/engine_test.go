package run_test

import (
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/run"
)

// TestWhichEngineARunTakes chooses among what the runners have and what is known.
func TestWhichEngineARunTakes(t *testing.T) {
	t.Parallel()
	known := belay.NewEngines([]belay.EngineVersion{
		{Version: "1.9.0", Official: true, Enabled: true}, {Version: "1.10.0", Official: true, Enabled: true},
		{Version: "1.11.4", Official: true, Enabled: true}, {Version: "1.14.3", Official: true, Enabled: true},
	})
	tofu, terraform := run.EngineBinary{Product: run.Tofu, Version: "1.10.0"}, run.EngineBinary{Product: run.Terraform, Version: "1.11.4"}
	for name, test := range map[string]struct {
		setting, product, byDefault string
		here                        []run.EngineBinary
		want                        run.EngineBinary
	}{
		"nobody is here yet":              {"latest", "", "auto", nil, run.EngineBinary{Product: run.Tofu, Version: "1.14.3"}},
		"the newest that is here":         {"latest", "", "auto", []run.EngineBinary{{Product: run.Tofu, Version: "1.9.0"}, tofu}, tofu},
		"a constraint, of what is here":   {"~> 1.9", "", "auto", []run.EngineBinary{tofu}, tofu},
		"only the other is here":          {"latest", "", "auto", []run.EngineBinary{terraform}, terraform},
		"tofu where both are here":        {"latest", "", "auto", []run.EngineBinary{terraform, tofu}, tofu},
		"exactly what only the other has": {"1.11.4", "", "auto", []run.EngineBinary{tofu, terraform}, terraform},
		"never another version":           {"1.9.0", "", "auto", []run.EngineBinary{tofu}, run.EngineBinary{Product: run.Tofu, Version: "1.9.0"}},
		"the operator's default":          {"latest", "", run.Terraform, []run.EngineBinary{tofu, terraform}, terraform},
		"the workspace's own":             {"latest", run.Terraform, run.Tofu, []run.EngineBinary{tofu, terraform}, terraform},
	} {
		if got := run.ChooseEngine(test.setting, test.product, run.Given{Engines: known, AtHand: test.here, DefaultEngine: test.byDefault}); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
