package api

import (
	"strings"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
)

// planID is the id of the one plan there is.
const planID = "fs-everything111111"

// planIdentifier is what programs know the plan by.
const planIdentifier = "everything"

// noCeiling is shown where the plan would have a limit: clients read a number, and this one
// is never reached.
const noCeiling = 1_000_000

// plans is the one plan: it includes everything, so whatever plan a client asks for, it is
// answered with this one.
var plans = &noun[struct{}, struct{}]{
	typ: "feature-sets",
	id:  func(*struct{}) string { return planID },
	attributes: append(attributes[struct{}, struct{}]{
		{name: "name", show: fixed[struct{}]("Everything")},
		{name: "identifier", show: fixed[struct{}](planIdentifier)},
		{name: "description", show: fixed[struct{}]("Every feature, for everybody")},
		{name: "cost", show: fixed[struct{}](0)},
		{name: "is-current", show: fixed[struct{}](true)},
		{name: "is-free-tier", show: fixed[struct{}](true)},
		{name: "plan", show: none[struct{}, string]()},
		{name: "default-agents-ceiling", show: fixed[struct{}](noCeiling)},
		{name: "default-runs-ceiling", show: fixed[struct{}](noCeiling)},
		{name: "change-requests", show: fixed[struct{}](true)},
		{name: "recoverable-items", show: fixed[struct{}](true)},
	}, lift(entitlementAttributes, func(*struct{}) *entitlementDoc { return &entitlementDoc{Operations: true} })...),
}

func (a *API) listPlans(*request) ([]struct{}, int, error) { return make([]struct{}, 1), 1, nil }

func (a *API) listPlansForAdmins(r *request) ([]struct{}, int, error) {
	if !r.subject.SiteAdmin {
		return nil, 0, belay.Refuse(belay.Forbidden, "plans are assigned by site admins")
	}
	return a.listPlans(r)
}

func (a *API) listOrganizationPlans(r *request) ([]struct{}, int, error) {
	if _, err := a.App.Organization(r.Context(), r.subject, r.param("organization_name")); err != nil {
		return nil, 0, err
	}
	return a.listPlans(r)
}

// subscriptions is the place of an organization in the one plan.
var subscriptions = &noun[organizationDoc, struct{}]{
	typ:  "subscriptions",
	id:   func(o *organizationDoc) string { return "sub-" + strings.TrimPrefix(o.ID, "org-") },
	path: func(o *organizationDoc) string { return organizationPath(o.Name) + "/subscription" },
	attributes: attributes[organizationDoc, struct{}]{
		{name: "is-active", show: fixed[organizationDoc](true)},
		{name: "is-public-free-tier", show: fixed[organizationDoc](false)},
		{name: "start-at", show: value(func(o *organizationDoc) time.Time { return o.CreatedAt })},
		{name: "end-at", show: none[organizationDoc, time.Time]()},
		{name: "runs-ceiling", show: fixed[organizationDoc](noCeiling)},
		{name: "agents-ceiling", show: fixed[organizationDoc](noCeiling)},
		{name: "contract-user-limit", show: fixed[organizationDoc](noCeiling)},
		{name: "contract-apply-limit", show: fixed[organizationDoc](noCeiling)},
	},
	relations: []relation[organizationDoc, struct{}]{
		ofOrganization[organizationDoc, struct{}](func(o *organizationDoc) string { return o.Name }),
		bare[organizationDoc, struct{}]("feature-set", "feature-sets", func(*organizationDoc) string { return planID }),
	},
}

// subscribing answers a subscription together with its plan.
func subscribing(verb func(*request) (organizationDoc, error)) action {
	run := func(r *request) (*jsonapi.Document, error) {
		o, err := verb(r)
		if err != nil {
			return nil, err
		}
		document := one(subscriptions.resource(r, o))
		document.Included = []*jsonapi.Resource{plans.resource(r, struct{}{})}
		return document, nil
	}
	return action{run: run, gives: subscriptions.one}
}

// showSubscription is asked by the organization, or by the id of its subscription, which
// is made of that of the organization.
func (a *API) showSubscription(r *request) (organizationDoc, error) {
	name := r.param("organization_name")
	if id := r.param("subscription_id"); id != "" {
		name = "org-" + strings.TrimPrefix(id, "sub-")
	}
	return a.App.Organization(r.Context(), r.subject, name)
}

// changeSubscription answers an owner with what is so already.
func (a *API) changeSubscription(r *request) (organizationDoc, error) {
	o, err := a.showSubscription(r)
	if err == nil && !o.Can.Has(belay.UpdateOrganization) {
		err = belay.ErrNotFound
	}
	return o, err
}

// assignPlan answers what is so already: every organization has the one plan.
func (a *API) assignPlan(r *request) (organizationDoc, error) {
	if !r.subject.SiteAdmin {
		return organizationDoc{}, belay.ErrNotFound
	}
	return a.showOrganization(r)
}
