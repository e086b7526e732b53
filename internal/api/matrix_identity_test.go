package api_test

import (
	"context"

	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/signin"
)

// nobodys is an identity provider that vouches for nobody.
type nobodys struct{ vouchers }

type vouchers = identity.Providers

func (nobodys) Providers() []signin.IdentityProvider {
	return []signin.IdentityProvider{{ID: "example", Name: "Example", Issuer: "https://id.example.com"}}
}

func (nobodys) LogoutToken(context.Context, string, string) (signin.LogoutNotice, error) {
	return signin.LogoutNotice{}, signin.ErrGone
}

const anIdentity = `{"data":{"attributes":{"issuer":"https://id.example.com","subject":"<unique>"}}}`

var identityArea = area{"IDENTITIES, AND THE JOBS OF OTHERS", []row{
	{route: "POST /oauth/back-channel-logout/{provider_id}", open: true, also: []int{400}, uses: func(*world, *role) things { return things{"provider_id": "example"} }},
	{route: "GET /users/{user_id}/identities"},
	{route: "POST /users/{user_id}/identities", body: anIdentity},
	{route: "DELETE /identities/{identity_id}", uses: freshIdentity},
	{route: "POST /workload-identity/token", open: true, also: []int{400}},
	{route: "GET /teams/{team_id}/workload-rules"},
	{route: "POST /teams/{team_id}/workload-rules", apart: true, uses: freshTeam, body: aWorkloadRule},
	{route: "GET /workload-rules/{rule_id}", uses: freshRule},
	{route: "PATCH /workload-rules/{rule_id}", uses: freshRule, body: `{"data":{"attributes":{"token-minutes":30}}}`},
	{route: "DELETE /workload-rules/{rule_id}", uses: freshRule},
}}

func freshIdentity(w *world, _ *role) things {
	return things{"identity_id": w.make("/users/"+w.shared["user_id"]+"/identities", things{}.with(nil).in(anIdentity))}
}

const aWorkloadRule = `{"data":{"attributes":{"name":"ci","issuer":"https://ci.example.com","audience":"belay","claims":{"sub":"repo:acme/*"}}}}`

func freshRule(w *world, _ *role) things {
	return things{"rule_id": w.make("/teams/"+w.shared["team_id"]+"/workload-rules", aWorkloadRule)}
}
