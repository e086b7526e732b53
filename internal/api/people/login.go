package people

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/openapi"
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
		{Method: http.MethodGet, Path: "/.well-known/terraform.json", Status: http.StatusOK, Raw: a.discovery, Open: true, JSON: openapi.Of[services], Does: "Find the services (open to everybody)"},
		{Method: http.MethodPost, Path: tokenPath, Status: http.StatusOK, Raw: a.redeemLogin, Open: true, JSON: openapi.Of[grantedLogin], Grants: true, Does: "Redeem the code of a sign-in (open: the code is the secret)"},
	}
})

// services is where the services of a host are, as the command lines look for them.
type services struct {
	TFE   string        `json:"tfe.v2"`
	TFE1  string        `json:"tfe.v2.1"`
	TFE2  string        `json:"tfe.v2.2"`
	State string        `json:"state.v2"`
	Login loginServices `json:"login.v1"`
}

// loginServices is how a command line signs in a person.
type loginServices struct {
	Client string   `json:"client"`
	Grants []string `json:"grant_types"`
	Page   string   `json:"authz"`
	Token  string   `json:"token"`
	Ports  []int    `json:"ports"`
}

// discovery is where the command lines find the services of a host.
func (a *Verbs) discovery(r *door.Request) error {
	return r.SendJSON(http.StatusOK, services{
		TFE: "/api/v2/", TFE1: "/api/v2/", TFE2: "/api/v2/", State: "/api/v2/",
		Login: loginServices{
			Client: signin.LoginClientID, Grants: []string{"authz_code"}, Page: authorizationPath, Token: tokenPath,
			Ports: []int{signin.LoginFirstPort, signin.LoginLastPort},
		},
	})
}

// grantedLogin is a token that the code of a sign-in was exchanged for.
type grantedLogin struct {
	Token string `json:"access_token"`
	Type  string `json:"token_type"`
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
	return r.SendJSON(http.StatusOK, grantedLogin{Token: token, Type: "bearer"})
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
	return r.SendJSON(status, door.GrantRefusal{Error: refused.Code, Description: refused.Detail})
}
