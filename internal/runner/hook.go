package runner

import (
	"context"
	"os"
	"path/filepath"

	"github.com/belayhq/belay/run"
)

// hook runs the operator's program of that name, if there is one, behind the same walls
// as the engine. What it says is in the log; one that fails ends the job.
func (j *job) hook(ctx context.Context, name string) (*run.End, error) {
	if j.Hooks == "" {
		return nil, nil
	}
	program := filepath.Join(j.Hooks, name)
	if info, err := os.Stat(program); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return nil, nil //nolint:nilerr // there is no such hook
	}
	result, err := j.run(ctx, step{name: name, program: program, within: hookWithin})
	if err != nil {
		return j.broken(ctx, err)
	}
	if result.Code != 0 {
		return j.badly(result, "the hook "+name), nil
	}
	return nil, nil
}
