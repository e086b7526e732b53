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
	{name: "delete-older-than-n-days", show: value(retentionDays), absent: keepsAll, write: lenient(func(p *retentionPatch) *patch.Field[int] { return &p.Days })},
	{name: "deleteOlderThanNDays", twin: "delete-older-than-n-days", show: value(retentionDays), absent: keepsAll, write: lenient(func(p *retentionPatch) *patch.Field[int] { return &p.DaysInline })},
}

func retentionDays(p *retentionDoc) int { return p.Days }

func keepsAll(p *retentionDoc) bool { return p.Kind == belay.DontDelete }

var retentions = &noun[retentionDoc, retentionPatch]{
	typ:        string(belay.DeleteOlder),
	schema:     "DataRetentionPolicy",
	typed:      func(p *retentionDoc) string { return string(p.Kind) },
	accepts:    retentionKinds,
	id:         func(p *retentionDoc) string { return p.ID },
	attributes: retentionAttributes,
	relations: []relation[retentionDoc, retentionPatch]{
		{
			name: "target", is: linkage(refTo("workspaces", "organizations").OrNull(), false),
			show: func(p *retentionDoc, _ string) jsonapi.Relation {
				return jsonapi.Relation{Data: jsonapi.One(p.TargetType, p.TargetID), Related: retentionTarget(*p)}
			},
		},
		only[retentionDoc, retentionPatch]("").taking(nil, func(_ *request, in *jsonapi.Incoming, p *retentionPatch) error {
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

// retentionOf is the relationship from a noun to its own policy. What it inherits is not
// its own: clients take a null for that.
func retentionOf[D, P any](of func(*D) belay.RetentionPolicy) relation[D, P] {
	return relation[D, P]{
		name: "data-retention-policy", feature: belay.DataRetention,
		is: linkage(refTo(retentionKinds...).OrNull(), true),
		show: func(d *D, self string) jsonapi.Relation {
			p := of(d)
			return jsonapi.Relation{Data: jsonapi.One(string(p.Kind), p.ID), Related: self + "/relationships/data-retention-policy"}
		},
	}
}

var retentionKinds = []string{string(belay.DeleteOlder), string(belay.DontDelete), string(belay.LegacyRetention)}

func (r *request) retentionTarget() app.RetentionTarget {
	return app.RetentionTarget{Workspace: belay.WorkspaceRef{ID: r.param("workspace_id")}, Organization: r.param("organization_name")}
}

func (a *API) showRetention(r *request) (retentionDoc, error) {
	return a.App.Retention(r.Context(), r.subject, r.retentionTarget())
}

// setRetention answers in the type that was asked for: a client of the legacy type can
// read no other.
func (a *API) setRetention(r *request, want retentionPatch) (retentionDoc, error) {
	p, err := a.App.SetRetention(r.Context(), r.subject, r.retentionTarget(), want)
	p.Kind = want.Kind
	return p, err
}

func (a *API) dropRetention(r *request) error {
	return a.App.DropRetention(r.Context(), r.subject, r.retentionTarget())
}
