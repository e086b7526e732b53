package access

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// LookAtEnd shows which token is to end, and when it was used last, before anything is done.
func LookAtEnd(t *frame.OrgVisit) (string, error) {
	return t.Here() + "?" + url.Values{"end": {t.PostFormValue("token")}}.Encode(), nil
}

// EndToken ends a token.
func EndToken(t *frame.OrgVisit) (string, error) {
	return t.Here(), t.UI.App.DeleteToken(t.Context(), t.Principal, t.PostFormValue("token"))
}

// EndAlert is the token that the address asks to end, and the button that does so.
func EndAlert(t *frame.OrgVisit) ([]frame.Alert, error) {
	id := t.Asked("end")
	if id == "" {
		return nil, nil
	}
	token, err := t.UI.App.Token(t.Context(), t.Principal, id)
	if err := Ours(t, token.OrganizationID, err); belay.KindOf(err) == belay.NotFound {
		return nil, nil // gone by now, or never here
	} else if err != nil {
		return nil, err
	}
	return []frame.Alert{{
		Class: "wait", Icon: "alert", Text: frame.EndText(&token, t.UI.Now()),
		Form: &frame.RowForm{Do: "agree-end", Text: "End it", Hidden: []frame.Setting{{Name: "token", Value: token.ID}}},
	}}, nil
}
