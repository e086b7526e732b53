package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/storetest"
	"github.com/hashicorp/go-tfe"
)

func TestBuildsOfEngineVersionsThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, versions := t.Context(), s.admin().Admin.TerraformVersions
		const url = "https://releases.example.com/"
		build := func(arch string) *tfe.ToolVersionArchitecture {
			return &tfe.ToolVersionArchitecture{URL: url + arch, Sha: "of " + arch, OS: "linux", Arch: arch}
		}
		is := func(v *tfe.AdminTerraformVersion, err error, url, sha string, builds ...tfe.ToolVersionArchitecture) {
			t.Helper()
			must(t, err)
			var got []tfe.ToolVersionArchitecture
			for _, b := range v.Archs {
				got = append(got, *b)
			}
			if v.URL != url || v.Sha != sha || fmt.Sprint(got) != fmt.Sprint(builds) {
				t.Errorf("%q, %q, %v, want %q, %q, %v", v.URL, v.Sha, got, url, sha, builds)
			}
		}
		v, err := versions.Create(ctx, tfe.AdminTerraformVersionCreateOptions{
			Version: tfe.String("99.0.0"), Archs: []*tfe.ToolVersionArchitecture{build("amd64"), build("arm64")},
		})
		is(v, err, url+"amd64", "of amd64", *build("amd64"), *build("arm64"))
		read, err := versions.Read(ctx, v.ID)
		is(read, err, url+"amd64", "of amd64", *build("amd64"), *build("arm64"))
		changed, err := versions.Update(ctx, v.ID, tfe.AdminTerraformVersionUpdateOptions{URL: tfe.String(url), Sha: tfe.String("new")})
		is(changed, err, url, "new", tfe.ToolVersionArchitecture{URL: url, Sha: "new", OS: "linux", Arch: "amd64"})
		changed, err = versions.Update(ctx, v.ID, tfe.AdminTerraformVersionUpdateOptions{Archs: []*tfe.ToolVersionArchitecture{build("arm64")}})
		is(changed, err, "", "", *build("arm64"))
		changed, err = versions.Update(ctx, v.ID, tfe.AdminTerraformVersionUpdateOptions{Beta: tfe.Bool(true)})
		is(changed, err, "", "", *build("arm64"))

		for body, pointer := range map[string]string{
			`{"os":"linux"}`: "attributes/archs/0/arch",
			`null`:           "attributes/archs/0/os attributes/archs/0/arch",
			`{"os":"a","arch":"b","url":"` + strings.Repeat("x", 2049) + `"}`: "attributes/archs/0/url",
			`{"os":"a","arch":"b"},{"os":"a","arch":"b"}`:                     "attributes/archs/1",
			`{"os":1}`: "attributes/archs",
		} {
			r := s.do("PATCH", "/admin/terraform-versions/"+v.ID, s.Token, `{"data":{"type":"terraform-versions","attributes":{"archs":[`+body+`]}}}`).want(t, 422)
			if r.pointers() != pointer {
				t.Errorf("%s: %s", body, r.Body)
			}
		}
		s.do("PATCH", "/admin/terraform-versions/"+v.ID, s.Token, `{"data":{"type":"terraform-versions","attributes":{"archs":7}}}`).want(t, 422)
	})
}

// TestWhichEngineAWorkspaceIsFor lets command lines say what they are, and a person say
// otherwise.
func TestWhichEngineAWorkspaceIsFor(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		change := func(attributes string, headers ...string) reply {
			t.Helper()
			request, err := http.NewRequest(http.MethodPatch, s.URL+"/api/v2/workspaces/"+id, strings.NewReader(`{"data":{"type":"workspaces","attributes":{`+attributes+`}}}`))
			must(t, err)
			request.Header.Set("Authorization", "Bearer "+s.Token)
			request.Header.Set("Content-Type", "application/vnd.api+json")
			for i := 0; i+1 < len(headers); i += 2 {
				request.Header.Set(headers[i], headers[i+1])
			}
			return s.send(request)
		}
		const version = `"terraform-version":"1.9.0"`
		tofu := []string{"User-Agent", "OpenTofu/1.9.0 (+https://opentofu.org)", "Terraform-Version", "1.9.0"}
		terraform := []string{"User-Agent", "go-tfe", "Terraform-Version", "1.9.0"}
		for i, step := range []struct {
			attributes string
			headers    []string
			want       any
		}{
			{version, nil, nil}, {`"description":"d"`, terraform, nil}, {version, tofu, "tofu"}, {version, terraform, "tofu"},
			{`"engine":"terraform"`, nil, "terraform"}, {version, tofu, "terraform"}, {`"engine":null`, tofu, nil}, {version, terraform, "terraform"},
		} {
			if got := change(step.attributes, step.headers...).want(t, 200); got.at("data.attributes.engine") != step.want {
				t.Errorf("step %d: %v, want %v", i, got.at("data.attributes.engine"), step.want)
			}
		}
		if got := change(`"engine":"pulumi"`).want(t, 422); got.text("errors.0.source.pointer") != "/data/attributes/engine" {
			t.Errorf("another engine: %s", got.Body)
		}
	})
}

// TestAWorkspaceGetsAVersionThatTheServerHas gives the server engines that can only say
// their version, and take their time: nobody is answered before they are known.
func TestAWorkspaceGetsAVersionThatTheServerHas(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for product, version := range map[string]string{"tofu": "1.8.1", "terraform": "1.9.8"} {
				path := filepath.Join(folder, product, version, product)
				must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				said := fmt.Sprintf(`{"terraform_version":%q,"platform":"%s_%s"}`, version, runtime.GOOS, runtime.GOARCH)
				must(t, os.WriteFile(path, []byte("#!/bin/sh\nsleep 1\necho '"+said+"'\n"), 0o700))
			}
			s := start(t, engine, "--runner-slots", "1", "--isolation", "none", "--engine-dir", folder, "--allow-engine-download=false")
			s.organization("acme")
			for name, want := range map[string]string{"network": "1.8.1", "apps": "1.8.1"} {
				id := s.workspace("acme", name)
				if got := s.do("GET", "/workspaces/"+id, s.Token, ""); got.text("data.attributes.engine-version") != want {
					t.Errorf("%s: %s", name, got.text("data.attributes.engine-version"))
				}
			}
		})
	}
}

// TestEnginesTrustTheServer gives a server with a certificate of its own making an engine that
// says whom it trusts: the system's authorities, and the server's.
func TestEnginesTrustTheServer(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Outside(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "tofu", "1.8.1", "tofu")
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			said := fmt.Sprintf(`{"terraform_version":"1.8.1","platform":"%s_%s"}`, runtime.GOOS, runtime.GOARCH)
			script := "#!/bin/sh\nif [ \"$1\" = version ]; then echo '" + said + "'; exit; fi\necho \"$(cat \"$SSL_CERT_FILE\")\"\nexit 1\n"
			must(t, os.WriteFile(path, []byte(script), 0o700))
			s := start(t, engine, "--tls-self-signed", "--runner-slots", "1", "--engine-dir", folder, "--allow-engine-download=false")
			s.trust()
			s.organization("acme")
			w := s.runnable("network")
			run := s.do("POST", "/runs", s.Token, runOf(w, `"plan-only":true`)).want(t, 201).text("data.id")
			s.eventually(func() bool {
				return s.do("GET", "/runs/"+run, s.Token, "").text("data.attributes.status") == "errored"
			}, "the engine has said it")
			request, err := http.NewRequest(http.MethodGet, s.do("GET", "/runs/"+run+"/plan", s.Token, "").text("data.attributes.log-read-url")+"?limit=1048576", nil)
			must(t, err)
			log := s.send(request).want(t, 200).Body
			own, err := os.ReadFile(s.caPath())
			must(t, err)
			if !strings.Contains(log, strings.TrimSpace(string(own))) {
				t.Errorf("the engine does not trust the server: %s", lastLines(log, 10))
			}
			if roots, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt"); err == nil && !strings.Contains(log, strings.TrimSpace(string(roots[:1000]))) {
				t.Error("the engine trusts the server alone")
			}
		})
	}
}
