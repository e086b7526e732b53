package access

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// ofMember is what a form says that is about a membership.
func ofMember(id string) []frame.Setting { return []frame.Setting{{Name: "member", Value: id}} }

// resendInvitation has an invitation mailed again.
func resendInvitation(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.Resend(t.Context(), t.Principal, t.PostFormValue("member"))
}

// lookAtRemoval leads to what goes with somebody, before anything does.
func lookAtRemoval(t *frame.OrgVisit) (string, error) {
	return t.Path + "?" + url.Values{"remove": {t.PostFormValue("member")}}.Encode(), nil
}

// removalAlert is what goes with the member that the address asks to take out, and the button that does so.
func removalAlert(t *frame.OrgVisit) ([]frame.Alert, error) {
	id := t.Asked("remove")
	if id == "" {
		return nil, nil
	}
	m, held, err := t.UI.App.Holdings(t.Context(), t.Principal, id)
	if err := Ours(t, m.OrganizationID, err); belay.KindOf(err) == belay.NotFound {
		return nil, nil // gone by now, or never here
	} else if err != nil {
		return nil, err
	}
	name := cmp.Or(m.Username, m.Email)
	return []frame.Alert{{
		Class: "wait", Icon: "alert", Text: name + " is taken out of the organization" + Lost(m.Teams, held),
		Form: &frame.RowForm{Do: "agree", Text: "Remove " + name, Hidden: ofMember(m.ID)},
	}}, nil
}

// Lost says what somebody loses who is taken out or leaves, and what stays.
func Lost(teams []string, held belay.Holdings) (text string) {
	var goes, stays []string
	add := func(list *[]string, n int, one, many string) {
		if n > 0 {
			*list = append(*list, frame.Many(n, one, many))
		}
	}
	if len(teams) > 0 {
		goes = append(goes, frame.Many(len(teams), "team", "teams")+" ("+strings.Join(teams, ", ")+")")
	}
	add(&goes, held.RunTokens, "token for runs", "tokens for runs")
	add(&goes, held.Mails, "notification by mail", "notifications by mail")
	add(&stays, held.Locks, "lock", "locks")
	add(&stays, held.Requests, "change request taken", "change requests taken")
	if len(goes) > 0 {
		text = ". Lost with it: " + strings.Join(goes, ", ")
	}
	if len(stays) > 0 {
		text += ". What stays for others to free: " + strings.Join(stays, ", ")
	}
	return text + "."
}

func dropMember(t *frame.OrgVisit) (string, error) {
	return t.Path, t.UI.App.DeleteMembership(t.Context(), t.Principal, t.PostFormValue("member"))
}
