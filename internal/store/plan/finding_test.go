package plan

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/store/base"
)

// TestWhoAsksTheSameWaitsForWhoLooks: of those who ask for the same at once one looks; where that one leaves the next does,
// where it fails all are told, and nothing is kept of either.
func TestWhoAsksTheSameWaitsForWhoLooks(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		leaves, fails bool
		looked, told  int32
	}{"finds": {looked: 1, told: 8}, "leaves": {leaves: true, looked: 2, told: 7}, "fails": {fails: true, looked: 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFinding[string, int](1)
				var looked, told atomic.Int32
				release := make(chan struct{})
				first, leave := context.WithCancel(t.Context())
				defer leave()
				look := func(ctx context.Context) func() (int, bool, error) {
					return func() (int, bool, error) {
						if looked.Add(1) > 1 {
							return 42, true, nil
						}
						select {
						case <-release:
						case <-ctx.Done():
							return 0, true, ctx.Err()
						}
						if c.fails {
							return 0, true, failed
						}
						return 42, true, nil
					}
				}
				for i := range 8 {
					ctx := t.Context()
					if i == 0 {
						ctx = first
					}
					go func() {
						found, _, err := f.share(ctx, "all", look(ctx))
						if err == nil && found == 42 {
							told.Add(1)
						}
						if (err != nil) != (c.fails || c.leaves && i == 0) {
							t.Errorf("number %d was told %v", i, err)
						}
					}()
					synctest.Wait()
				}
				impatient, stop := context.WithCancel(t.Context())
				go func() {
					if _, _, err := f.share(impatient, "all", look(impatient)); !errors.Is(err, context.Canceled) {
						t.Errorf("who left was told %v", err)
					}
				}()
				synctest.Wait()
				stop()
				synctest.Wait()
				if c.leaves {
					leave()
				} else {
					close(release)
				}
				synctest.Wait()
				if told := told.Load(); told != c.told {
					t.Errorf("%d were told what was found, and should be %d", told, c.told)
				}
				if found, _, err := f.share(t.Context(), "all", look(t.Context())); found != 42 || err != nil || looked.Load() != c.looked {
					t.Errorf("%d and %v later, and %d looked, and should be %d", found, err, looked.Load(), c.looked)
				}
			})
		})
	}
}

// TestSumsStandWhileNothingMoves: how many resources there are is not counted again after a minute where neither a workspace
// nor what it has came, changed or went.
func TestSumsStandWhileNothingMoves(t *testing.T) {
	t.Parallel()
	db := NewDB(base.DB{})
	v := &View{db: &db}
	o, q := belay.Organization{ID: "org-a", Generation: 3, FactsGeneration: 5}, new(query).Add("SELECT 1")
	db.spreads.Add("still:5:"+countKey(o, q), spread{time.Now().Add(-10 * sumFor), []belay.WorkspaceGroup{{Count: 7}}})
	if groups, err := v.sumsOf(o, q); err != nil || len(groups) != 1 || groups[0].Count != 7 {
		t.Errorf("what stands is counted: %v, %v", groups, err)
	}
	o.FactsGeneration++
	db.spreads.Add(o.ID+":"+q.Key(), spread{time.Now().Add(-sumFor / 2), []belay.WorkspaceGroup{{Count: 8}}})
	if groups, err := v.sumsOf(o, q); err != nil || len(groups) != 1 || groups[0].Count != 8 {
		t.Errorf("what moved lately is counted within the minute: %v, %v", groups, err)
	}
	if _, stands := v.keptSpread("still:6:"+countKey(o, q), stillFor); stands {
		t.Error("what may be older than the last move stands for it")
	}
}
