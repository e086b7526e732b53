package organizations

import (
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/jsonapi"
)

// planID is the id of the one plan there is.
const planID = "fs-everything111111"

// planIdentifier is what programs know the plan by.
const planIdentifier = "everything"

// noCeiling is shown where the plan would have a limit: clients read a number, and this one
// is never reached.
const noCeiling = 1_000_000

// Plans is the one plan: it includes everything, so whatever plan a client asks for, it is
// answered with this one.
var Plans = &doc.Noun[struct{}, struct{}]{
	Type: "feature-sets",
	ID:   func(*struct{}) string { return planID },
	Attributes: append(doc.Attributes[struct{}, struct{}]{
		{Name: "name", Show: doc.Fixed[struct{}]("Everything")},
		{Name: "identifier", Show: doc.Fixed[struct{}](planIdentifier)},
		{Name: "description", Show: doc.Fixed[struct{}]("Every feature, for everybody")},
		{Name: "cost", Show: doc.Fixed[struct{}](0)},
		{Name: "is-current", Show: doc.Fixed[struct{}](true)},
		{Name: "is-free-tier", Show: doc.Fixed[struct{}](true)},
		{Name: "plan", Show: doc.None[struct{}, string]()},
		{Name: "default-agents-ceiling", Show: doc.Fixed[struct{}](noCeiling)},
		{Name: "default-runs-ceiling", Show: doc.Fixed[struct{}](noCeiling)},
		{Name: "change-requests", Show: doc.Fixed[struct{}](true)},
		{Name: "recoverable-items", Show: doc.Fixed[struct{}](true)},
	}, doc.Lift(entitlementAttributes, func(*struct{}) *entitlementDoc { return &entitlementDoc{Operations: true} })...),
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodGet, Path: paths.V2 + "/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listPlans), By: door.AnyToken, Does: "List the plans"},
		{Method: http.MethodGet, Path: paths.V2 + "/admin/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listPlansForAdmins), Refuses: []belay.Kind{belay.Forbidden}, By: door.SiteAdmins, Does: "List the plans to assign"},
		{Method: http.MethodGet, Path: paths.Organization + "/feature-sets", Status: http.StatusOK, Do: door.Listing(Plans, a.listOrganizationPlans), Needs: belay.Traverse, Does: "List the plans it may have"},
		{Method: http.MethodGet, Path: paths.Organization + "/subscription", Status: http.StatusOK, Do: subscribing(a.showSubscription), Needs: belay.Traverse, Does: "See its plan"},
		{Method: http.MethodPatch, Path: paths.Organization + "/subscription", Status: http.StatusOK, Do: subscribing(a.changeSubscription), Needs: belay.UpdateOrganization, Does: "Ask for another plan"},
		{Method: http.MethodGet, Path: paths.V2 + "/subscriptions/{subscription_id}", Status: http.StatusOK, Do: subscribing(a.showSubscription), Needs: belay.Traverse, Does: "See its plan (by the id of the subscription)"},
		{Method: http.MethodPost, Path: paths.V2 + "/admin/organizations/{organization_name}/subscription", Status: http.StatusOK, Do: subscribing(a.assignPlan), By: door.SiteAdmins, Does: "Assign a plan"},
	}
})

func (a *Verbs) listPlans(*door.Request) ([]struct{}, int, error) {
	return make([]struct{}, 1), 1, nil
}

func (a *Verbs) listPlansForAdmins(r *door.Request) ([]struct{}, int, error) {
	if !r.Principal.SiteAdmin {
		return nil, 0, belay.Refuse(belay.Forbidden, "plans are assigned by site admins")
	}
	return a.listPlans(r)
}

func (a *Verbs) listOrganizationPlans(r *door.Request) ([]struct{}, int, error) {
	if _, err := a.App.Organization(r.Context(), r.Principal, r.Param("organization_name")); err != nil {
		return nil, 0, err
	}
	return a.listPlans(r)
}

// Subscriptions is the place of an organization in the one plan.
var Subscriptions = &doc.Noun[organizationDoc, struct{}]{
	Type: "subscriptions",
	ID:   func(o *organizationDoc) string { return "sub-" + strings.TrimPrefix(o.ID, "org-") },
	Path: func(o *organizationDoc) string { return paths.OrganizationAt(o.Name) + "/subscription" },
	Attributes: doc.Attributes[organizationDoc, struct{}]{
		{Name: "is-active", Show: doc.Fixed[organizationDoc](true)},
		{Name: "is-public-free-tier", Show: doc.Fixed[organizationDoc](false)},
		{Name: "start-at", Show: doc.Value(func(o *organizationDoc) time.Time { return o.CreatedAt })},
		{Name: "end-at", Show: doc.None[organizationDoc, time.Time]()},
		{Name: "runs-ceiling", Show: doc.Fixed[organizationDoc](noCeiling)},
		{Name: "agents-ceiling", Show: doc.Fixed[organizationDoc](noCeiling)},
		{Name: "contract-user-limit", Show: doc.Fixed[organizationDoc](noCeiling)},
		{Name: "contract-apply-limit", Show: doc.Fixed[organizationDoc](noCeiling)},
	},
	Relations: []doc.Relation[organizationDoc, struct{}]{
		paths.OfOrganization[organizationDoc, struct{}](func(o *organizationDoc) string { return o.Name }),
		doc.Bare[organizationDoc, struct{}]("feature-set", "feature-sets", func(*organizationDoc) string { return planID }),
	},
}

// subscribing answers a subscription together with its plan.
func subscribing(verb func(*door.Request) (organizationDoc, error)) door.Action {
	run := func(r *door.Request) (*jsonapi.Document, error) {
		o, err := verb(r)
		if err != nil {
			return nil, err
		}
		document := door.One(Subscriptions.Resource(r.Edition, o))
		document.Included = []*jsonapi.Resource{Plans.Resource(r.Edition, struct{}{})}
		return document, nil
	}
	return door.Action{Run: run, Gives: Subscriptions.One}
}

// showSubscription is asked by the organization, or by the id of its subscription, which
// is made of that of the organization.
func (a *Verbs) showSubscription(r *door.Request) (organizationDoc, error) {
	name := r.Param("organization_name")
	if id := r.Param("subscription_id"); id != "" {
		name = "org-" + strings.TrimPrefix(id, "sub-")
	}
	return a.App.Organization(r.Context(), r.Principal, name)
}

// changeSubscription answers an owner with what is so already.
func (a *Verbs) changeSubscription(r *door.Request) (organizationDoc, error) {
	o, err := a.showSubscription(r)
	if err == nil && !o.Can.Has(belay.UpdateOrganization) {
		err = belay.ErrNotFound
	}
	return o, err
}

// assignPlan answers what is so already: every organization has the one plan.
func (a *Verbs) assignPlan(r *door.Request) (organizationDoc, error) {
	if !r.Principal.SiteAdmin {
		return organizationDoc{}, belay.ErrNotFound
	}
	return a.showOrganization(r)
}
