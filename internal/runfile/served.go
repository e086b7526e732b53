package runfile

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/planjson"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// served is which file of a run a presigned URL opens.
var served = map[object.Kind]run.FileKind{
	object.PlanJSON: run.PlanJSONFile, object.PlanRedacted: RedactedFile, object.PlanSchema: run.SchemasFile,
	object.ErroredState: run.RescuedFile,
}

// Presign signs the permission to read a file of a run, for somebody who may. A redacted
// plan is made the first time that somebody asks for it.
func (r *Room) Presign(ctx context.Context, of *run.Run, kind object.Kind) (p object.Presigned, err error) {
	if aside(of, kind) {
		return p, belay.ErrNotFound
	}
	err = r.there(ctx, of, served[kind])
	if belay.KindOf(err) == belay.NotFound && kind == object.PlanRedacted {
		err = r.redact(ctx, of)
	}
	return r.Objects.Presign(false, kind, of.ID, object.ShortLife), err
}

func (r *Room) there(ctx context.Context, of *run.Run, kind run.FileKind) error {
	return r.DB.View(ctx, func(v *store.View) error {
		_, err := v.RunFile(of.ID, kind)
		return err
	})
}

// Download opens the file that a presigned URL names.
func (r *Room) Download(ctx context.Context, p object.Presigned) (io.ReadCloser, run.JobFile, error) {
	p.Upload = false // whatever its bearer says of it
	if err := r.Objects.Check(ctx, p); err != nil {
		return nil, run.JobFile{}, err
	}
	var of run.Run
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		of, err = v.Run(p.ID)
		return err
	})
	if err == nil && aside(&of, p.Kind) {
		err = belay.ErrNotFound
	}
	if err != nil {
		return nil, run.JobFile{}, err
	}
	return r.Open(ctx, &of, served[p.Kind])
}

// aside says that a file of a run is not handed out any more. A state that could not be
// stored always is.
func aside(of *run.Run, kind object.Kind) bool {
	return kind != object.ErroredState && of.Plan.Backing != run.BackingThere
}

// redact makes what people may read of a plan, in turns at the processors: it may be large.
func (r *Room) redact(ctx context.Context, of *run.Run) error {
	plan, _, err := r.Open(ctx, of, run.PlanJSONFile)
	if err != nil {
		return err
	}
	defer func() { _ = plan.Close() }()
	var schemas io.Reader
	file, _, err := r.Open(ctx, of, run.SchemasFile)
	switch {
	case err == nil:
		defer func() { _ = file.Close() }()
		schemas = file
	case belay.KindOf(err) != belay.NotFound:
		return err
	}
	var secrets []string
	if r.Secrets != nil {
		if secrets, err = r.Secrets(ctx, of); err != nil {
			return err
		}
	}
	from, to := io.Pipe()
	made := make(chan error, 1)
	turns := r.DB.Tenants().Processors().Reader(ctx, plan)
	go func() {
		err := planjson.Redact(to, turns, schemas, secrets...)
		turns.Close()
		_ = to.CloseWithError(err)
		made <- err
	}()
	_, _, err = r.Put(ctx, of, RedactedFile, "", from)
	_ = from.CloseWithError(io.ErrClosedPipe) // the other side ends, whatever came of it
	if why := <-made; errors.Is(why, planjson.ErrPlan) {
		return belay.ErrNotFound // of what is no plan there is nothing to be read
	}
	return err
}

// summarize refuses what a runner brought as a plan and is none: it is the runner's to end its
// job otherwise.
func summarize(plan io.Reader) (planjson.Summary, error) {
	sum, err := planjson.Summarize(plan)
	if errors.Is(err, planjson.ErrPlan) {
		err = belay.Refuse(belay.Invalid, "the plan-json that was brought is no plan in JSON")
	}
	return sum, err
}

// Counts is what a plan comes to, for a runner that left it out.
func (r *Room) Counts(ctx context.Context, of *run.Run) (c run.Counts, err error) {
	plan, _, err := r.Open(ctx, of, run.PlanJSONFile)
	if err != nil {
		return c, err
	}
	defer func() { _ = plan.Close() }()
	return counts(plan)
}

// CountsOf is what a plan in JSON comes to that is yet to be kept.
func (r *Room) CountsOf(plan []byte) (run.Counts, error) { return counts(bytes.NewReader(plan)) }

func counts(plan io.Reader) (run.Counts, error) {
	sum, err := summarize(plan)
	return run.Counts{Additions: sum.Additions, Changes: sum.Changes, Destructions: sum.Destructions, Imports: sum.Imports}, err
}

// Findings is what the plan of an assessment found; how many resources have not drifted is for
// whoever knows how many there are.
func (r *Room) Findings(ctx context.Context, of *run.Run) (f run.Findings, err error) {
	plan, _, err := r.Open(ctx, of, run.PlanJSONFile)
	if err != nil {
		return f, err
	}
	defer func() { _ = plan.Close() }()
	sum, err := summarize(plan)
	return run.Findings{
		ResourcesDrifted: sum.Drifted, ChecksPassed: sum.Checks["pass"], ChecksFailed: sum.Checks["fail"],
		ChecksErrored: sum.Checks["error"], ChecksUnknown: sum.Checks["unknown"],
	}, err
}

// Redacted opens what people may read of a plan, which is made when it is first asked for.
func (r *Room) Redacted(ctx context.Context, of *run.Run) (io.ReadCloser, run.JobFile, error) {
	rc, file, err := r.Open(ctx, of, RedactedFile)
	if belay.KindOf(err) != belay.NotFound {
		return rc, file, err
	}
	if err := r.redact(ctx, of); err != nil {
		return nil, run.JobFile{}, err
	}
	return r.Open(ctx, of, RedactedFile)
}
