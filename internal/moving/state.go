package moving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/belayhq/belay/internal/remote"
)

// version is one state version of a side, or a state file that lies somewhere.
type version struct {
	id, md5, lineage string
	serial, size     int64
	url, jsonURL     string
	told             time.Time // when the URLs were
	open             opener    // of a file; nil: the URL
}

// states brings the state versions of a workspace in their order, each as it is.
func (o *organization) states(ctx context.Context, p pair, thing string) error {
	if o.States == 0 {
		return nil
	}
	source, err := o.versions(ctx, o.From, o.fromName, p.from.Text("name"), o.States, thing)
	if err != nil {
		return err
	}
	return o.bringStates(ctx, o.From, source, p, thing)
}

// targetStates is the versions that a workspace of the target has.
func (m *mover) targetStates(ctx context.Context, p pair) ([]version, error) {
	if p.to.ID == "" || p.fresh {
		return nil, nil
	}
	if m.Mode == Import && p.to.Truth("locked") && p.to.Text("locked-reason") == lockReason {
		if err := m.unlock(ctx, p.to.ID); err != nil { // cut off in the middle of a state
			return nil, err
		}
	}
	return m.versions(ctx, m.To, organizationOf(&p.to), p.to.Text("name"), AllStates, "")
}

// bringStates brings versions, the oldest first, to a workspace.
func (m *mover) bringStates(ctx context.Context, files opening, source []version, p pair, thing string) error {
	target, err := m.targetStates(ctx, p)
	if err != nil {
		return err
	}
	m.Report.seen("state-versions", len(source), len(target))
	if m.Mode == Verify {
		return m.compareStates(ctx, files, source, target, thing)
	}
	from, ok := follows(source, target)
	if !ok {
		m.Report.left(thing, "state-versions: the target's workspace has states of its own, which the source does not know")
		return nil
	}
	if m.Mode == DryRun {
		if n := len(source) - from; n > 0 {
			m.Report.plan("state-versions", thing, fmt.Sprintf("%d would be brought", n))
		}
		return nil
	}
	var before *version
	if len(target) > 0 {
		before = &target[len(target)-1]
	}
	at := &lock{mover: m, workspace: p.to.ID}
	next, enough := m.ahead(ctx, files, source[from:])
	defer enough()
	for i := from; i < len(source); i++ {
		came, ok := <-next
		if !ok {
			return context.Cause(ctx)
		}
		err := at.bringState(ctx, files, &source[i], came, before, thing)
		if errors.Is(err, errEnough) {
			return nil // what comes after one that was refused would be out of order
		}
		if err != nil {
			return err
		}
		before = &source[i]
	}
	return at.leave(ctx)
}

// fetched is the file of a version, or why it could not be had.
type fetched struct {
	file *spool
	err  error
}

// ahead fetches the files of versions in their order, one while the one before it is on its way to
// the target: from afar the way to the source takes as long. enough ends it.
func (m *mover) ahead(ctx context.Context, files opening, list []version) (next <-chan fetched, enough func()) {
	ctx, cancel := context.WithCancel(ctx)
	out := make(chan fetched)
	go func() {
		defer close(out)
		for i := range list {
			if ctx.Err() != nil {
				return
			}
			var f fetched
			f.file, f.err = m.fetch(ctx, files, &list[i])
			select {
			case out <- f:
			case <-ctx.Done():
				f.close()
				return
			}
		}
	}()
	return out, func() {
		cancel()
		for f := range out {
			f.close()
		}
	}
}

func (f fetched) close() {
	if f.err == nil {
		_ = f.file.Close()
	}
}

func organizationOf(r *remote.Resource) string { return r.One("organization").ID }

// errEnough ends a list early.
var errEnough = errors.New("enough")

// versions is the newest n state versions of a workspace, the oldest first. What has no
// bytes any more, or is not yet a state, is left out and, with a thing, reported.
func (m *mover) versions(ctx context.Context, from remote.Reader, organization, workspace string, n int, thing string) ([]version, error) {
	var list []version
	path := "state-versions?" + url.Values{
		"filter[organization][name]": {organization}, "filter[workspace][name]": {workspace},
	}.Encode()
	err := remote.Each(ctx, from, path, func(r remote.Resource) error {
		if status := r.Text("status"); status != "" && status != "finalized" || r.Truth("intermediate") {
			if thing != "" && m.Mode != Verify {
				m.Report.left(thing, fmt.Sprintf("state-versions: serial %d is %s there", r.Number("serial"), cmp.Or(status, "intermediate")))
			}
			return nil
		}
		list = append(list, seenVersion(&r))
		if n > 0 && len(list) == n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	slices.Reverse(list)
	return list, err
}

func seenVersion(r *remote.Resource) version {
	return version{
		id: r.ID, md5: r.Text("md5"), lineage: r.Text("lineage"), serial: r.Number("serial"), size: r.Number("size"),
		url: r.Text("hosted-state-download-url"), jsonURL: r.Text("hosted-json-state-download-url"), told: time.Now(),
	}
}

// equal says whether two sides tell of the same file, as far as both tell.
func (v *version) equal(other *version) bool {
	return v.serial == other.serial && (v.md5 == "" || other.md5 == "" || v.md5 == other.md5) &&
		(v.size == 0 || other.size == 0 || v.size == other.size)
}

// follows is where to go on: after the newest version that the target has of the source's.
// It has the first ones, some of which could not come, or older ones before them when only
// the newest come along.
func follows(source, target []version) (from int, ok bool) {
	if len(target) == 0 {
		return 0, true
	}
	for skip := range target {
		if skip > 0 && (len(source) == 0 || target[skip-1].serial >= source[0].serial) {
			break // what is skipped must be older than what is looked at
		}
		if end, ok := within(target[skip:], source); ok {
			return end, true
		}
	}
	newest := &target[len(target)-1]
	return 0, len(source) > 0 && newest.serial < source[0].serial && newest.lineage != "" && newest.lineage == source[0].lineage
}

// within says whether a list is part of another, in its order, and where it ends there.
func within(some, all []version) (end int, ok bool) {
	for i := range some {
		for end < len(all) && !all[end].equal(&some[i]) {
			end++
		}
		if end == len(all) {
			return 0, false
		}
		end++
	}
	return end, true
}

// compareStates says how the states of both sides differ: by number, serial, lineage and
// checksum. A checksum that the source does not tell is taken of the file.
func (m *mover) compareStates(ctx context.Context, files opening, source, target []version, thing string) error {
	if m.States > 0 && len(target) > len(source) {
		target = target[len(target)-len(source):]
	}
	if len(source) != len(target) {
		m.Report.differ(thing, fmt.Sprintf("state-versions: %d on the source, %d on the target", len(source), len(target)))
		return nil
	}
	for i := range source {
		want, have := &source[i], &target[i]
		if want.serial != have.serial {
			m.Report.differ(thing, fmt.Sprintf("state-versions: serial %d is %d on the target", want.serial, have.serial))
			continue
		}
		if want.lineage != "" && want.lineage != have.lineage {
			m.Report.differ(thing, fmt.Sprintf("state-versions: serial %d has another lineage on the target", want.serial))
		}
		if err := m.checksum(ctx, files, want, m.Compare); err != nil {
			return err
		}
		if err := m.checksum(ctx, m.To, have, m.Compare); err != nil {
			return err
		}
		if want.md5 != have.md5 {
			m.Report.differ(thing, fmt.Sprintf("state-versions: serial %d has other bytes on the target", want.serial))
		}
		m.Report.state(0)
	}
	return nil
}

// checksum takes the checksum of a file that nobody tells, or of every one.
func (m *mover) checksum(ctx context.Context, files opening, v *version, always bool) error {
	if v.md5 != "" && !always {
		return nil
	}
	s, err := m.fetch(ctx, files, v)
	if err != nil {
		return err
	}
	v.md5 = s.md5()
	return s.Close()
}
