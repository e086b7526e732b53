package moving

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/belayhq/belay/internal/remote"
)

// lockReason marks a lock that an import holds, so that one which was cut off is known.
const lockReason = "belay import brings the state"

// inline is how large a state goes in the document that announces it.
const inline = 8 << 20

// lock is the lock of a workspace that an import holds while it brings states.
type lock struct {
	*mover
	workspace string
	held      bool
}

// take locks the workspace, unless it is.
func (l *lock) take(ctx context.Context) error {
	if l.held {
		return nil
	}
	_, err := l.To.Send(ctx, http.MethodPost, "workspaces/"+l.workspace+"/actions/lock", map[string]any{"reason": lockReason})
	l.held = err == nil
	return err
}

// release unlocks the workspace: what came under the lock becomes its state.
func (l *lock) release(ctx context.Context) error {
	_, err := l.To.Send(ctx, http.MethodPost, "workspaces/"+l.workspace+"/actions/unlock", nil)
	l.held = l.held && err != nil
	return err
}

// leave unlocks the workspace after the last of its states, whatever becomes of the answer.
func (l *lock) leave(ctx context.Context) error {
	if !l.held || l.release(ctx) == nil {
		return nil
	}
	return l.unlock(ctx, l.workspace)
}

// bringState brings one state version, whose file was fetched.
func (l *lock) bringState(ctx context.Context, files opening, v *version, came fetched, before *version, thing string) error {
	what := fmt.Sprintf("%s state serial %d", thing, v.serial)
	if came.err != nil {
		return l.unreadable(what, came.err)
	}
	defer came.close()
	file := came.file
	v.md5 = file.md5()
	var err error
	for try := range lostTries {
		pause(ctx, try)
		err = l.oneState(ctx, files, v, before, file)
		if err == nil || !remote.Uncertain(err) {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		there, failed := l.settled(ctx, v)
		if failed != nil {
			return failed
		}
		if there {
			err = nil
			break
		}
	}
	if err != nil {
		return l.unlockedAfter(ctx, what, err)
	}
	l.Report.made("state-versions")
	l.Report.state(file.size)
	return nil
}

// unreadable reports a file that the source does not give; a source that is away ends the
// walk.
func (m *mover) unreadable(what string, err error) error {
	if status := remote.Status(err); status >= 500 || status == 0 && !strings.Contains(err.Error(), "the source told") || status == http.StatusUnauthorized {
		return err
	}
	m.Report.left(what, "the source does not give the file: "+said(err))
	return nil
}

func (l *lock) unlockedAfter(ctx context.Context, what string, err error) error {
	if failed := l.spared(what, err); failed != nil {
		return fmt.Errorf("%s: %w", what, failed)
	}
	if failed := l.unlock(ctx, l.workspace); failed != nil {
		return failed
	}
	return errEnough
}

// settled unlocks what a lost answer left locked, and says whether the version is there.
func (l *lock) settled(ctx context.Context, v *version) (bool, error) {
	if err := l.unlock(ctx, l.workspace); err != nil {
		return false, err
	}
	l.held = false
	current, err := remote.One(ctx, l.To, "workspaces/"+l.workspace+"/current-state-version")
	if remote.Status(err) == http.StatusNotFound {
		return false, nil
	}
	return err == nil && current.Number("serial") == v.serial && current.Text("md5") == v.md5, err
}

// unlock opens the lock that an import holds, if it does. What was announced and never came
// is dropped.
func (m *mover) unlock(ctx context.Context, workspace string) (err error) {
	for try := range lostTries {
		pause(ctx, try)
		var r remote.Resource
		if r, err = remote.One(ctx, m.To, "workspaces/"+workspace); err != nil {
			return err
		}
		if !r.Truth("locked") || r.Text("locked-reason") != lockReason {
			return nil
		}
		_, err = m.To.Send(ctx, http.MethodPost, "workspaces/"+workspace+"/actions/unlock", nil)
		if remote.Status(err) == http.StatusServiceUnavailable {
			_, err = m.To.Send(ctx, http.MethodPost, "workspaces/"+workspace+"/actions/force-unlock", nil)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// oneState writes a state under the lock, and makes it the workspace's: a lock keeps only the
// newest of those that are not yet when it is released.
func (l *lock) oneState(ctx context.Context, files opening, v, before *version, file *spool) error {
	if err := l.take(ctx); err != nil {
		return err
	}
	attributes := map[string]any{"serial": v.serial, "md5": v.md5}
	if v.lineage != "" {
		attributes["lineage"] = v.lineage
	}
	if before != nil && (v.serial <= before.serial || v.lineage == "" || v.lineage != before.lineage) {
		attributes["force"] = true // as it was on the source, where somebody forced it
	}
	path := "workspaces/" + l.workspace + "/state-versions"
	if file.size > inline || v.jsonURL != "" {
		if err := l.byURL(ctx, files, v, file, path, attributes); err != nil {
			return err
		}
		return l.release(ctx)
	}
	made, err := l.inDocument(ctx, file, path, attributes)
	if err == nil && made.Truth("intermediate") { // an earlier server, which knows no other
		err = l.release(ctx)
	}
	return err
}

// inDocument writes a state within the document that announces it.
func (m *mover) inDocument(ctx context.Context, file *spool, path string, attributes map[string]any) (made remote.Resource, err error) {
	const mark = "<the state>"
	attributes["state"], attributes["intermediate"] = mark, false
	raw, err := json.Marshal(body("state-versions", attributes, nil))
	if err != nil {
		return made, err
	}
	quoted, err := json.Marshal(mark)
	if err != nil {
		return made, err
	}
	before, after, _ := strings.Cut(string(raw), strings.Trim(string(quoted), `"`))
	size, open := file.encoded(before, after)
	return m.To.Stream(ctx, http.MethodPost, m.To.Base+"/api/v2/"+path, "application/vnd.api+json", size, open)
}

// byURL announces a state and uploads its files.
func (m *mover) byURL(ctx context.Context, files opening, v *version, file *spool, path string, attributes map[string]any) error {
	made, err := m.To.Send(ctx, http.MethodPost, path, body("state-versions", attributes, nil))
	if err != nil {
		return err
	}
	if err := m.put(ctx, made.Text("hosted-state-upload-url"), file); err != nil {
		return err
	}
	if v.jsonURL == "" {
		return nil
	}
	forPeople, err := m.fetchFile(ctx, func(ctx context.Context) (io.ReadCloser, error) { return files.Open(ctx, v.jsonURL) }, "", 0)
	if err != nil {
		return m.unreadable("the JSON of a state", err)
	}
	defer func() { _ = forPeople.Close() }()
	return m.put(ctx, made.Text("hosted-json-state-upload-url"), forPeople)
}

func (m *mover) put(ctx context.Context, address string, file *spool) error {
	_, err := m.To.Stream(ctx, http.MethodPut, address, "application/octet-stream", file.size, func() (io.ReadCloser, error) {
		return io.NopCloser(file.open()), nil
	})
	return err
}
