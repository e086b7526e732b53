package ui

import (
	"slices"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
)

// mostAge is the oldest latest change that can be asked for, in days.
const mostAge = 36500

// enginesOffered is how many releases a facet offers.
const enginesOffered = 30

// moreFacets is the facets of the list whose choices are not counted: locks, engines, ages and
// change requests. Of all but engines one choice is in force.
func (v *visit) moreFacets(s belay.Subject, o *app.OrganizationView, want *belay.WorkspaceQuery, requests bool) ([]facet, error) {
	list := []facet{v.lockFacet(s, want)}
	engines, err := v.engineFacet(s, o.Name, want)
	if err != nil {
		return nil, err
	}
	list = append(list, engines, v.ageFacet(want))
	if requests {
		f := v.oneOf("requests", "Requests", choice{"open", "open change requests", false})
		want.OpenRequests = f.value() != ""
		list = append(list, f)
	}
	return list, nil
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

func (v *visit) lockFacet(s belay.Subject, want *belay.WorkspaceQuery) facet {
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

// engineFacet is the releases that workspaces have, to those who see all of them, and the versions
// and constraints that are asked for.
func (v *visit) engineFacet(s belay.Subject, organization string, want *belay.WorkspaceQuery) (facet, error) {
	f := facet{Param: "engine", Name: "Engine", Type: "1.9.8, or < 1.10"}
	for _, setting := range v.URL.Query()["engine"] {
		if setting = trimmed(setting); setting != "" && len(setting) <= belay.MaxLabel && len(want.Engines) < enginesOffered && !slices.Contains(want.Engines, setting) {
			want.Engines = append(want.Engines, setting)
		}
	}
	offered, err := v.ui.App.EngineReleases(v.Context(), s, organization)
	if belay.KindOf(err) == belay.NotFound {
		err = nil
	}
	offered = offered[:min(len(offered), enginesOffered)]
	for _, setting := range want.Engines {
		if !slices.Contains(offered, setting) {
			offered = append(offered, setting)
		}
	}
	for _, value := range offered {
		f.Choices = append(f.Choices, facetChoice{choice: choice{value, value, slices.Contains(want.Engines, value)}})
	}
	return f, err
}
