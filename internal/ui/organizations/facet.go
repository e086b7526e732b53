package organizations

import (
	"html/template"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/draw"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/run"
)

// runGroup is statuses that people see as one.
type runGroup struct {
	value, text, fill string
	statuses          []run.Status
}

var runGroups = []runGroup{
	{"confirm", "waits for confirmation", "p2", []run.Status{run.Planned, run.PlannedAndSaved}},
	{"running", "running or queued", "p1", []run.Status{
		run.Pending, run.Fetching, run.PlanQueued, run.Planning, run.Confirmed, run.ApplyQueued, run.Applying,
	}},
	{"failed", "failed", "p3", []run.Status{run.Errored}},
	{"applied", "applied", "p0", []run.Status{run.Applied, run.PlannedAndFinished}},
	{"dropped", "discarded or canceled", "p5", []run.Status{run.Discarded, run.Canceled}},
	{"none", "no run yet", "track", []run.Status{""}},
}

// runFacet is the groups of run statuses, and the statuses of those that are asked for.
func runFacet(v *frame.Visit) (f frame.Facet, statuses []string) {
	f = frame.Facet{Param: "run", Name: "Run"}
	asked := v.URL.Query()["run"]
	for _, g := range runGroups {
		on := slices.Contains(asked, g.value)
		f.Choices = append(f.Choices, frame.FacetChoice{Choice: frame.Choice{Value: g.value, Text: g.text, On: on}})
		if on {
			for _, s := range g.statuses {
				statuses = append(statuses, string(s))
			}
		}
	}
	return f, statuses
}

// stripPart is all workspaces by run status, each part a way to its list.
type stripPart struct {
	Bar    template.HTML
	Legend []stripEntry

	counts map[string]int // by group
}

type stripEntry struct {
	Path, Text, Fill string
	Count            int
}

// strip is how the workspaces of an organization stand, for those who see all of them.
func strip(v *frame.Visit, s belay.Principal, organization string) (*stripPart, error) {
	counts, err := v.UI.App.WorkspacesByRunStatus(v.Context(), s, organization)
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	return stripOf(organization, counts), err
}

// stripOf is the strip of workspaces that were counted by run status.
func stripOf(organization string, counts map[string]int) *stripPart {
	part, total := &stripPart{counts: map[string]int{}}, 0
	var bars []draw.Part
	for _, g := range runGroups {
		n := 0
		for _, status := range g.statuses {
			n += counts[string(status)]
		}
		part.counts[g.value] = n
		if total += n; n > 0 {
			bars = append(bars, draw.Part{Of: n, Fill: g.fill})
			path := frame.OrganizationPath(organization, "workspaces") + "?run=" + g.value
			part.Legend = append(part.Legend, stripEntry{path, g.text, g.fill, n})
		}
	}
	if total == 0 {
		return nil
	}
	part.Bar = draw.Bar("strip", "", total, bars...)
	return part
}

// groupOf is the group of a status.
func groupOf(status string) string {
	i := slices.IndexFunc(runGroups, func(g runGroup) bool { return slices.Contains(g.statuses, run.Status(status)) })
	if i < 0 {
		return ""
	}
	return runGroups[i].value
}

// grouped is how many workspaces of a list there are by run and project; all: none was left uncounted.
type grouped struct {
	groups []belay.WorkspaceGroup
	all    bool
}

// readGroups counts the workspaces that the address asks for; of a list that is narrowed at once, and else when it is asked for.
func readGroups(v *frame.Visit, s belay.Principal, organization string, want belay.WorkspaceQuery, narrowed bool) func() (grouped, error) {
	read := func() (g grouped, err error) {
		g.groups, g.all, err = v.UI.App.WorkspaceGroups(v.Context(), s, organization, want)
		return g, err
	}
	if narrowed {
		return frame.Soon(v, read)
	}
	return read
}

// countFacets says beside each choice how many workspaces it finds, with what the other facets
// and the rest of the address ask for. Of a list that nothing narrows that is known already.
func countFacets(v *frame.Visit, s belay.Principal, organization string, want *belay.WorkspaceQuery, page *workspacesPage, read func() (grouped, error)) error {
	var err error
	if !page.Filtered {
		if page.Strip, err = strip(v, s, organization); err != nil {
			return err
		}
	}
	if page.Strip != nil {
		in := map[string]int{}
		for i := range page.projects {
			in[page.projects[i].ID] = page.projects[i].WorkspaceCount
		}
		page.count(func(c *frame.FacetChoice) int { return page.Strip.counts[c.Value] }, func(c *frame.FacetChoice) int { return in[c.ID] }, "")
		return nil
	}
	found, err := read()
	if err != nil {
		return err
	}
	runs, projects := map[string]int{}, map[string]int{}
	for _, g := range found.groups {
		if want.Projects == nil || slices.Contains(want.Projects, g.ProjectID) {
			runs[groupOf(g.RunStatus)] += g.Count
		}
		if want.RunStatuses == nil || slices.Contains(want.RunStatuses, g.RunStatus) {
			projects[g.ProjectID] += g.Count
		}
	}
	more := map[bool]string{false: "+"}[found.all]
	page.count(func(c *frame.FacetChoice) int { return runs[c.Value] }, func(c *frame.FacetChoice) int { return projects[c.ID] }, more)
	if page.Filtered {
		page.Strip, err = strip(v, s, organization) // counted with them, for those who see all
	}
	return err
}

// count fills in the numbers of the choices.
func (p *workspacesPage) count(ofRun, ofProject func(*frame.FacetChoice) int, more string) {
	for i := range p.Facets {
		of := map[string]func(*frame.FacetChoice) int{"run": ofRun, "project": ofProject}[p.Facets[i].Param]
		if of == nil {
			continue
		}
		for n := range p.Facets[i].Choices {
			c := &p.Facets[i].Choices[n]
			c.Count = frame.Count(of(c)) + more
		}
	}
}
