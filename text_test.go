package belay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
)

func TestTextsOfAWorkspaceHaveAnEnd(t *testing.T) {
	t.Parallel()
	text := func(n int) patch.Field[string] { return patch.Of(strings.Repeat("ä", n)) }
	list := func(n, each int) patch.Field[[]string] {
		return patch.Of(slices.Repeat([]string{strings.Repeat("x", each)}, n))
	}
	for name, c := range map[string]struct {
		patch   belay.WorkspacePatch
		refused string
	}{
		"a long description":              {belay.WorkspacePatch{Description: text(4096)}, ""},
		"a longer one":                    {belay.WorkspacePatch{Description: text(4097)}, "description"},
		"a long source":                   {belay.WorkspacePatch{SourceName: text(256)}, "source-name"},
		"a long environment":              {belay.WorkspacePatch{MigrationEnvironment: text(256)}, "migration-environment"},
		"a long directory":                {belay.WorkspacePatch{WorkingDirectory: text(1025)}, "working-directory"},
		"a long engine version":           {belay.WorkspacePatch{EngineVersion: patch.Of(">= 1.0" + strings.Repeat(", >= 1.0", 40))}, "engine-version"},
		"many patterns":                   {belay.WorkspacePatch{TriggerPatterns: list(1001, 1)}, "trigger-patterns"},
		"as many prefixes as may be":      {belay.WorkspacePatch{TriggerPrefixes: list(1000, 1024)}, ""},
		"a long prefix":                   {belay.WorkspacePatch{TriggerPrefixes: list(2, 1025)}, "trigger-prefixes"},
		"a script":                        {belay.WorkspacePatch{SourceURL: patch.Of("javascript:alert(1)")}, "source-url"},
		"a script with a host":            {belay.WorkspacePatch{SourceURL: patch.Of("javascript://example.com/%0aalert(1)")}, "source-url"},
		"no scheme":                       {belay.WorkspacePatch{SourceURL: patch.Of("example.com")}, "source-url"},
		"no host":                         {belay.WorkspacePatch{SourceURL: patch.Of("https:///x")}, "source-url"},
		"only a port":                     {belay.WorkspacePatch{SourceURL: patch.Of("https://:80/x")}, "source-url"},
		"spaces":                          {belay.WorkspacePatch{SourceURL: patch.Of(" ")}, "source-url"},
		"no address of a source":          {belay.WorkspacePatch{SourceURL: patch.Of("")}, ""},
		"an address of a source":          {belay.WorkspacePatch{SourceURL: patch.Of("https://example.com/a?b=c#d")}, ""},
		"a long address":                  {belay.WorkspacePatch{SourceURL: patch.Of("https://example.com/" + strings.Repeat("x", 2048))}, "source-url"},
		"a repository with a long branch": {belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("a/b"), OAuthTokenID: patch.Of("ot-1"), Branch: text(1025)})}, "vcs-repo/branch"},
	} {
		w := belay.Workspace{Name: "network", EngineVersion: "1.9.0", FileTriggersEnabled: true}
		if got := details(w.Apply(c.patch, belay.Facts{VCS: &belay.VCSConnection{}}, true)); got != c.refused {
			t.Errorf("%s: refused %q, want %q", name, got, c.refused)
		}
	}
}

func TestOtherTextsHaveAnEnd(t *testing.T) {
	t.Parallel()
	long := patch.Of(strings.Repeat("x", 64<<10+1))
	team := belay.Team{Name: "ops", Visibility: belay.SecretTeam}
	client := forge.OAuthClient{ServiceProvider: "ado_server"}
	key := inputs.SSHKey{Name: "key"}
	token := belay.Token{}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"team":       {team.Apply(belay.TeamPatch{SSOTeamID: long}), "sso-team-id"},
		"connection": {client.Apply(forge.OAuthClientPatch{Key: long, Secret: long, PrivateKey: long, RSAPublicKey: long, TokenString: long}, nil, false), "secret private-key rsa-public-key oauth-token-string key"},
		"SSH key":    {key.Apply(inputs.SSHKeyPatch{Value: long}), "value"},
		"token":      {token.Describe(long.Value), "description"},
	} {
		if got := details(c.err); got != c.want {
			t.Errorf("%s: refused %q, want %q", name, got, c.want)
		}
	}
}
