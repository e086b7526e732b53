package sim_test

import (
	"net/http"

	"github.com/belayhq/belay/run"
)

// finish tells the end with what is short of the rest; where that is not taken, each by itself.
func (j *job) finish(l *lane) error {
	f := j.folder
	err := j.call(l, func() error {
		return l.post("jobs/"+j.ID+"/finish", j.Lease, run.Finish{End: *f.end, Log: j.rest, Files: f.with}, nil)
	})
	if err == nil {
		return nil
	}
	if !refused(err, http.StatusNotFound, http.StatusConflict) {
		return j.lost(l, err)
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
		if _, err := j.bring(l, file.Kind, string(file.Data)); err != nil {
			return err
		}
	}
	j.sent, j.rest, j.logErr = false, nil, nil
	sender := j.spawn("log "+j.ID, func(l *lane) { j.sendLog(l, false) })
	defer sender.leave()
	l.until(func() bool { return j.sent || j.logErr != nil })
	return j.logErr
}
