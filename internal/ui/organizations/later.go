package organizations

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// What a home leaves out for a day, as its browser keeps it: marks of things, each with when it is over.
const (
	laterCookie = "belay-later"
	laterLasts  = 24 * time.Hour
	mostLater   = 40
	markLetters = 10
)

// laterMark tells one thing that waits in an organization from all others.
func laterMark(organization, kind, path string) string {
	return belay.HashToken("later:" + organization + " " + kind + " " + path)[:markLetters]
}

// putOff is the things that a browser has put off, by their marks, and when each comes back.
func putOff(v *frame.Visit) map[string]int64 {
	kept := map[string]int64{}
	for _, word := range strings.Split(v.ReadCookie(laterCookie), ".") {
		mark, until, _ := strings.Cut(word, "-")
		at, err := strconv.ParseInt(until, 36, 64)
		if err == nil && len(mark) == markLetters && v.UI.Now().Unix() < at && len(kept) < mostLater {
			kept[mark] = at
		}
	}
	return kept
}

// keepPutOff writes what a browser has put off; the oldest make room for the newest.
func keepPutOff(v *frame.Visit, kept map[string]int64) {
	marks := make([]string, 0, len(kept))
	for mark := range kept {
		marks = append(marks, mark)
	}
	slices.SortFunc(marks, func(a, b string) int { return int(kept[b] - kept[a]) })
	for i, mark := range marks[:min(len(marks), mostLater)] {
		marks[i] = mark + "-" + strconv.FormatInt(kept[mark], 36)
	}
	v.SetCookie(laterCookie, strings.Join(marks[:min(len(marks), mostLater)], "."), int(laterLasts.Seconds()))
}

// leaveOut takes what was put off out of what waits, and the way to the first state where that was.
func (p *homeOfPage) leaveOut(v *frame.Visit) {
	kept := putOff(v)
	p.Inbox = slices.DeleteFunc(p.Inbox, func(row workspaces.InboxRow) bool {
		_, off := kept[laterMark(p.Organization, row.Icon, row.Path)]
		if off {
			p.PutOff++
		}
		return off
	})
	for i := range p.Inbox {
		p.Inbox[i].Later = laterMark(p.Organization, p.Inbox[i].Icon, p.Inbox[i].Path)
	}
	if p.Start == nil {
		return
	}
	p.StartMark = laterMark(p.Organization, "start", "")
	if _, off := kept[p.StartMark]; off {
		p.Start = nil
		p.PutOff++
	}
}

// PutOff leaves one thing out of the home for a day, or shows all again.
func PutOff(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		o, err := v.UI.App.Organization(v.Context(), s, v.PathValue("organization"))
		if err != nil {
			return "", err
		}
		return v.Back(), putOffTyped(v, &o)
	}, func(s belay.Principal, status int, problem string) { showHome(v, s, status, problem) })
}

// putOffTyped does what the form asks for.
func putOffTyped(v *frame.Visit, o *app.OrganizationView) error {
	kept := putOff(v)
	switch mark := v.PostFormValue("later"); {
	case v.PostForm.Has("again"):
		kept = map[string]int64{}
	case len(mark) != markLetters || !plainName.MatchString(mark) || strings.Contains(mark, "-"):
		return belay.Refuse(belay.Invalid, "There is nothing of the kind in %s to be put off.", o.Name)
	default:
		kept[mark] = v.UI.Now().Add(laterLasts).Unix()
	}
	keepPutOff(v, kept)
	return nil
}

// ShowHome shows the home of an organization.
func ShowHome(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showHome(v, s, http.StatusOK, "")
	}
}
