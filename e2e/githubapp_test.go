package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/forgetest"
	"github.com/belayhq/belay/internal/storetest"
)

// TestAppInstallationsThroughGoTFE drives the real program, which is a GitHub App, with the client that
// Terraform's provider uses: it finds the installation by name, connects a workspace, and a push that
// GitHub tells the App makes a run whose status goes back.
func TestAppInstallationsThroughGoTFE(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			forge := forgetest.New(t)
			hub, api := forge.Hub()
			hub.Installations[7] = &forgetest.Installation{Account: "acme", Kind: "Organization", Repositories: []string{forgetest.Repository}}
			hub.Installations[8] = &forgetest.Installation{Account: "stranger", Kind: "User"}
			first := forge.Commit("main.tf", "# the first")
			key := filepath.Join(t.TempDir(), "key.pem")
			must(t, os.WriteFile(key, []byte(hub.Key), 0o600))
			s := startIn(t, engine, []string{"BELAY_GITHUB_APP_KEY_FILE=" + key, "BELAY_GITHUB_APP_WEBHOOK_SECRET=" + forgetest.AppSecret},
				"--github-app-id", forgetest.AppID, "--github-app-url", forge.URL, "--github-app-api-url", api, "--allow-private-vcs", "127.0.0.0/8", "--vcs-retry", "200ms")
			s.organization("acme")
			installation := s.installation(t, "acme")
			s.installedByPage(t)
			workspace := s.installed(t, installation)
			s.runOf(t, workspace.ID, first)
			waitFor(t, "the status of the first commit", func() bool { return len(forge.Told()) > 0 })

			second := forge.Commit("main.tf", "# the second")
			header, raw, err := forgetest.SignedApp("push", "d-1", 7, forgetest.Push("refs/heads/main", first, second, "main.tf"))
			must(t, err)
			if status := s.tellApp(t, header, raw); status != 200 {
				t.Errorf("GitHub is answered %d", status)
			}
			s.runOf(t, workspace.ID, second)
			if status := s.tellApp(t, header, append(raw, ' ')); status != 401 {
				t.Errorf("a forger is answered %d", status)
			}
			waitFor(t, "what the push made", func() bool {
				return strings.Contains(s.do("GET", "/organizations/acme/vcs-events", s.Token, "").want(t, 200).Body, "made run")
			})
			for query, want := range map[string]bool{"filter%5Blevels%5D=info": true, "filter%5Blevels%5D=error": false, "filter%5Bto%5D=2020-01-01T00:00:00Z&filter%5Bfrom%5D=2019-01-01T00:00:00Z": false, "filter%5Boauth_client_external_ids%5D=oc-none": false} {
				told := s.do("GET", "/organizations/acme/vcs-events?"+query, s.Token, "").want(t, 200)
				if strings.Contains(told.Body, "made run") != want {
					t.Errorf("events by %s: %s", query, told.Body)
				}
			}
			forge.Lock()
			defer forge.Unlock()
			if len(hub.Refused) > 0 || forge.Made > 0 {
				t.Errorf("GitHub refused %q, and has %d hooks beside the App's", hub.Refused, forge.Made)
			}
		})
	}
}

// installation finds the installation of an account as the provider's data source does, and connects the
// organization of the same name to it.
func (s *server) installation(t *testing.T, account string) (id string) {
	t.Helper()
	ctx := context.Background()
	owner, err := s.admin().OrganizationTokens.Create(ctx, account)
	must(t, err)
	waitFor(t, "the installations", func() bool {
		list, err := s.admin().GHAInstallations.List(ctx, nil)
		must(t, err)
		for _, i := range list.Items {
			if *i.Name == account {
				id = *i.ID
			}
		}
		return len(list.Items) == 2
	})
	body := fmt.Sprintf(`{"data":{"type":"oauth-clients","attributes":{"service-provider":"github_app","github-app-installation-id":%q}}}`, id)
	s.do("POST", "/organizations/"+account+"/oauth-clients", owner.Token, body).want(t, 403)
	seen := func() int {
		list, err := s.client(owner.Token).GHAInstallations.List(ctx, nil)
		must(t, err)
		return len(list.Items)
	}
	if n := seen(); n != 0 {
		t.Errorf("before it is connected an organization sees %d installations", n)
	}
	s.installsAsThePageSays(t, id)
	made := s.do("GET", "/organizations/"+account+"/oauth-clients", s.Token, "").want(t, 200)
	if made.text("data.0.attributes.name") != account || made.text("data.0.attributes.github-app-installation-id") != id || made.text("data.0.attributes.service-provider-display-name") != "GitHub App" {
		t.Errorf("the connection: %s", made.Body)
	}
	if n := seen(); n != 1 {
		t.Errorf("once it is connected the organization sees %d installations", n)
	}
	one, err := s.client(owner.Token).GHAInstallations.Read(ctx, id)
	must(t, err)
	if *one.Name != account || *one.InstallationID != 7 || *one.InstallationType != "Organization" || !strings.Contains(*one.InstallationURL, "/installations/7") || *one.IconURL == "" {
		t.Errorf("the installation: %s %d %s %s", *one.Name, *one.InstallationID, *one.InstallationType, *one.InstallationURL)
	}
	for query, want := range map[string]int{"filter%5Bname%5D=ACME": 1, "filter%5Bname%5D=x": 0, "filter%5Binstallation_id%5D=8": 1} {
		if list := s.do("GET", "/github-app/installations?"+query, s.Token, "").want(t, 200); strings.Count(list.Body, `"type":"github-app-installations"`) != want {
			t.Errorf("%s: %s", query, list.Body)
		}
	}
	s.do("GET", "/github-app/installations?filter%5Binstallation_id%5D=x", s.Token, "").want(t, 400)
	if _, err := s.client(owner.Token).GHAInstallations.Read(ctx, "ghain-none"); !errors.Is(err, tfe.ErrResourceNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	return id
}

// installsAsThePageSays connects acme to an installation by the command of docs/connections.md.
func (s *server) installsAsThePageSays(t *testing.T, installation string) {
	t.Helper()
	r := newReader(t, "ghain-…", installation, "curl $B", `curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/vnd.api+json" $B`)
	r.knows("B", s.URL+"/api/v2", "TOKEN", s.Token)
	said := ""
	for _, command := range examples(t, "docs/connections.md") {
		if strings.Contains(command, "ghain-…") {
			said += r.does(command)
		}
	}
	if !strings.Contains(said, `"id":"oc-`) {
		t.Errorf("the page's command: %s", said)
	}
}

// installedByPage connects the organization to the other account's installation by the page, which only
// site admins can.
func (s *server) installedByPage(t *testing.T) {
	t.Helper()
	s.user("ada")
	id := s.do("GET", "/admin/users?q=ada", s.Token, "").text("data.0.id")
	s.do("POST", "/admin/users/"+id+"/actions/grant_admin", s.Token, "").want(t, 200)
	stranger := s.do("GET", "/github-app/installations?filter%5Bname%5D=stranger", s.Token, "").want(t, 200).text("data.0.id")
	admin := s.signIn("ada")
	page := admin.get("/app/acme/connections").want(t, 200).has(t, "Connect the installation", ">stranger</option>").inert(t)
	made := admin.post("/app/acme/connections", page.form("do", "install", "installation", stranger)).want(t, 303).Header.Get("Location")
	admin.get(made).want(t, 200).has(t, ">stranger</h1>", "GitHub App").inert(t)
	admin.post(made, admin.get(made).form("do", "agree-delete")).want(t, 303)
}

// installed connects a workspace by the installation, and holds what it shows of that.
func (s *server) installed(t *testing.T, installation string) *tfe.Workspace {
	t.Helper()
	ctx, c := context.Background(), s.admin()
	w, err := c.Workspaces.Create(ctx, "acme", tfe.WorkspaceCreateOptions{
		Name: tfe.String("network"), QueueAllRuns: tfe.Bool(true),
		VCSRepo: &tfe.VCSRepoOptions{Identifier: tfe.String(forgetest.Repository), GHAInstallationID: tfe.String(installation)},
	})
	must(t, err)
	for _, read := range []func() (*tfe.Workspace, error){
		func() (*tfe.Workspace, error) { return w, nil },
		func() (*tfe.Workspace, error) { return c.Workspaces.ReadByID(ctx, w.ID) },
		func() (*tfe.Workspace, error) { // what is said again changes nothing
			return c.Workspaces.UpdateByID(ctx, w.ID, tfe.WorkspaceUpdateOptions{VCSRepo: &tfe.VCSRepoOptions{
				Identifier: tfe.String(forgetest.Repository), GHAInstallationID: tfe.String(installation),
			}})
		},
	} {
		shown, err := read()
		must(t, err)
		if r := shown.VCSRepo; r == nil || r.GHAInstallationID != installation || r.OAuthTokenID != "" || r.WebhookURL != "" || r.ServiceProvider != "github_app" {
			t.Errorf("the repository: %+v", r)
		}
	}
	shown := s.do("GET", "/workspaces/"+w.ID, s.Token, "").want(t, 200)
	if shown.text("data.attributes.vcs-repo.vcs-app-installation-id") != installation {
		t.Errorf("by its other name: %s", shown.Body)
	}
	for _, wrong := range []string{
		`{"github-app-installation-id":"ghain-none"}`, `{"identifier":"stranger/app"}`, `{"oauth-token-id":"ot-none"}`,
	} {
		s.do("PATCH", "/workspaces/"+w.ID, s.Token, `{"data":{"type":"workspaces","attributes":{"vcs-repo":`+wrong+`}}}`).want(t, 422)
	}
	return w
}

// runOf waits for the run of a commit.
func (s *server) runOf(t *testing.T, workspaceID, commit string) {
	t.Helper()
	waitFor(t, "a run of "+commit, func() bool {
		list, err := s.admin().Runs.List(context.Background(), workspaceID, &tfe.RunListOptions{Include: []tfe.RunIncludeOpt{tfe.RunConfigVer, tfe.RunConfigVerIngress}})
		must(t, err)
		return slices.ContainsFunc(list.Items, func(r *tfe.Run) bool {
			cv := r.ConfigurationVersion
			return cv != nil && cv.IngressAttributes != nil && cv.IngressAttributes.CommitSHA == commit && r.Status != tfe.RunFetching
		})
	})
}

// tellApp sends a delivery to the address of the App.
func (s *server) tellApp(t *testing.T, header http.Header, raw []byte) int {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+"/webhooks/github-app", strings.NewReader(string(raw)))
	must(t, err)
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.exchange(request)
	must(t, err)
	return answer.Status
}
