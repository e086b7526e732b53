package api

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
)

// planID is the id of the one plan there is.
const planID = "fs-everything000000"

// plan is the one plan: it includes everything, so whatever plan a client asks for, it
// is answered with this one.
func plan() *jsonapi.Resource {
	attributes := jsonapi.Object{
		{Name: "name", Value: "Everything"},
		{Name: "identifier", Value: "everything"},
		{Name: "description", Value: "Every feature, for everybody"},
		{Name: "cost", Value: 0},
		{Name: "is-current", Value: true},
		{Name: "is-free-tier", Value: true},
		{Name: "plan", Value: nil},
		{Name: "default-agents-ceiling", Value: nil},
		{Name: "default-runs-ceiling", Value: nil},
	}
	return &jsonapi.Resource{Type: "feature-sets", ID: planID, Attributes: append(attributes, entitlements...)}
}

func (a *API) listPlans(r *request) (*jsonapi.Document, error) {
	return r.list([]*jsonapi.Resource{plan()}, 1), nil
}

func (a *API) listPlansForAdmins(r *request) (*jsonapi.Document, error) {
	if !r.subject.SiteAdmin {
		return nil, belay.Refuse(belay.Forbidden, "plans are assigned by site admins")
	}
	return a.listPlans(r)
}

func (a *API) listOrganizationPlans(r *request) (*jsonapi.Document, error) {
	if _, err := a.App.Organization(r.Context(), r.subject, r.param("organization_name")); err != nil {
		return nil, err
	}
	return a.listPlans(r)
}

// subscription is an organization's place in the one plan.
func subscription(o app.OrganizationView) *jsonapi.Document {
	self := organizationPath(o.Name) + "/subscription"
	return &jsonapi.Document{
		Data: &jsonapi.Resource{
			Type: "subscriptions", ID: "sub-" + o.ID[len("org-"):],
			Attributes: jsonapi.Object{
				{Name: "is-active", Value: true},
				{Name: "is-public-free-tier", Value: false},
				{Name: "start-at", Value: o.CreatedAt},
				{Name: "end-at", Value: nil},
				{Name: "runs-ceiling", Value: nil},
				{Name: "agents-ceiling", Value: nil},
				{Name: "contract-user-limit", Value: nil},
				{Name: "contract-apply-limit", Value: nil},
			},
			Relationships: []jsonapi.Relation{
				{Name: "organization", Data: jsonapi.Ref{Type: "organizations", ID: o.Name}, Related: organizationPath(o.Name)},
				{Name: "feature-set", Data: jsonapi.Ref{Type: "feature-sets", ID: planID}},
			},
			Links: jsonapi.Object{{Name: "self", Value: self}},
		},
		Included: []*jsonapi.Resource{plan()},
	}
}

func (a *API) showSubscription(r *request) (*jsonapi.Document, error) {
	o, err := a.App.Organization(r.Context(), r.subject, r.param("organization_name"))
	if err != nil {
		return nil, err
	}
	return subscription(o), nil
}

// assignPlan answers what is so already: every organization has the one plan.
func (a *API) assignPlan(r *request) (*jsonapi.Document, error) {
	if !r.subject.SiteAdmin {
		return nil, belay.ErrNotFound
	}
	return a.showSubscription(r)
}
