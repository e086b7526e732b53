package vcs_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/vcs"
)

// TestEveryServiceOfConnectionsIsSpoken holds that a connection that can be made can be used.
func TestEveryServiceOfConnectionsIsSpoken(t *testing.T) {
	t.Parallel()
	for _, service := range services {
		c := forge.NewOAuthClient(belay.Organization{}, time.Now())
		err := c.Apply(forge.OAuthClientPatch{
			ServiceProvider: patch.Of(service), HTTPURL: patch.Of("https://git.example"), APIURL: patch.Of("https://git.example"),
		}, nil, true)
		if err != nil || c.ServiceName() == "" {
			t.Errorf("%s: %v", service, err)
		}
		if _, err := vcs.Open(vcs.Connection{Service: service, HTTPURL: c.HTTPURL, APIURL: c.APIURL}, http.DefaultClient); err != nil {
			t.Errorf("%s: %v", service, err)
		}
	}
}
