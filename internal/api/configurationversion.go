package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/run"
)

// configurationDoc is a configuration version on its way into a document.
type configurationDoc struct {
	run.ConfigurationVersion
	upload string // where its archive goes; only whoever makes one is told
}

type configurationPatch = run.ConfigurationPatch

// configurationAttributes is every attribute of a configuration version.
var configurationAttributes = attributes[configurationDoc, configurationPatch]{
	{name: "auto-queue-runs", show: value(func(c *configurationDoc) bool { return c.AutoQueueRuns }), write: nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.AutoQueueRuns })},
	{name: "speculative", show: value(func(c *configurationDoc) bool { return c.Speculative }), write: nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.Speculative })},
	{name: "provisional", show: value(func(c *configurationDoc) bool { return c.Provisional }), write: nullable(func(p *configurationPatch) *patch.Field[bool] { return &p.Provisional })},
	{name: "status", show: value(func(c *configurationDoc) string { return string(c.Status) })},
	{name: "source", show: value(func(c *configurationDoc) string { return c.Source })},
	{name: "error", show: maybe(func(c *configurationDoc) string { return c.ErrorCode })},
	{name: "error-message", show: maybe(func(c *configurationDoc) string { return c.ErrorMessage })},
	{name: "status-timestamps", show: reader[configurationDoc]{func(c *configurationDoc) any { return configurationStamps(c) }, &openapi.Schema{Type: openapi.Types{"object"}}}},
	{name: "upload-url", show: value(func(c *configurationDoc) string { return c.upload }), absent: func(c *configurationDoc) bool { return c.upload == "" }},
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
var ingressAttributes = attributes[run.Ingress, struct{}]{
	{name: "branch", show: value(func(i *run.Ingress) string { return i.Branch })},
	{name: "clone-url", show: value(func(i *run.Ingress) string { return i.CloneURL })},
	{name: "commit-message", show: value(func(i *run.Ingress) string { return i.CommitMessage })},
	{name: "commit-sha", show: value(func(i *run.Ingress) string { return i.CommitSHA })},
	{name: "commit-url", show: value(func(i *run.Ingress) string { return i.CommitURL })},
	{name: "compare-url", show: value(func(i *run.Ingress) string { return i.CompareURL })},
	{name: "identifier", show: value(func(i *run.Ingress) string { return i.Identifier })},
	{name: "is-pull-request", show: value(func(i *run.Ingress) bool { return i.IsPullRequest })},
	{name: "on-default-branch", show: value(func(i *run.Ingress) bool { return i.OnDefaultBranch })},
	{name: "pull-request-number", show: maybe(func(i *run.Ingress) int { return i.PullRequestNumber })},
	{name: "pull-request-url", show: maybe(func(i *run.Ingress) string { return i.PullRequestURL })},
	{name: "pull-request-title", show: maybe(func(i *run.Ingress) string { return i.PullRequestTitle })},
	{name: "pull-request-body", show: maybe(func(i *run.Ingress) string { return i.PullRequestBody })},
	{name: "tag", show: maybe(func(i *run.Ingress) string { return i.Tag })},
	{name: "sender-username", show: maybe(func(i *run.Ingress) string { return i.SenderUsername })},
	{name: "sender-avatar-url", show: maybe(func(i *run.Ingress) string { return i.SenderAvatarURL })},
	{name: "sender-html-url", show: maybe(func(i *run.Ingress) string { return i.SenderHTMLURL })},
}

var configurations = &noun[configurationDoc, configurationPatch]{
	typ:        "configuration-versions",
	id:         func(c *configurationDoc) string { return c.ID },
	path:       configurationPath,
	attributes: configurationAttributes,
	relations: []relation[configurationDoc, configurationPatch]{
		toBelow[configurationDoc, configurationPatch]("ingress-attributes", "ingress-attributes", "/ingress-attributes", func(c *configurationDoc) string {
			if c.Ingress == nil {
				return ""
			}
			return c.Ingress.ID
		}),
		to[configurationDoc, configurationPatch]("workspace", "workspaces", func(c *configurationDoc) string { return c.WorkspaceID }),
		bare[configurationDoc, configurationPatch]("run", "runs", func(c *configurationDoc) string { return c.RunID }),
	},
	links: []link[configurationDoc]{{name: "download", optional: true, to: func(c *configurationDoc) string {
		if !c.There() {
			return ""
		}
		return configurationPath(c) + "/download"
	}}},
}

func configurationPath(c *configurationDoc) string { return "/api/v2/configuration-versions/" + c.ID }

// ingresses is the ingress attributes of configuration versions.
var ingresses = &noun[run.Ingress, struct{}]{
	typ:        "ingress-attributes",
	schema:     "IngressAttributes",
	id:         func(i *run.Ingress) string { return i.ID },
	path:       func(i *run.Ingress) string { return "/api/v2/ingress-attributes/" + i.ID },
	attributes: ingressAttributes,
	relations: []relation[run.Ingress, struct{}]{
		bare[run.Ingress, struct{}]("created-by", "users", func(i *run.Ingress) string { return i.CreatedBy }),
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

// includeConfigurations adds configuration versions to what a document includes, or their
// ingress attributes alone.
func (r *request) includeConfigurations(to *including, list []run.ConfigurationVersion, themselves, ingress bool) {
	if themselves {
		include(to, seen(list), configurations.in(r))
	}
	for _, c := range list {
		if ingress && c.Ingress != nil {
			include(to, []run.Ingress{*c.Ingress}, ingresses.in(r))
		}
	}
}

// configurationSource is where a new configuration version is said to come from.
func (r *request) configurationSource() string {
	if r.Header.Get("Terraform-Version") != "" {
		return run.ConfigurationFromCLI
	}
	return run.ConfigurationFromAPI
}

func (a *API) createConfiguration(r *request) (none configurationDoc, err error) {
	var p configurationPatch
	if len(r.body) > 0 {
		if p, err = configurations.patch(r); err != nil {
			return none, err
		}
	}
	c, upload, err := a.Configs.Create(r.Context(), r.subject, r.workspaceRef(), p, r.configurationSource())
	return configurationDoc{c, r.presignedURL(upload)}, err
}

func (a *API) listConfigurations(r *request) ([]configurationDoc, int, error) {
	list, total, err := a.Configs.List(r.Context(), r.subject, r.workspaceRef(), r.page())
	return seen(list), total, err
}

// withConfigurations is what a document of configuration versions can include.
var withConfigurations = &inclusion[configurationDoc]{
	names: []string{"ingress_attributes", "run"},
	add: func(r *request, document *jsonapi.Document, list []configurationDoc, names []string) error {
		to := newIncluding()
		var ids []string
		for _, c := range list {
			r.includeConfigurations(to, []run.ConfigurationVersion{c.ConfigurationVersion}, false, slices.Contains(names, "ingress_attributes"))
			ids = append(ids, c.RunID)
		}
		if len(list) > 0 { // all of one workspace
			if err := r.includeRunsBeside(to, list[0].WorkspaceID, ids, names); err != nil {
				return err
			}
		}
		document.Included = to.list
		return nil
	},
}

func (a *API) showConfiguration(r *request) (configurationDoc, error) {
	c, err := a.Configs.Show(r.Context(), r.subject, r.param("configuration_version_id"))
	return configurationDoc{ConfigurationVersion: c}, err
}

func (a *API) showIngress(r *request) (run.Ingress, error) {
	return ingressOf(a.Configs.Ingress(r.Context(), r.subject, r.param("ingress_id")))
}

func (a *API) showConfigurationIngress(r *request) (run.Ingress, error) {
	return ingressOf(a.Configs.IngressOf(r.Context(), r.subject, r.param("configuration_version_id")))
}

func ingressOf(c run.ConfigurationVersion, err error) (run.Ingress, error) {
	if err != nil {
		return run.Ingress{}, err
	}
	return *c.Ingress, nil
}

// downloadConfiguration sends to where the archive is.
func (a *API) downloadConfiguration(r *request) error {
	p, err := a.Configs.Presign(r.Context(), r.subject, r.param("configuration_version_id"))
	if err != nil {
		return err
	}
	return r.redirect(r.presignedURL(p), http.StatusFound)
}

// downloadConfigurationOfRun sends to where the archive of a run is, for those who may read
// both.
func (a *API) downloadConfigurationOfRun(r *request) error {
	of, err := a.Runs.Show(r.Context(), r.subject, r.param("run_id"))
	if err != nil {
		return err
	}
	p, err := a.Configs.Presign(r.Context(), r.subject, of.ConfigurationVersionID)
	if err != nil {
		return err
	}
	return r.redirect(r.presignedURL(p), http.StatusFound)
}

// redirect sends to another address, which is good for a short while alone.
func (r *request) redirect(to string, status int) error {
	head := r.w.Header()
	head.Set("Location", to)
	head.Set("Cache-Control", "no-store")
	r.wrote, r.status = true, status
	r.w.WriteHeader(status)
	return nil
}

func (a *API) archiveConfiguration(r *request) error {
	return a.Configs.Archive(r.Context(), r.subject, r.param("configuration_version_id"))
}

func (a *API) softDeleteConfiguration(r *request) error {
	return a.Configs.SoftDelete(r.Context(), r.subject, r.param("configuration_version_id"))
}

func (a *API) restoreConfiguration(r *request) error {
	return a.Configs.Restore(r.Context(), r.subject, r.param("configuration_version_id"))
}

func (a *API) deleteConfigurationForGood(r *request) error {
	return a.Configs.DeleteForGood(r.Context(), r.subject, r.param("configuration_version_id"))
}

// readme is what people are told about a workspace.
type readme struct{ id, text string }

var readmes = &noun[readme, struct{}]{
	typ: "workspace-readme",
	id:  func(r *readme) string { return r.id },
	attributes: attributes[readme, struct{}]{
		{name: "raw-markdown", show: maybe(func(r *readme) string { return r.text })},
	},
}

// readmeID is the id of what people are told about a workspace, where there may be such.
func readmeID(w *workspaceDoc) string {
	if w.ConfigurationID == "" {
		return ""
	}
	return "wsreadme-" + strings.TrimPrefix(w.ID, "ws-")
}

// includeReadmes adds what people are told about workspaces, for those who may read their
// configurations.
func (r *request) includeReadmes(to *including, list []workspaceDoc) error {
	var ids []string
	for i := range list {
		if list[i].ConfigurationID != "" && list[i].Can.Has(belay.ReadRuns) {
			ids = append(ids, list[i].ConfigurationID)
		}
	}
	texts, err := r.api.Configs.Readmes(r.Context(), ids)
	if err != nil {
		return err
	}
	for i := range list {
		w := &list[i]
		if w.ConfigurationID == "" || !w.Can.Has(belay.ReadRuns) {
			continue
		}
		include(to, []readme{{readmeID(w), texts[w.ConfigurationID]}}, readmes.in(r))
	}
	return nil
}
