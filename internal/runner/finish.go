package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"

	"github.com/belayhq/belay/run"
)

// bringLater keeps a file of a plan for the end of the job to bring, if it is short. It says whether
// nothing else is to be done for it.
func (j *job) bringLater(kind run.FileKind, path string) (bool, error) {
	most := j.spec.Limits.FinishBytes
	if j.Kind != run.PlanJob || most <= 0 {
		return false, nil
	}
	file, err := j.folder.open(path)
	if err != nil {
		return true, nil
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil || int64(len(raw)) > most {
		return false, err
	}
	if len(raw) > 0 {
		sum := sha256.Sum256(raw)
		j.folder.kept.With = append(j.folder.kept.With, run.ShortFile{Kind: kind, SHA256: hex.EncodeToString(sum[:]), Data: raw})
	}
	return true, nil
}

// finish says how the job ended, with what is short of the rest that it brings, until the server has
// heard it. One that does not take that so is brought each by itself.
func (j *job) finish(ctx context.Context, rest *run.LogRest) error {
	told := run.Finish{End: *j.folder.kept.End, Log: rest, Files: j.folder.kept.With}
	if !told.End.StateHome && told.State() != nil {
		told.Files = nil // only a copy: a server was asked to keep it beside the workspace
	}
	err := j.call(ctx, func() error {
		calling, cancel := context.WithTimeout(ctx, callWithin)
		defer cancel()
		return j.wire.post(calling, "jobs/"+j.ID+"/finish", j.Lease, told, nil)
	})
	switch {
	case err == nil:
		return nil
	case refused(err, http.StatusNotFound), refused(err, http.StatusMethodNotAllowed), refused(err, http.StatusConflict),
		refused(err, http.StatusRequestEntityTooLarge), refused(err, http.StatusUnprocessableEntity):
		return j.finishApart(ctx)
	default:
		return j.lost(ctx, err)
	}
}

// finishApart brings by itself what was to come with the end, and then the end.
func (j *job) finishApart(ctx context.Context) error {
	if heard, err := j.storeApart(ctx); heard || err != nil {
		return err
	}
	err := j.bringApart(ctx)
	if err == nil {
		return j.end(ctx)
	}
	if refused(err, http.StatusConflict) && j.tellEnd(ctx) == nil {
		return nil // a server had heard it, and its answer was lost
	}
	return j.lost(ctx, err)
}

func (j *job) bringApart(ctx context.Context) error {
	for _, file := range j.folder.kept.With {
		if file.Kind == run.StateFile {
			continue
		}
		path := j.folder.in("short")
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			return err
		}
		if _, err := j.bring(ctx, file.Kind, path); err != nil {
			return err
		}
	}
	sent, stop := j.startLog(ctx, 0)
	defer stop()
	size, _, err := sent()
	if err == nil {
		j.folder.kept.End.LogSize = size // another one where the end has other words now
	}
	return err
}
