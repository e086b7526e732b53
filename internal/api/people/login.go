package people

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/signin"
)

// Where a command line signs a person in: the page, and the exchange of its code.
const (
	authorizationPath = "/oauth/authorization"
	tokenPath         = "/oauth/token"
)

// maxForm is the most bytes that the form of a command line may have.
const maxForm = 16 << 10

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: "/.well-known/terraform.json", Status: http.StatusOK, Raw: a.discovery, Open: true, Media: "application/json", Does: "Find the services (open to everybody)"},
		{Method: http.MethodPost, Path: tokenPath, Status: http.StatusOK, Raw: a.redeemLogin, Open: true, Media: "application/json", Does: "Redeem the code of a sign-in (open: the code is the secret)"},
	}
})

// discovery is where the command lines find the services of a host.
func (a *Verbs) discovery(r *door.Request) error {
	return r.SendJSON(http.StatusOK, map[string]any{
		"tfe.v2": "/api/v2/", "tfe.v2.1": "/api/v2/", "tfe.v2.2": "/api/v2/", "state.v2": "/api/v2/",
		"login.v1": map[string]any{
			"client": signin.LoginClientID, "grant_types": []string{"authz_code"},
			"authz": authorizationPath, "token": tokenPath,
			"ports": []int{signin.LoginFirstPort, signin.LoginLastPort},
		},
	})
}

// redeemLogin exchanges a code for a token, in the words of RFC 6749: plain JSON, and
// errors of its own form.
func (a *Verbs) redeemLogin(r *door.Request) error {
	r.Writer.Header().Set("Cache-Control", "no-store")
	form, err := form(r)
	if err != nil {
		return refuseGrant(r, err)
	}
	with, err := redemption(r.Request, form)
	if err != nil {
		return refuseGrant(r, err)
	}
	token, err := a.App.RedeemLogin(r.Context(), with)
	if err != nil {
		return refuseGrant(r, err)
	}
	return r.SendJSON(http.StatusOK, map[string]any{"access_token": token, "token_type": "bearer"})
}

// form reads the body as a form. Parameters in the address do not count.
func form(r *door.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(r.Writer, r.Body, maxForm)
	if err := r.ParseForm(); belay.KindOf(err) != belay.Internal {
		return nil, err
	} else if err != nil {
		return nil, &signin.GrantError{Code: "invalid_request", Detail: "the body could not be read as a form"}
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return nil, &signin.GrantError{Code: "invalid_request", Detail: "a parameter is given more than once"}
		}
	}
	return r.PostForm, nil
}

// redemption is what the form asks for. A client may name itself in the form or in the
// header; it has no secret, so both mean the same.
func redemption(hr *http.Request, form url.Values) (with signin.Redemption, err error) {
	with = signin.Redemption{
		Code: form.Get("code"), ClientID: form.Get("client_id"),
		RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"),
	}
	if name, _, ok := hr.BasicAuth(); ok && with.ClientID == "" {
		with.ClientID = name
	}
	switch grant := form.Get("grant_type"); {
	case grant == "":
		return with, &signin.GrantError{Code: "invalid_request", Detail: "grant_type is missing"}
	case grant != "authorization_code":
		return with, &signin.GrantError{Code: "unsupported_grant_type", Detail: "grant_type must be authorization_code"}
	case with.Code == "" || with.RedirectURI == "" || with.Verifier == "":
		return with, &signin.GrantError{Code: "invalid_request", Detail: "code, redirect_uri and code_verifier must be given"}
	case with.ClientID != signin.LoginClientID:
		return with, &signin.GrantError{Code: "invalid_client", Detail: "the client is not known here"}
	}
	return with, nil
}

// refuseGrant answers a refusal of a grant; every other error goes the usual way.
func refuseGrant(r *door.Request, err error) error {
	var refused *signin.GrantError
	if !errors.As(err, &refused) {
		return err
	}
	status := http.StatusBadRequest
	if refused.Code == "invalid_client" {
		status = http.StatusUnauthorized
		r.Writer.Header().Set("WWW-Authenticate", `Basic realm="Belay"`)
	}
	return r.SendJSON(status, map[string]any{"error": refused.Code, "error_description": refused.Detail})
}
