package app

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/state"
)

// eachAging runs a test on every engine.
func eachAging(t *testing.T, test func(t *testing.T, a *aging)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newAging(t, engine))
		})
	}
}

// largeState is a state that is too large to be read while its client waits.
func largeState(serial int) string {
	return fmt.Sprintf(`{"version":4,"terraform_version":"1.9.0","serial":%d,"lineage":"l","outputs":{"n":{"value":%d,"type":"number"}},
		"resources":[{"mode":"managed","type":"aws_instance","name":"a","module":"module.net","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]",
		"instances":[{"attributes":{"id":%q}}]}]}`, serial, serial, strings.Repeat("x", state.SmallState))
}

// bring gives a locked workspace a state.
func (a *aging) bring(ref belay.WorkspaceRef, serial int, file string) (state.View, error) {
	a.t.Helper()
	ctx := a.t.Context()
	d, err := a.DraftState(ctx, a.admin, ref)
	a.must(err)
	if err := d.State(ctx, strings.NewReader(file)); err != nil {
		return state.View{}, err
	}
	return d.Commit(ctx, belay.NewState{Serial: int64(serial), MD5: sumOf(file)})
}

func (a *aging) lock(ref belay.WorkspaceRef) {
	a.t.Helper()
	_, err := a.LockWorkspace(a.t.Context(), a.admin, ref, "")
	a.must(err)
}

func (a *aging) unlock(ref belay.WorkspaceRef) belay.Workspace {
	a.t.Helper()
	w, err := a.UnlockWorkspace(a.t.Context(), a.admin, ref)
	a.must(err)
	return w.Workspace
}

// refused demands a refusal of a kind that says why.
func (a *aging) refused(err error, kind belay.Kind, why string) {
	a.t.Helper()
	if belay.KindOf(err) != kind || !strings.Contains(err.Error(), why) {
		a.t.Errorf("%v, want a refusal that says %q", err, why)
	}
}

func TestLargeStatesAreReadWhole(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		v, err := a.bring(ref, 1, largeState(1))
		a.must(err)
		if !v.Processed || v.Lineage != "l" {
			t.Errorf("brought: %+v", v)
		}
		if w := a.unlock(ref); w.CurrentStateVersionID != v.ID || w.ResourceCount != 1 || w.StateEngineVersion != "1.9.0" || len(w.OutputIDs) != 1 {
			t.Errorf("unlocked: %+v", w)
		}
		list, err := a.CurrentStateOutputs(ctx, a.admin, ref)
		if err != nil || len(list) != 1 || string(list[0].Value) != "1" {
			t.Errorf("outputs: %+v, %v", list, err)
		}
		a.refused(a.SafeDeleteWorkspace(ctx, a.admin, ref), belay.Conflict, "managing resources")
		resources, total, err := a.StateResources(ctx, a.admin, ref, belay.Page{Number: 1, Size: 20})
		if err != nil || total != 1 || resources[0].Address != "net.aws_instance.a" {
			t.Errorf("resources: %+v, %v", resources, err)
		}
	})
}

// stateFile is a state file with some of its members.
func stateFile(members string) string {
	return `{"version":4,"terraform_version":"1.9.0","serial":2,"outputs":{},"resources":[],` + members + `}`
}

func TestStatesThatCannotBeRead(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		_, err := a.bring(ref, 1, `{"version":3,"serial":1}`)
		a.refused(err, belay.Invalid, "version 4 is needed")
		encrypted, err := a.bring(ref, 1, `{"serial":1,"lineage":"l","meta":{},"encrypted_data":"AAAA","encryption_version":"v0"}`)
		a.must(err)
		if !encrypted.Processed || encrypted.Problem == "" || encrypted.Lineage != "l" {
			t.Errorf("an encrypted state: %+v", encrypted)
		}
		a.unlock(ref)
		a.refused(a.SafeDeleteWorkspace(ctx, a.admin, ref), belay.Conflict, "encrypted")
		a.lock(ref)
		padding := strings.Repeat("x", state.SmallState)
		_, err = a.bring(ref, 2, `{"lineage":"l","x":"`+padding+`"}`)
		a.refused(err, belay.Invalid, "version")
		_, err = a.bring(ref, 2, stateFile(`"lineage":"other","x":"`+padding+`"`))
		a.refused(err, belay.Conflict, "lineage")
		large, err := a.bring(ref, 2, stateFile(`"lineage":"l","x":"`+padding+`"`))
		a.must(err)
		if !large.Processed || large.Problem != "" || large.Lineage != "l" {
			t.Errorf("a large state: %+v", large)
		}
		huge, err := a.bring(ref, 3, stateFile(`"lineage":"l","x":"`+strings.Repeat(padding, 33)+`"`))
		a.must(err)
		if !huge.Processed || !strings.Contains(huge.Problem, "more than 32 MiB") {
			t.Errorf("a state of one huge value: %+v", huge.Problem)
		}
		a.unlock(ref)
		list, total, err := a.StateResources(ctx, a.admin, ref, belay.Page{Number: 1, Size: 20})
		if err != nil || total != 0 {
			t.Errorf("its resources: %+v, %v", list, err)
		}
	})
}

// TestRollingBackMovesTheSerial is about files that spell or place it unusually.
func TestRollingBackMovesTheSerial(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		for i, c := range []struct{ file, want string }{
			{`{"version":4,"lineage":"l","serial":1}`, `{"version":4,"lineage":"l","serial": 2}`},
			{`{"SERIAL" : 1 ,"version":4,"lineage":"l"}`, `{"SERIAL": 2 ,"version":4,"lineage":"l"}`},
			{`{"x":{"serial":7},"y":["serial",8],"z":"serial","serial":null,"version":4,"lineage":"l"}`, `{"x":{"serial":7},"y":["serial",8],"z":"serial","serial": 2,"version":4,"lineage":"l"}`},
		} {
			ref := a.workspace(fmt.Sprint("w", i), 0)
			a.lock(ref)
			v, err := a.bring(ref, 1, c.file)
			a.must(err)
			back, err := a.RollBack(t.Context(), a.admin, ref, v.ID)
			a.must(err)
			_, rc, err := a.DownloadState(t.Context(), a.PresignState(false, object.State, back.ID))
			a.must(err)
			got, err := io.ReadAll(rc)
			if err != nil || string(got) != c.want || back.Serial != 2 {
				t.Errorf("rolled back to %s as serial %d, want %s: %v", got, back.Serial, c.want, err)
			}
			a.must(rc.Close())
		}
	})
}

// TestEveryStateHasALineage is about states that say none: whatever came after one could
// not be told from another workspace's.
func TestEveryStateHasALineage(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		padding := `,"x":"` + strings.Repeat("x", state.SmallState) + `"`
		for _, file := range []string{
			stateFile(`"lineage":""`), stateFile(`"lineage":null`), stateFile(`"y":1`), stateFile(`"y":1` + padding),
			`{"serial":1,"encrypted_data":"AAAA","encryption_version":"v0"}`,
		} {
			_, err := a.bring(ref, 2, file)
			a.refused(err, belay.Invalid, "lineage")
			v, err := a.announce(ref, 2, file, "")
			a.must(err)
			a.refused(a.UploadState(ctx, a.PresignState(true, object.State, v.ID), strings.NewReader(file)), belay.Invalid, "lineage")
		}
		for _, file := range []string{stateFile(`"lineage":"` + strings.Repeat("l", 256) + `"`), stateFile(`"lineage":"l\u0000"`)} {
			_, err := a.bring(ref, 2, file)
			a.refused(err, belay.Invalid, "lineage must be at most 255")
		}
		first := stateFile(`"lineage":"l"`)
		v, err := a.announce(ref, 2, first, "")
		a.must(err)
		a.must(a.UploadState(ctx, a.PresignState(true, object.State, v.ID), strings.NewReader(first)))
		if got, err := a.StateVersion(ctx, a.admin, v.ID); err != nil || got.Lineage != "l" {
			t.Errorf("taken from the file: %q, %v", got.Lineage, err)
		}
		other := stateFile(`"lineage":"m"`) // while the first is not yet the current state
		v, err = a.announce(ref, 3, other, "")
		a.must(err)
		a.refused(a.UploadState(ctx, a.PresignState(true, object.State, v.ID), strings.NewReader(other)), belay.Conflict, "lineage")
	})
}

// TestTheAnnouncedLineageDecides is about files that say another one, or none: inside a
// document and uploaded.
func TestTheAnnouncedLineageDecides(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		one := stateFile(`"lineage":"inside"`)
		for i, c := range []struct {
			announced, file string
			force           bool
			want            string // empty: refused
		}{
			{"l", one, false, "l"},
			{"", one, false, ""},
			{"l", stateFile(`"y":1`), false, "l"},
			{"l", `{"serial":1,"encrypted_data":"AAAA","encryption_version":"v0"}`, false, "l"},
			{"other", one, false, ""},
			{"other", one, true, "other"},
			{"", one, true, "inside"},
			{"", one, false, "inside"},
		} {
			announce := belay.NewState{Serial: int64(3*i + 2), MD5: sumOf(c.file), Lineage: c.announced, Force: c.force}
			d, err := a.DraftState(ctx, a.admin, ref)
			a.must(err)
			a.must(d.State(ctx, strings.NewReader(c.file)))
			inline, err := d.Commit(ctx, announce)
			if c.want == "" {
				a.refused(err, belay.Conflict, "lineage")
			} else if a.must(err); inline.Lineage != c.want {
				t.Errorf("%d: kept as of lineage %q, want %q", i, inline.Lineage, c.want)
			}
			a.uploads(ref, announce, c.file, c.want)
		}
	})
}

// uploads announces a state and sends its file, which is of a lineage then, or refused.
func (a *aging) uploads(ref belay.WorkspaceRef, n belay.NewState, file, want string) {
	a.t.Helper()
	ctx := a.t.Context()
	d, err := a.DraftState(ctx, a.admin, ref)
	a.must(err)
	n.Serial++
	v, err := d.Commit(ctx, n)
	if err == nil {
		err = a.UploadState(ctx, a.PresignState(true, object.State, v.ID), strings.NewReader(file))
	}
	if want == "" {
		a.refused(err, belay.Conflict, "lineage")
		return
	}
	a.must(err)
	if got, err := a.StateVersion(ctx, a.admin, v.ID); err != nil || got.Lineage != want {
		a.t.Errorf("uploaded: of lineage %q, want %q: %v", got.Lineage, want, err)
	}
}

// TestALargeStateIsLookedIntoWithRests counts how often it is looked whether it is time to.
func TestALargeStateIsLookedIntoWithRests(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ref := a.workspace("network", 0)
		a.lock(ref)
		var serial int64
		looks := func(resources int) (n int) {
			list := make([]string, resources)
			for i := range list {
				list[i] = fmt.Sprintf(`{"mode":"managed","type":"null_resource","name":"r%d","provider":"p","instances":[]}`, i)
			}
			serial++
			file := fmt.Sprintf(`{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":"l","outputs":{},"resources":[%s]}`, serial, strings.Join(list, ","))
			ctx := fair.New(func() time.Time { n++; return time.Unix(1, 0) }).As(t.Context(), "one")
			d, err := a.DraftState(ctx, a.admin, ref)
			a.must(err)
			v, err := d.Commit(ctx, belay.NewState{Serial: serial, MD5: sumOf(file)})
			a.must(err)
			a.must(a.UploadState(ctx, a.PresignState(true, object.State, v.ID), strings.NewReader(file)))
			return n
		}
		if few, many := looks(1), looks(1001); many < few+10 {
			t.Errorf("of one resource it was looked %d times, of a thousand more %d times", few, many)
		}
	})
}

// TestLongNamesInStatesAreRefused is about names that no index of PostgreSQL has room for:
// the workspace could not be unlocked any more.
func TestLongNamesInStatesAreRefused(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ref := a.workspace("network", 0)
		a.lock(ref)
		file := func(version, output, module, provider string) string {
			return fmt.Sprintf(`{"version":4,"terraform_version":%q,"serial":1,"lineage":"l","outputs":{%q:{"value":1}},"resources":[
				{"mode":"managed","type":"t","name":%q,"module":"module.%s","provider":"provider[\"%s\"]","instances":[{}]}]}`,
				version, output, belay.RandomText(9000), module, provider)
		}
		long := belay.RandomText // no index can shorten it
		for _, c := range []struct{ file, why string }{
			{file(long(256), "o", "m", "p"), "terraform_version"},
			{file("1.9.0", long(1025), "m", "p"), "name of an output"},
			{file("1.9.0", "o", long(1020), "p"), "module or provider"},
			{file("1.9.0", "o", "m", long(1025)), "module or provider"},
		} {
			_, err := a.bring(ref, 1, c.file)
			a.refused(err, belay.Invalid, c.why)
		}
		d, err := a.DraftState(t.Context(), a.admin, ref)
		a.must(err)
		a.refused(d.Outputs(strings.NewReader(`{"`+long(1025)+`":{"value":1}}`)), belay.Invalid, "name of an output")
		_, err = a.bring(ref, 1, file(long(255), long(1024), long(1019), long(1024)))
		a.must(err)
		a.unlock(ref)
	})
}

// announce begins a state that is to be uploaded.
func (a *aging) announce(ref belay.WorkspaceRef, serial int64, file, lineage string) (state.View, error) {
	a.t.Helper()
	d, err := a.DraftState(a.t.Context(), a.admin, ref)
	a.must(err)
	return d.Commit(a.t.Context(), belay.NewState{Serial: serial, MD5: sumOf(file), Lineage: lineage})
}

func sumOf(file string) string {
	sum := md5.Sum([]byte(file))
	return hex.EncodeToString(sum[:])
}

// TestTheSameUploadTwiceAtOnce sends one file many times at once: all are fine, and one
// copy stays. Other bytes are refused.
func TestTheSameUploadTwiceAtOnce(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 0)
		a.lock(ref)
		for kind, file := range map[object.Kind]string{object.State: stateFile(`"lineage":"l"`), object.JSONState: `{"values":1}`} {
			v, err := a.announce(ref, 2, stateFile(`"lineage":"l"`), "l")
			a.must(err)
			before := a.files()
			url := a.PresignState(true, kind, v.ID)
			all := make(chan struct{}) // every upload has begun before one ends
			begun := atomic.Int32{}
			var wait sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				wait.Go(func() {
					errs[i] = a.UploadState(ctx, url, io.MultiReader(readerFunc(func([]byte) (int, error) {
						if begun.Add(1) == int32(len(errs)) {
							close(all)
						}
						<-all
						return 0, io.EOF
					}), strings.NewReader(file)))
				})
			}
			wait.Wait()
			for _, err := range errs {
				if err != nil {
					t.Errorf("%s: %v", kind, err)
				}
			}
			if n := a.files() - before; n != 1 {
				t.Errorf("%s: %d copies stay", kind, n)
			}
			a.must(a.UploadState(ctx, url, strings.NewReader(file)))
			a.refused(a.UploadState(ctx, url, strings.NewReader("other")), belay.Conflict, "with other contents")
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestOrphansAreSwept(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 2)
		for _, key := range []string{"states/ws-1/sv-1-abc.state", "others/kept"} {
			_, err := a.blobs.Put(ctx, key, bytes.NewReader([]byte("x")))
			a.must(err)
		}
		swept, err := a.objects.SweepBefore(ctx, sweptRows{a.App}, time.Now().Add(-time.Hour))
		if err != nil || swept != 0 {
			t.Errorf("swept %d young files, %v", swept, err)
		}
		swept, err = a.objects.SweepBefore(ctx, sweptRows{a.App}, time.Now().Add(time.Hour))
		if err != nil || swept != 1 {
			t.Errorf("swept %d files, want the one that nothing names: %v", swept, err)
		}
		a.stillReadable(ref)
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		if swept, err = a.objects.SweepBefore(ctx, sweptRows{a.App}, time.Now().Add(time.Hour)); err != nil || swept != 2 {
			t.Errorf("swept %d files of a workspace that is gone, want 2: %v", swept, err)
		}
	})
}

// TestAFileThatIsDamagedIsTheServersFault damages the file of a state in every way: what
// needs it says so, gives nothing of it, and leaves all as it was.
func TestAFileThatIsDamagedIsTheServersFault(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		for _, size := range []int{1, state.SmallState} {
			for name, damage := range map[string]func(belay.StateFile) error{
				"gone":    func(f belay.StateFile) error { return a.blobs.Delete(t.Context(), f.Key) },
				"other":   func(f belay.StateFile) error { return a.swap(f.Key, strings.Repeat("x", int(f.Size))) },
				"shorter": func(f belay.StateFile) error { return a.write(f.Key, "{}") },
			} {
				a.damaged(fmt.Sprint(name, size), size, damage)
			}
		}
	})
}

func (a *aging) write(key, text string) error {
	_, err := a.blobs.Put(a.t.Context(), key, strings.NewReader(text))
	return err
}

// swap puts an object of another key in the place of one.
func (a *aging) swap(key, text string) error {
	ctx, other := a.t.Context(), key+"x"
	defer func() { a.must(a.blobs.Delete(ctx, other)) }()
	if err := a.write(other, text); err != nil {
		return err
	}
	sealed, _, err := a.blobs.Sealed(ctx, other)
	if err != nil {
		return err
	}
	defer func() { _ = sealed.Close() }()
	return a.blobs.PutSealed(ctx, key, sealed)
}

func (a *aging) damaged(name string, size int, damage func(belay.StateFile) error) {
	a.t.Helper()
	ctx, ref := a.t.Context(), a.workspace(name, 0)
	a.lock(ref)
	v, err := a.bring(ref, 1, stateFile(`"lineage":"l","x":"`+strings.Repeat("x", size)+`"`))
	a.must(err)
	a.unlock(ref)
	a.lock(ref)
	a.must(damage(v.State))
	before := a.files()
	_, err = a.RollBack(ctx, a.admin, ref, v.ID)
	a.refused(err, belay.Damaged, "ask those who run the server")
	_, _, err = a.StateResources(ctx, a.admin, ref, belay.Page{Number: 1, Size: 20})
	a.refused(err, belay.Damaged, "ask those who run the server")
	_, rc, err := a.DownloadState(ctx, a.PresignState(false, object.State, v.ID))
	if err == nil {
		_, err = io.Copy(io.Discard, rc)
		_ = rc.Close()
	}
	a.refused(err, belay.Damaged, "ask those who run the server")
	if n := a.files(); n != before {
		a.t.Errorf("%s: %d files, want %d as before", name, n, before)
	}
	if got := a.statuses(ref); len(got) != 1 || got[0] != belay.StateFinalized {
		a.t.Errorf("%s: %v", name, got)
	}
}

func TestPresignedURLsExpire(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ref := a.workspace("network", 1)
		v, err := a.CurrentStateVersion(t.Context(), a.admin, ref)
		a.must(err)
		open := func(url object.Presigned) error {
			_, rc, err := a.DownloadState(context.Background(), url)
			if err == nil {
				_ = rc.Close()
			}
			return err
		}
		url := a.PresignState(false, object.State, v.ID)
		later := url
		later.Expires += "0"
		a.refused(open(later), belay.NotFound, "")
		a.refused(open(a.PresignState(true, object.State, v.ID)), belay.NotFound, "")
		a.pass(object.StateLife)
		a.must(open(url))
		a.pass(time.Second)
		a.refused(open(url), belay.NotFound, "")
	})
}

// TestNobodySweepsTheFilesOfAnotherDatabase starts a server on the wrong database once.
func TestNobodySweepsTheFilesOfAnotherDatabase(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		ctx, ref := t.Context(), a.workspace("network", 1)
		a.sweepFiles(ctx)
		wrong := newAging(t, "sqlite")
		wrong.objects = object.New(object.Config{Blobs: a.blobs, Now: wrong.now})
		for _, one := range []*aging{wrong, a} {
			one.pass(2 * 365 * 24 * time.Hour) // every file is old now
			one.sweepFiles(ctx)
			a.stillReadable(ref)
		}
		a.must(a.ForceDeleteWorkspace(ctx, a.admin, ref))
		a.sweepFiles(ctx)
		if a.files() != 2 { // another server may have begun a moment ago
			t.Errorf("%d files, want those of the state and of the owner", a.files())
		}
		a.pass(2 * sweepPause)
		a.sweepFiles(ctx)
		if a.files() != 1 {
			t.Errorf("%d files, want only the owner's", a.files())
		}
	})
}
