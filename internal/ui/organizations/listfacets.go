package organizations

import (
	"slices"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/ui/frame"
)

// mostAge is the oldest latest change that can be asked for, in days.
const mostAge = 36500

// enginesOffered is how many versions and constraints can be asked for at once.
const enginesOffered = 30

// moreFacets is the facets of the list whose choices are not counted: locks, engines, ages,
// change requests and health. Of all but engines one choice is in force.
func moreFacets(v *frame.Visit, s belay.Principal, want *belay.WorkspaceQuery, requests bool) []frame.Facet {
	list := []frame.Facet{lockFacet(v, s, want), engineFacet(v, want), ageFacet(v, want)}
	if requests {
		f := oneOf(v, "requests", "Requests", frame.Choice{Value: "open", Text: "open change requests", On: false})
		want.OpenRequests = value(f) != ""
		list = append(list, f)
	}
	if v.UI.OffersAssessments() {
		f := oneOf(v, "health", "Health", frame.Choice{Value: string(belay.OnlyDrifted), Text: "drifted"}, frame.Choice{Value: string(belay.OnlyBroken), Text: "checks failed"}, frame.Choice{Value: string(belay.OnlyUnknown), Text: "could not be assessed"})
		want.Health = belay.HealthFilter(value(f))
		list = append(list, f)
	}
	return list
}

// oneOf is a facet of which one choice is in force, or none. What it has no choice for is not asked.
func oneOf(v *frame.Visit, param, name string, choices ...frame.Choice) frame.Facet {
	f, asked := frame.Facet{Param: param, Name: name, One: true}, v.Asked(param)
	for _, c := range choices {
		c.On = c.Value == asked
		f.Choices = append(f.Choices, frame.FacetChoice{Choice: c})
	}
	return f
}

// value is the first choice that is on.
func value(f frame.Facet) string {
	for _, c := range f.Choices {
		if c.On {
			return c.Value
		}
	}
	return ""
}

func lockFacet(v *frame.Visit, s belay.Principal, want *belay.WorkspaceQuery) frame.Facet {
	f := oneOf(v, "lock", "Lock", frame.Choice{Value: "locked", Text: "locked", On: false}, frame.Choice{Value: "mine", Text: "locked by you", On: false}, frame.Choice{Value: "long", Text: "locked for over a day", On: false}, frame.Choice{Value: "unlocked", Text: "unlocked", On: false})
	switch value := value(f); value {
	case "mine":
		want.LockedBy = s.Holder().ID
	case "long":
		want.LockedBefore = v.UI.Now().Add(-frame.LongLock)
	default:
		want.Lock = belay.LockFilter(value)
	}
	return f
}

// ageFacet is for how long nothing changed. An address may ask for any number of days.
func ageFacet(v *frame.Visit, want *belay.WorkspaceQuery) frame.Facet {
	days := []int{7, 30, 90, 365}
	asked, err := strconv.Atoi(v.Asked("age"))
	if err == nil && asked > 0 && asked <= mostAge {
		want.ChangedBefore = v.UI.Now().AddDate(0, 0, -asked)
		if !slices.Contains(days, asked) {
			days = append(days, asked)
			slices.Sort(days)
		}
	}
	var choices []frame.Choice
	for _, n := range days {
		choices = append(choices, frame.Choice{Value: strconv.Itoa(n), Text: "for " + frame.Many(n, "day", "days"), On: false})
	}
	return oneOf(v, "age", "Unchanged", choices...)
}

// engineFacet is the versions and constraints that are asked for.
func engineFacet(v *frame.Visit, want *belay.WorkspaceQuery) frame.Facet {
	f := frame.Facet{Param: "engine", Name: "Engine", Type: "1.9.8, or < 1.10"}
	for _, setting := range v.URL.Query()["engine"] {
		if setting = frame.Trimmed(setting); setting != "" && len(setting) <= belay.MaxLabel && len(want.Engines) < enginesOffered && !slices.Contains(want.Engines, setting) {
			want.Engines = append(want.Engines, setting)
			f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: setting, Text: setting, On: true}})
		}
	}
	return f
}

// wrongEngine says which of the engines that are asked for is no version and no constraint; empty: none, or nothing is asked.
func wrongEngine(asked []string) string {
	i := slices.IndexFunc(asked, func(setting string) bool { return !belay.AsksForReleases(setting) })
	if i < 0 {
		return ""
	}
	return "Engine: “" + frame.Cut(asked[i], frame.LongestValue) + "” is not a version or a constraint such as < 1.10."
}

// offerEngines adds the releases that the workspaces shown have, the newest first: others can be typed.
func (p *workspacesPage) offerEngines(list []app.WorkspaceView) {
	var releases []string
	for i := range list {
		if release := list[i].EngineRelease; release != "" && !slices.Contains(releases, release) {
			releases = append(releases, release)
		}
	}
	belay.NewestFirst(releases)
	for i := range p.Facets {
		f := &p.Facets[i]
		for _, release := range releases {
			if f.Param == "engine" && !slices.ContainsFunc(f.Choices, func(c frame.FacetChoice) bool { return c.Value == release }) {
				f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: release, Text: release, On: false}})
			}
		}
	}
}
