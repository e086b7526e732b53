package workspaces

import (
	"net/http"
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/site"
)

type (
	retentionDoc   = app.RetentionView
	retentionPatch = belay.RetentionPatch
)

// RetentionAttributes is every attribute of a data retention policy: one number, in the
// spelling of the clients and in that of the documentation.
var RetentionAttributes = doc.Attributes[retentionDoc, retentionPatch]{
	{Name: "delete-older-than-n-days", Show: doc.Value(retentionDays), Absent: keepsAll, Write: doc.Lenient(func(p *retentionPatch) *patch.Field[int] { return &p.Days })},
	{Name: "deleteOlderThanNDays", Twin: "delete-older-than-n-days", Show: doc.Value(retentionDays), Absent: keepsAll, Write: doc.Lenient(func(p *retentionPatch) *patch.Field[int] { return &p.DaysInline })},
}

func retentionDays(p *retentionDoc) int { return p.Days }

func keepsAll(p *retentionDoc) bool { return p.Kind == belay.DontDelete }

var retentions = &doc.Noun[retentionDoc, retentionPatch]{
	Type:       string(belay.DeleteOlder),
	Schema:     "DataRetentionPolicy",
	Typed:      func(p *retentionDoc) string { return string(p.Kind) },
	Accepts:    retentionKinds,
	ID:         func(p *retentionDoc) string { return p.ID },
	Attributes: RetentionAttributes,
	Relations: []doc.Relation[retentionDoc, retentionPatch]{
		{
			Name: "target", Is: doc.Linkage(doc.RefTo("workspaces", "organizations").OrNull(), false),
			Show: func(p *retentionDoc, _ string) jsonapi.Relation {
				return jsonapi.Relation{Data: jsonapi.One(p.TargetType, p.TargetID), Related: retentionTarget(*p)}
			},
		},
		doc.Only[retentionDoc, retentionPatch]("").Taking(nil, func(_ doc.Reading, in *jsonapi.Incoming, p *retentionPatch) error {
			p.Kind = belay.RetentionKind(in.Type)
			return nil
		}),
	},
}

func retentionTarget(p retentionDoc) string {
	if p.TargetType == "" {
		return ""
	}
	return "/api/v2/" + p.TargetType + "/" + url.PathEscape(p.TargetID)
}

// RetentionOf is the relationship from a noun to its own policy. What it inherits is not
// its own: clients take a null for that.
func RetentionOf[D, P any](of func(*D) belay.RetentionPolicy) doc.Relation[D, P] {
	return doc.Relation[D, P]{
		Name: "data-retention-policy", Feature: site.DataRetention,
		Is: doc.Linkage(doc.RefTo(retentionKinds...).OrNull(), true),
		Show: func(d *D, self string) jsonapi.Relation {
			p := of(d)
			return jsonapi.Relation{Data: jsonapi.One(string(p.Kind), p.ID), Related: self + "/relationships/data-retention-policy"}
		},
	}
}

var retentionKinds = []string{string(belay.DeleteOlder), string(belay.DontDelete), string(belay.LegacyRetention)}

func retentionAt(r *door.Request) app.RetentionTarget {
	return app.RetentionTarget{Workspace: belay.WorkspaceRef{ID: r.Param("workspace_id")}, Organization: r.Param("organization_name")}
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, By: door.SiteAdmins, Does: "See the policy of the site"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, By: door.SiteAdmins, Does: "Set the policy of the site"},
		{Method: http.MethodPatch, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, By: door.SiteAdmins, Does: "Set the policy of the site (other method)"},
		{Method: http.MethodDelete, Path: paths.V2 + "/admin/data-retention-policy-settings", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, By: door.SiteAdmins, Does: "Drop the policy of the site"},
		{Method: http.MethodGet, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, Needs: belay.Traverse, Does: "See the policy of the organization"},
		{Method: http.MethodPost, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Needs: belay.UpdateOrganization, Does: "Set the policy of the organization"},
		{Method: http.MethodPatch, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Needs: belay.UpdateOrganization, Does: "Set the policy of the organization (other method)"},
		{Method: http.MethodDelete, Path: paths.Organization + "/relationships/data-retention-policy", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, Needs: belay.UpdateOrganization, Does: "Drop the policy of the organization"},
		{Method: http.MethodGet, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Showing(retentions, a.showRetention), Feature: site.DataRetention, Needs: belay.ReadWorkspace, Does: "See the policy of a workspace"},
		{Method: http.MethodPost, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Needs: belay.UpdateWorkspace, Does: "Set the policy of a workspace"},
		{Method: http.MethodPatch, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusOK, Do: door.Writing(retentions, a.setRetention), Feature: site.DataRetention, Needs: belay.UpdateWorkspace, Does: "Set the policy of a workspace (other method)"},
		{Method: http.MethodDelete, Path: paths.Workspace + "/relationships/data-retention-policy", Status: http.StatusNoContent, Do: door.Doing(a.dropRetention), Feature: site.DataRetention, Needs: belay.UpdateWorkspace, Does: "Drop the policy of a workspace"},
	}
})

func (a *Verbs) showRetention(r *door.Request) (retentionDoc, error) {
	return a.App.Retention(r.Context(), r.Principal, retentionAt(r))
}

// setRetention answers in the type that was asked for: a client of the legacy type can
// read no other.
func (a *Verbs) setRetention(r *door.Request, want retentionPatch) (retentionDoc, error) {
	p, err := a.App.SetRetention(r.Context(), r.Principal, retentionAt(r), want)
	p.Kind = want.Kind
	return p, err
}

func (a *Verbs) dropRetention(r *door.Request) error {
	return a.App.DropRetention(r.Context(), r.Principal, retentionAt(r))
}
