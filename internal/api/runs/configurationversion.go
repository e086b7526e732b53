package runs

import (
	"net/http"
	"slices"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/api/workspaces"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// configurationDoc is a configuration version on its way into a document.
type configurationDoc struct {
	run.ConfigurationVersion
	upload string // where its archive goes; only whoever makes one is told
}

type configurationPatch = run.ConfigurationPatch

// ConfigurationAttributes is every attribute of a configuration version.
var ConfigurationAttributes = doc.Attributes[configurationDoc, configurationPatch]{
	{Name: "auto-queue-runs", Show: doc.Value(func(c *configurationDoc) bool { return c.AutoQueueRuns }), Write: doc.Nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.AutoQueueRuns })},
	{Name: "speculative", Show: doc.Value(func(c *configurationDoc) bool { return c.Speculative }), Write: doc.Nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.Speculative })},
	{Name: "provisional", Show: doc.Value(func(c *configurationDoc) bool { return c.Provisional }), Write: doc.Nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.Provisional })},
	{Name: "status", Show: doc.Value(func(c *configurationDoc) string { return string(c.Status) })},
	{Name: "source", Show: doc.Value(func(c *configurationDoc) string { return c.Source })},
	{Name: "error", Show: doc.Maybe(func(c *configurationDoc) string { return c.ErrorCode })},
	{Name: "error-message", Show: doc.Maybe(func(c *configurationDoc) string { return c.ErrorMessage })},
	{Name: "status-timestamps", Show: doc.Reader[configurationDoc]{Get: func(c *configurationDoc) any { return configurationStamps(c) }, Is: &openapi.Schema{Type: openapi.Types{"object"}}}},
	{Name: "upload-url", Show: doc.Value(func(c *configurationDoc) string { return c.upload }), Absent: func(c *configurationDoc) bool { return c.upload == "" }},
}

// configurationStamps is when what happened to a configuration version, in its order.
func configurationStamps(c *configurationDoc) jsonapi.Object {
	object := jsonapi.Object{}
	for _, name := range []string{
		run.FetchingStamp, run.UploadedStamp, run.FinishedStamp, run.ArchivedStamp, run.ErroredStamp,
		run.SoftDeletedStamp, run.RestoredStamp, run.DeletedStamp,
	} {
		if at, happened := c.Stamps[name]; happened {
			object = append(object, jsonapi.Member{Name: name + "-at", Value: at})
		}
	}
	return object
}

// ingressAttributes is what is known of the commit that a configuration version is of.
var ingressAttributes = doc.Attributes[run.Ingress, struct{}]{
	{Name: "branch", Show: doc.Value(func(i *run.Ingress) string { return i.Branch })},
	{Name: "clone-url", Show: doc.Value(func(i *run.Ingress) string { return i.CloneURL })},
	{Name: "commit-message", Show: doc.Value(func(i *run.Ingress) string { return i.CommitMessage })},
	{Name: "commit-sha", Show: doc.Value(func(i *run.Ingress) string { return i.CommitSHA })},
	{Name: "commit-url", Show: doc.Value(func(i *run.Ingress) string { return i.CommitURL })},
	{Name: "compare-url", Show: doc.Value(func(i *run.Ingress) string { return i.CompareURL })},
	{Name: "identifier", Show: doc.Value(func(i *run.Ingress) string { return i.Identifier })},
	{Name: "is-pull-request", Show: doc.Value(func(i *run.Ingress) bool { return i.IsPullRequest })},
	{Name: "on-default-branch", Show: doc.Value(func(i *run.Ingress) bool { return i.OnDefaultBranch })},
	{Name: "pull-request-number", Show: doc.Maybe(func(i *run.Ingress) int { return i.PullRequestNumber })},
	{Name: "pull-request-url", Show: doc.Maybe(func(i *run.Ingress) string { return i.PullRequestURL })},
	{Name: "pull-request-title", Show: doc.Maybe(func(i *run.Ingress) string { return i.PullRequestTitle })},
	{Name: "pull-request-body", Show: doc.Maybe(func(i *run.Ingress) string { return i.PullRequestBody })},
	{Name: "tag", Show: doc.Maybe(func(i *run.Ingress) string { return i.Tag })},
	{Name: "sender-username", Show: doc.Maybe(func(i *run.Ingress) string { return i.SenderUsername })},
	{Name: "sender-avatar-url", Show: doc.Maybe(func(i *run.Ingress) string { return i.SenderAvatarURL })},
	{Name: "sender-html-url", Show: doc.Maybe(func(i *run.Ingress) string { return i.SenderHTMLURL })},
}

// Configurations is configuration versions.
var Configurations = &doc.Noun[configurationDoc, configurationPatch]{
	Type:       "configuration-versions",
	ID:         func(c *configurationDoc) string { return c.ID },
	Path:       configurationPath,
	Attributes: ConfigurationAttributes,
	Relations: []doc.Relation[configurationDoc, configurationPatch]{
		doc.ToBelow[configurationDoc, configurationPatch]("ingress-attributes", "ingress-attributes", "/ingress-attributes", func(c *configurationDoc) string {
			if c.Ingress == nil {
				return ""
			}
			return c.Ingress.ID
		}),
		doc.To[configurationDoc, configurationPatch]("workspace", "workspaces", func(c *configurationDoc) string { return c.WorkspaceID }),
		doc.Bare[configurationDoc, configurationPatch]("run", "runs", func(c *configurationDoc) string { return c.RunID }),
	},
	Links: []doc.Link[configurationDoc]{{Name: "download", Optional: true, To: func(c *configurationDoc) string {
		if !c.There() {
			return ""
		}
		return configurationPath(c) + "/download"
	}}},
}

func configurationPath(c *configurationDoc) string { return "/api/v2/configuration-versions/" + c.ID }

// Ingresses is the ingress attributes of configuration versions.
var Ingresses = &doc.Noun[run.Ingress, struct{}]{
	Type:       "ingress-attributes",
	Schema:     "IngressAttributes",
	ID:         func(i *run.Ingress) string { return i.ID },
	Path:       func(i *run.Ingress) string { return "/api/v2/ingress-attributes/" + i.ID },
	Attributes: ingressAttributes,
	Relations: []doc.Relation[run.Ingress, struct{}]{
		doc.Bare[run.Ingress, struct{}]("created-by", "users", func(i *run.Ingress) string { return i.CreatedBy }),
	},
}

// seen is configuration versions that were there before: nobody is told where they go.
func seen(list []run.ConfigurationVersion) []configurationDoc {
	docs := make([]configurationDoc, len(list))
	for i, c := range list {
		docs[i].ConfigurationVersion = c
	}
	return docs
}

// IncludeConfigurations adds configuration versions to what a document includes, or their
// ingress attributes alone.
func IncludeConfigurations(r *door.Request, to *door.Including, list []run.ConfigurationVersion, themselves, ingress bool) {
	if themselves {
		door.Include(to, seen(list), Configurations.In(r.Edition))
	}
	for _, c := range list {
		if ingress && c.Ingress != nil {
			door.Include(to, []run.Ingress{*c.Ingress}, Ingresses.In(r.Edition))
		}
	}
}

// configurationSource is where a new configuration version is said to come from.
func configurationSource(r *door.Request) string {
	if r.Header.Get("Terraform-Version") != "" {
		return run.ConfigurationFromCLI
	}
	return run.ConfigurationFromAPI
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Workspace + "/configuration-versions", Status: http.StatusOK, Do: door.Listing(Configurations, a.listConfigurations, a.withConfigurations()), Needs: belay.ReadRuns, Does: "List the configuration versions of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/configuration-versions", Status: http.StatusCreated, Do: door.Showing(Configurations, a.createConfiguration).Reads(Configurations.Body), Needs: belay.QueueRuns, Does: "Make one, to upload it"},
		{Method: http.MethodGet, Path: paths.Configuration, Status: http.StatusOK, Do: door.Showing(Configurations, a.showConfiguration, a.withConfigurations()), Needs: belay.ReadRuns, Does: "See a configuration version"},
		{Method: http.MethodGet, Path: paths.Configuration + "/ingress-attributes", Status: http.StatusOK, Do: door.Showing(Ingresses, a.showConfigurationIngress), Needs: belay.ReadRuns, Does: "See the commit that it is of"},
		{Method: http.MethodGet, Path: paths.V2 + "/ingress-attributes/{ingress_id}", Status: http.StatusOK, Do: door.Showing(Ingresses, a.showIngress), Needs: belay.ReadRuns, Does: "See that by its own id"},
		{Method: http.MethodGet, Path: paths.Configuration + "/download", Status: http.StatusFound, Raw: a.downloadConfiguration, Needs: belay.ReadRuns, Does: "Download the configuration"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/archive", Status: http.StatusAccepted, Do: door.Doing(a.archiveConfiguration), Refuses: []belay.Kind{belay.Conflict}, Needs: belay.QueueRuns, Does: "Give up an older configuration"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/soft_delete_backing_data", Status: http.StatusOK, Do: door.Doing(a.softDeleteConfiguration), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.DeleteOrganization, Does: "Put the archive of an older one aside"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/restore_backing_data", Status: http.StatusOK, Do: door.Doing(a.restoreConfiguration), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.DeleteOrganization, Does: "Take the archive back"},
		{Method: http.MethodPost, Path: paths.Configuration + "/actions/permanently_delete_backing_data", Status: http.StatusOK, Do: door.Doing(a.deleteConfigurationForGood), Feature: site.DataRetention, Refuses: []belay.Kind{belay.Conflict}, Needs: belay.DeleteOrganization, Does: "Delete it for good"},
		{Method: http.MethodGet, Path: paths.Run + "/configuration-version/download", Status: http.StatusFound, Raw: a.downloadConfigurationOfRun, Needs: belay.ReadRuns, Does: "Download the configuration of a run"},
	}
})

func (a *Verbs) createConfiguration(r *door.Request) (none configurationDoc, err error) {
	var p configurationPatch
	if len(r.Document) > 0 {
		if p, err = door.Patched(Configurations, r); err != nil {
			return none, err
		}
	}
	c, upload, err := a.Configs.Create(r.Context(), r.Principal, paths.WorkspaceRef(r), p, configurationSource(r))
	return configurationDoc{c, r.PresignedURL(upload)}, err
}

func (a *Verbs) listConfigurations(r *door.Request) ([]configurationDoc, int, error) {
	list, total, err := a.Configs.List(r.Context(), r.Principal, paths.WorkspaceRef(r), r.Page())
	return seen(list), total, err
}

// withConfigurations is what a document of configuration versions can include.
func (a *Verbs) withConfigurations() *door.Inclusion[configurationDoc] {
	return &door.Inclusion[configurationDoc]{
		Names: []string{"ingress_attributes", "run"},
		Add: func(r *door.Request, document *jsonapi.Document, list []configurationDoc, names []string) error {
			to := door.NewIncluding()
			var ids []string
			for _, c := range list {
				IncludeConfigurations(r, to, []run.ConfigurationVersion{c.ConfigurationVersion}, false, slices.Contains(names, "ingress_attributes"))
				ids = append(ids, c.RunID)
			}
			if len(list) > 0 { // all of one workspace
				if err := a.IncludeRunsBeside(r, to, list[0].WorkspaceID, ids, names); err != nil {
					return err
				}
			}
			document.Included = to.List
			return nil
		},
	}
}

func (a *Verbs) showConfiguration(r *door.Request) (configurationDoc, error) {
	c, err := a.Configs.Show(r.Context(), r.Principal, r.Param("configuration_version_id"))
	return configurationDoc{ConfigurationVersion: c}, err
}

func (a *Verbs) showIngress(r *door.Request) (run.Ingress, error) {
	return ingressOf(a.Configs.Ingress(r.Context(), r.Principal, r.Param("ingress_id")))
}

func (a *Verbs) showConfigurationIngress(r *door.Request) (run.Ingress, error) {
	return ingressOf(a.Configs.IngressOf(r.Context(), r.Principal, r.Param("configuration_version_id")))
}

func ingressOf(c run.ConfigurationVersion, err error) (run.Ingress, error) {
	if err != nil {
		return run.Ingress{}, err
	}
	return *c.Ingress, nil
}

// downloadConfiguration sends to where the archive is.
func (a *Verbs) downloadConfiguration(r *door.Request) error {
	p, err := a.Configs.Presign(r.Context(), r.Principal, r.Param("configuration_version_id"))
	if err != nil {
		return err
	}
	return r.Redirect(r.PresignedURL(p), http.StatusFound)
}

// downloadConfigurationOfRun sends to where the archive of a run is, for those who may read
// both.
func (a *Verbs) downloadConfigurationOfRun(r *door.Request) error {
	of, err := a.Runs.Show(r.Context(), r.Principal, r.Param("run_id"))
	if err != nil {
		return err
	}
	p, err := a.Configs.Presign(r.Context(), r.Principal, of.ConfigurationVersionID)
	if err != nil {
		return err
	}
	return r.Redirect(r.PresignedURL(p), http.StatusFound)
}

func (a *Verbs) archiveConfiguration(r *door.Request) error {
	return a.Configs.Archive(r.Context(), r.Principal, r.Param("configuration_version_id"))
}

func (a *Verbs) softDeleteConfiguration(r *door.Request) error {
	return a.Configs.SoftDelete(r.Context(), r.Principal, r.Param("configuration_version_id"))
}

func (a *Verbs) restoreConfiguration(r *door.Request) error {
	return a.Configs.Restore(r.Context(), r.Principal, r.Param("configuration_version_id"))
}

func (a *Verbs) deleteConfigurationForGood(r *door.Request) error {
	return a.Configs.DeleteForGood(r.Context(), r.Principal, r.Param("configuration_version_id"))
}

// readme is what people are told about a workspace.
type readme struct{ id, text string }

// Readmes is what configurations tell people of themselves.
var Readmes = &doc.Noun[readme, struct{}]{
	Type: "workspace-readme",
	ID:   func(r *readme) string { return r.id },
	Attributes: doc.Attributes[readme, struct{}]{
		{Name: "raw-markdown", Show: doc.Maybe(func(r *readme) string { return r.text })},
	},
}

// IncludeReadmes adds what people are told about workspaces, for those who may read their
// configurations.
func (a *Verbs) IncludeReadmes(r *door.Request, to *door.Including, list []workspaces.WorkspaceDoc) error {
	var ids []string
	for i := range list {
		if list[i].ConfigurationID != "" && list[i].Can.Has(belay.ReadRuns) {
			ids = append(ids, list[i].ConfigurationID)
		}
	}
	texts, err := a.Configs.Readmes(r.Context(), ids)
	if err != nil {
		return err
	}
	for i := range list {
		w := &list[i]
		if w.ConfigurationID == "" || !w.Can.Has(belay.ReadRuns) {
			continue
		}
		door.Include(to, []readme{{workspaces.ReadmeID(w), texts[w.ConfigurationID]}}, Readmes.In(r.Edition))
	}
	return nil
}
