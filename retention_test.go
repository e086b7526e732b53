package belay_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

func TestRetentionPolicyBecomes(t *testing.T) {
	t.Parallel()
	sixty := belay.RetentionPolicy{ID: "drp-A000000000000000", Kind: belay.DeleteOlder, Days: 60}
	keep := belay.RetentionPolicy{ID: "drp-B000000000000000", Kind: belay.DontDelete}
	for name, c := range map[string]struct {
		from    belay.RetentionPolicy
		want    belay.RetentionPatch
		kind    belay.RetentionKind
		days    int
		keepsID bool
		place   string
	}{
		"first":             {want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(1)}, kind: belay.DeleteOlder, days: 1},
		"longest":           {want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(36500)}, kind: belay.DeleteOlder, days: 36500},
		"too long":          {want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(36501)}, place: "delete-older-than-n-days"},
		"zero":              {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(0)}, place: "delete-older-than-n-days"},
		"negative":          {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(-1)}, place: "delete-older-than-n-days"},
		"no days":           {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder}, place: "delete-older-than-n-days"},
		"no kind":           {from: sixty, want: belay.RetentionPatch{Days: patch.Of(1)}, place: "#type"},
		"other spelling":    {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder, DaysInline: patch.Of(7)}, kind: belay.DeleteOlder, days: 7, keepsID: true},
		"both spellings":    {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(7), DaysInline: patch.Of(7)}, kind: belay.DeleteOlder, days: 7, keepsID: true},
		"they differ":       {from: sixty, want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(7), DaysInline: patch.Of(8)}, place: "deleteOlderThanNDays"},
		"the legacy type":   {from: sixty, want: belay.RetentionPatch{Kind: belay.LegacyRetention, Days: patch.Of(9)}, kind: belay.DeleteOlder, days: 9, keepsID: true},
		"another kind":      {from: sixty, want: belay.RetentionPatch{Kind: belay.DontDelete, Days: patch.Of(0)}, kind: belay.DontDelete},
		"the same again":    {from: keep, want: belay.RetentionPatch{Kind: belay.DontDelete}, kind: belay.DontDelete, keepsID: true},
		"back to deleting":  {from: keep, want: belay.RetentionPatch{Kind: belay.DeleteOlder, Days: patch.Of(3)}, kind: belay.DeleteOlder, days: 3},
		"back without days": {from: keep, want: belay.RetentionPatch{Kind: belay.DeleteOlder}, place: "delete-older-than-n-days"},
	} {
		got, err := c.from.Become(c.want)
		var problems belay.Problems
		if errors.As(err, &problems) {
			if string(problems[0].Place) != c.place {
				t.Errorf("%s: %v at %s", name, err, problems[0].Place)
			}
			continue
		}
		if c.place != "" || got.Kind != c.kind || got.Days != c.days || (got.ID == c.from.ID) != c.keepsID {
			t.Errorf("%s: %+v", name, got)
		}
		if !regexp.MustCompile(`^drp-[A-Za-z0-9]{16}$`).MatchString(got.ID) {
			t.Errorf("%s: id %s", name, got.ID)
		}
	}
}
