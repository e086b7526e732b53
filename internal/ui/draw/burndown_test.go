package draw_test

import (
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/ui/draw"
)

func TestBurnDown(t *testing.T) {
	t.Parallel()
	if got := draw.BurnDown(draw.Burn{}); got != "" {
		t.Errorf("nothing is drawn as %s", got)
	}
	for name, want := range map[string]struct {
		burn   draw.Burn
		has    []string
		hasNot []string
	}{
		"only what was": {draw.Burn{Label: `"<b>`, Left: []int{9, 5}, Due: -1, First: "<i>"}, []string{`aria-label="&#34;&lt;b&gt;"`, "&lt;i&gt;", `class="line"`}, []string{"ideal", "ahead"}},
		"until a day":   {draw.Burn{Left: []int{9, 5}, Due: 10}, []string{`class="ideal"`}, []string{"ahead"}},
		"at its pace":   {draw.Burn{Left: []int{9, 5}, Due: 3, Pace: 1}, []string{`class="ahead" d="M237.3 94.9L624.0 135.3"`}, nil},
		"all is done":   {draw.Burn{Left: []int{9, 0}, Due: -1, Pace: 9}, nil, []string{"ahead"}},
	} {
		got := string(draw.BurnDown(want.burn))
		for _, part := range want.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %s: %s", name, part, got)
			}
		}
		for _, part := range want.hasNot {
			if strings.Contains(got, part) {
				t.Errorf("%s has %s: %s", name, part, got)
			}
		}
	}
}
