package backlog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func user(name string) belay.Principal {
	return belay.Principal{Kind: belay.UserPrincipal, ID: "user-" + name, Name: name}
}

// refused wants a refusal of a kind; Internal: none.
func refused(t *testing.T, err error, kind belay.Kind) {
	t.Helper()
	if got := belay.KindOf(err); kind == belay.Internal && err != nil || kind != belay.Internal && got != kind {
		t.Errorf("it came to %v, of the kind %d instead of %d", err, got, kind)
	}
}

func TestAChangeRequestHasOneAssignee(t *testing.T) {
	t.Parallel()
	var c backlog.ChangeRequest
	refused(t, c.Take(belay.Principal{Kind: belay.TeamPrincipal}, noon), belay.Forbidden)
	refused(t, c.Take(user("ann"), noon), belay.Internal)
	refused(t, c.Take(user("ann"), noon.Add(time.Hour)), belay.Internal)
	if !c.AssignedAt.Equal(noon) {
		t.Error("who has it already took it once more")
	}
	refused(t, c.Take(user("bob"), noon), belay.Conflict)
	c.AssigneeName = "" // of an account that was deleted
	refused(t, c.Take(user("bob"), noon), belay.Internal)
	refused(t, c.Release(noon), belay.Internal)
	if c.AssigneeID != "" || !c.AssignedAt.IsZero() {
		t.Errorf("released, it is still %+v", c)
	}
	refused(t, c.Archive("user-ann", noon), belay.Internal)
	refused(t, c.Archive("user-bob", noon), belay.BadRequest)
	refused(t, c.Take(user("bob"), noon), belay.BadRequest)
	refused(t, c.Release(noon), belay.BadRequest)
	if c.ArchivedBy != "user-ann" {
		t.Errorf("it was archived by %s", c.ArchivedBy)
	}
}

func TestRemindersAreAnHourApart(t *testing.T) {
	t.Parallel()
	b := backlog.BulkAction{OpenCount: 2}
	refused(t, b.Remind(noon), belay.Internal)
	refused(t, b.Remind(noon.Add(backlog.RemindEvery-time.Second)), belay.Conflict)
	refused(t, b.Remind(noon.Add(backlog.RemindEvery)), belay.Internal)
	b.OpenCount = 0
	refused(t, b.Remind(noon.Add(24*time.Hour)), belay.Conflict)
}

func TestWordsOfABulkAction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ subject, message, wrong string }{
		"plain":                 {" Upgrade ", "line\r\n\tline", ""},
		"the longest":           {strings.Repeat("ä", 255), strings.Repeat("ä", 65535), ""},
		"nothing":               {" ", "\n", "subject message"},
		"too long":              {strings.Repeat("a", 256), strings.Repeat("a", 65536), "subject message"},
		"more than a line":      {"a\nb", "m", "subject"},
		"a break of paragraphs": {"a\u2029b", "m", "subject"},
		"a bell":                {"a", "m\a", "message"},
	} {
		b := backlog.BulkAction{Subject: c.subject, Message: c.message}
		var problems belay.Problems
		b.CheckWords(&problems, belay.Whole)
		var wrong []string
		for _, p := range problems {
			wrong = append(wrong, string(p.Place)[strings.LastIndexAny(string(p.Place), "/.")+1:])
		}
		if got := strings.Join(wrong, " "); got != c.wrong {
			t.Errorf("%s: wrong are %q, want %q (%v)", name, got, c.wrong, problems)
		}
		if c.wrong == "" && b.Subject != strings.TrimSpace(c.subject) {
			t.Errorf("%s: the subject is %q", name, b.Subject)
		}
	}
}

func TestPaceOfACampaign(t *testing.T) {
	t.Parallel()
	c := backlog.Campaign{}
	c.CreatedAt = noon.AddDate(0, 0, -2)
	c.Days = []backlog.CampaignDay{{Day: noon.AddDate(0, 0, -1), Archived: 3}, {Day: noon.AddDate(0, 0, -30), Archived: 99}}
	if pace, ok := c.Pace(7, noon); !ok || pace != 1.5 {
		t.Errorf("three in two days are %v a day, %v", pace, ok)
	}
	c.Days[0].Archived = 2
	if _, ok := c.Pace(7, noon); ok {
		t.Error("two say how fast it goes")
	}
}
