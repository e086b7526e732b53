package belay

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTagNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"prod": "prod", "PROD": "prod", "a": "a", "9": "9", "aws:eu-1_x": "aws:eu-1_x",
		"": "", "-a": "", "a-": "", ":": "", "a b": "", "a.b": "", "ä": "", "a\n": "",
		strings.Repeat("x", 255): strings.Repeat("x", 255), strings.Repeat("x", 256): "",
	} {
		refs, err := CheckTagRefs([]TagRef{{Name: name}}, Whole)
		if want == "" {
			if KindOf(err) != Invalid {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if err != nil || refs[0].Name != want {
			t.Errorf("%q became %v, %v", name, refs, err)
		}
	}
	refs, err := CheckTagRefs([]TagRef{{Name: "A"}, {Name: "a"}, {ID: "tag-1", Name: "!"}, {ID: "tag-1"}}, Whole)
	if err != nil || !slices.Equal(refs, []TagRef{{Name: "a"}, {ID: "tag-1"}}) {
		t.Errorf("repetitions are not folded, or the id does not win: %v, %v", refs, err)
	}
	if _, err := CheckTagRefs(make([]TagRef, MaxListed+1), Whole); KindOf(err) != Invalid {
		t.Errorf("more than %d: %v", MaxListed, err)
	}
}

func TestWearAndShed(t *testing.T) {
	t.Parallel()
	w := Workspace{TagNames: []string{"b", "d"}}
	if added := w.Wear([]string{"d", "c", "a", "c"}); !slices.Equal(added, []string{"a", "c"}) || !slices.Equal(w.TagNames, []string{"a", "b", "c", "d"}) {
		t.Errorf("added %q, now %q", added, w.TagNames)
	}
	if removed := w.Shed([]string{"x", "c", "a"}); !slices.Equal(removed, []string{"a", "c"}) || !slices.Equal(w.TagNames, []string{"b", "d"}) {
		t.Errorf("removed %q, now %q", removed, w.TagNames)
	}
	if w.Shed([]string{"b", "d"}); w.TagNames != nil {
		t.Errorf("the last tag left %q behind", w.TagNames)
	}
}

func TestBindingsMergeAndReplace(t *testing.T) {
	t.Parallel()
	now := time.Now()
	before := TagBindings{{ID: "tb-1", Key: "env", Value: "dev"}, {ID: "tb-2", Key: "team", Value: "net"}}
	asked := TagBindings{{Key: "owner", Value: "ann"}, {Key: "env", Value: "prod"}}
	merged := before.Merged(asked, now)
	if len(merged) != 3 || merged[0].Key != "owner" || merged[1].ID != "tb-1" || merged[1].Value != "prod" || merged[2].ID != "tb-2" {
		t.Errorf("merged: %+v", merged)
	}
	if changed, gone := merged.Beyond(before), before.Without(merged); len(changed) != 2 || gone != nil {
		t.Errorf("merged: changed %+v, gone %q", changed, gone)
	}
	replaced := before.Replaced(asked, now)
	if gone := before.Without(replaced); len(replaced) != 2 || !slices.Equal(gone, []string{"team"}) {
		t.Errorf("replaced: %+v, gone %q", replaced, gone)
	}
	if same := before.Replaced(TagBindings{{Key: "team", Value: "net"}}, now).Beyond(before); same != nil {
		t.Errorf("what has not changed is written: %+v", same)
	}
}

func TestFixedKeysHoldBackNewValuesOnly(t *testing.T) {
	t.Parallel()
	before := TagBindings{{Key: "env", Value: "prod"}}
	for value, ok := range map[string]bool{"prod": true, "dev": false} {
		asked := TagBindings{{Key: "env", Value: value}}
		if err := CheckTagBindings(asked, before, asked, []string{"env"}, Whole); (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
	}
}
