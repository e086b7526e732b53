package workspaces

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/ui/logtext"
	"github.com/belayhq/belay/run"
)

func shownWorks(rows []workBar) string {
	var got []string
	for _, bar := range rows {
		got = append(got, fmt.Sprint(bar.Name, " ", bar.Took, " ", bar.State == ""))
	}
	return strings.Join(got, "|")
}

func TestWhatAnApplyWorksOn(t *testing.T) {
	t.Parallel()
	w := newWorks()
	scan := logtext.Scan{Line: w.take}
	scan.Take([]byte("\x02a.one: Creating...\n\x1b[1ma.two[\"x: y\"]: Destroying... [id=1]\x1b[0m\na.three: Modifying... [id=2]\n" +
		"a.three: Still modifying... [id=2, 00m10s elapsed]\na.one: Creation complete after 1m12s [id=3]\na.one: nothing\nApply complete! a: Creating\n"))
	for goesOn, want := range map[bool]string{true: "a.three 10 s false|a.two[\"x: y\"] 0 s false|a.one 1 min 12 s true", false: "a.one 1 min 12 s true|a.three 10 s false|a.two[\"x: y\"] 0 s false"} {
		if got := shownWorks(w.bars(goesOn, time.Time{}, time.Time{})); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhatIsStillToComeOfAnApply reads a log whose lines came at known times: what is at work has taken
// until now, a piece that came late tells of before, and what the plan names beyond it waits.
func TestWhatIsStillToComeOfAnApply(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	w := newWorks()
	early, late := "a.one: Creating...\na.two: Modifying... [id=1]\na.two: Still modifying... [id=1, 10s elapsed]\n", "a.one: Creation complete after 14s\na.three: Destroying...\n"
	scan := logtext.Scan{Line: w.take, Times: []run.LogTime{{At: 0, Came: began.Add(12 * time.Second)}, {At: int64(len(early)), Came: began.Add(15 * time.Second)}}}
	scan.Take([]byte(early + late))
	r := runs.View{Run: run.Run{Status: run.Applying, Stamps: run.Stamps{run.Applying: began}}}
	r.Plan.Counts = run.Counts{Additions: 2, Changes: 1, Destructions: 2}
	part := w.show(&r, []string{"a.one", "a.four", "a.two"}, began.Add(30*time.Second))
	if got, want := shownWorks(part.Rows), "a.one 14 s true|a.two 28 s false|a.three 15 s false|a.four waits true"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if part.Title != "1 of 5 changes" || part.Beside != "2 at work" || !strings.Contains(string(part.Bar), `class="p0" x="0.00" width="20.00"`) || !strings.Contains(string(part.Bar), `class="p1" x="20.00" width="40.00"`) {
		t.Errorf("%q, %q, %s", part.Title, part.Beside, part.Bar)
	}
	if bar := string(part.Rows[2].Bar); !strings.Contains(bar, `class="p1" x="50.00" width="50.00"`) { // from the middle of these 30 s to now
		t.Error(bar)
	}
	r.Status = run.Applied
	if over := w.show(&r, []string{"a.four"}, began.Add(time.Hour)); over.Title != "What took longest" || over.Bar != "" || strings.Contains(shownWorks(over.Rows), "a.four") {
		t.Errorf("%+v", over)
	}
	if empty := newWorks().show(&r, []string{"a.four"}, began); empty != nil {
		t.Errorf("%+v", empty)
	}
}
