package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/run"
)

// The files of a check, in its own folder of the job. It writes in checkHome alone.
const (
	checksFolder  = "checks"
	checkHome     = "home"
	contextName   = "context.json"
	checkOutput   = "output"
	checkResult   = "result.json"
	planJSONName  = "plan.json"
	checkedOutput = 8 * run.MaxCheckOutput // bytes that are looked at: stars and signs of colour take some away
)

// checkPlan makes the checks of a plan. Of an assessment there are none: nobody applies it.
func (j *job) checkPlan(ctx context.Context) (*run.End, error) {
	if j.Kind == run.AssessJob {
		return nil, nil
	}
	return j.check(ctx, run.PostPlan)
}

// check makes the checks of a stage, all of them, so that all that is wrong is seen at once. The
// job ends where a mandatory one does not pass.
func (j *job) check(ctx context.Context, stage run.CheckStage) (*run.End, error) {
	refusing := ""
	for i := range j.Checks {
		c := &j.Checks[i]
		if c.Stage != stage {
			continue
		}
		found, err := j.checked(ctx, c)
		switch {
		case errors.Is(err, errBegun):
			continue
		case errors.Is(err, errStopped):
			return j.stopped(ctx, err)
		case err != nil:
			return nil, err
		}
		j.checks = append(j.checks, found)
		if found.Refuses() && refusing == "" {
			refusing = "the mandatory check " + said(&found)
		}
	}
	if refusing == "" {
		return nil, nil
	}
	return j.failed("%s", refusing), nil
}

// said is a result as a sentence.
func said(c *run.Check) string {
	switch {
	case c.Status == run.CheckPassed:
		return c.Name + " has passed"
	case c.Reason != "":
		return c.Name + " could not be made: " + c.Reason
	default:
		return fmt.Sprintf("%s failed with exit status %d", c.Name, c.ExitCode)
	}
}

// errBegun says that a check came too late, which nobody asked for when the work began.
var errBegun = errors.New("the work was begun without this check")

// checked makes one check, or reads what it came to in an earlier life of the runner.
func (j *job) checked(ctx context.Context, c *Check) (found run.Check, err error) {
	name := string(c.Stage) + "-" + c.Name
	at := j.folder.in(checksFolder, name)
	if raw, err := os.ReadFile(filepath.Join(at, checkResult)); err == nil && json.Unmarshal(raw, &found) == nil {
		return found, nil
	}
	if c.Stage != run.PostPlan && j.begun() {
		return found, errBegun
	}
	if j.askedFor() != run.NoOrder {
		return found, errStopped
	}
	began, err := j.prepareCheck(ctx, c, at)
	if err != nil {
		return found, err
	}
	result, err := j.runIn(ctx, "check-"+name, j.walled(c, at))
	switch {
	case errors.Is(err, errDetached) || ctx.Err() != nil:
		return found, errDetached
	case j.askedFor() != run.NoOrder:
		return found, errStopped
	}
	found = run.Check{Stage: c.Stage, Name: c.Name, Enforcement: c.Enforcement, ExitCode: result.Code, BeganAt: began, EndedAt: time.Now()}
	found.Status, found.Reason = c.judge(result, err)
	found.Output = j.heard(filepath.Join(at, checkOutput))
	j.say("belay: the %s check %s:\n%s", c.Enforcement, said(&found), found.Output)
	return found, isolate.WriteJSON(filepath.Join(at, checkResult), found)
}

// judge is what the end of a check means. What did not end by itself has said nothing, and so is
// no failure and never a pass.
func (c *Check) judge(result isolate.Result, err error) (run.CheckStatus, string) {
	var reason string
	switch {
	case err != nil:
		reason = err.Error()
	case result.Reason != "":
		reason = result.Reason.String()
	case result.Signal != 0:
		reason = fmt.Sprintf("it was ended by signal %d", result.Signal)
	case result.Code == 0:
		return run.CheckPassed, ""
	case slices.Contains(c.broken, result.Code):
		reason = fmt.Sprintf("it ended with exit status %d", result.Code)
	default:
		return run.CheckFailed, ""
	}
	return run.CheckErrored, plain(reason, run.MaxCheckReason)
}

// prepareCheck writes what a check reads, unless it has begun. It says when that was.
func (j *job) prepareCheck(ctx context.Context, c *Check, at string) (began time.Time, err error) {
	if info, err := os.Stat(filepath.Join(at, contextName)); err == nil {
		return info.ModTime(), nil
	}
	if err := os.MkdirAll(filepath.Join(at, checkHome), 0o700); err != nil {
		return began, err
	}
	if c.Stage == run.PreApply {
		if err := j.fetchPlanJSON(ctx); err != nil {
			return began, err
		}
	}
	if err := j.askAbout(ctx); err != nil {
		return began, err
	}
	told := map[string]any{"context": map[string]any{
		"check": c.Name, "stage": c.Stage, "enforcement": c.Enforcement, "organization": j.spec.Organization, "project": j.spec.Project,
		"workspace": j.spec.Workspace, "run_id": j.RunID, "run": j.about, "engine": j.spec.Engine.Product, "engine_version": j.spec.Engine.Version,
	}}
	return time.Now(), isolate.WriteJSON(filepath.Join(at, contextName), told)
}

// fetchPlanJSON gets the plan that is about to be applied. One that a check reads stays as it is.
func (j *job) fetchPlanJSON(ctx context.Context) error {
	to := j.folder.in(planJSONName)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	file := run.JobFile{Kind: run.PlanJSONFile}
	for _, f := range j.spec.Files {
		if f.Kind == run.PlanJSONFile {
			file = f
		}
	}
	if err := j.fetch(ctx, file, to+".new"); err != nil {
		return j.lost(ctx, err)
	}
	return os.Rename(to+".new", to)
}

// askAbout asks the server about the run, once.
func (j *job) askAbout(ctx context.Context) error {
	if j.about != nil {
		return nil
	}
	about := &run.About{}
	err := j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.get(calling, "jobs/"+j.ID+"/about", j.Lease, about)
	})
	if err != nil && !refused(err, http.StatusNotFound) { // that is a server from before there were checks
		return j.lost(ctx, err)
	}
	j.about = about
	return nil
}

// walled is a check as a step: it sees the plan and the configuration, and nothing of the run's
// variables, state and tokens; nor can any of these bend what it does.
func (j *job) walled(c *Check, at string) isolate.Step {
	s := j.isolated(step{name: c.Name, program: c.Command[0], within: c.Timeout})
	home, told, plan := filepath.Join(at, checkHome), filepath.Join(at, contextName), j.folder.in(planJSONName)
	for _, arg := range c.Command[1:] {
		s.Args = append(s.Args, strings.ReplaceAll(arg, contextPlace, told))
	}
	s.Dir, s.Write, s.Output = home, []string{home}, filepath.Join(at, checkOutput)
	s.Limits.Orphan = orphanAfter
	s.Read = slices.Concat(isolate.SystemFiles(), []string{c.Command[0], told, j.folder.eyes(configFolder)}, c.Read, j.Read)
	s.Env = append(j.passed(), "HOME="+home, "TMPDIR="+home, "CHECK_NAME="+c.Name, "CHECK_STAGE="+string(c.Stage), "CHECK_CONTEXT="+told,
		"CHECK_CONFIGURATION="+j.folder.eyes(configFolder, j.spec.Workspace.WorkingDirectory))
	if c.Stage != run.PrePlan {
		s.Stdin, s.Read, s.Env = plan, append(s.Read, plan), append(s.Env, "CHECK_PLAN="+plan)
	}
	return s
}

// heard is what a check said, as far as it is kept: without secrets.
func (j *job) heard(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	raw, _ := io.ReadAll(io.LimitReader(file, checkedOutput))
	r := newRedactor(needles(j.spec, j.Lease))
	raw = append(r.feed(raw), r.rest()...)
	return plain(string(colours.ReplaceAll(raw, nil)), run.MaxCheckOutput)
}

// plain is a text that can be shown and kept, no longer than that.
func plain(text string, most int) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(text, "?"))
	const more = "\n(more was left out)"
	if text = strings.TrimSpace(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(more)], "") + more
	}
	return text
}
