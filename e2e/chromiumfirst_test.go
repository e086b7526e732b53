package e2e_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	rights "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/storetest"
)

// TestFromSignInToAFirstStateInARealBrowser has somebody new come from the form to sign in to a state that
// is there, and read nothing but the pages: what they copy is run by the real command line.
func TestFromSignInToAFirstStateInARealBrowser(t *testing.T) {
	slow(t)
	t.Parallel()
	tofu := tool(t, "BELAY_TOFU")
	chrome := chromium(t, chromedp.Flag("ignore-certificate-errors", true)) // the server's own CA signs
	t.Run("engines", func(t *testing.T) {
		for _, engine := range storetest.Outside(t) {
			t.Run(engine, func(t *testing.T) { // one after the other: there is one clipboard
				s := start(t, engine, "--tls-self-signed")
				s.trust()
				s.person("dee")
				h := s.hand(t, chrome, hand{way: "mouse", scripts: true})
				base, err := url.Parse(s.URL)
				must(t, err)
				host := "localhost:" + base.Port()
				h.base = "https://" + host
				h.comesToAFirstState(s, tofu, host)
				if said := h.heard(); len(said) > 0 {
					t.Errorf("the browser says %q", said)
				}
			})
		}
	})
}

// comesToAFirstState does what the home of an empty organization says.
func (h *hand) comesToAFirstState(s *server, tofu, host string) {
	h.t.Helper()
	h.signsIn("dee")
	h.says("You are in no organization yet")
	h.write("#new-name", "acme")
	h.write("#new-email", "dee@example.com")
	h.press("main button", "Make it")
	h.says("From nothing to the first state")
	for _, right := range []string{"clipboard-read", "clipboard-write"} {
		call(h.tab, rights.SetPermission, rights.SetPermissionParams{
			Permission: &rights.PermissionDescriptor{Name: right}, Setting: rights.PermissionSettingGranted, BrowserContextID: chromedp.FromContext(h.ctx).BrowserContextID,
		})
	}
	if lines := h.copies(1); lines != "export SSL_CERT_FILE=$PWD/belay-ca.pem\ntofu login "+host {
		h.t.Errorf("the first step is %q", lines)
	}
	beside, before := *h, h.steps // the command line opens another window of the same browser
	token := s.tofuLogin(h.t, tofu, func(address string) {
		ctx, stop := chromedp.NewContext(h.ctx)
		h.t.Cleanup(stop)
		must(h.t, chromedp.Do(ctx))
		beside.tab = &tab{t: h.t, ctx: ctx, base: h.base}
		must(h.t, chromedp.Do(ctx, chromedp.Navigate(address)))
		beside.press("button[name=answer][value=yes]", "")
		beside.says("returned an authentication code")
	})
	c := s.tofu(h.t, token, h.copies(2)+"\nresource \"terraform_data\" \"first\" {\n  input = \"one\"\n}\n")
	for _, line := range strings.Split(h.copies(3), "\n") {
		args := strings.Fields(line)
		if len(args) < 2 || args[0] != "tofu" {
			h.t.Fatalf("the third step has %q", line)
		}
		c.answer("yes\n", args[1:]...)
	}
	h.until(`document.querySelector(".note.ok")?.innerText.includes("has its first state, with 1 resource") === true`, "the page turns green by itself")
	if found := h.barriers(""); len(found) > 0 {
		h.t.Errorf("on the page that turned green: %q", found)
	}
	h.press(".note.ok a", "Look into it")
	h.at("/state")
	h.says("terraform_data")
	if h.t.Logf("%d steps by hand in the browser, and %d more in the window of the command line", h.steps, beside.steps-before); h.steps > 12 {
		h.t.Errorf("that takes %d steps", h.steps)
	}
}

// copies presses the button of a step to copy, and gives what is on the clipboard then.
func (h *hand) copies(step int) string {
	h.t.Helper()
	one := fmt.Sprintf(".steps > li:nth-child(%d) .copy button", step)
	ask[bool](h.tab, fmt.Sprintf(`(() => { window.copied = false; // it says so for two seconds
		new MutationObserver(() => { if (document.querySelector(%q)?.innerText === "Copied") copied = true; }).observe(document.body, { subtree: true, childList: true, characterData: true });
		return true; })()`, one))
	h.press(one, "Copy")
	h.until(`window.copied === true`, "it is copied")
	return ask[string](h.tab, `navigator.clipboard.readText()`)
}

// TestACampaignInARealBrowser has an administrator find all workspaces below a version of the engine, ask
// something of them, and see the list of what is open shrink.
func TestACampaignInARealBrowser(t *testing.T) {
	ways(t, func(s *server) func(h *hand) {
		s.people()
		for i, version := range []string{"1.9.8", "1.9.8", "1.10.1", "1.12.6"} {
			s.newWorkspace("acme", fmt.Sprintf("app-%d", i), func(w *tfe.WorkspaceCreateOptions) { w.TerraformVersion = tfe.String(version) })
		}
		s.signIn("olga") // gets the password
		return func(h *hand) {
			h.signsIn("olga")
			before := h.steps
			h.open("/app/acme")
			h.press(".nav-main a", "Workspaces")
			h.press(".facet summary", "Engine")
			h.write(".facet[open] input[aria-label^=Engine]", "< 1.12\r")
			h.says("3 workspaces found")
			for i := range 3 {
				h.reach(fmt.Sprintf("td.box input[aria-label=app-%d]", i), "")
				if h.keyboard {
					h.keys(" ")
				}
			}
			h.press(".bulk button", "File change requests")
			h.at("/change-requests/new")
			h.write("#subject", "Upgrade the engine, "+h.way)
			h.write("#message", "It is **old**.")
			h.press("button", "See how many")
			h.says("3 workspaces")
			h.press("button", "File 3 change requests")
			h.says("was put on 3 workspaces")
			h.t.Logf("%d steps from the home to a campaign", h.steps-before)
			if h.steps-before > 14 {
				h.t.Errorf("that takes %d steps", h.steps-before)
			}
			h.reach("td.box input[aria-label=app-0]", "")
			if h.keyboard {
				h.keys(" ")
			}
			h.press("button", "Archive those ticked")
			h.until(`document.querySelector(".figure").innerText === "1"`, "one is archived")
			one := s.openRequest("app-1", "Upgrade the engine, "+h.way) // somebody else does theirs
			s.do("POST", "/change-requests/"+one+"/actions/archive", s.Token, "").want(h.t, 200)
			if !h.scripts {
				h.open(ask[string](h.tab, "location.pathname"))
			}
			h.until(`document.querySelector(".figure").innerText === "2" && document.querySelectorAll("td.box").length === 1`, "the campaign shrinks")
		}
	})
}

// openRequest is the id of the change request with a subject on a workspace of acme.
func (s *server) openRequest(workspace, subject string) string {
	s.t.Helper()
	list := s.do("GET", "/workspaces/"+s.idOf(workspace)+"/change-requests", s.Token, "").want(s.t, 200)
	for i := range 20 {
		if at := fmt.Sprintf("data.%d", i); list.text(at+".attributes.subject") == subject {
			return list.text(at + ".id")
		}
	}
	s.t.Fatalf("there is no %q: %s", subject, list.Body)
	return ""
}
