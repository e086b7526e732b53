package organizations

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/openapi"
)

// auditPageSize is how many events a page of the audit trail holds, unasked and at most.
const auditPageSize = 1000

// What a reading of the audit trail may ask for.
var (
	auditParameters = []string{"page[number]", "page[size]", "since", "sort"}
	auditFilters    = []string{"filter[actor]", "filter[about]", "filter[kind]", "filter[workspace]"}
)

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.Organization + "/audit-trail", Status: http.StatusOK, Raw: a.auditTrail, Query: auditParameters, Filters: auditFilters, JSON: auditTrailSchema, Needs: belay.ReadAuditTrail, Does: "See what was done in an organization, and by whom"},
		{Method: http.MethodGet, Path: paths.V2 + "/organization/audit-trail", Status: http.StatusOK, Raw: a.auditTrail, Query: auditParameters, Filters: auditFilters, JSON: auditTrailSchema, Needs: belay.ReadAuditTrail, By: door.Organizations, Does: "See that of the organization whose token this is"},
	}
})

// auditTrail is what was done in an organization. Its documents are no JSON:API.
func (a *Verbs) auditTrail(r *door.Request) error {
	want, err := auditQuery(r.Query())
	if err != nil {
		return err
	}
	if err := r.Turn(); err != nil {
		return err
	}
	list, total, cut, err := a.App.SeekEvents(r.Context(), r.Principal, r.Param("organization_name"), want)
	if err != nil {
		return err
	}
	data := make([]jsonapi.Object, len(list))
	for i, e := range list {
		data[i] = audited(e)
	}
	_, meta := jsonapi.Page(want.Page).Envelope("", nil, total)
	r.Writer.Header().Set("Content-Type", "application/json")
	r.Wrote = true
	document := jsonapi.Object{{Name: "data", Value: data}, {Name: "pagination", Value: underscored(meta)}}
	if cut {
		document = append(document, jsonapi.Member{Name: "looked_through", Value: app.EventsSought})
	}
	answer := document.Append(nil)
	r.Yield()
	_, err = r.Writer.Write(answer)
	return err
}

// auditTrailSchema is what auditTrail answers.
func auditTrailSchema() *openapi.Schema {
	text, number := openapi.Of[string](), openapi.Of[int]()
	each := func(of *openapi.Schema, names ...string) *openapi.Schema {
		object := openapi.Object()
		for _, name := range names {
			object.Add(name, of, true)
		}
		return object
	}
	event := each(text, "id", "version", "type").Add("timestamp", openapi.Of[time.Time](), true)
	event.Add("auth", each(text, "description", "type", "organization_id").
		Add("accessor_id", text.OrNull(), true).Add("impersonator_id", text.OrNull(), true), true)
	event.Add("request", openapi.Object().Add("id", text.OrNull(), true), true)
	event.Add("resource", each(text, "id", "type", "action").Add("meta", &openapi.Schema{}, true), true)
	pages := each(number, "current_page", "page_size", "total_pages", "total_count").
		Add("prev_page", number.OrNull(), true).Add("next_page", number.OrNull(), true)
	return openapi.Object().Add("data", openapi.List(event), true).Add("pagination", pages, true).Add("looked_through", number, false)
}

// audited is one event in the words of the audit trail.
func audited(e belay.Event) jsonapi.Object {
	resource, action := e.Audited()
	kind := "Client"
	if e.ActorID == "" {
		kind = "System"
	}
	return jsonapi.Object{
		{Name: "id", Value: e.UUID()},
		{Name: "version", Value: "0"},
		{Name: "type", Value: "Resource"},
		{Name: "timestamp", Value: e.At},
		{Name: "auth", Value: jsonapi.Object{
			{Name: "accessor_id", Value: doc.OrNull(e.ActorID)}, {Name: "description", Value: e.ActorName}, {Name: "type", Value: kind},
			{Name: "impersonator_id"}, {Name: "organization_id", Value: e.OrganizationID},
		}},
		{Name: "request", Value: jsonapi.Object{{Name: "id", Value: doc.OrNull(e.RequestID)}}},
		{Name: "resource", Value: jsonapi.Object{
			{Name: "id", Value: e.ResourceID}, {Name: "type", Value: resource}, {Name: "action", Value: action},
			{Name: "meta", Value: auditMeta(e)},
		}},
	}
}

// auditMeta is what the event kept of what it is about.
func auditMeta(e belay.Event) any {
	if e.Payload == "" || !json.Valid([]byte(e.Payload)) {
		return nil
	}
	return json.RawMessage(e.Payload)
}

// underscored is the counts of a page as the audit trail spells them.
func underscored(meta jsonapi.Object) jsonapi.Object {
	counts := map[string]any{}
	for _, group := range meta {
		pagination, _ := group.Value.(jsonapi.Object)
		for _, member := range pagination {
			counts[member.Name] = member.Value
		}
	}
	return jsonapi.Object{
		{Name: "current_page", Value: counts["current-page"]}, {Name: "page_size", Value: counts["page-size"]}, {Name: "prev_page", Value: counts["prev-page"]},
		{Name: "next_page", Value: counts["next-page"]}, {Name: "total_pages", Value: counts["total-pages"]},
		{Name: "total_count", Value: counts["total-count"]},
	}
}

func auditQuery(q url.Values) (want belay.AuditQuery, err error) {
	want.Page = belay.Page(jsonapi.ParsePage(q))
	want.Page.Size = auditPageSize
	if n, err := strconv.Atoi(q.Get("page[size]")); err == nil && n > 0 {
		want.Page.Size = min(n, auditPageSize)
	}
	want.NewestFirst = q.Get("sort") == "-timestamp"
	want.Actor, want.About, want.WorkspaceID = q.Get("filter[actor]"), q.Get("filter[about]"), q.Get("filter[workspace]")
	if given := q.Get("filter[kind]"); given != "" {
		want.Nouns = strings.Split(given, ",")
	}
	if len(want.Nouns) > belay.MostNouns || slices.ContainsFunc(want.Nouns, func(noun string) bool { return !aNoun.MatchString(noun) }) {
		return want, belay.Refuse(belay.BadRequest, "filter[kind] must be one to %d types of resources, with commas between", belay.MostNouns)
	}
	want.Since, err = door.MomentFilter(q, "since")
	return want, err
}

// aNoun is the type of a resource as the audit trail writes it.
var aNoun = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
