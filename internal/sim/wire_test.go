package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay/run"
)

// ask is what a lane waits for: something that comes about on its machine, or the answer to
// a call.
type ask struct {
	ready func() bool // nil: it is a call

	who                 string
	method, path, token string
	header              http.Header
	body                []byte
	status              int // of the answer; 0: there was none
	answer              []byte
}

// lane is one of the things that a runner does at the same time. Its code is written in one
// piece, and goes on when what it asked for is there.
type lane struct {
	name    string
	process *process
	resume  func() (*ask, bool)
	stop    func()
	waits   *ask
	yield   func(*ask) bool
}

// ended unwinds a lane whose process is dead.
type ended struct{}

func (p *process) spawn(name string, body func(*lane)) *lane {
	l := &lane{name: name, process: p}
	l.resume, l.stop = iter.Pull(func(yield func(*ask) bool) {
		defer func() {
			if why := recover(); why != nil && why != (ended{}) {
				panic(why)
			}
		}()
		l.yield = yield
		body(l)
	})
	p.lanes = append(p.lanes, l)
	l.goOn()
	return l
}

// goOn lets a lane go to where it waits next. One that is over leaves its process.
func (l *lane) goOn() {
	waits, more := l.resume()
	if l.waits = waits; !more {
		l.leave()
	}
}

// leave ends a lane.
func (l *lane) leave() {
	l.stop()
	l.process.lanes = slices.DeleteFunc(slices.Clone(l.process.lanes), func(o *lane) bool { return o == l })
}

func (l *lane) wait(a *ask) {
	if !l.yield(a) {
		panic(ended{})
	}
}

// until waits for something on the machine.
func (l *lane) until(ready func() bool) {
	if !ready() {
		l.wait(&ask{ready: ready})
	}
}

// refusal is an answer that is a refusal.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("refused with %d", int(r)) }

func refused(err error, statuses ...int) bool {
	var r refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, s := range statuses {
		if int(r) == s {
			return true
		}
	}
	return false
}

// call makes a call until it is answered, as runners do.
func (l *lane) call(method, path, token string, header http.Header, body []byte, out any) error {
	for {
		a := &ask{who: l.process.machine.name + " " + l.name, method: method, path: path, token: token, header: header, body: body}
		l.wait(a)
		switch {
		case a.status == 0 || a.status >= 500:
			continue
		case a.status == http.StatusRequestedRangeNotSatisfiable && out != nil: // says where the log is
		case a.status >= 300:
			return refusal(a.status)
		}
		if out == nil || a.status == http.StatusNoContent {
			return nil
		}
		return json.Unmarshal(a.answer, out)
	}
}

func (l *lane) post(path, token string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return l.call(http.MethodPost, path, token, nil, raw, out)
}

// RoundTrip calls the door of the server in this thread.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	r.RemoteAddr = "192.0.2.1:1"
	s.door.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// reach brings a call to the server. It is false when the server died of it, or was down.
func (w *world) reach(a *ask) (status int, answer []byte, reached bool) {
	if w.server == nil {
		return 0, nil, false
	}
	if strings.HasSuffix(a.path, "/finish") && !w.calm && w.chance.IntN(8) == 0 { // a replica that is yet to be replaced knows no such call
		return http.StatusNotFound, nil, true
	}
	if a.path == "claim" && !w.calm && w.chance.IntN(8) == 0 { // nor does it start anything with a claim
		older := *a
		older.body = bytes.Replace(a.body, []byte(`"start":true`), []byte(`"start":false`), 1)
		a = &older
	}
	refusable := asks(a)
	if bringsState(a) && !w.calm && w.chance.IntN(8) == 0 { // one of not so long ago takes no state with an end
		older := *a
		older.body = bytes.Replace(a.body, []byte(`"kind":"state"`), []byte(`"kind":"plan"`), 1)
		a, refusable = &older, true
	}
	before := w.rules.before(a)
	survived := w.within(func(ctx context.Context) {
		r, err := http.NewRequestWithContext(ctx, a.method, "https://belay.example.com"+run.WirePath+"/"+a.path, bytes.NewReader(a.body))
		if err != nil {
			w.fail("%v", err)
		}
		for key, value := range a.header {
			r.Header[key] = value
		}
		r.Header.Set("Authorization", "Bearer "+a.token)
		r.Header.Set(run.ProtocolHeader, strconv.Itoa(run.Protocol))
		response, err := (&http.Client{Transport: w.server}).Do(r)
		if err != nil {
			return // the client gave up: the server died
		}
		status = response.StatusCode
		answer, _ = io.ReadAll(response.Body)
		_ = response.Body.Close()
	})
	if !survived {
		w.rules.unheard(a)
		return 0, nil, false
	}
	if status == http.StatusInternalServerError || status == http.StatusUnprocessableEntity && !refusable {
		w.fail("%s %s was answered %d: %s", a.method, a.path, status, answer)
	}
	w.rules.answered(a, before, status, answer)
	return status, answer, true
}

// deliver lets chance decide what becomes of a call.
func (w *world) deliver(l *lane) {
	a := l.waits
	fate := w.chance.IntN(100)
	if w.calm {
		fate = 99
	}
	word := "answered"
	switch {
	case fate < 6:
		word = "lost"
	case fate < 14:
		word = "answer lost"
		w.reach(a)
	case fate < 20:
		word = "twice"
		w.reach(a)
		a.status, a.answer, _ = w.reach(a)
	case fate < 26:
		word = "with an echo later"
		echo := *a
		w.strays = append(w.strays, &echo)
		a.status, a.answer, _ = w.reach(a)
	default:
		a.status, a.answer, _ = w.reach(a)
	}
	w.note("%s: %s %s %s: %d%s", a.who, a.method, a.path, word, a.status, short(a.answer))
	if l.process.alive {
		l.goOn()
	}
}

// echo brings a call once more that was answered long ago.
func (w *world) echo() {
	i := w.chance.IntN(len(w.strays))
	a := w.strays[i]
	w.strays = append(w.strays[:i], w.strays[i+1:]...)
	status, answer, _ := w.reach(a)
	w.note("an echo of %s: %s %s: %d%s", a.who, a.method, a.path, status, short(answer))
}

func short(answer []byte) string {
	if len(answer) == 0 {
		return ""
	}
	var facts struct {
		Jobs   []struct{ ID, Order string }
		Errors []struct{ Detail string }
		Have   int64
	}
	_ = json.Unmarshal(answer, &facts)
	switch {
	case len(facts.Errors) > 0:
		return " " + facts.Errors[0].Detail
	case len(facts.Jobs) > 0:
		return fmt.Sprintf(" %v", facts.Jobs)
	case facts.Have > 0:
		return fmt.Sprintf(" have %d", facts.Have)
	default:
		return ""
	}
}
