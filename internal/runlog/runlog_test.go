package runlog_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/object"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/runlog"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/storetest"
	"github.com/belayhq/belay/run"
)

const limit = 4000

// house is a run, and two servers that keep its logs.
type house struct {
	*runlog.Room
	t     *testing.T
	other *runlog.Room
	db    *store.DB
	clock *atomic.Int64
	run   run.Run
	blobs blob.Store
	build func() *runlog.Room
	short int64 // of what build makes
}

func each(t *testing.T, test func(*testing.T, *house)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newHouse(t, engine))
		})
	}
}

func newHouse(t *testing.T, engine string) *house {
	t.Helper()
	h := &house{t: t, clock: &atomic.Int64{}}
	h.clock.Store(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	now := func() time.Time { return time.UnixMilli(h.clock.Load()) }
	db, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, engine), Now: now})
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	ring, err := seal.Parse(seal.GenerateKey())
	h.must(err)
	h.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir(), ring)
	h.must(err)
	h.db = db
	verbs := app.New(app.Config{DB: db, Ring: ring, Blobs: h.blobs, Now: now})
	h.build = func() *runlog.Room {
		return runlog.New(runlog.Config{DB: db, Objects: verbs.Objects(), Ring: ring, Now: now, Limit: limit, Short: h.short})
	}
	h.short = -1 // or hardly any log here had a file
	h.Room, h.other = h.build(), h.build()
	_, err = verbs.FirstStart(t.Context(), "the-admin")
	h.must(err)
	admin, err := verbs.Authenticate(t.Context(), "the-admin")
	h.must(err)
	_, err = verbs.CreateOrganization(t.Context(), admin, belay.OrganizationPatch{Name: patch.Of("acme"), Email: patch.Of("a@example.com")})
	h.must(err)
	w, err := verbs.CreateWorkspace(t.Context(), admin, "acme", belay.WorkspacePatch{Name: patch.Of("network")})
	h.must(err)
	h.run = run.Run{ID: belay.NewID("run"), WorkspaceID: w.ID, OrganizationID: w.OrganizationID, Status: run.Planning, CreatedAt: now()}
	h.run.Plan.ID, h.run.Apply.ID = belay.NewID("plan"), belay.NewID("apply")
	h.update(func(tx *store.Tx) error { return tx.AddRun(&h.run, "") })
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) update(do func(*store.Tx) error) {
	h.t.Helper()
	h.must(h.db.Update(h.t.Context(), do))
}

func (h *house) begin() {
	h.t.Helper()
	h.update(func(tx *store.Tx) error { return h.Begin(tx, &h.run, h.run.Plan.ID) })
}

func (h *house) end(line string) {
	h.t.Helper()
	h.update(func(tx *store.Tx) error { return h.End(tx, &h.run, h.run.Plan.ID, nil, line) })
}

// send sends bytes from a place on, and expects where the log then ends.
func (h *house) send(to *runlog.Room, from int64, text string, taken bool, have int64) run.LogAnswer {
	h.t.Helper()
	answer, ok, err := to.Append(h.log(), from, []byte(text))
	h.must(err)
	if ok != taken || answer.Have != have {
		h.t.Errorf("from %d: taken %v, have %d, want %v and %d", from, ok, answer.Have, taken, have)
	}
	return answer
}

// log is the log as it is now.
func (h *house) log() *run.Log {
	h.t.Helper()
	var l run.Log
	h.must(h.db.View(h.t.Context(), func(v *store.View) (err error) {
		l, err = v.RunLog(h.run.Plan.ID)
		return err
	}))
	return &l
}

// all reads the log as clients do, in pieces of a size.
func (h *house) all(piece int64) string {
	h.t.Helper()
	var text strings.Builder
	for {
		data, err := h.Read(h.t.Context(), h.ReadURL(h.run.Plan.ID), int64(text.Len()), piece, 0)
		h.must(err)
		if len(data) == 0 {
			return text.String()
		}
		text.Write(data)
	}
}

func (h *house) wantAll(want string) {
	h.t.Helper()
	for _, piece := range []int64{1, 7, 64 << 10} {
		if piece == 1 && len(want) > 100 {
			continue
		}
		if got := h.all(piece); got != want {
			h.t.Errorf("in pieces of %d: %.80q of %d bytes, want %.80q of %d", piece, got, len(got), want, len(want))
		}
	}
}

func TestALogFromItsFirstByteToItsLast(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.wantAll("")
		h.begin()
		h.wantAll("\x02")
		h.send(h.Room, 0, "one\n", true, 4)
		h.wantAll("\x02") // what could be lost is not shown
		if a := h.send(h.Room, 4, "two \x02 \x03\n", true, 12); a.Safe != 0 {
			t.Errorf("safe is %d before anything was written", a.Safe)
		}
		h.must(h.Flush(t.Context()))
		h.wantAll("\x02one\ntwo ? ?\n")
		if a := h.send(h.Room, 12, "", true, 12); a.Safe != 12 {
			t.Errorf("safe is %d", a.Safe)
		}
		h.send(h.Room, 12, "\xff\n", true, 14)
		h.must(h.Flush(t.Context()))
		h.end("belay: canceled by force")
		want := "\x02one\ntwo ? ?\n\xff\nbelay: canceled by force\n\x03"
		h.wantAll(want)
		if _, _, err := h.Append(h.log(), 14, []byte("late")); belay.KindOf(err) != belay.Conflict {
			t.Errorf("after its end: %v", err)
		}
		h.must(h.Pour(t.Context()))
		h.wantAll(want)
		h.must(h.other.Pour(t.Context()))
		h.end("again")
		h.wantAll(want)
		if n := h.files(); n != 1 {
			t.Errorf("%d files, want one", n)
		}
	})
}

func (h *house) files() (n int) {
	h.t.Helper()
	h.must(h.blobs.Walk(h.t.Context(), func(string, time.Time) error { n++; return nil }))
	return n
}

func TestALogThatNeverBegan(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.end("")
		h.wantAll("\x02\x03")
		h.must(h.Pour(t.Context()))
		h.wantAll("\x02\x03")
	})
}

func TestALogThatOnlyTheServerSpeaksIn(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.end("Error: the configuration could not be fetched")
		lines := strings.Split(strings.Trim(h.all(100), "\x02\x03"), "\n")
		if len(lines) != 5 || lines[3] != "Error: the configuration could not be fetched" {
			t.Errorf("%q: clients leave out the first three lines", lines)
		}
	})
}

func TestBytesAreNeitherLostNorDoubled(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		h.send(h.Room, 0, "abc", true, 3)
		h.send(h.Room, 0, "abc", false, 3) // its answer was lost
		h.send(h.Room, 5, "xyz", false, 3)
		h.send(h.Room, 0, "", true, 3)
		h.must(h.Flush(t.Context()))
		h.send(h.other, 3, "def", true, 6) // another server takes over
		h.must(h.other.Flush(t.Context()))
		h.send(h.Room, 6, "ghi", true, 9)
		h.send(h.other, 6, "ghi", true, 9) // to both: one of them is first
		h.must(h.Flush(t.Context()))
		h.must(h.other.Flush(t.Context()))
		h.send(h.other, 9, "jkl", true, 12)
		h.must(h.other.Flush(t.Context()))
		h.wantAll("\x02abcdefghijkl")
		// A server that is killed loses what is not safe, and says so.
		h.send(h.Room, 12, "lost", true, 16)
		h.Room = h.build()
		h.send(h.Room, 16, "more", false, 12)
		h.send(h.Room, 12, "lostmore", true, 20)
		h.must(h.Flush(t.Context()))
		h.end("")
		h.wantAll("\x02abcdefghijkllostmore\x03")
	})
}

func TestWhatCouldNotBeWrittenForLongIsGivenUp(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		h.send(h.Room, 0, "of a lease that ended", true, 21)
		h.clock.Add((run.Lease + time.Second).Milliseconds())
		h.must(h.Flush(t.Context()))
		h.wantAll("\x02")
		h.send(h.Room, 21, "x", false, 0)
	})
}

func TestTheMiddleOfALongLogIsDropped(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		var whole strings.Builder
		seen := ""
		for i := range 100 {
			line := fmt.Sprintf("%04d %s\n", i, strings.Repeat("x", 94))
			h.send(h.Room, int64(whole.Len()), line, true, int64(whole.Len()+len(line)))
			whole.WriteString(line)
			h.must(h.Flush(t.Context()))
			now := h.all(1000)
			if !strings.HasPrefix(now, seen) {
				t.Fatalf("after %d lines what was read is another: %.50q", i, now)
			}
			seen = now
		}
		h.end("")
		text := h.all(1000)
		if !strings.HasPrefix(text, seen) || !strings.HasPrefix(text, "\x02"+whole.String()[:limit/2]) {
			t.Error("the beginning is another")
		}
		if !strings.HasSuffix(text, whole.String()[whole.Len()-limit/2:]+"\x03") || !strings.Contains(text, "bytes were left out here") || len(text) > limit+300 {
			t.Errorf("%d bytes, ending in %.80q", len(text), text[len(text)-80:])
		}
		h.must(h.Pour(t.Context()))
		h.wantAll(text)
	})
}

func TestReadersAreWoken(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		got := make(chan string, 1)
		go func() {
			data, err := h.other.Read(context.Background(), h.ReadURL(h.run.Plan.ID), 1, 100, time.Minute)
			if err != nil {
				t.Error(err)
			}
			got <- string(data)
		}()
		h.send(h.Room, 0, "hello", true, 5)
		h.must(h.Flush(t.Context()))
		if data := <-got; data != "hello" {
			t.Errorf("%q", data)
		}
		// Somebody looks: the runner is to send more often, and on the other server soon too.
		h.must(h.other.Flush(t.Context()))
		if a := h.send(h.Room, 5, "", true, 5); a.IntervalMillis >= 1000 {
			t.Errorf("asked for more every %d ms while somebody looks", a.IntervalMillis)
		}
		h.clock.Add(time.Minute.Milliseconds())
		if a := h.send(h.Room, 5, "", true, 5); a.IntervalMillis < 1000 {
			t.Errorf("asked for more every %d ms while nobody looks", a.IntervalMillis)
		}
	})
}

func TestReadersWhileALogIsPoured(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		text := strings.Repeat("0123456789", 150)
		h.send(h.Room, 0, text, true, 1500)
		h.must(h.Flush(t.Context()))
		h.end("")
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for range 20 {
					if got := h.all(100); got != "\x02"+text+"\x03" {
						t.Errorf("%d bytes", len(got))
					}
				}
			})
		}
		readers.Go(func() { h.must(h.Pour(t.Context())) })
		readers.Go(func() { h.must(h.other.Pour(t.Context())) })
		readers.Wait()
		if n := h.files(); n != 1 {
			t.Errorf("%d files", n)
		}
	})
}

func TestForgedAndForeignURLsReadNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.end("")
		good := h.ReadURL(h.run.Plan.ID)
		for name, change := range map[string]func(*object.Presigned){
			"another id": func(p *object.Presigned) { p.ID = h.run.Apply.ID },
			"expired":    func(p *object.Presigned) { h.clock.Add((object.LongLife + time.Minute).Milliseconds()) },
		} {
			bad := good
			change(&bad)
			if _, err := h.Read(t.Context(), bad, 0, 10, 0); belay.KindOf(err) != belay.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestALogWhoseFileIsGone(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.end("x")
		h.must(h.Pour(t.Context()))
		h.update(func(tx *store.Tx) error {
			f, err := tx.RunFile(h.run.ID, run.PlanLogFile)
			if err != nil {
				return err
			}
			return tx.DropRunFile(&f)
		})
		text := h.all(10)
		if !strings.HasPrefix(text, "\x02belay: ") || !strings.HasSuffix(text, "\n\x03") {
			t.Errorf("%q", text)
		}
	})
}

// TestAnyOrderOfCallsKeepsEveryByte sends a text through two servers that are killed, in
// pieces of any size, with answers lost and pieces sent twice; what comes out is the text.
func TestAnyOrderOfCallsKeepsEveryByte(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		for seed := range uint64(10) {
			chaos := rand.New(rand.NewPCG(seed, 1))
			h.run.ID, h.run.Plan.ID, h.run.Apply.ID = belay.NewID("run"), belay.NewID("plan"), belay.NewID("apply")
			h.update(func(tx *store.Tx) error { return tx.AddRun(&h.run, "") })
			h.begin()
			text := make([]byte, 3000)
			for i := range text {
				text[i] = byte('a' + chaos.IntN(26))
			}
			servers := []*runlog.Room{h.build(), h.build()}
			have := int64(0)
			for safe := int64(0); safe < int64(len(text)); {
				i := chaos.IntN(2)
				switch chaos.IntN(8) {
				case 0:
					servers[i] = h.build() // killed
				case 1:
					h.must(servers[i].Flush(t.Context()))
				default:
					have = min(have, int64(len(text)))
					end := min(have+int64(chaos.IntN(300)), int64(len(text)))
					answer, _, err := servers[i].Append(h.log(), have, text[have:end])
					h.must(err)
					if chaos.IntN(5) > 0 { // else the answer is lost
						have, safe = answer.Have, answer.Safe
					}
				}
			}
			h.end("")
			if got := h.all(500); got != "\x02"+string(text)+"\x03" {
				t.Fatalf("seed %d: %d bytes, want %d", seed, len(got), len(text)+2)
			}
		}
	})
}

// FuzzPieces reads a log in any pieces: they are the text, framed.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("text"), int64(0), int64(3))
	f.Add([]byte{2, 3, 0xff}, int64(2), int64(100))
	f.Add(bytes.Repeat([]byte("x"), 5000), int64(1999), int64(10))
	f.Fuzz(func(t *testing.T, data []byte, offset, size int64) {
		h := newHouse(t, "sqlite")
		h.begin()
		if _, _, err := h.Append(h.log(), 0, data); err != nil {
			t.Fatal(err)
		}
		h.must(h.Flush(t.Context()))
		h.end("")
		whole := h.all(64 << 10)
		if whole[0] != 2 || whole[len(whole)-1] != 3 || strings.ContainsAny(whole[1:len(whole)-1], "\x02\x03") {
			t.Errorf("framed otherwise: %q", whole)
		}
		if len(data) <= limit && len(whole) != len(data)+2 {
			t.Errorf("%d bytes of %d", len(whole), len(data))
		}
		offset, size = max(offset, 0), max(min(size, 1<<20), 1)
		piece, err := h.Read(t.Context(), h.ReadURL(h.run.Plan.ID), offset, size, 0)
		h.must(err)
		from := min(offset, int64(len(whole)))
		if want := whole[from:min(from+size, int64(len(whole)))]; string(piece) != want {
			t.Errorf("at %d: %q, want %q", offset, piece, want)
		}
	})
}

// TestManyLogsAreWrittenInParts: nobody waits for the logs of all, and each is whole.
func TestManyLogsAreWrittenInParts(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const logs = 110
		id := func(i int) string { return fmt.Sprintf("plan-%03d", i) }
		h.update(func(tx *store.Tx) error {
			for i := range logs {
				h.must(tx.OpenLog(h.run.ID, id(i)))
			}
			return nil
		})
		heaviest := func(from, to int) int {
			for i := from; i < to; i++ {
				_, taken, err := h.Append(&run.Log{ID: id(i), State: run.LogOpen}, 0, []byte(id(i)))
				h.must(err)
				if !taken {
					t.Fatal("not taken", id(i))
				}
			}
			h.db.HeaviestWrite()
			h.must(h.Flush(t.Context()))
			return h.db.HeaviestWrite()
		}
		one := heaviest(0, 1)
		if n := heaviest(1, logs); n > 25*one {
			t.Errorf("the longest transaction had %d rows, one log has %d", n, one)
		}
		for i := range logs {
			h.must(h.db.View(t.Context(), func(v *store.View) error {
				l, err := v.RunLog(id(i))
				if want := int64(len(id(i))); err == nil && l.Size != want {
					t.Errorf("%s has %d bytes, want %d", id(i), l.Size, want)
				}
				return err
			}))
		}
	})
}
