package runner

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/belayhq/belay/run"
)

// The exit statuses of a plan with -detailed-exitcode.
const (
	planNoChanges = 0
	planChanges   = 2
)

// plan makes a plan and brings home what it made.
func (j *job) plan(ctx context.Context) (*run.End, error) {
	if end, err := j.hook(ctx, "pre-plan"); end != nil || err != nil {
		return end, err
	}
	if end, err := j.check(ctx, run.PrePlan); end != nil || err != nil {
		return end, err
	}
	if end, err := j.initialize(ctx); end != nil || err != nil {
		return end, err
	}
	if err := j.pass(ctx); err != nil {
		return j.stopped(ctx, err)
	}
	result, err := j.run(ctx, step{name: string(run.PlanStep), program: j.enginePath, args: j.planArguments(), within: j.timeout()})
	if err != nil {
		return j.broken(ctx, err)
	}
	if result.Code != planNoChanges && result.Code != planChanges || result.Reason != "" || j.askedFor() != run.NoOrder {
		_ = j.bringOptional(ctx, run.EventsFile, j.folder.real(outFolder, eventsName))
		return j.badly(result, "plan"), nil
	}
	return j.planned(ctx, result.Code)
}

// planArguments is what the engine is told of a plan.
func (j *job) planArguments() []string {
	args := []string{
		"plan", "-input=false", "-detailed-exitcode", "-out=" + j.folder.eyes(outFolder, planName),
		"-var-file=" + j.folder.eyes(secretFolder, varFileName),
	}
	return append(append(args, j.planFlags()...), j.eventsFlag()...)
}

// planned is the end of a plan that went well: what it made is described, checked and brought home.
func (j *job) planned(ctx context.Context, code int) (*run.End, error) {
	changes := code == planChanges
	end := &run.End{Outcome: run.Succeeded, ExitCode: code, HasChanges: &changes, Engine: j.engineOf()}
	if file, err := j.folder.open(j.folder.real(outFolder, generatedName)); err == nil {
		end.GeneratedConfig = file.Close() == nil
	}
	if failed, err := j.describe(ctx); failed != nil || err != nil {
		return failed, err
	}
	if failed, err := j.hook(ctx, "post-plan"); failed != nil || err != nil {
		return failed, err
	}
	if refused, err := j.checkPlan(ctx); err != nil || refused != nil && refused.Outcome != run.Failed {
		return refused, err
	} else if refused != nil { // what was planned is there to be read
		end.Outcome, end.Refused, end.Error = run.Failed, true, refused.Error
	}
	return j.bringPlan(ctx, end)
}

func (j *job) engineOf() *run.EngineBinary {
	return &run.EngineBinary{Product: j.spec.Engine.Product, Version: j.spec.Engine.Version}
}

func (j *job) timeout() time.Duration {
	return time.Duration(j.spec.Limits.TimeoutSeconds) * time.Second
}

// describe has the engine tell the plan and its providers' schemas as JSON.
func (j *job) describe(ctx context.Context) (*run.End, error) {
	for _, s := range []step{
		{name: "show", args: []string{"show", "-json", j.folder.eyes(outFolder, planName)}, stdout: j.folder.in("plan.json")},
		{name: "schemas", args: []string{"providers", "schema", "-json"}, stdout: j.folder.in("schemas.json")},
	} {
		s.program, s.within, s.output = j.enginePath, showWithin, j.folder.in(s.name+".log")
		result, err := j.run(ctx, s)
		if err != nil {
			return j.broken(ctx, err)
		}
		if result.Code != 0 {
			j.append(s.output)
			return j.badly(result, s.name), nil
		}
	}
	return nil, nil
}

// assessed is what an assessment brings: nobody will apply it.
var assessed = map[run.FileKind]bool{run.PlanJSONFile: true, run.SchemasFile: true, run.EventsFile: true}

// bringPlan sends everything that an apply, or a reader, needs.
func (j *job) bringPlan(ctx context.Context, end *run.End) (*run.End, error) {
	if err := j.packModules(); err != nil {
		return nil, err
	}
	files := []struct {
		kind run.FileKind
		path string
	}{
		{run.PlanJSONFile, j.folder.in("plan.json")},
		{run.SchemasFile, j.folder.in("schemas.json")},
		{run.LockFile, filepath.Join(j.module, lockName)},
		{run.ModulesFile, j.folder.in(modulesName)},
		{run.GeneratedFile, j.folder.real(outFolder, generatedName)},
		{run.EventsFile, j.folder.real(outFolder, eventsName)},
		{run.PlanFile, j.folder.real(outFolder, planName)},
	}
	j.folder.kept.With = nil
	for _, file := range files {
		if file.kind == run.PlanFile && (j.spec.Plan.Speculative || end.Refused) || j.Kind == run.AssessJob && !assessed[file.kind] {
			continue
		}
		if later, err := j.bringLater(file.kind, file.path); later || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := j.bringOptional(ctx, file.kind, file.path); err != nil {
			if ctx.Err() != nil {
				return nil, errDetached
			}
			if refused(err, http.StatusConflict) {
				return j.stopped(ctx, errStopped)
			}
			return j.failed("%v", err), nil
		}
	}
	return end, nil
}

// bringOptional sends a file if it is there.
func (j *job) bringOptional(ctx context.Context, kind run.FileKind, path string) error {
	file, err := j.folder.open(path)
	if err != nil {
		return nil //nolint:nilerr // it was not made
	}
	info, err := file.Stat()
	_ = file.Close()
	if err != nil || info.Size() == 0 {
		return err
	}
	_, err = j.bring(ctx, kind, path)
	return err
}

// packModules makes one file of the modules as they were planned: a branch may move
// before the apply.
func (j *job) packModules() error {
	home, err := os.OpenRoot(j.folder.home)
	if err != nil {
		return err
	}
	defer func() { _ = home.Close() }()
	from := filepath.Join(dataFolder, modulesName)
	if _, err := home.Stat(from); err != nil {
		return nil
	}
	file, err := os.OpenFile(j.folder.in(modulesName), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := pack(home, from, file); err != nil {
		_ = file.Close()
		return fmt.Errorf("pack the modules: %w", err)
	}
	return file.Close()
}
