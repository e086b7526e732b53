package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAServiceThatOnlyAgentsReach: the server may not dial the service, and its webhooks come. A runner of
// the pool through which the connection is reached fetches what was pushed, and the run goes on.
func TestAServiceThatOnlyAgentsReach(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at := "127.0.0.1:" + freePort(t)
			h := &forged{forge: forgetest.New(t)}
			h.server = start(t, engine, "--addr", at, "--public-url", "http://"+at, "--vcs-retry", "200ms", "--runner-slots", "0")
			h.organization("acme")
			pool := h.do("POST", "/organizations/acme/agent-pools", h.Token, `{"data":{"type":"agent-pools","attributes":{"name":"inside"}}}`).want(t, 201).text("data.id")
			token := h.do("POST", "/agent-pools/"+pool+"/authentication-tokens", h.Token, `{"data":{"type":"authentication-tokens","attributes":{"description":"a"}}}`).want(t, 201).text("data.attributes.token")
			folder := t.TempDir()
			h.agentIn(t, folder, token, t.TempDir(), "--accept", "apply", "--allow-private-vcs", "127.0.0.0/8")
			h.forge.Commit("main.tf", "# the first")
			workspace := h.connected("acme", "network")
			client := h.do("GET", "/organizations/acme/oauth-clients", h.Token, "").want(t, 200).text("data.0.id")
			h.do("PATCH", "/oauth-clients/"+client, h.Token, fmt.Sprintf(`{"data":{"type":"oauth-clients","relationships":{"agent-pool":{"data":{"type":"agent-pools","id":%q}}}}}`, pool)).want(t, 200)
			rotated := h.do("POST", "/workspaces/"+workspace+"/actions/rotate-webhook-secret", h.Token, "").want(t, 200)
			hook := forgetest.Hook{URL: rotated.text("data.attributes.webhook-url"), Secret: rotated.text("data.attributes.secret")}
			commit := h.forge.Commit("main.tf", "# pushed")
			if status, err := h.tell(hook, "d-1", forgetest.Push("refs/heads/main", "", commit, "main.tf")); err != nil || status != http.StatusOK {
				t.Fatalf("the hook is answered %d: %v", status, err)
			}
			until := time.Now().Add(patience)
			for {
				list := h.do("GET", "/workspaces/"+workspace+"/configuration-versions", h.Token, "").want(t, 200)
				if strings.Contains(list.Body, `"status":"uploaded"`) {
					break
				}
				if time.Now().After(until) {
					t.Fatalf("the commit did not come: %s\n%s", list.Body, h.do("GET", "/organizations/acme/vcs-events", h.Token, "").Body)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if told := h.do("GET", "/organizations/acme/vcs-events", h.Token, "").Body; !strings.Contains(told, "is left to the agents of pool inside") || strings.Contains(told, forgetest.Token) {
				t.Errorf("what was told: %s", told)
			}
			if strings.Contains(h.logs.String(), forgetest.Token) {
				t.Error("a log holds the token of the connection")
			}
		})
	}
}
