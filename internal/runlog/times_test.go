package runlog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/run"
)

// wantTimes expects at which bytes it is known when they came, in milliseconds after a moment.
func (h *house) wantTimes(began int64, want ...[2]int64) {
	h.t.Helper()
	list, err := h.Times(h.t.Context(), h.run.Plan.ID)
	h.must(err)
	var got [][2]int64
	for _, t := range list {
		after := int64(-1)
		if !t.Came.IsZero() {
			after = t.Came.UnixMilli() - began
		}
		got = append(got, [2]int64{t.At, after})
	}
	if !slices.Equal(got, want) {
		h.t.Fatalf("times are %v, want %v", got, want)
	}
}

// TestWhenALogCame is known of pieces that came a second apart, whoever took them, and stays known.
func TestWhenALogCame(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.wantTimes(0)
		h.begin()
		h.wantTimes(0)
		began := h.clock.Load()
		at := int64(0)
		for _, step := range []int64{0, 500, 700, 400} {
			h.clock.Add(step)
			h.send(h.Room, at, "line\n", true, at+5)
			at += 5
			h.clock.Add(50) // when it is written does not matter
			h.must(h.Flush(t.Context()))
		}
		h.wantTimes(began, [2]int64{1, 0}, [2]int64{11, 1300})
		h.clock.Add(300)
		h.send(h.other, at, "elsewhere\n", true, at+10)
		h.must(h.other.Flush(t.Context()))
		want := [][2]int64{{1, 0}, {11, 1300}, {21, 2100}}
		h.wantTimes(began, want...)
		h.end("")
		h.must(h.Pour(t.Context()))
		h.wantTimes(began, want...)
	})
}

// TestWhenAShortLogCame is known too, of what came before its end and of what came with it.
func TestWhenAShortLogCame(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.short = 100
		h.Room = h.build()
		h.begin()
		began := h.clock.Load()
		h.send(h.Room, 0, "one\n", true, 4)
		h.must(h.Flush(t.Context()))
		h.clock.Add(3000)
		h.must(h.endWith(0, "one\ntwo\n", ""))
		h.wantTimes(began, [2]int64{1, 0}, [2]int64{5, 3000})
	})
}

// TestWhenALongLogCame is known up to where its middle was left out.
func TestWhenALongLogCame(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		began := h.clock.Load()
		h.send(h.Room, 0, strings.Repeat("x", limit/2-10), true, limit/2-10)
		h.must(h.Flush(t.Context()))
		h.clock.Add(5000)
		h.send(h.Room, limit/2-10, strings.Repeat("y", 2*limit), true, limit/2-10+2*limit)
		h.must(h.Flush(t.Context()))
		h.clock.Add(5000)
		h.must(h.endWith(limit/2-10+2*limit, "the end\n", ""))
		h.wantTimes(began, [2]int64{1, 0}, [2]int64{limit/2 - 9, 5000}, [2]int64{limit/2 + 1, -1})
	})
}

// TestWhenALogCameThatGoesOnForHours is noted seldom towards its end.
func TestWhenALogCameThatGoesOnForHours(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.begin()
		for at := range int64(900) {
			h.clock.Add(int64(time.Minute / time.Millisecond))
			h.send(h.Room, at, "x", true, at+1)
			h.must(h.Flush(t.Context()))
		}
		list, err := h.Times(t.Context(), h.run.Plan.ID)
		h.must(err)
		for i := 1; i < len(list); i++ {
			if list[i].At <= list[i-1].At || list[i].Came.Before(list[i-1].Came) {
				t.Fatalf("%v comes after %v", list[i], list[i-1])
			}
		}
		if len(list) < 500 || len(list) > 900 {
			t.Errorf("%d times of 900 pieces a minute apart", len(list))
		}
		if got := run.LogTimesOf("7:1000 x 8: :9 10:2000"); len(got) != 2 || got[1].At != 10 {
			t.Errorf("read as %v", got)
		}
	})
}
