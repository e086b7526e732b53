package organizations

import (
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// takes says whether a home tells of one more of a kind that waits: so many, and what was put off, which takes no place.
func (p *homeOfPage) takes(n *int, icon, path string) bool {
	if p.kept[frame.LaterMark(p.Organization, icon, path)] {
		return true
	}
	*n++
	return *n <= frame.InboxOfKind
}

// leaveOut takes what was put off out of what waits, and the way to the first state where that was.
func (p *homeOfPage) leaveOut() {
	p.Inbox = slices.DeleteFunc(p.Inbox, func(row workspaces.InboxRow) bool {
		off := p.kept[frame.LaterMark(p.Organization, row.Icon, row.Path)]
		if off {
			p.PutOff++
		}
		return off
	})
	for i := range p.Inbox {
		p.Inbox[i].Later = frame.LaterMark(p.Organization, p.Inbox[i].Icon, p.Inbox[i].Path)
	}
	if p.Start == nil {
		return
	}
	p.StartMark = frame.LaterMark(p.Organization, "start", "")
	if p.kept[p.StartMark] {
		p.Start = nil
		p.PutOff++
	}
}

// PutOff leaves one thing out of the home for a day, or shows all again.
func PutOff(v *frame.Visit) {
	v.Submitted(func(s belay.Principal) (string, error) {
		organization, mark := v.PathValue("organization"), v.PostFormValue("later")
		o, err := v.UI.App.Organization(v.Context(), s, organization)
		if err != nil {
			return "", err
		}
		if v.PostForm.Has("again") {
			mark = ""
		} else if len(mark) != frame.MarkLetters || !plainName.MatchString(mark) || strings.Contains(mark, "-") {
			return "", belay.Refuse(belay.Invalid, "There is nothing of the kind in %s to be put off.", organization)
		}
		err = v.UI.App.ChangePutOff(v.Context(), s, organization, mark)
		v.ForgetSide(o.ID)
		return v.Back(), err
	}, func(s belay.Principal, status int, problem string) { showHome(v, s, status, problem) })
}

// ShowStart shows the way to a first state, however far one is.
func ShowStart(v *frame.Visit) {
	to := frame.OrganizationHomePath(v.PathValue("organization")) + "?start"
	if name := nameAsked(v); name != "" {
		to += "&name=" + name
	}
	v.Redirect(to)
}

// ShowHome shows the home of an organization.
func ShowHome(v *frame.Visit) {
	if s, ok := v.SignedIn(); ok {
		showHome(v, s, http.StatusOK, "")
	}
}
