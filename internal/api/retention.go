package api

import (
	"net/url"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/patch"
)

type (
	retentionDoc   = app.RetentionView
	retentionPatch = belay.RetentionPatch
)

// retentionAttributes is every attribute of a data retention policy: one number, in the
// spelling of the clients and in that of the documentation.
var retentionAttributes = attributes[retentionDoc, retentionPatch]{
	{name: "delete-older-than-n-days", read: retentionDays, absent: keepsAll, write: lenient(func(p *retentionPatch) *patch.Field[int] { return &p.Days })},
	{name: "deleteOlderThanNDays", read: retentionDays, absent: keepsAll, write: lenient(func(p *retentionPatch) *patch.Field[int] { return &p.DaysInline })},
}

func retentionDays(p *retentionDoc) any { return p.Days }

func keepsAll(p *retentionDoc) bool { return p.Kind == belay.DontDelete }

// retention is the resource of a data retention policy.
func (a *API) retention(p retentionDoc) *jsonapi.Resource {
	return &jsonapi.Resource{
		Type: string(p.Kind), ID: p.ID,
		Attributes:    retentionAttributes.object(&p, a.App.Edition()),
		Relationships: []jsonapi.Relation{{Name: "target", Data: jsonapi.One(p.TargetType, p.TargetID), Related: retentionTarget(p)}},
	}
}

func retentionTarget(p retentionDoc) string {
	if p.TargetType == "" {
		return ""
	}
	return "/api/v2/" + p.TargetType + "/" + url.PathEscape(p.TargetID)
}

// retentionRelation is the relationship from a resource, at a path, to its own policy.
// What it inherits is not its own: clients take a null for that.
func (a *API) retentionRelation(p belay.RetentionPolicy, self string) jsonapi.Relation {
	relation := jsonapi.Relation{Name: "data-retention-policy", Data: jsonapi.One(string(p.Kind), p.ID)}
	if a.App.Edition().Offers(belay.DataRetention) {
		relation.Related = self + "/relationships/data-retention-policy"
	} else {
		relation.Data = jsonapi.Null{}
	}
	return relation
}

func (r *request) retentionTarget() app.RetentionTarget {
	return app.RetentionTarget{Workspace: belay.WorkspaceRef{ID: r.param("workspace_id")}, Organization: r.param("organization_name")}
}

func (a *API) showRetention(r *request) (*jsonapi.Document, error) {
	p, err := a.App.Retention(r.Context(), r.subject, r.retentionTarget())
	if err != nil {
		return nil, err
	}
	return one(a.retention(p)), nil
}

// setRetention answers in the type that was asked for: a client of the legacy type can
// read no other.
func (a *API) setRetention(r *request) (*jsonapi.Document, error) {
	in, err := r.resource(string(belay.DeleteOlder), string(belay.DontDelete), string(belay.LegacyRetention))
	if err != nil {
		return nil, err
	}
	want := retentionPatch{Kind: belay.RetentionKind(in.Type)}
	if err := retentionAttributes.decode(in, &want, a.App.Edition()); err != nil {
		return nil, err
	}
	p, err := a.App.SetRetention(r.Context(), r.subject, r.retentionTarget(), want)
	if err != nil {
		return nil, err
	}
	p.Kind = want.Kind
	return one(a.retention(p)), nil
}

func (a *API) dropRetention(r *request) (*jsonapi.Document, error) {
	return nil, a.App.DropRetention(r.Context(), r.subject, r.retentionTarget())
}
