package e2e_test

import (
	"fmt"
	"strings"
	"testing"

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
