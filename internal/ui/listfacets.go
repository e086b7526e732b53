package ui

import (
	"slices"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// mostAge is the oldest latest change that can be asked for, in days.
const mostAge = 36500

// enginesOffered is how many versions and constraints can be asked for at once.
const enginesOffered = 30

// moreFacets is the facets of the list whose choices are not counted: locks, engines, ages and
// change requests. Of all but engines one choice is in force.
func (v *visit) moreFacets(s belay.Principal, want *belay.WorkspaceQuery, requests bool) []facet {
	list := []facet{v.lockFacet(s, want), v.engineFacet(want), v.ageFacet(want)}
	if requests {
		f := v.oneOf("requests", "Requests", choice{"open", "open change requests", false})
		want.OpenRequests = f.value() != ""
		list = append(list, f)
	}
	return list
}

// oneOf is a facet of which one choice is in force, or none. What it has no choice for is not asked.
func (v *visit) oneOf(param, name string, choices ...choice) facet {
	f, asked := facet{Param: param, Name: name, One: true}, v.asked(param)
	for _, c := range choices {
		c.On = c.Value == asked
		f.Choices = append(f.Choices, facetChoice{choice: c})
	}
	return f
}

// value is the first choice that is on.
func (f facet) value() string {
	for _, c := range f.Choices {
		if c.On {
			return c.Value
		}
	}
	return ""
}

func (v *visit) lockFacet(s belay.Principal, want *belay.WorkspaceQuery) facet {
	f := v.oneOf("lock", "Lock", choice{"locked", "locked", false}, choice{"mine", "locked by you", false}, choice{"unlocked", "unlocked", false})
	switch value := f.value(); value {
	case "mine":
		want.LockedBy = s.Holder().ID
	default:
		want.Lock = belay.LockFilter(value)
	}
	return f
}

// ageFacet is for how long nothing changed. An address may ask for any number of days.
func (v *visit) ageFacet(want *belay.WorkspaceQuery) facet {
	days := []int{7, 30, 90, 365}
	asked, err := strconv.Atoi(v.asked("age"))
	if err == nil && asked > 0 && asked <= mostAge {
		want.ChangedBefore = v.ui.Now().AddDate(0, 0, -asked)
		if !slices.Contains(days, asked) {
			days = append(days, asked)
			slices.Sort(days)
		}
	}
	var choices []choice
	for _, n := range days {
		choices = append(choices, choice{strconv.Itoa(n), "for " + many(n, "day", "days"), false})
	}
	return v.oneOf("age", "Unchanged", choices...)
}

// engineFacet is the versions and constraints that are asked for.
func (v *visit) engineFacet(want *belay.WorkspaceQuery) facet {
	f := facet{Param: "engine", Name: "Engine", Type: "1.9.8, or < 1.10"}
	for _, setting := range v.URL.Query()["engine"] {
		if setting = trimmed(setting); setting != "" && len(setting) <= belay.MaxLabel && len(want.Engines) < enginesOffered && !slices.Contains(want.Engines, setting) {
			want.Engines = append(want.Engines, setting)
			f.Choices = append(f.Choices, facetChoice{choice: choice{setting, setting, true}})
		}
	}
	return f
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
			if f.Param == "engine" && !slices.ContainsFunc(f.Choices, func(c facetChoice) bool { return c.Value == release }) {
				f.Choices = append(f.Choices, facetChoice{choice: choice{release, release, false}})
			}
		}
	}
}
