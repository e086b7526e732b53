package sim_test

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// rules are what holds in every story, after every step.
type rules struct{ world *world }

// look reads everything that there is, and holds it against what happened.
func (r *rules) look() {
	w := r.world
	r.engines()
	if w.server == nil || !w.server.wrote {
		return
	}
	w.server.wrote = false
	err := w.server.db.View(w.t.Context(), func(v *store.View) error {
		if err := r.found(v); err != nil {
			return err
		}
		return r.all(v)
	})
	if err != nil {
		w.fail("nothing can be read: %v", err)
	}
	r.virtualTime()
}

// found notes the runs that were made.
func (r *rules) found(v *store.View) error {
	k := r.world.known
	if !k.more {
		return nil
	}
	k.more = false
	list, _, _, err := v.Runs(run.Query{Scope: belay.Scope{Everything: true}, Page: belay.Page{Number: 1, Size: 100}}, false)
	slices.Reverse(list) // the oldest first
	for i := range list {
		if _, known := k.runs[list[i].ID]; !known {
			k.order = append(k.order, list[i].ID)
			k.runs[list[i].ID] = list[i]
		}
	}
	return err
}

func (r *rules) all(v *store.View) error {
	k := r.world.known
	var ids, open []string
	for i := range k.spaces {
		ids = append(ids, k.spaces[i].ID)
	}
	list, err := v.WorkspacesByID(ids)
	if err != nil {
		return err
	}
	spaces := map[string]*belay.Workspace{}
	for i := range list {
		spaces[list[i].ID] = &list[i]
	}
	for _, id := range k.order {
		if !k.over[id] {
			open = append(open, id)
		}
	}
	runs, err := v.RunsByID(open)
	if err != nil {
		return err
	}
	for i := range runs {
		now := &runs[i]
		before := k.runs[now.ID]
		k.runs[now.ID] = *now
		r.lock(spaces[now.WorkspaceID], now)
		if before.Status.Final() {
			r.stays(&before, now)
		}
		if err := r.run(v, now); err != nil {
			return err
		}
		if r.world.checks {
			if err := r.checks(v, now.ID); err != nil {
				return err
			}
		}
		// A run that is looked at no more is one that nothing can move, and that moves nobody.
		k.over[now.ID] = before.Status.Final() && !now.KeepsLock && r.closed(now.ID)
	}
	for i := range list {
		if h := list[i].Lock.Holder; h.Type == "runs" && k.over[h.ID] {
			r.world.fail("run %s is %s and holds the lock of %s", h.ID, k.runs[h.ID].Status, list[i].Name)
		}
		if err := r.states(v, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// closed says that all jobs of a run were seen ended: nothing moves it any more.
func (r *rules) closed(id string) bool {
	for _, j := range r.world.known.jobs {
		if j.RunID == id && j.State != run.JobEnded {
			return false
		}
	}
	return true
}

func (r *rules) stays(before, now *run.Run) {
	if before.Status != now.Status {
		r.world.fail("run %s was %s and is %s", now.ID, before.Status, now.Status)
	}
}

// lock: a run that holds a lock is not over, unless it keeps it; a run that is under way
// holds its own, unless somebody took it away.
func (r *rules) lock(space *belay.Workspace, now *run.Run) {
	k := r.world.known
	holds := space.Lock.Holder.Type == "runs" && space.Lock.Holder.ID == now.ID
	if holds && now.Status.Final() && !now.KeepsLock {
		r.world.fail("run %s is %s and holds the lock of %s", now.ID, now.Status, space.Name)
	}
	if holds && now.Status == run.Pending {
		r.world.fail("run %s is pending and holds the lock of %s", now.ID, space.Name)
	}
	needs := now.Queued() && now.Status.Active() && now.Status != run.Confirmed || now.KeepsLock
	if needs && !holds && !k.excused[now.ID] {
		r.world.fail("run %s is %s and does not hold the lock of %s, which %v has", now.ID, now.Status, space.Name, space.Lock.Holder)
	}
}

func (r *rules) run(v *store.View, now *run.Run) error {
	w, k := r.world, r.world.known
	jobs, err := v.JobsOfRun(now.ID)
	if err != nil {
		return err
	}
	open := 0
	for i := range jobs {
		j := &jobs[i]
		before, known := k.jobs[j.ID]
		k.jobs[j.ID] = *j
		if !known {
			k.fresh = append(k.fresh, *j)
		}
		switch {
		case known && before.State == run.JobEnded && j.State != run.JobEnded:
			w.fail("job %s had ended and is %s", j.ID, j.State)
		case j.State == run.JobEnded && j.EngineRan() && j.Ending == "" && now.Status == run.Errored && !now.KeepsLock && !k.excused[now.ID]:
			w.fail("run %s was given up while it was applied, and let the lock go", now.ID)
		case j.State == run.JobEnded:
			continue
		case now.Status.Final() && (j.State != run.JobLeased || j.Cancel != run.KillOrder):
			w.fail("run %s is %s and its job %s is %s", now.ID, now.Status, j.ID, j.State)
		case j.State == run.JobLost && !j.EngineRan():
			w.fail("job %s is lost, and nothing was executed", j.ID)
		}
		open++
	}
	if open > 1 {
		w.fail("run %s has %d jobs at once", now.ID, open)
	}
	working := now.Status == run.PlanQueued || now.Status == run.Planning || now.Status == run.ApplyQueued || now.Status == run.Applying
	if working && open == 0 {
		w.fail("run %s is %s and has no job", now.ID, now.Status)
	}
	return nil
}

// virtualTime: a new job comes behind its organization's others, and behind all that was
// given out.
func (r *rules) virtualTime() {
	k := r.world.known
	slices.SortFunc(k.fresh, func(a, b run.Job) int { return cmp.Compare(a.VTime, b.VTime) })
	for _, j := range k.fresh {
		if j.VTime <= k.vtimes[j.OrganizationID] || j.VTime < k.vnow+run.Share {
			r.world.fail("job %s has the virtual time %d: its organization had %d, and %d was given out", j.ID, j.VTime, k.vtimes[j.OrganizationID], k.vnow)
		}
		k.vtimes[j.OrganizationID] = j.VTime
	}
	k.fresh = nil
	for _, j := range k.jobs {
		if j.State == run.JobLeased {
			k.vnow = max(k.vnow, j.VTime)
		}
	}
}

// engines: one engine applies at a time in a workspace, unless somebody forced the other's
// run aside, and each apply is executed once.
func (r *rules) engines() {
	w := r.world
	busy := map[string]string{}
	for _, m := range w.machines {
		for _, f := range m.folders {
			if f.engine == nil || f.engine.over || f.engine.kind != run.ApplyJob || w.known.excused[f.job.RunID] {
				continue
			}
			if other := busy[f.job.WorkspaceID]; other != "" {
				w.fail("run %s and run %s are applied at once", other, f.job.RunID)
			}
			busy[f.job.WorkspaceID] = f.job.RunID
		}
	}
}

// launched notes that an engine begins.
func (r *rules) launched(f *folder) {
	k := r.world.known
	if f.job.Kind != run.ApplyJob {
		return
	}
	for stage, words := range k.checks[f.job.RunID] {
		if strings.Contains(words, string(run.Mandatory)+" "+string(run.CheckFailed)) {
			r.world.fail("run %s is applied, and its checks at %s came to %s", f.job.RunID, stage, words)
		}
	}
	if k.applied[f.job.RunID]++; k.applied[f.job.RunID] > 1 {
		r.world.fail("run %s is applied a second time", f.job.RunID)
	}
}

// states: what the runs brought is there, and the current state never goes back.
func (r *rules) states(v *store.View, space *belay.Workspace) error {
	w, k := r.world, r.world.known
	if k.news[space.ID] == 0 && space.CurrentStateVersionID == k.current[space.ID] {
		return nil
	}
	k.news[space.ID], k.current[space.ID] = 0, space.CurrentStateVersionID
	if id := space.CurrentStateVersionID; id != "" {
		s, err := v.StateVersion(id)
		if err != nil {
			return err
		}
		if s.Serial < k.serial[space.ID] {
			w.fail("the current state of %s has serial %d after %d", space.Name, s.Serial, k.serial[space.ID])
		}
		k.serial[space.ID] = s.Serial
	}
	versions, _, err := v.StateVersions(space.ID, nil, belay.Page{Number: 1, Size: 100})
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, s := range versions {
		there[s.State.MD5] = true
	}
	for id, brought := range k.states {
		if k.runs[id].WorkspaceID != space.ID || there[brought.md5] || there[k.perhaps[id]] {
			continue
		}
		if f, err := v.RunFile(id, run.RescuedFile); err != nil || f.SHA256 != brought.sha256 {
			w.fail("the state with serial %d that run %s brought is nowhere", brought.serial, id)
		}
	}
	return nil
}

// reconciled: nobody waits in a class for longer than its bound.
func (r *rules) reconciled() {
	w := r.world
	for _, j := range w.known.jobs {
		if j.State == run.JobWaiting && j.Class > run.ApplyClass {
			err := w.server.db.View(w.t.Context(), func(v *store.View) (err error) {
				j, err = v.Job(j.ID)
				return err
			})
			if err == nil && j.State == run.JobWaiting && j.Class > run.ApplyClass && w.clock.Sub(j.RisenAt) > 11*time.Minute {
				w.fail("job %s waits in class %d since %s", j.ID, j.Class, j.RisenAt)
			}
		}
	}
}

// waiting is the jobs that wait, in the order that they are to be given out.
func (r *rules) waiting() (list []run.Job) {
	w := r.world
	r.look()
	for _, j := range w.known.jobs {
		if j.State == run.JobWaiting {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b run.Job) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.VTime, b.VTime), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// moment is what was so before a call.
type moment struct {
	waiting []run.Job
	job     run.Job
	run     run.Run
}

func (r *rules) before(a *ask) (m moment) {
	switch {
	case a.path == "claim":
		m.waiting = r.waiting()
	case tellsEnd(a):
		id := strings.Split(a.path, "/")[1]
		m.job = r.world.known.jobs[id]
		m.run = r.world.known.runs[m.job.RunID]
	}
	return m
}

// answered holds an answer against what was so before the call.
func (r *rules) answered(a *ask, m moment, status int, answer []byte) {
	if status >= 300 {
		return
	}
	switch {
	case a.path == "claim":
		r.claimed(a, m, answer)
	case strings.HasSuffix(a.path, "/step"):
		r.checksTold(a)
	case tellsEnd(a):
		r.ended(a, m)
	case strings.HasSuffix(a.path, "/"+string(run.StateFile)), strings.HasSuffix(a.path, "/"+string(run.RescuedFile)):
		r.brought(string(a.body))
	}
}

// claimed: whoever has free slots gets those that are next, and nothing is left while there
// is a slot.
func (r *rules) claimed(a *ask, m moment, answer []byte) {
	var asked run.Claim
	var got run.Claimed
	_ = json.Unmarshal(a.body, &asked)
	_ = json.Unmarshal(answer, &got)
	for _, j := range got.Jobs {
		if r.world.known.jobs[j.ID].State != run.JobWaiting {
			return // a claim that was answered before
		}
	}
	want := min(asked.Slots, len(m.waiting))
	if asked.Start {
		want = min(1, want)
		if len(got.Specs) != want {
			r.world.fail("a claim that starts its job got %d jobs and %d specifications", len(got.Jobs), len(got.Specs))
		}
	}
	r.world.server.wrote = r.world.server.wrote && len(got.Jobs) > 0
	if len(got.Jobs) != want {
		r.world.fail("a claim of %d slots got %d jobs of %d that wait", asked.Slots, len(got.Jobs), len(m.waiting))
	}
	for i, j := range got.Jobs {
		if m.waiting[i].ID != j.ID {
			r.world.fail("job %s was given out before %s", j.ID, m.waiting[i].ID)
		}
	}
}

// ended notes that a log is whole, and what an apply leaves behind.
func (r *rules) ended(a *ask, m moment) {
	if m.run.Status.Final() || m.job.Ending != "" {
		return
	}
	r.world.known.toldChecks(m.job.RunID, toldEnd(a).Checks)
	logID := m.run.Plan.ID
	if m.job.Kind == run.ApplyJob {
		logID = m.run.Apply.ID
	}
	list := r.world.known.attempts[logID]
	for _, f := range list {
		if f.job.Lease != a.token {
			continue
		}
		r.world.known.whole[logID] = f
		if m.job.Kind == run.ApplyJob && toldEnd(a).StateHome && f.state != f.before {
			r.brought(f.state)
			r.home(m.run.WorkspaceID, f)
		}
	}
}

// tellsEnd says whether a call tells how a job ended.
func tellsEnd(a *ask) bool {
	return strings.HasSuffix(a.path, "/end") || strings.HasSuffix(a.path, "/finish")
}

// toldEnd is the end that a call tells.
func toldEnd(a *ask) (end run.End) {
	if strings.HasSuffix(a.path, "/finish") {
		var finish run.Finish
		_ = json.Unmarshal(a.body, &finish)
		return finish.End
	}
	_ = json.Unmarshal(a.body, &end)
	return end
}

// brought notes a state that came to the server.
func (r *rules) brought(text string) {
	k := r.world.known
	var state struct {
		Serial int64
		By     string
	}
	_ = json.Unmarshal([]byte(text), &state)
	k.news[k.runs[state.By].WorkspaceID]++
	if state.Serial >= k.states[state.By].serial {
		short := md5.Sum([]byte(text))
		k.states[state.By] = broughtNow{state.Serial, hex.EncodeToString(short[:]), sum(text)}
	}
}

// logs: what can be read of a log is what was printed, and what was read once stays.
func (r *rules) logs() {
	w := r.world
	if w.server == nil {
		return
	}
	for _, id := range w.known.order {
		now := w.known.runs[id]
		r.log(&now, now.Plan.ID)
		r.log(&now, now.Apply.ID)
	}
}

func (r *rules) log(now *run.Run, id string) {
	w, k := r.world, r.world.known
	text, over, err := w.server.logs.Piece(w.t.Context(), id, 0, 1<<20)
	if err != nil {
		w.fail("the log %s can't be read: %v", id, err)
	}
	if !bytes.HasPrefix(text, k.seen[id]) {
		w.fail("the log %s was read as\n%s\nand is now\n%s", id, k.seen[id], text)
	}
	k.seen[id] = text
	text = bytes.TrimPrefix(text, []byte{2})
	if over {
		text = bytes.TrimSuffix(text, []byte{3})
	}
	want, whole := r.printed(id)
	if f := k.whole[id]; f != nil && over {
		if !bytes.HasPrefix(text, want) || !whole {
			w.fail("the log %s of run %s (%s) is not whole:\n%s\nwas printed, and\n%s\nis there", id, now.ID, now.Status, want, text)
		}
		return
	}
	printed, said, _ := bytes.Cut(text, []byte("Error: "))
	if i := bytes.Index(printed, []byte("belay: canceled by force")); i >= 0 {
		printed = printed[:i]
	}
	printed = bytes.TrimSuffix(printed, []byte("Belay\non the server\nNothing was executed\n"))
	if !bytes.HasPrefix(want, printed) {
		w.fail("the log %s of run %s (%s) has bytes that nobody printed:\n%s\nwas printed, and\n%s\nis there (%s)", id, now.ID, now.Status, want, text, said)
	}
}

// printed is the whole text of a log, as the attempts printed it: each goes on where the
// server said that the log was.
func (r *rules) printed(id string) (text []byte, some bool) {
	for _, f := range r.world.known.attempts[id] {
		if int64(len(text)) < f.base {
			r.world.fail("attempt %d began the log %s at %d, and only %d bytes were printed", f.job.Attempt, id, f.base, len(text))
		}
		text = append(text[:f.base:f.base], r.world.known.printed[f.job.Lease]...)
	}
	return text, len(r.world.known.attempts[id]) > 0
}
