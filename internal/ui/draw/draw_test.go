package draw_test

import (
	"testing"

	"github.com/belayhq/belay/internal/ui/draw"
)

func TestPictures(t *testing.T) {
	t.Parallel()
	for name, picture := range map[string]struct{ got, want string }{
		"bar": {string(draw.Bar("strip", `a "b" <c>`, 4, draw.Part{Of: 3, Fill: "p0"}, draw.Part{Of: 0, Fill: "p1"}, draw.Part{Of: 1, Fill: "p3"})),
			`<svg class="strip" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="a &#34;b&#34; &lt;c&gt;"><rect class="track" width="100" height="8"/>` +
				`<rect class="p0" x="0.00" width="75.00" height="8"/><rect class="p3" x="75.00" width="25.00" height="8"/></svg>`},
		"bar of nothing": {string(draw.Bar("meter", "", 0, draw.Part{Of: 1, Fill: "p0"})),
			`<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/></svg>`},
		"squares": {string(draw.Squares("1 of 3", 1, 3)),
			`<svg class="squares" width="36" height="11" viewBox="0 0 36 11" role="img" aria-label="1 of 3"><path class="p1" d="M1 1h9v9h-9z"/><path class="free" d="M13 1h9v9h-9zM25 1h9v9h-9z"/></svg>`},
		"no square":    {string(draw.Squares("", 0, 0)), ""},
		"spark of one": {string(draw.Spark("x", []int{1})), ""},
		"spark": {string(draw.Spark("x", []int{1, 3, 2})),
			`<svg class="spark" viewBox="0 0 160 24" preserveAspectRatio="none" role="img" aria-label="x"><polygon class="area" points="0,24 0.0,22.5 80.0,1.5 160.0,12.0 160,24"/>` +
				`<polyline points="0.0,22.5 80.0,1.5 160.0,12.0" vector-effect="non-scaling-stroke"/></svg>`},
		"history of one": {string(draw.History("x", "", []draw.Past{{Value: 1}}, 0, 0)), ""},
		"history": {string(draw.History("x", "2 <of>", []draw.Past{{0, "#1", "#1: 0", "/1"}, {2, "#2", "", ""}}, 1, -1)),
			`<svg class="chart history" viewBox="0 -8 1000 144" role="group" aria-label="x"><path class="grid" d="M8 24h984M8 67h984M8 110h984"/><polygon class="area" points="8,110 8.0,110.0 992.0,24.0 992,110"/>` +
				`<polyline class="line" points="8.0,110.0 992.0,24.0"/><text x="8" y="130">#1</text><text x="992" y="130" text-anchor="end">#2</text><text x="992" y="12" text-anchor="end">2 &lt;of&gt;</text>` +
				`<a href="/1" aria-label="#1: 0"><title>#1: 0</title><circle class="pt" cx="8.0" cy="110.0" r="4"/></a><path class="pick" d="M992.0 24.0V110"/><circle class="pt on" cx="992.0" cy="24.0" r="6"/></svg>`},
		"heat": {string(draw.Heat("x", []int{0, 1, 4}, 2)),
			`<svg class="heat" width="18" height="19" viewBox="0 0 18 19" role="img" aria-label="x"><path class="h0" d="M1 1h7v7h-7z"/><path class="h1" d="M1 10h7v7h-7z"/><path class="h4" d="M10 1h7v7h-7z"/></svg>`},
	} {
		if picture.got != picture.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, picture.got, picture.want)
		}
	}
}
