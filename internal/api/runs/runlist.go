package runs

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/organizations"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/people"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/run"
)

// What lists of runs are asked by.
var (
	runFilters = []string{
		"filter[operation]", "filter[status]", "filter[source]", "filter[status_group]", "filter[agent_pool_names]", "filter[timeframe]",
	}
	allRunFilters   = append(slices.Clone(runFilters), "filter[workspace_names]")
	runSearches     = []string{"search[user]", "search[commit]", "search[basic]"}
	adminRunFilters = []string{"filter[status]", "filter[from]", "filter[to]"}
	runGroups       = []string{"non_final", "final", "discardable"}
)

// runQuery reads what a list of runs asks for.
func runQuery(r *door.Request, timeframe string) (want run.Query, err error) {
	q := r.Query()
	want = run.Query{
		Operations: door.WordsOf(q, "filter[operation]"), Statuses: door.WordsOf(q, "filter[status]"), Sources: door.WordsOf(q, "filter[source]"),
		PoolNames: door.WordsOf(q, "filter[agent_pool_names]"), WorkspaceNames: door.WordsOf(q, "filter[workspace_names]"),
		Group: q.Get("filter[status_group]"), User: q.Get("search[user]"), Commit: q.Get("search[commit]"), Page: r.Page(),
	}
	if want.User == "" && want.Commit == "" {
		want.Basic = q.Get("search[basic]")
	}
	if want.Group != "" && !slices.Contains(runGroups, want.Group) {
		want.Statuses, want.Group = []string{}, "" // an unknown word matches nothing
	}
	if given := q.Get("filter[timeframe]"); given != "" {
		timeframe = given
	}
	return want, want.Timeframe(timeframe, time.Now().UTC())
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/runs", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listRuns, a.withRuns()), Query: runSearches, Filters: runFilters, Needs: belay.ReadRuns, Does: "List the runs of a workspace"},
		{Method: http.MethodGet, Path: paths.Organization + "/runs", Status: http.StatusOK, Do: door.ListingOnward(RunDocuments, a.listOrganizationRuns, a.withRuns()), Query: runSearches, Filters: allRunFilters, Needs: belay.Traverse, Does: "List the runs of the workspaces whose runs one may read"},
		{Method: http.MethodGet, Path: paths.Organization + "/runs/queue", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listQueue, a.withRuns()), Needs: belay.Traverse, Does: "List what runs and what waits, as far as one may read it"},
		{Method: http.MethodGet, Path: paths.Organization + "/capacity", Status: http.StatusOK, Do: door.Showing(capacities, a.showCapacity), Needs: belay.Traverse, Does: "See how many runs go on and wait"},
		{Method: http.MethodGet, Path: paths.Run + "/policy-checks", Status: http.StatusOK, Do: door.Listing(policyChecks, a.noneOfRun), Needs: belay.ReadRuns, Does: "List the policy checks of a run: there are none"},
		{Method: http.MethodGet, Path: paths.Run + "/task-stages", Status: http.StatusOK, Do: door.Listing(taskStages, a.noneOfRun), Needs: belay.ReadRuns, Does: "List the task stages of a run: there are none"},
		{Method: http.MethodGet, Path: paths.Run + "/tf-policy-evaluations", Status: http.StatusOK, Do: door.Listing(policyEvaluations, a.noneOfRun), Needs: belay.ReadRuns, Does: "List the policy evaluations of a run: there are none"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/runs", Status: http.StatusOK, Do: door.Listing(RunDocuments, a.listRunsForAdmins, a.withRuns()), Query: []string{"q"}, Filters: adminRunFilters, By: door.SiteAdmins, Does: "List the runs of the site"},
	}
})

func (a *Verbs) listRuns(r *door.Request) ([]runDoc, int, error) {
	want, err := runQuery(r, "")
	if err != nil {
		return nil, 0, err
	}
	want.WithoutPlans = want.Operations == nil // they are looked for, or not seen
	return a.Runs.List(r.Context(), r.Principal, paths.WorkspaceRef(r), want)
}

func (a *Verbs) listOrganizationRuns(r *door.Request) ([]runDoc, bool, error) {
	want, err := runQuery(r, "year")
	if err != nil {
		return nil, false, err
	}
	return a.Runs.ListOfOrganization(r.Context(), r.Principal, r.Param("organization_name"), want)
}

func (a *Verbs) listQueue(r *door.Request) ([]runDoc, int, error) {
	return a.Runs.Queue(r.Context(), r.Principal, r.Param("organization_name"), r.Page())
}

// capacity is how busy an organization is.
type capacity struct {
	run.Capacity
	organization string
}

var capacities = &doc.Noun[capacity, struct{}]{
	Type: "organization-capacity",
	ID:   func(c *capacity) string { return c.organization },
	Attributes: doc.Attributes[capacity, struct{}]{
		{Name: "running", Show: doc.Value(func(c *capacity) int { return c.Running })},
		{Name: "pending", Show: doc.Value(func(c *capacity) int { return c.Pending })},
		{Name: "run-limit", Show: doc.Maybe(func(c *capacity) int { return c.Limit })},
	},
}

func (a *Verbs) showCapacity(r *door.Request) (capacity, error) {
	o, c, err := a.Runs.Capacity(r.Context(), r.Principal, r.Param("organization_name"))
	return capacity{c, o.Name}, err
}

func (a *Verbs) listRunsForAdmins(r *door.Request) ([]runDoc, int, error) {
	q := r.Query()
	want := run.Query{Admin: q.Get("q"), Statuses: door.WordsOf(q, "filter[status]"), Page: r.Page()}
	var err error
	if want.From, err = door.MomentFilter(q, "filter[from]"); err != nil {
		return nil, 0, err
	}
	if want.To, err = door.MomentFilter(q, "filter[to]"); err != nil {
		return nil, 0, err
	}
	return a.Runs.AdminList(r.Context(), r.Principal, want)
}

// What hangs on runs elsewhere, and of which there is nothing here.
var (
	policyChecks      = &doc.Noun[struct{}, struct{}]{Type: "policy-checks", ID: func(*struct{}) string { return "" }}
	taskStages        = &doc.Noun[struct{}, struct{}]{Type: "task-stages", ID: func(*struct{}) string { return "" }}
	policyEvaluations = &doc.Noun[struct{}, struct{}]{Type: "tf-policy-evaluations", ID: func(*struct{}) string { return "" }}
)

// noneOfRun is an empty list, for those who may read the run.
func (a *Verbs) noneOfRun(r *door.Request) ([]struct{}, int, error) {
	_, err := a.showRun(r)
	return nil, 0, err
}

// runIncludes is what a document of runs can include. What Belay has none of may be asked
// for and is not there.
var runIncludes = []string{
	"plan", "apply", "created_by", "confirmed_by", "canceled_by", "configuration_version", "configuration_version.ingress_attributes",
	"workspace", "workspace.organization", "run_events", "comments", "cost_estimate", "task_stages", "tf_policy_evaluations", "policy_checks",
}

// wanting says whether a name below a prefix was asked for.
func wanting(under string, names []string) func(...string) bool {
	return func(either ...string) bool {
		return slices.ContainsFunc(either, func(name string) bool { return slices.Contains(names, under+name) })
	}
}

// withRuns is what a document of runs includes. Each kind is read at once for all of them.
func (a *Verbs) withRuns() *door.Inclusion[runDoc] {
	return &door.Inclusion[runDoc]{Names: runIncludes, Late: true, Add: func(r *door.Request, document *jsonapi.Document, list []runDoc, names []string) error {
		to := door.NewIncluding()
		if err := a.IncludeOfRuns(r, to, list, "", names); err != nil {
			return err
		}
		if wanting("", names)("workspace", "workspace.organization") {
			if err := a.includeWorkspacesOf(r, to, list, names); err != nil {
				return err
			}
		}
		document.Included = to.List
		return nil
	}}
}

// IncludeRunsBeside adds runs of one workspace that documents name as their run, with what
// hangs on them.
func (a *Verbs) IncludeRunsBeside(r *door.Request, to *door.Including, workspaceID string, ids, names []string) error {
	if !slices.ContainsFunc(names, func(name string) bool { return name == "run" || strings.HasPrefix(name, "run.") }) {
		return nil
	}
	found, err := a.Runs.OfWorkspace(r.Context(), r.Principal, workspaceID, ids)
	if err != nil {
		return err
	}
	if slices.Contains(names, "run") {
		door.Include(to, found, RunDocuments.In(r.Edition))
	}
	return a.IncludeOfRuns(r, to, found, "run.", names)
}

// IncludeOfRuns adds what hangs on runs, by names under a prefix.
func (a *Verbs) IncludeOfRuns(r *door.Request, to *door.Including, list []runDoc, under string, names []string) error {
	wants := wanting(under, names)
	wish := runs.Wish{
		Users:          wants("created_by", "confirmed_by", "canceled_by"),
		Configurations: wants("configuration_version", "configuration_version.ingress_attributes"),
		States:         wants("apply"),
	}
	found, err := a.Runs.Related(r.Context(), r.Principal, list, wish)
	if err != nil {
		return err
	}
	for _, of := range list {
		if wants("plan", "apply") { // whose documents hold signed URLs
			a.includePhases(r, to, runs.PhaseView{View: of, StateIDs: found.States[of.ID]}, wants)
		}
		if wants("run_events") {
			door.Include(to, eventDocs(of), RunEvents.In(r.Edition))
		}
		if wants("comments") {
			door.Include(to, commentDocs(of), Comments.In(r.Edition))
		}
	}
	includeUsersOf(r, to, list, found.Users, wants)
	IncludeConfigurations(r, to, found.Configurations, wants("configuration_version"), wants("configuration_version.ingress_attributes"))
	return nil
}

func (a *Verbs) includePhases(r *door.Request, to *door.Including, of runs.PhaseView, wants func(...string) bool) {
	phase := []phaseDoc{a.phased(r, of)}
	if wants("plan") {
		door.Include(to, phase, PlanDocuments.In(r.Edition))
	}
	if wants("apply") {
		door.Include(to, phase, ApplyDocuments.In(r.Edition))
	}
}

// includeUsersOf adds those users that acted in the ways that were asked for.
func includeUsersOf(r *door.Request, to *door.Including, list []runDoc, users []belay.User, wants func(...string) bool) {
	acted := map[string]bool{}
	for _, of := range list {
		acted[orService(of.CreatedBy, of.ServiceUser)] = acted[orService(of.CreatedBy, of.ServiceUser)] || wants("created_by")
		acted[of.ConfirmedBy] = acted[of.ConfirmedBy] || wants("confirmed_by")
		acted[of.CanceledBy] = acted[of.CanceledBy] || wants("canceled_by")
	}
	for _, u := range users {
		if acted[u.ID] {
			door.Include(to, []belay.User{u}, people.PublicUsers.In(r.Edition))
		}
	}
}

// includeWorkspacesOf adds the workspaces of runs, as far as the caller may read them, and
// their organizations.
func (a *Verbs) includeWorkspacesOf(r *door.Request, to *door.Including, of []runDoc, names []string) error {
	var ids app.NounIDs
	for i := range of {
		ids.Workspaces = append(ids.Workspaces, of[i].WorkspaceID)
	}
	found, err := a.App.Nouns(r.Context(), r.Principal, ids)
	if err != nil {
		return err
	}
	door.Include(to, found.Workspaces, workspaces.Workspaces.In(r.Edition)) // clients reach the organization through it
	if !slices.Contains(names, "workspace.organization") {
		return nil
	}
	var organizationIDs []string
	for _, w := range found.Workspaces {
		organizationIDs = append(organizationIDs, w.Organization.ID)
	}
	slices.Sort(organizationIDs)
	list, err := a.App.OrganizationsSeen(r.Context(), r.Principal, slices.Compact(organizationIDs))
	door.Include(to, list, organizations.Organizations.In(r.Edition))
	return err
}
