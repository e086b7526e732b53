package belay_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/patch"
)

var someTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// details is the texts of all that was refused, and where.
func details(err error) string {
	problems, _ := err.(belay.Problems) //nolint:errorlint // rules return it unwrapped
	var texts []string
	for _, p := range problems {
		texts = append(texts, string(p.Place))
	}
	return strings.Join(texts, " ")
}

func overwrite(text string) patch.Field[belay.SettingOverwrites] {
	var o belay.SettingOverwrites
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return patch.Of(o)
}

func mode(m belay.ExecutionMode) patch.Field[belay.ExecutionMode] { return patch.Of(m) }

func TestExecutionSettingsOfAWorkspace(t *testing.T) {
	t.Parallel()
	remote := belay.Organization{DefaultExecutionMode: belay.RemoteExecution}
	agent := belay.Organization{DefaultExecutionMode: belay.AgentExecution, DefaultAgentPoolID: "apool-org"}
	local := belay.Project{OwnsExecution: true, DefaultExecutionMode: belay.LocalExecution}
	ownLocal := belay.WorkspacePatch{ExecutionMode: mode(belay.LocalExecution)}
	ownAgent := belay.WorkspacePatch{ExecutionMode: mode(belay.AgentExecution), AgentPoolID: patch.Of("apool-a")}
	for name, c := range map[string]struct {
		organization belay.Organization
		project      belay.Project
		before       *belay.WorkspacePatch // what the workspace was made with
		patch        belay.WorkspacePatch
		noPool       bool // the pool that is named does not serve the workspace
		owns         bool
		mode         belay.ExecutionMode
		pool         string
		refused      string
	}{
		"nothing given inherits from the organization":       {organization: remote, mode: belay.RemoteExecution},
		"nothing given inherits the organization's pool":     {organization: agent, mode: belay.AgentExecution, pool: "apool-org"},
		"the project's default comes before":                 {organization: agent, project: local, mode: belay.LocalExecution},
		"a literal mode is its own":                          {organization: remote, patch: ownLocal, owns: true, mode: belay.LocalExecution},
		"an explicit false wins over a literal":              {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), SettingOverwrites: overwrite(`{"execution-mode":false,"agent-pool":false}`)}, mode: belay.RemoteExecution},
		"an explicit false gives back what it had":           {organization: remote, before: &ownAgent, patch: belay.WorkspacePatch{SettingOverwrites: overwrite(`{"execution-mode":false}`)}, mode: belay.RemoteExecution},
		"an explicit true needs the mode":                    {organization: remote, patch: belay.WorkspacePatch{SettingOverwrites: overwrite(`{"execution-mode":true}`)}, refused: "execution-mode"},
		"an explicit true with the mode":                     {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), SettingOverwrites: overwrite(`{"execution-mode":true}`)}, owns: true, mode: belay.LocalExecution},
		"an explicit true is satisfied by a stored value":    {organization: remote, before: &ownLocal, patch: belay.WorkspacePatch{SettingOverwrites: overwrite(`{"execution-mode":true}`)}, owns: true, mode: belay.LocalExecution},
		"an explicit true of the pool needs a pool":          {organization: agent, patch: belay.WorkspacePatch{SettingOverwrites: overwrite(`{"agent-pool":true}`)}, refused: "agent-pool-id"},
		"a pool of its own in an inherited mode":             {organization: agent, patch: belay.WorkspacePatch{AgentPoolID: patch.Of("apool-a"), SettingOverwrites: overwrite(`{"agent-pool":true}`)}, owns: true, mode: belay.AgentExecution, pool: "apool-a"},
		"flags that differ":                                  {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), SettingOverwrites: overwrite(`{"execution-mode":true,"agent-pool":false}`)}, refused: "setting-overwrites"},
		"a null flag is not given":                           {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), SettingOverwrites: overwrite(`{"execution-mode":null}`)}, owns: true, mode: belay.LocalExecution},
		"an unknown flag is ignored":                         {organization: remote, patch: belay.WorkspacePatch{SettingOverwrites: overwrite(`{"auto-apply":7}`)}, mode: belay.RemoteExecution},
		"agent with a pool":                                  {organization: remote, patch: ownAgent, owns: true, mode: belay.AgentExecution, pool: "apool-a"},
		"agent without a pool":                               {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("agent")}, refused: "agent-pool-id"},
		"agent with an empty pool":                           {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("agent"), AgentPoolID: patch.Of("")}, refused: "agent-pool-id"},
		"agent takes the inherited pool":                     {organization: agent, patch: belay.WorkspacePatch{ExecutionMode: mode("agent")}, owns: true, mode: belay.AgentExecution, pool: "apool-org"},
		"a pool that does not serve it":                      {organization: remote, patch: ownAgent, noPool: true, refused: "agent-pool-id"},
		"a pool with remote":                                 {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("remote"), AgentPoolID: patch.Of("apool-a")}, refused: "agent-pool-id"},
		"a pool with local":                                  {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), AgentPoolID: patch.Of("apool-a")}, refused: "agent-pool-id"},
		"a pool in an inherited remote":                      {organization: remote, patch: belay.WorkspacePatch{AgentPoolID: patch.Of("apool-a")}, refused: "agent-pool-id"},
		"a pool with operations":                             {organization: remote, patch: belay.WorkspacePatch{Operations: patch.Of(true), AgentPoolID: patch.Of("apool-a")}, refused: "agent-pool-id"},
		"an empty pool with local":                           {organization: remote, before: &ownAgent, patch: belay.WorkspacePatch{ExecutionMode: mode("local"), AgentPoolID: patch.Of("")}, owns: true, mode: belay.LocalExecution},
		"an empty pool in an inherited mode changes nothing": {organization: agent, patch: belay.WorkspacePatch{AgentPoolID: patch.Of("")}, mode: belay.AgentExecution, pool: "apool-org"},
		"leaving agent drops the pool":                       {organization: remote, before: &ownAgent, patch: belay.WorkspacePatch{ExecutionMode: mode("remote")}, owns: true, mode: belay.RemoteExecution},
		"another pool keeps the mode":                        {organization: remote, before: &ownAgent, patch: belay.WorkspacePatch{AgentPoolID: patch.Of("apool-b")}, owns: true, mode: belay.AgentExecution, pool: "apool-b"},
		"taking the pool away from agent":                    {organization: remote, before: &ownAgent, patch: belay.WorkspacePatch{AgentPoolID: patch.Null[string]()}, refused: "agent-pool-id"},
		"operations false is local":                          {organization: remote, patch: belay.WorkspacePatch{Operations: patch.Of(false)}, owns: true, mode: belay.LocalExecution},
		"operations true is remote":                          {organization: agent, patch: belay.WorkspacePatch{Operations: patch.Of(true)}, owns: true, mode: belay.RemoteExecution},
		"operations and a mode":                              {organization: remote, patch: belay.WorkspacePatch{Operations: patch.Of(true), ExecutionMode: mode("remote")}, refused: "operations"},
		"an unknown mode":                                    {organization: remote, patch: belay.WorkspacePatch{ExecutionMode: mode("cloud")}, refused: "execution-mode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := belay.NewWorkspace(c.organization, c.project, someTime)
			w.Name = "w"
			if c.before != nil {
				if err := w.Apply(*c.before, belay.Facts{PoolUsable: true}, true); err != nil {
					t.Fatal(err)
				}
			}
			err := w.Apply(c.patch, belay.Facts{PoolUsable: !c.noPool}, c.before == nil)
			if got := details(err); got != c.refused {
				t.Fatalf("refused %q, want %q (%v)", got, c.refused, err)
			}
			if err == nil && (w.OwnsExecution != c.owns || w.Mode() != c.mode || w.PoolID() != c.pool) {
				t.Errorf("own %v, mode %q, pool %q; want %v, %q, %q", w.OwnsExecution, w.Mode(), w.PoolID(), c.owns, c.mode, c.pool)
			}
		})
	}
}

func TestExecutionDefaultsOfAProject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch   belay.ProjectPatch
		owns    bool
		mode    belay.ExecutionMode
		pool    string
		refused string
	}{
		"nothing inherits":          {mode: belay.AgentExecution, pool: "apool-org"},
		"a literal mode":            {patch: belay.ProjectPatch{DefaultExecutionMode: mode("local")}, owns: true, mode: belay.LocalExecution},
		"a pool alone":              {patch: belay.ProjectPatch{DefaultAgentPoolID: patch.Of("apool-a")}, owns: true, mode: belay.AgentExecution, pool: "apool-a"},
		"agent without a pool":      {patch: belay.ProjectPatch{DefaultExecutionMode: mode("agent")}, refused: "default-agent-pool-id"},
		"a pool with local":         {patch: belay.ProjectPatch{DefaultExecutionMode: mode("local"), DefaultAgentPoolID: patch.Of("apool-a")}, refused: "default-agent-pool-id"},
		"flags that differ":         {patch: belay.ProjectPatch{OverwritesMode: patch.Of(true), OverwritesPool: patch.Of(false)}, refused: "setting-overwrites"},
		"an explicit false":         {patch: belay.ProjectPatch{DefaultExecutionMode: mode("local"), OverwritesMode: patch.Of(false)}, mode: belay.AgentExecution, pool: "apool-org"},
		"an explicit true, no mode": {patch: belay.ProjectPatch{OverwritesMode: patch.Of(true)}, refused: "default-execution-mode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := belay.Project{Name: "billing", Organization: belay.Organization{DefaultExecutionMode: belay.AgentExecution, DefaultAgentPoolID: "apool-org"}}
			err := p.Apply(c.patch, belay.BindingFacts{})
			if got := details(err); got != c.refused {
				t.Fatalf("refused %q, want %q (%v)", got, c.refused, err)
			}
			if m, pool := p.Execution(); err == nil && (p.OwnsExecution != c.owns || m != c.mode || pool != c.pool) {
				t.Errorf("own %v, mode %q, pool %q", p.OwnsExecution, m, pool)
			}
		})
	}
}

func TestAutoDestroy(t *testing.T) {
	t.Parallel()
	moment := someTime.Add(time.Hour)
	duration := func(text string) belay.WorkspacePatch {
		return belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Of(text)}
	}
	at := belay.WorkspacePatch{AutoDestroyAt: patch.Of(moment)}
	twoDays := duration("2d")
	for name, c := range map[string]struct {
		before   *belay.WorkspacePatch
		patch    belay.WorkspacePatch
		project  string
		at       time.Time
		duration string
		inherits bool
		refused  string
	}{
		"nothing given":                     {inherits: true},
		"the project's default":             {project: "3d", at: someTime.Add(72 * time.Hour), duration: "3d", inherits: true},
		"its own duration":                  {patch: twoDays, project: "3d", at: someTime.Add(48 * time.Hour), duration: "2d"},
		"its own moment":                    {patch: at, project: "3d", at: moment},
		"a moment in the past":              {patch: belay.WorkspacePatch{AutoDestroyAt: patch.Of(someTime.Add(-time.Hour))}, at: someTime.Add(-time.Hour)},
		"both: the duration wins":           {patch: belay.WorkspacePatch{AutoDestroyAt: patch.Of(moment), AutoDestroyActivityDuration: patch.Of("2d")}, at: someTime.Add(48 * time.Hour), duration: "2d"},
		"a moment after a duration":         {before: &twoDays, patch: at, at: moment},
		"a duration after a moment":         {before: &at, patch: twoDays, at: someTime.Add(48 * time.Hour), duration: "2d"},
		"a null moment clears":              {before: &at, patch: belay.WorkspacePatch{AutoDestroyAt: patch.Null[time.Time]()}, inherits: true},
		"a null moment clears a duration":   {before: &twoDays, patch: belay.WorkspacePatch{AutoDestroyAt: patch.Null[time.Time]()}, inherits: true},
		"a null duration clears":            {before: &twoDays, patch: belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Null[string]()}, inherits: true},
		"an empty duration clears":          {before: &twoDays, patch: duration(""), inherits: true},
		"a null duration clears a moment":   {before: &at, patch: belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Null[string]()}, inherits: true},
		"cleared, the project's comes back": {before: &twoDays, patch: duration(""), project: "3d", at: someTime.Add(72 * time.Hour), duration: "3d", inherits: true},
		"cleared, and not inherited":        {before: &twoDays, patch: belay.WorkspacePatch{AutoDestroyActivityDuration: patch.Null[string](), InheritsProjectAutoDestroy: patch.Of(false)}, project: "3d"},
		"not inherited":                     {patch: belay.WorkspacePatch{InheritsProjectAutoDestroy: patch.Of(false)}, project: "3d"},
		"inherited again":                   {before: &twoDays, patch: belay.WorkspacePatch{InheritsProjectAutoDestroy: patch.Of(true)}, project: "3d", at: someTime.Add(72 * time.Hour), duration: "3d", inherits: true},
		"another attribute changes nothing": {before: &twoDays, patch: belay.WorkspacePatch{Description: patch.Of("x")}, at: someTime.Add(48 * time.Hour), duration: "2d"},
		"zero":                              {patch: duration("0d"), refused: "auto-destroy-activity-duration"},
		"the least":                         {patch: duration("1h"), at: someTime.Add(time.Hour), duration: "1h"},
		"the most hours":                    {patch: duration("9999h"), at: someTime.Add(9999 * time.Hour), duration: "9999h"},
		"the most days":                     {patch: duration("9999d"), at: someTime.Add(9999 * 24 * time.Hour), duration: "9999d"},
		"five digits":                       {patch: duration("10000h"), refused: "auto-destroy-activity-duration"},
		"a leading zero":                    {patch: duration("01h"), refused: "auto-destroy-activity-duration"},
		"another unit":                      {patch: duration("14w"), refused: "auto-destroy-activity-duration"},
		"no unit":                           {patch: duration("14"), refused: "auto-destroy-activity-duration"},
		"no number":                         {patch: duration("d"), refused: "auto-destroy-activity-duration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := belay.NewWorkspace(belay.Organization{}, belay.Project{AutoDestroyActivityDuration: c.project}, someTime)
			w.Name = "w"
			if c.before != nil {
				if err := w.Apply(*c.before, belay.Facts{}, true); err != nil {
					t.Fatal(err)
				}
			}
			err := w.Apply(c.patch, belay.Facts{}, c.before == nil)
			if got := details(err); got != c.refused {
				t.Fatalf("refused %q, want %q (%v)", got, c.refused, err)
			}
			if err == nil && (!w.DestroyAt().Equal(c.at) || w.DestroyDuration() != c.duration || w.InheritsProjectAutoDestroy != c.inherits) {
				t.Errorf("at %v, duration %q, inherits %v", w.DestroyAt(), w.DestroyDuration(), w.InheritsProjectAutoDestroy)
			}
		})
	}
}

func TestFileTriggers(t *testing.T) {
	t.Parallel()
	some := patch.Of([]string{"a"})
	none := patch.Of([]string{})
	connected := &belay.VCSRepo{Identifier: "a/b", OAuthTokenID: "ot-1"}
	byTag := func(regex string) patch.Field[belay.VCSRepoPatch] {
		return patch.Of(belay.VCSRepoPatch{TagsRegex: patch.Of(regex)})
	}
	for name, c := range map[string]struct {
		before             belay.Workspace
		patch              belay.WorkspacePatch
		patterns, prefixes int
		enabled            bool
		refused            string
	}{
		"patterns":                              {patch: belay.WorkspacePatch{TriggerPatterns: some}, patterns: 1, enabled: true},
		"prefixes":                              {patch: belay.WorkspacePatch{TriggerPrefixes: some}, prefixes: 1, enabled: true},
		"both":                                  {patch: belay.WorkspacePatch{TriggerPatterns: some, TriggerPrefixes: some}, refused: "trigger-patterns"},
		"patterns and no prefixes":              {patch: belay.WorkspacePatch{TriggerPatterns: some, TriggerPrefixes: none}, patterns: 1, enabled: true},
		"patterns without file triggers":        {patch: belay.WorkspacePatch{TriggerPatterns: some, FileTriggersEnabled: patch.Of(false)}, refused: "file-triggers-enabled"},
		"file triggers off under patterns":      {before: belay.Workspace{TriggerPatterns: []string{"a"}}, patch: belay.WorkspacePatch{FileTriggersEnabled: patch.Of(false)}, refused: "file-triggers-enabled"},
		"from prefixes to patterns":             {before: belay.Workspace{TriggerPrefixes: []string{"a"}}, patch: belay.WorkspacePatch{TriggerPatterns: some}, patterns: 1, enabled: true},
		"from patterns to prefixes":             {before: belay.Workspace{TriggerPatterns: []string{"a"}}, patch: belay.WorkspacePatch{TriggerPrefixes: some}, prefixes: 1, enabled: true},
		"an empty list clears":                  {before: belay.Workspace{TriggerPrefixes: []string{"a"}}, patch: belay.WorkspacePatch{TriggerPrefixes: none}, enabled: true},
		"null clears":                           {before: belay.Workspace{TriggerPrefixes: []string{"a"}}, patch: belay.WorkspacePatch{TriggerPrefixes: patch.Null[[]string]()}, enabled: true},
		"an omitted list stays":                 {before: belay.Workspace{TriggerPrefixes: []string{"a"}}, patch: belay.WorkspacePatch{Description: patch.Of("x")}, prefixes: 1, enabled: true},
		"a tags regex turns file triggers off":  {before: belay.Workspace{VCSRepo: connected}, patch: belay.WorkspacePatch{VCSRepo: byTag("v.*")}},
		"a tags regex with file triggers":       {before: belay.Workspace{VCSRepo: connected}, patch: belay.WorkspacePatch{VCSRepo: byTag("v.*"), FileTriggersEnabled: patch.Of(true)}, refused: "vcs-repo"},
		"a tags regex with patterns":            {before: belay.Workspace{VCSRepo: connected}, patch: belay.WorkspacePatch{VCSRepo: byTag("v.*"), TriggerPatterns: some}, refused: "vcs-repo"},
		"a tags regex with prefixes":            {before: belay.Workspace{VCSRepo: connected}, patch: belay.WorkspacePatch{VCSRepo: byTag("v.*"), TriggerPrefixes: some}, refused: "vcs-repo"},
		"a tags regex over stored prefixes":     {before: belay.Workspace{VCSRepo: connected, TriggerPrefixes: []string{"a"}}, patch: belay.WorkspacePatch{VCSRepo: byTag("v.*")}, refused: "vcs-repo"},
		"no tags regex leaves file triggers be": {before: belay.Workspace{VCSRepo: connected}, patch: belay.WorkspacePatch{VCSRepo: byTag("")}, enabled: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := belay.NewWorkspace(belay.Organization{}, belay.Project{}, someTime)
			w.Name, w.VCSRepo = "w", c.before.VCSRepo
			w.TriggerPatterns, w.TriggerPrefixes = c.before.TriggerPatterns, c.before.TriggerPrefixes
			err := w.Apply(c.patch, belay.Facts{VCS: &belay.VCSConnection{TokenID: "ot-1"}}, false)
			if got := details(err); got != c.refused {
				t.Fatalf("refused %q, want %q (%v)", got, c.refused, err)
			}
			if err == nil && (len(w.TriggerPatterns) != c.patterns || len(w.TriggerPrefixes) != c.prefixes || w.FileTriggersEnabled != c.enabled) {
				t.Errorf("patterns %v, prefixes %v, enabled %v", w.TriggerPatterns, w.TriggerPrefixes, w.FileTriggersEnabled)
			}
		})
	}
}

func TestOtherSettingsOfAWorkspace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch   belay.WorkspacePatch
		refused string
	}{
		"no name":                            {patch: belay.WorkspacePatch{Name: patch.Of("")}, refused: "name"},
		"90 characters":                      {patch: belay.WorkspacePatch{Name: patch.Of(strings.Repeat("n", 90))}},
		"91 characters":                      {patch: belay.WorkspacePatch{Name: patch.Of(strings.Repeat("n", 91))}, refused: "name"},
		"a space":                            {patch: belay.WorkspacePatch{Name: patch.Of("a b")}, refused: "name"},
		"a directory above":                  {patch: belay.WorkspacePatch{WorkingDirectory: patch.Of("a/../b")}, refused: "working-directory"},
		"dots in a directory":                {patch: belay.WorkspacePatch{WorkingDirectory: patch.Of("/a..b/...")}},
		"both ways to share state":           {patch: belay.WorkspacePatch{GlobalRemoteState: patch.Of(true), ProjectRemoteState: patch.Of(true)}, refused: "project-remote-state"},
		"engine versions that differ":        {patch: belay.WorkspacePatch{EngineVersion: patch.Of("1.5.0"), TerraformVersion: patch.Of("1.6.0")}, refused: "engine-version"},
		"an engine version that is none":     {patch: belay.WorkspacePatch{EngineVersion: patch.Of("newest")}, refused: "engine-version"},
		"several problems are told at once":  {patch: belay.WorkspacePatch{Name: patch.Of("a b"), ExecutionMode: mode("cloud"), AutoDestroyActivityDuration: patch.Of("0d")}, refused: "name execution-mode auto-destroy-activity-duration"},
		"a repository without a token":       {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("a/b")})}, refused: "vcs-repo/oauth-token-id"},
		"a repository without an identifier": {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{AppInstallationID: patch.Of("ghain-1")})}, refused: "vcs-repo/vcs-app-installation-id vcs-repo/identifier"},
		"an app installation":                {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("a/b"), GitHubAppInstallationID: patch.Of("ghain-1")})}, refused: "vcs-repo/vcs-app-installation-id"},
		"a repository above":                 {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("acme/..")})}, refused: "vcs-repo/oauth-token-id vcs-repo/identifier"},
		"a repository beside":                {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of("./app")})}, refused: "vcs-repo/oauth-token-id vcs-repo/identifier"},
		"a repository with dots":             {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{Identifier: patch.Of(".acme/..app")})}, refused: "vcs-repo/oauth-token-id"},
		"an empty repository":                {patch: belay.WorkspacePatch{VCSRepo: patch.Of(belay.VCSRepoPatch{})}, refused: "vcs-repo/oauth-token-id vcs-repo/identifier"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := belay.NewWorkspace(belay.Organization{DefaultExecutionMode: belay.LocalExecution}, belay.Project{}, someTime)
			w.Name = "w"
			if got := details(w.Apply(c.patch, belay.Facts{}, true)); got != c.refused {
				t.Errorf("refused %q, want %q", got, c.refused)
			}
		})
	}
}

func TestEffectiveVariables(t *testing.T) {
	t.Parallel()
	sets := []inputs.VariableSet{
		{ID: "1", Name: "priority-workspace", Priority: true, WorkspaceIDs: []string{"ws"}},
		{ID: "2", Name: "priority-global", Priority: true, Global: true},
		{ID: "3", Name: "workspace", WorkspaceIDs: []string{"ws"}},
		{ID: "4", Name: "b-project", ProjectIDs: []string{"prj"}},
		{ID: "5", Name: "a-project", ProjectIDs: []string{"prj"}},
		{ID: "6", Name: "global", Global: true},
	}
	order := []string{"2", "1", "own", "3", "5", "4", "6"}
	inSets := map[string][]inputs.Variable{}
	var own []inputs.Variable
	for i := len(order) - 1; i >= 0; i-- { // the key k<i> is in every place from the i-th on
		for _, place := range order[i:] {
			v := inputs.Variable{ID: place, Key: "k" + order[i], Category: "env"}
			if place == "own" {
				own = append(own, v)
			} else {
				inSets[place] = append(inSets[place], v)
			}
		}
	}
	var got []string
	for _, v := range inputs.EffectiveVariables("ws", own, sets, inSets) {
		got = append(got, v.Key+"="+v.ID)
	}
	want := []string{"k1=1", "k2=2", "k3=3", "k4=4", "k5=5", "k6=6", "kown=own"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
