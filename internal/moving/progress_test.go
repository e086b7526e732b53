package moving

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestABarIsForTerminalsOnly(t *testing.T) {
	t.Parallel()
	r := NewReport(nil)
	r.expect(40)
	for range 10 {
		r.step()
	}
	r.state(3 << 20)
	for terminal, want := range map[bool]string{true: "\r\x1b[K[######..................] 10 of 40", false: "10 of 40 workspaces, 1 states (3.0 MiB), 2.0 workspaces a second, 15s left\n"} {
		var out bytes.Buffer
		r.show(&out, terminal, 5*time.Second)
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%v: %q", terminal, out.String())
		}
	}
}

// TestWhereToGoOn has histories of both sides, by their serials.
func TestWhereToGoOn(t *testing.T) {
	t.Parallel()
	history := func(serials ...int64) (list []version) {
		for _, serial := range serials {
			list = append(list, version{serial: serial, lineage: "line"})
		}
		return list
	}
	for _, c := range []struct {
		name           string
		source, target []version
		from           int
		ok             bool
	}{
		{"nothing there", history(1, 2), nil, 0, true},
		{"cut off", history(1, 2, 3), history(1, 2), 2, true},
		{"all there", history(1, 2), history(1, 2), 2, true},
		{"one could not come", history(1, 2, 3, 4), history(1, 3), 3, true},
		{"the newest moved on", history(4, 5, 6), history(3, 4, 5), 2, true},
		{"far on", history(8, 9), history(1, 2), 0, true},
		{"states of its own", history(1, 2), history(1, 2, 3), 0, false},
		{"others", history(2, 3), history(1, 5), 0, false},
		{"nothing to bring", nil, history(1), 0, false},
		{"a serial twice", history(1, 1, 2), history(1, 1), 2, true},
		{"back and on", history(3, 7, 2), history(3, 7), 2, true},
	} {
		if from, ok := follows(c.source, c.target); from != c.from || ok != c.ok {
			t.Errorf("%s: %d %v", c.name, from, ok)
		}
	}
}

func TestAJournalIsOfOneImport(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/journal"
	j, err := OpenJournal(path, "a b")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.finish("acme/net", "ws-1", "then", "ws-9"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.file.WriteString(`{"thing":"acme/app","sou`); err != nil { // as after kill -9
		t.Fatal(err)
	}
	_ = j.file.Close()
	if _, err := OpenJournal(path, "a c"); err == nil || !strings.Contains(err.Error(), "another import") {
		t.Errorf("another import: %v", err)
	}
	if j, err = OpenJournal(path, "a b"); err != nil {
		t.Fatal(err)
	}
	if err := j.finish("acme/app", "ws-2", "then", "ws-8"); err != nil {
		t.Fatal(err)
	}
	_ = j.file.Close()
	if j, err = OpenJournal(path, "a b"); err != nil {
		t.Fatal(err)
	}
	if id, ok := j.done("acme/app", "ws-2", "then"); !ok || id != "ws-8" {
		t.Error("the line after the cut one is lost")
	}
	if _, ok := j.done("acme/net", "ws-1", "later"); ok {
		t.Error("what changed on the source counts as done")
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
	for _, about := range []string{"a d", "a e"} { // killed before it had anything to remember
		if j, err = OpenJournal(path, about); err != nil {
			t.Fatalf("a journal of nothing is in the way: %v", err)
		}
		_ = j.file.Close()
	}
	if j, err = OpenJournal(path, "a e"); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a journal of nothing stayed: %v", err)
	}
}

// TestTheNextStateComesWhileOneGoes fetches one state ahead of the one on its way, and no more.
func TestTheNextStateComesWhileOneGoes(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 4)
	var list []version
	for _, name := range []string{"a", "b", "c", "d"} {
		list = append(list, version{open: func(context.Context) (io.ReadCloser, error) {
			asked <- name
			return io.NopCloser(strings.NewReader(name)), nil
		}})
	}
	m := &mover{Config: Config{Scratch: t.TempDir()}}
	next, enough := m.ahead(t.Context(), nil, list)
	for i, want := range []string{"a", "b"} {
		came := <-next
		if came.err != nil || came.file.head.String() != want {
			t.Fatalf("%d: %+v", i, came)
		}
		came.close()
	}
	for _, want := range []string{"a", "b", "c"} { // which is there though nobody took it yet
		if got := <-asked; got != want {
			t.Errorf("%s was asked for, not %s", got, want)
		}
	}
	enough()
	if _, more := <-next; more || len(asked) > 0 {
		t.Error("it went on after it was enough")
	}
}
