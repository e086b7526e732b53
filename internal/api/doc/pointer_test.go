package doc

import (
	"errors"
	"testing"

	"github.com/belayhq/belay"
)

func TestPlacesBecomePointers(t *testing.T) {
	t.Parallel()
	for place, want := range map[belay.Place]string{
		"": "", belay.Whole: "/data", "/data/query/type": "/data/query/type",
		"name": "/data/attributes/name", "vcs-repo/identifier": "/data/attributes/vcs-repo/identifier", "#type": "/data/type",
		belay.Related("team"):                          "/data/relationships/team",
		belay.Related("run").ID():                      "/data/relationships/run/data/id",
		belay.RelatedList("tags"):                      "/data/relationships/tags/data",
		belay.RelatedList("tags").Item(3).Field("key"): "/data/relationships/tags/data/3/attributes/key",
		belay.RelatedList("teams").Item(0).ID():        "/data/relationships/teams/data/0/id",
		belay.Whole.Item(2):                            "/data/2",
		belay.Whole.Item(2).ID():                       "/data/2/id",
		belay.Whole.Item(2).Field("key"):               "/data/2/attributes/key",
		belay.Place("/data/tags").Item(1).Field("id"):  "/data/tags/1/id",
	} {
		if got := PointerOf(place); got != want {
			t.Errorf("%s: got %s, want %s", place, got, want)
		}
	}
}

func TestProblemsOfOneOfSeveralStandBelowIt(t *testing.T) {
	t.Parallel()
	problems := belay.Problems{{Place: "key"}, {Place: belay.Whole}, {Place: "#id"}, {Place: belay.Related("team")}}
	for name, moved := range map[string]error{
		"by the domain": belay.Under(belay.Whole.Item(7), problems), "by the door": UnderItem(7, problems),
	} {
		var list belay.Problems
		if !errors.As(moved, &list) || len(list) != len(problems) {
			t.Fatalf("%s: %v", name, moved)
		}
		for i, want := range []string{"/data/7/attributes/key", "/data/7", "/data/7/id", "/data/7/relationships/team"} {
			if got := PointerOf(list[i].Place); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
}
