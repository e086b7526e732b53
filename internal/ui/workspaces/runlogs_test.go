package workspaces

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/ui/logtext"
)

func TestWhatAnApplyWorksOn(t *testing.T) {
	t.Parallel()
	w := newWorks()
	scan := logtext.Scan{Line: w.take}
	scan.Take([]byte("\x02a.one: Creating...\n\x1b[1ma.two[\"x: y\"]: Destroying... [id=1]\x1b[0m\na.three: Modifying... [id=2]\n" +
		"a.three: Still modifying... [id=2, 00m10s elapsed]\na.one: Creation complete after 1m12s [id=3]\na.one: nothing\nApply complete! a: Creating\n"))
	for goesOn, want := range map[bool]string{true: "a.three 10 s false|a.two[\"x: y\"] 0 s false|a.one 1 min 12 s true", false: "a.one 1 min 12 s true|a.three 10 s false|a.two[\"x: y\"] 0 s false"} {
		var got []string
		for _, bar := range w.bars(goesOn) {
			got = append(got, fmt.Sprint(bar.Name, " ", bar.Took, " ", bar.Done))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
