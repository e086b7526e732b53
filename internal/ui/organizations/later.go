package organizations

import (
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// markLetters is how long the mark of a thing is that can be put off.
const markLetters = 10

// laterMark tells one thing that waits in an organization from all others.
func laterMark(organization, kind, path string) string {
	return belay.HashToken("later:" + organization + " " + kind + " " + path)[:markLetters]
}

// leaveOut takes what was put off out of what waits, and the way to the first state where that was.
func (p *homeOfPage) leaveOut() {
	p.Inbox = slices.DeleteFunc(p.Inbox, func(row workspaces.InboxRow) bool {
		off := p.kept[laterMark(p.Organization, row.Icon, row.Path)]
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
	if p.kept[p.StartMark] {
		p.Start = nil
		p.PutOff++
	}
}

// PutOff leaves one thing out of the home for a day, or shows all again.
func PutOff(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		organization, mark := v.PathValue("organization"), v.PostFormValue("later")
		if _, err := v.UI.App.Organization(v.Context(), s, organization); err != nil {
			return "", err
		}
		if v.PostForm.Has("again") {
			mark = ""
		} else if len(mark) != markLetters || !plainName.MatchString(mark) || strings.Contains(mark, "-") {
			return "", belay.Refuse(belay.Invalid, "There is nothing of the kind in %s to be put off.", organization)
		}
		return v.Back(), v.UI.App.ChangePutOff(v.Context(), s, organization, mark)
	}, func(s belay.Principal, status int, problem string) { showHome(v, s, status, problem) })
}

// ShowStart shows the way to a first state, however far one is.
func ShowStart(v *frame.Visit) {
	v.Redirect(frame.OrganizationHomePath(v.PathValue("organization")) + "?start")
}

// ShowHome shows the home of an organization.
func ShowHome(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showHome(v, s, http.StatusOK, "")
	}
}
