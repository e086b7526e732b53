package app

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/state"
)

// counted is a store that counts the bytes that are read of it.
type counted struct {
	blob.Store
	read atomic.Int64
}

func (c *counted) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	rc, err := c.Store.Get(ctx, key)
	return countedFile{rc, &c.read}, err
}

type countedFile struct {
	io.ReadCloser
	read *atomic.Int64
}

func (f countedFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.read.Add(int64(n))
	return n, err
}

// TestWhatIsReadOfALargeState: its file once for all steps through its tree, once for each resource that
// is opened, and once for each value that is looked for; but none of it in the database.
func TestWhatIsReadOfALargeState(t *testing.T) {
	eachAging(t, func(t *testing.T, a *aging) {
		const n = 20_000
		files := &counted{Store: a.blobs}
		a.App = New(Config{DB: a.db, Ring: a.ring, Blobs: files, Now: a.now})
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s{"module":"module.m%d","mode":"managed","type":"aws_thing","name":"n%d","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[{"attributes":{"id":"i-%d","arn":"arn:aws:thing::%d","tags":{"env":"prod","team":"net"},"password":"p-%d"}}]}`,
				map[bool]string{true: ","}[i > 0], i%40, i, i, i, i)
		}
		file := `{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":"l","outputs":{},"resources":[` + b.String() + `]}`
		ref := a.workspace("big", 0)
		a.lock(ref)
		_, err := a.bring(ref, 1, file)
		a.must(err)
		a.unlock(ref)
		step := func(what string, most int64, do func() error) {
			t.Helper()
			before, began := files.read.Load(), time.Now()
			a.must(do())
			got := files.read.Load() - before
			t.Logf("%s: %d KiB of %d KiB in %v", what, got>>10, len(file)>>10, time.Since(began).Round(time.Millisecond))
			if got > most {
				t.Errorf("%s reads %d bytes, at most %d are expected", what, got, most)
			}
		}
		whole := int64(len(file)) + int64(len(file))/50 // with what seals it
		var o state.StateOutline
		outline := func() (err error) {
			if o, err = a.StateOutline(t.Context(), a.admin, ref, 1); err == nil && len(o.Rows) != n {
				t.Errorf("%d rows", len(o.Rows))
			}
			return err
		}
		step("the tree", whole, outline)
		for range 5 {
			step("the tree again", 0, outline)
		}
		row, _ := o.Row("module.m7.aws_thing.n47")
		step("one resource", whole, func() error {
			holds, err := a.StateObject(t.Context(), &o, row, 400)
			if len(holds.List) != 5 {
				t.Errorf("it holds %v", holds.List)
			}
			return err
		})
		for text, want := range map[string]int{"i-19999": 1, "p-19999": 0, "nowhere": 0, "prod": n} {
			step("a search for "+text, whole, func() error {
				found, err := a.StateHolding(t.Context(), &o, text)
				if len(found) != want {
					t.Errorf("%q is found %d times", text, len(found))
				}
				return err
			})
		}
	})
}
