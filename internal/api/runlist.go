package api

import (
	"slices"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
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
func (r *request) runQuery(timeframe string) (want run.Query, err error) {
	q := r.query()
	want = run.Query{
		Operations: wordsOf(q, "filter[operation]"), Statuses: wordsOf(q, "filter[status]"), Sources: wordsOf(q, "filter[source]"),
		PoolNames: wordsOf(q, "filter[agent_pool_names]"), WorkspaceNames: wordsOf(q, "filter[workspace_names]"),
		Group: q.Get("filter[status_group]"), User: q.Get("search[user]"), Commit: q.Get("search[commit]"), Page: r.page(),
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

func (a *API) listRuns(r *request) ([]runDoc, int, error) {
	want, err := r.runQuery("")
	if err != nil {
		return nil, 0, err
	}
	want.WithoutPlans = want.Operations == nil // they are looked for, or not seen
	return a.Runs.List(r.Context(), r.subject, r.workspaceRef(), want)
}

func (a *API) listOrganizationRuns(r *request) ([]runDoc, bool, error) {
	want, err := r.runQuery("year")
	if err != nil {
		return nil, false, err
	}
	return a.Runs.ListOfOrganization(r.Context(), r.subject, r.param("organization_name"), want)
}

// listingOnward answers one page of a list that nobody counts: it says only whether there
// is another.
func listingOnward[D, P any](n *noun[D, P], verb func(*request) ([]D, bool, error), with ...*inclusion[D]) action {
	gives := func(d *describer) *openapi.Schema {
		return answerOf(openapi.List(n.shown(d))).Add("meta", d.named("OnwardMeta", onwardMeta), true)
	}
	onward := func(r *request) ([]D, int, error) {
		list, more, err := verb(r)
		if more {
			return list, 1, err
		}
		return list, 0, err
	}
	document := func(r *request, data []*jsonapi.Resource, more int) *jsonapi.Document {
		page := r.page()
		var prev, next any
		if page.Number > 1 {
			prev = page.Number - 1
		}
		if more > 0 {
			next = page.Number + 1
		}
		document := whole(data)
		document.Meta = jsonapi.Object{{Name: "pagination", Value: jsonapi.Object{
			{Name: "current-page", Value: page.Number}, {Name: "page-size", Value: page.Size}, {Name: "prev-page", Value: prev}, {Name: "next-page", Value: next},
		}}}
		return document
	}
	return lists(n, onward, gives, []string{"page[number]", "page[size]"}, document, with...)
}

func onwardMeta() *openapi.Schema {
	is := openapi.Object().Add("current-page", openapi.Of[int](), true).Add("page-size", openapi.Of[int](), true)
	is.Add("prev-page", openapi.Of[int]().OrNull(), true).Add("next-page", openapi.Of[int]().OrNull(), true)
	return openapi.Object().Add("pagination", is, true)
}

func (a *API) listQueue(r *request) ([]runDoc, int, error) {
	return a.Runs.Queue(r.Context(), r.subject, r.param("organization_name"), r.page())
}

// capacity is how busy an organization is.
type capacity struct {
	run.Capacity
	organization string
}

var capacities = &noun[capacity, struct{}]{
	typ: "organization-capacity",
	id:  func(c *capacity) string { return c.organization },
	attributes: attributes[capacity, struct{}]{
		{name: "running", show: value(func(c *capacity) int { return c.Running })},
		{name: "pending", show: value(func(c *capacity) int { return c.Pending })},
		{name: "run-limit", show: maybe(func(c *capacity) int { return c.Limit })},
	},
}

func (a *API) showCapacity(r *request) (capacity, error) {
	o, c, err := a.Runs.Capacity(r.Context(), r.subject, r.param("organization_name"))
	return capacity{c, o.Name}, err
}

func (a *API) listRunsForAdmins(r *request) ([]runDoc, int, error) {
	q := r.query()
	want := run.Query{Admin: q.Get("q"), Statuses: wordsOf(q, "filter[status]"), Page: r.page()}
	var err error
	if want.From, err = momentFilter(q, "filter[from]"); err != nil {
		return nil, 0, err
	}
	if want.To, err = momentFilter(q, "filter[to]"); err != nil {
		return nil, 0, err
	}
	return a.Runs.AdminList(r.Context(), r.subject, want)
}

// What hangs on runs elsewhere, and of which there is nothing here.
var (
	policyChecks      = &noun[struct{}, struct{}]{typ: "policy-checks", id: func(*struct{}) string { return "" }}
	taskStages        = &noun[struct{}, struct{}]{typ: "task-stages", id: func(*struct{}) string { return "" }}
	policyEvaluations = &noun[struct{}, struct{}]{typ: "tf-policy-evaluations", id: func(*struct{}) string { return "" }}
)

// noneOfRun is an empty list, for those who may read the run.
func (a *API) noneOfRun(r *request) ([]struct{}, int, error) {
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
	return func(any ...string) bool {
		return slices.ContainsFunc(any, func(name string) bool { return slices.Contains(names, under+name) })
	}
}

// withRuns is what a document of runs includes. Each kind is read at once for all of them.
var withRuns = &inclusion[runDoc]{names: runIncludes, late: true, add: func(r *request, document *jsonapi.Document, list []runDoc, names []string) error {
	to := newIncluding()
	if err := r.includeOfRuns(to, list, "", names); err != nil {
		return err
	}
	if wanting("", names)("workspace", "workspace.organization") {
		if err := r.includeWorkspacesOf(to, list, names); err != nil {
			return err
		}
	}
	document.Included = to.list
	return nil
}}

// includeRunsBeside adds runs of one workspace that documents name as their run, with what
// hangs on them.
func (r *request) includeRunsBeside(to *including, workspaceID string, ids, names []string) error {
	if !slices.ContainsFunc(names, func(name string) bool { return name == "run" || strings.HasPrefix(name, "run.") }) {
		return nil
	}
	found, err := r.api.Runs.OfWorkspace(r.Context(), r.subject, workspaceID, ids)
	if err != nil {
		return err
	}
	if slices.Contains(names, "run") {
		include(to, found, runDocuments.in(r))
	}
	return r.includeOfRuns(to, found, "run.", names)
}

// includeOfRuns adds what hangs on runs, by names under a prefix.
func (r *request) includeOfRuns(to *including, list []runDoc, under string, names []string) error {
	wants := wanting(under, names)
	wish := runs.Wish{
		Users:          wants("created_by", "confirmed_by", "canceled_by"),
		Configurations: wants("configuration_version", "configuration_version.ingress_attributes"),
		States:         wants("apply"),
	}
	found, err := r.api.Runs.Related(r.Context(), r.subject, list, wish)
	if err != nil {
		return err
	}
	for _, of := range list {
		if wants("plan", "apply") { // whose documents hold signed URLs
			r.includePhases(to, runs.PhaseView{View: of, StateIDs: found.States[of.ID]}, wants)
		}
		if wants("run_events") {
			include(to, eventDocs(of), runEvents.in(r))
		}
		if wants("comments") {
			include(to, commentDocs(of), comments.in(r))
		}
	}
	r.includeUsersOf(to, list, found.Users, wants)
	r.includeConfigurations(to, found.Configurations, wants("configuration_version"), wants("configuration_version.ingress_attributes"))
	return nil
}

func (r *request) includePhases(to *including, of runs.PhaseView, wants func(...string) bool) {
	phase := []phaseDoc{r.phased(of)}
	if wants("plan") {
		include(to, phase, planDocuments.in(r))
	}
	if wants("apply") {
		include(to, phase, applyDocuments.in(r))
	}
}

// includeUsersOf adds those users that acted in the ways that were asked for.
func (r *request) includeUsersOf(to *including, list []runDoc, users []belay.User, wants func(...string) bool) {
	acted := map[string]bool{}
	for _, of := range list {
		acted[orService(of.CreatedBy, of.ServiceUser)] = acted[orService(of.CreatedBy, of.ServiceUser)] || wants("created_by")
		acted[of.ConfirmedBy] = acted[of.ConfirmedBy] || wants("confirmed_by")
		acted[of.CanceledBy] = acted[of.CanceledBy] || wants("canceled_by")
	}
	for _, u := range users {
		if acted[u.ID] {
			include(to, []belay.User{u}, publicUsers.in(r))
		}
	}
}

// includeWorkspacesOf adds the workspaces of runs, as far as the caller may read them, and
// their organizations.
func (r *request) includeWorkspacesOf(to *including, of []runDoc, names []string) error {
	var ids app.NounIDs
	for i := range of {
		ids.Workspaces = append(ids.Workspaces, of[i].WorkspaceID)
	}
	found, err := r.api.App.Nouns(r.Context(), r.subject, ids)
	if err != nil {
		return err
	}
	include(to, found.Workspaces, workspaces.in(r)) // clients reach the organization through it
	if !slices.Contains(names, "workspace.organization") {
		return nil
	}
	var organizationIDs []string
	for _, w := range found.Workspaces {
		organizationIDs = append(organizationIDs, w.Organization.ID)
	}
	slices.Sort(organizationIDs)
	list, err := r.api.App.OrganizationsSeen(r.Context(), r.subject, slices.Compact(organizationIDs))
	include(to, list, organizations.in(r))
	return err
}
