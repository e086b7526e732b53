package belay

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
)

// LatestEngine asks for the newest engine version, whichever that is at the time.
const LatestEngine = "latest"

// EngineVersion is one release of an engine that workspaces may use.
type EngineVersion struct {
	ID               string
	Version          string
	URL              string // of the build for linux and amd64, as SHA is
	SHA              string
	Archs            []EngineBuild
	Official         bool
	Enabled          bool
	Beta             bool
	Deprecated       bool
	DeprecatedReason string
	Usage            int // workspaces whose setting stands for this version; read with the row
	Named            int // those of them that name exactly it
	CreatedAt        time.Time
}

// EngineBuild is where an engine is found for one platform.
type EngineBuild struct {
	URL  string `json:"url"`
	SHA  string `json:"sha"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// TakeBuilds replaces the builds; the URL and SHA of the version are those for linux and amd64.
func (e *EngineVersion) TakeBuilds(builds []EngineBuild) {
	e.Archs, e.URL, e.SHA = builds, "", ""
	for _, b := range builds {
		if b.OS == "linux" && b.Arch == "amd64" {
			e.URL, e.SHA = b.URL, b.SHA
		}
	}
}

// TakeOnlyBuild makes the URL and SHA those of the only build.
func (e *EngineVersion) TakeOnlyBuild() {
	e.Archs = nil
	if e.URL != "" || e.SHA != "" {
		e.Archs = []EngineBuild{{e.URL, e.SHA, "linux", "amd64"}}
	}
}

// maxBuilds is how many builds one version may have.
const maxBuilds = 100

func (e *EngineVersion) checkBuilds(problems *Problems) {
	if len(e.Archs) > maxBuilds {
		problems.Attribute("archs", "Archs are too many (maximum is %d)", maxBuilds)
		return
	}
	type platform struct{ os, arch string }
	seen := map[platform]bool{}
	for i, b := range e.Archs {
		at := "archs/" + strconv.Itoa(i)
		CheckLength(problems, at+"/url", "Url", b.URL, MaxURL)
		CheckLength(problems, at+"/sha", "Sha", b.SHA, MaxLabel)
		CheckLabel(problems, at+"/os", "Os", b.OS)
		CheckLabel(problems, at+"/arch", "Arch", b.Arch)
		if seen[platform{b.OS, b.Arch}] {
			problems.Attribute(at, "%s on %s is there twice", b.Arch, b.OS)
		}
		seen[platform{b.OS, b.Arch}] = true
	}
}

// Engines is the versions that the server knows, read once and shared: it must not be changed.
type Engines struct {
	newest     string
	parsed     []*version.Version // enabled ones, newest first
	deprecated map[string]bool
}

// NewEngines reads the versions. Disabled and unreadable ones can't be chosen.
func NewEngines(versions []EngineVersion) Engines {
	e := Engines{deprecated: map[string]bool{}}
	released := map[string]bool{}
	for _, v := range versions {
		parsed, err := version.NewSemver(v.Version)
		if err != nil || !v.Enabled {
			continue
		}
		released[parsed.String()] = v.Official && !v.Beta
		e.deprecated[parsed.String()] = v.Deprecated
		e.parsed = append(e.parsed, parsed)
	}
	slices.SortFunc(e.parsed, func(a, b *version.Version) int { return b.Compare(a) })
	for _, v := range e.parsed {
		if v.Prerelease() == "" && released[v.String()] {
			e.newest = v.String()
			break
		}
	}
	return e
}

// Deprecated says that an admin has marked a release as one that nobody should use any more.
func (e Engines) Deprecated(release string) bool { return e.deprecated[release] }

// Releases are those that workspaces may use, newest first.
func (e Engines) Releases() []string {
	releases := make([]string, len(e.parsed))
	for i, v := range e.parsed {
		releases[i] = v.String()
	}
	return releases
}

// Newest is the newest official release: what a workspace gets that names no version.
func (e Engines) Newest() string {
	if e.newest == "" {
		return LatestEngine
	}
	return e.newest
}

// Resolve is the version that a setting stands for: itself when exact, the newest
// release that satisfies a constraint, the newest of all for "latest". It is empty when
// none does.
func (e Engines) Resolve(setting string) string {
	if setting == LatestEngine {
		return e.newest
	}
	if exact, err := version.NewSemver(setting); err == nil {
		return exact.String()
	}
	fits, _ := satisfying(setting)
	for _, v := range e.parsed {
		if fits(v) {
			return v.String()
		}
	}
	return ""
}

// Among is the newest of some versions that a setting stands for, of those that are known
// for releases; an exact setting is itself. It is empty when none will do.
func (e Engines) Among(setting string, versions []string) string {
	if exact, err := version.NewSemver(setting); err == nil {
		return exact.String()
	}
	fits, _ := satisfying(setting)
	var best *version.Version
	for _, text := range versions {
		v, err := version.NewSemver(text)
		if err != nil || v.Prerelease() != "" || !e.has(v) || setting != LatestEngine && !fits(v) || best != nil && !v.GreaterThan(best) {
			continue
		}
		best = v
	}
	if best == nil {
		return ""
	}
	return best.String()
}

// Knows says whether a setting is an exact version that may be chosen.
func (e Engines) Knows(setting string) bool {
	exact, err := version.NewSemver(setting)
	return err == nil && e.has(exact)
}

// check refuses what is neither a version nor a constraint, and, where the server runs
// the engine itself, a version it does not have. A workspace with local execution takes
// any version: the client brings its own engine.
func (e Engines) check(problems *Problems, attribute, setting string, mode ExecutionMode) {
	if setting == LatestEngine {
		return
	}
	if len(setting) > MaxLabel {
		problems.Attribute(attribute, "Engine version is too long (maximum is %d characters)", MaxLabel)
		return
	}
	exact, err := version.NewSemver(setting)
	if err == nil && !strings.HasPrefix(setting, "v") {
		if mode != LocalExecution && !e.has(exact) {
			problems.Attribute(attribute, "Engine version %s is not included in the list of versions", setting)
		}
		return
	}
	if _, err := version.NewConstraint(setting); err != nil || strings.HasPrefix(setting, "v") {
		problems.Attribute(attribute, "Engine version must be an exact version, a constraint, or latest")
		return
	}
	if mode != LocalExecution && e.Resolve(setting) == "" {
		problems.Attribute(attribute, "No known engine version satisfies the constraint %s", setting)
	}
}

func (e Engines) has(exact *version.Version) bool {
	return slices.ContainsFunc(e.parsed, exact.Equal)
}

// Check is the rule of engine versions: an exact version that can be compared.
func (e *EngineVersion) Check() error {
	var problems Problems
	if e.Version == "" {
		problems.Attribute("version", "Version can't be blank")
	} else if _, err := version.NewSemver(e.Version); err != nil {
		problems.Attribute("version", "Version must be an exact version such as 1.2.3")
	}
	CheckLength(&problems, "version", "Version", e.Version, MaxLabel)
	e.checkBuilds(&problems)
	return problems.Err()
}

// AsksForReleases says whether a setting is a version or a constraint.
func AsksForReleases(setting string) bool {
	_, ok := satisfying(setting)
	return ok
}

// satisfying is how a version is asked whether a setting stands for it: none does where it is no version and no constraint.
func satisfying(setting string) (fits func(*version.Version) bool, ok bool) {
	if exact, err := version.NewSemver(setting); err == nil {
		return exact.Equal, true
	}
	constraint, err := version.NewConstraint(setting)
	return func(v *version.Version) bool { return err == nil && constraint.Check(v) }, err == nil
}

// ReleasesOf is those of some releases that one of the settings stands for: the exact version, or
// all that satisfy a constraint.
func ReleasesOf(settings, releases []string) []string {
	return slices.DeleteFunc(append([]string{}, releases...), func(release string) bool {
		v, err := version.NewSemver(release)
		return err != nil || !slices.ContainsFunc(settings, func(setting string) bool {
			fits, _ := satisfying(setting)
			return fits(v)
		})
	})
}

// NewestFirst puts releases into their order.
func NewestFirst(releases []string) {
	read := map[string]*version.Version{}
	for _, release := range releases {
		read[release], _ = version.NewSemver(release)
	}
	slices.SortStableFunc(releases, func(a, b string) int {
		if read[a] == nil || read[b] == nil {
			return strings.Compare(b, a)
		}
		return read[b].Compare(read[a])
	})
}
