package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/storetest"
)

// TestWhatAServiceToldIsWorkedOnAgain has a push come while the service does not answer: the page of the connection says
// so, and a click makes the run that the push is for, once.
func TestWhatAServiceToldIsWorkedOnAgain(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := &forged{forge: forgetest.New(t)}
			at := "127.0.0.1:" + freePort(t)
			h.server = start(t, engine, "--addr", at, "--public-url", "http://"+at, "--allow-private-vcs", "127.0.0.0/8")
			id := h.people()
			h.forge.Commit("main.tf", "# the first")
			client, token := h.connect("acme", tfe.ServiceProviderType("gitea"), func(o *tfe.OAuthClientCreateOptions) {
				o.HTTPURL, o.APIURL, o.OAuthToken = tfe.String(h.forge.URL), tfe.String(h.forge.URL+"/api/v1"), tfe.String(forgetest.Token)
			})
			h.do("PATCH", "/workspaces/"+id, h.Token, `{"data":{"type":"workspaces","attributes":{"queue-all-runs":true,"vcs-repo":{"identifier":"`+forgetest.Repository+`","oauth-token-id":"`+token+`"}}}}`).want(t, 200)
			h.eventually(func() bool {
				h.forge.Lock()
				defer h.forge.Unlock()
				h.hook = h.forge.Hooks["1"]
				return h.hook.URL != "" && len(h.runs("network")) == 1
			}, "the hook and the first run")

			page := "/app/acme/connections/" + client
			owner := h.signIn("olga")
			h.eventually(func() bool { return strings.Contains(owner.get(page).Body, "made run run-") }, "what became of the first word is written down")
			owner.get(page).want(t, 200).has(t, "What it told", "workspace network was connected").inert(t)
			commit := h.forge.Commit("main.tf", "# the second")
			push := forgetest.Push("refs/heads/main", "", commit, "main.tf")
			delete(push["repository"].(map[string]any), "default_branch") // so that the service is asked
			h.down(true)
			if status, err := h.tell(h.hook, "the-push", push); err != nil || status != http.StatusOK {
				t.Fatalf("the push: %d, %v", status, err)
			}
			told := "push of " + commit[:12] + " to &#34;main&#34;"
			h.eventually(func() bool { return strings.Contains(owner.get(page).Body, "the default branch: ") }, "the push fails") // which is said later than that it is tried again
			owner.get(page).has(t, told, "tried again", "Redeliver")
			list := "/oauth-clients/" + client + "/deliveries"
			first := h.do("GET", list, h.Token, "").want(t, 200)
			if first.text("data.0.attributes.status") != "waiting" || first.text("data.0.attributes.delivery-id") != "the-push" || first.at("data.0.attributes.can-redeliver") != true ||
				first.at("meta.pagination.total-count") != 2.0 {
				t.Errorf("the list: %s", first.Body)
			}
			delivery := first.text("data.0.id")

			// Who manages connections and may not run anything sees it, and has no button; others see nothing.
			_, vcs := h.team("acme", "vera", &tfe.OrganizationAccessOptions{ManageVCSSettings: tfe.Bool(true)})
			if seen := h.do("GET", list, vcs, "").want(t, 200); seen.at("data.0.attributes.can-redeliver") != false {
				t.Errorf("who may not redeliver is told: %s", seen.Body)
			}
			h.signIn("vera").get(page).want(t, 200).has(t, told).hasNot(t, "Redeliver")
			again := "/vcs-deliveries/" + delivery + "/actions/redeliver"
			h.do("POST", again, vcs, "").want(t, 403)
			_, stranger := h.user("sam")
			h.do("POST", again, stranger, "").want(t, 404)
			h.do("GET", list, stranger, "").want(t, 404)

			h.down(false)
			send := func() {
				t.Helper()
				owner.post(page, owner.get(page).form("do", "redeliver", "delivery", delivery)).want(t, 303)
			}
			send()
			h.eventually(func() bool { return len(h.runs("network")) == 2 }, "the run of the push")
			h.eventually(func() bool { return h.do("GET", list, h.Token, "").text("data.0.attributes.status") == "done" }, "it is done")
			owner.get(page).has(t, told+" made run run-").inert(t)
			send()
			h.eventually(func() bool {
				return strings.Contains(h.do("GET", list, h.Token, "").text("data.0.attributes.became"), "1 already processed")
			}, "it is worked on once more")
			if n := len(h.runs("network")); n != 2 {
				t.Errorf("there are %d runs", n)
			}

			// One that a newer push overtook takes nothing back.
			older := h.forge.Commit("main.tf", "# the third")
			h.down(true)
			late := forgetest.Push("refs/heads/main", "", older, "main.tf")
			delete(late["repository"].(map[string]any), "default_branch")
			if status, err := h.tell(h.hook, "the-late-push", late); err != nil || status != http.StatusOK {
				t.Fatalf("the late push: %d, %v", status, err)
			}
			h.eventually(func() bool {
				return strings.Contains(h.do("GET", list, h.Token, "").text("data.0.attributes.became"), "the default branch: ")
			}, "the late push fails")
			delivery = h.do("GET", list, h.Token, "").text("data.0.id")
			h.down(false)
			h.execute("UPDATE vcs_inbox SET received_at = received_at - 120000, next_at = next_at + 3600000 WHERE id = '" + delivery + "'")
			newer := h.forge.Commit("main.tf", "# the fourth")
			if status, err := h.tell(h.hook, "the-newer-push", forgetest.Push("refs/heads/main", "", newer, "main.tf")); err != nil || status != http.StatusOK {
				t.Fatalf("the newer push: %d, %v", status, err)
			}
			h.eventually(func() bool { return len(h.runs("network")) == 3 }, "the run of the newer push")
			send()
			h.eventually(func() bool { return strings.Contains(owner.get(page).Body, "1 that were told of a newer commit") }, "the late push makes none")
			if n := len(h.runs("network")); n != 3 {
				t.Errorf("there are %d runs", n)
			}
			owner.get("/app/acme/audit").has(t, "Vcs delivery redelivered")
		})
	}
}

// down has the service answer nobody, or everybody again.
func (h *forged) down(is bool) {
	h.forge.Lock()
	defer h.forge.Unlock()
	h.forge.Down = is
}
