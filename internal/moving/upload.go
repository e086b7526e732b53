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

// bringState brings one state version. Each is made the workspace's state by an unlock of
// its own: a lock keeps only the newest that came under it.
func (m *mover) bringState(ctx context.Context, files opening, v, before *version, workspace, thing string) error {
	what := fmt.Sprintf("%s state serial %d", thing, v.serial)
	file, err := m.fetch(ctx, files, v)
	if err != nil {
		return m.unreadable(what, err)
	}
	defer func() { _ = file.Close() }()
	v.md5 = file.md5()
	for try := range lostTries {
		pause(ctx, try)
		err = m.oneState(ctx, files, v, before, file, workspace)
		if err == nil || !remote.Uncertain(err) {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		there, failed := m.settled(ctx, workspace, v)
		if failed != nil {
			return failed
		}
		if there {
			err = nil
			break
		}
	}
	if err != nil {
		return m.unlockedAfter(ctx, workspace, what, err)
	}
	m.Report.made("state-versions")
	m.Report.state(file.size)
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

func (m *mover) unlockedAfter(ctx context.Context, workspace, what string, err error) error {
	if failed := m.spared(what, err); failed != nil {
		return fmt.Errorf("%s: %w", what, failed)
	}
	if failed := m.unlock(ctx, workspace); failed != nil {
		return failed
	}
	return errEnough
}

// settled unlocks what a lost answer left locked, and says whether the version is there.
func (m *mover) settled(ctx context.Context, workspace string, v *version) (bool, error) {
	if err := m.unlock(ctx, workspace); err != nil {
		return false, err
	}
	current, err := remote.One(ctx, m.To, "workspaces/"+workspace+"/current-state-version")
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

// oneState locks, writes, and unlocks.
func (m *mover) oneState(ctx context.Context, files opening, v, before *version, file *spool, workspace string) error {
	path := "workspaces/" + workspace
	if _, err := m.To.Send(ctx, http.MethodPost, path+"/actions/lock", map[string]any{"reason": lockReason}); err != nil {
		return err
	}
	attributes := map[string]any{"serial": v.serial, "md5": v.md5}
	if v.lineage != "" {
		attributes["lineage"] = v.lineage
	}
	if before != nil && (v.serial <= before.serial || v.lineage == "" || v.lineage != before.lineage) {
		attributes["force"] = true // as it was on the source, where somebody forced it
	}
	write := m.inDocument
	if file.size > inline || v.jsonURL != "" {
		write = m.byURL
	}
	if err := write(ctx, files, v, file, path, attributes); err != nil {
		return err
	}
	_, err := m.To.Send(ctx, http.MethodPost, path+"/actions/unlock", nil)
	return err
}

// inDocument writes a state within the document that announces it.
func (m *mover) inDocument(ctx context.Context, _ opening, _ *version, file *spool, path string, attributes map[string]any) error {
	const mark = "<the state>"
	attributes["state"] = mark
	raw, err := json.Marshal(body("state-versions", attributes, nil))
	if err != nil {
		return err
	}
	quoted, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(raw), strings.Trim(string(quoted), `"`))
	size, open := file.encoded(before, after)
	_, err = m.To.Stream(ctx, http.MethodPost, m.To.Base+"/api/v2/"+path+"/state-versions", "application/vnd.api+json", size, open)
	return err
}

// byURL announces a state and uploads its files.
func (m *mover) byURL(ctx context.Context, files opening, v *version, file *spool, path string, attributes map[string]any) error {
	made, err := m.To.Send(ctx, http.MethodPost, path+"/state-versions", body("state-versions", attributes, nil))
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
