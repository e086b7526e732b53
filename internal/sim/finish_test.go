package sim_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// finish tells the end with what is short of the rest; where that is not taken, each by itself.
func (j *job) finish(l *lane) error {
	f := j.folder
	told := run.Finish{End: *f.end, Log: j.rest, Files: f.with}
	if !f.end.StateHome && f.last() != nil {
		told.Files = nil
	}
	err := j.call(l, func() error { return l.post("jobs/"+j.ID+"/finish", j.Lease, told, nil) })
	if err == nil {
		return nil
	}
	if !refused(err, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity) {
		return j.lost(l, err)
	}
	if heard, err := j.storeApart(l); heard || err != nil {
		return err
	}
	if err := j.apart(l); err != nil {
		if refused(err, http.StatusConflict) && l.post("jobs/"+j.ID+"/end", j.Lease, f.end, nil) == nil {
			return nil // it was heard, and the answer lost
		}
		return j.lost(l, err)
	}
	return j.end(l)
}

// apart brings by itself what was to come with the end.
func (j *job) apart(l *lane) error {
	for _, file := range j.folder.with {
		if file.Kind == run.StateFile {
			continue
		}
		if _, err := j.bring(l, file.Kind, string(file.Data)); err != nil {
			return err
		}
	}
	j.sent, j.rest, j.logErr = false, nil, nil
	sender := j.spawn("log "+j.ID, func(l *lane) { j.sendLog(l, false) })
	defer sender.leave()
	l.until(func() bool { return j.sent || j.logErr != nil })
	j.folder.end.LogSize = j.folder.base + int64(len(j.folder.log))
	return j.logErr
}

// last is the last state of an apply, that comes with its end; nil: there is none.
func (f *folder) last() *run.ShortFile {
	brings := run.Finish{Files: f.with}
	return brings.State()
}

// storeApart stores by itself the state that was to come with the end, which has other words where that
// can't be.
func (j *job) storeApart(l *lane) (heard bool, err error) {
	f := j.folder
	if f.last() == nil || !f.end.StateHome {
		return false, nil
	}
	home, err := j.store(l, string(f.last().Data))
	if home || err != nil {
		return false, err
	}
	if !j.stillOurs(l) && j.call(l, func() error { return l.post("jobs/"+j.ID+"/end", j.Lease, f.end, nil) }) == nil {
		return true, nil
	}
	other := *f.end
	notHome(&other)
	f.end = &other
	f.print(j.machine.world, "the state could not be stored")
	return false, nil
}

// endHeard asks whether the end that brings the state was heard, and its answer lost.
func (j *job) endHeard(l *lane) bool {
	f := j.folder
	return f.end != nil && f.end.StateHome && f.last() != nil && l.post("jobs/"+j.ID+"/finish", j.Lease, run.Asked(*f.end), nil) == nil
}

// notHome is what the end of an apply says whose last state is not the workspace's.
func notHome(end *run.End) {
	if end.StateHome = false; end.Outcome == run.Succeeded {
		end.Outcome, end.Error = run.Failed, "the state could not be stored"
	}
}

// bringsState says whether a call tells an end with the last state of an apply.
func bringsState(a *ask) bool {
	return strings.HasSuffix(a.path, "/finish") && bytes.Contains(a.body, []byte(`"kind":"state"`))
}

// asks says whether a call asks about an end, and tells none: see run.Asked.
func asks(a *ask) bool {
	return strings.HasSuffix(a.path, "/finish") && bytes.Contains(a.body, []byte(`"kind":"plan","sha256":""`))
}

// perhapsBrought notes the last state of a call that the server died of, if it had one: it may have been kept.
func (r *rules) perhapsBrought(a *ask) {
	if !bringsState(a) {
		return
	}
	var told run.Finish
	if json.Unmarshal(a.body, &told) != nil || told.State() == nil {
		return
	}
	k, sum := r.world.known, md5.Sum(told.State().Data)
	id := k.jobs[strings.Split(a.path, "/")[1]].RunID
	k.perhaps[id] = hex.EncodeToString(sum[:])
}

// home: an end is not taken that says that the state is the workspace's which is kept beside it, or nowhere.
func (r *rules) home(workspaceID string, f *folder) {
	w, sum := r.world, md5.Sum([]byte(f.state))
	err := w.server.db.View(w.t.Context(), func(v *store.View) error {
		list, _, err := v.StateVersions(workspaceID, nil, belay.Page{Number: 1, Size: 100})
		if !slices.ContainsFunc(list, func(s belay.StateVersion) bool { return s.State.MD5 == hex.EncodeToString(sum[:]) }) {
			w.fail("run %s ended with its state at home, which is none of the workspace's", f.job.RunID)
		}
		return err
	})
	if err != nil {
		w.fail("the states can't be read: %v", err)
	}
}
