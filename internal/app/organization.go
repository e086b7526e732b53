package app

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// OrganizationView is an organization as a principal sees it.
type OrganizationView struct {
	belay.Organization
	Can   belay.Permission
	Blind bool // the principal has a right to no workspace or project of it
}

// organizationView is an organization with what a principal has in it.
func organizationView(o belay.Organization, access belay.Access) OrganizationView {
	return OrganizationView{o, access.Everywhere, !access.Anywhere(belay.ReadWorkspace)}
}

// CreateOrganization makes an organization with its default project, and its owners
// team with the creator in it.
func (a *App) CreateOrganization(ctx context.Context, s belay.Principal, p belay.OrganizationPatch) (view OrganizationView, err error) {
	if s.Kind != belay.UserPrincipal {
		return view, belay.ErrNotFound
	}
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o := belay.NewOrganization(tx.Now)
		if err := applyOrganization(tx, &o, p); err != nil {
			return err
		}
		if err := foundOrganization(tx, &o, s); err != nil {
			return err
		}
		founder := s
		founder.TokenID = "" // the answer is whole, even where the next one will be a refusal
		access, err := tx.Access(founder, o)
		view = organizationView(o, access)
		return err
	})
	return view, err
}

// applyOrganization changes the organization, if a default pool that it names serves all
// of it. A new organization has no pool yet, so none can be its default.
func applyOrganization(tx *store.Tx, o *belay.Organization, p belay.OrganizationPatch) error {
	var problems belay.Problems
	if err := problems.Add(o.Apply(p)); err != nil {
		return err
	}
	if err := checkDefaultPool(&tx.Locked, &problems, o.ID, "", p.DefaultAgentPoolID.Value, func(pool *run.AgentPool) bool {
		return pool.OrganizationScoped
	}); err != nil {
		return err
	}
	return problems.Err()
}

// foundOrganization writes the organization and all that one starts with.
func foundOrganization(tx *store.Tx, o *belay.Organization, s belay.Principal) error {
	service := belay.User{
		ID: belay.NewID("user"), Username: belay.ServiceUsername(o.Name), IsServiceAccount: true, CreatedAt: tx.Now,
	}
	project := belay.Project{
		ID: belay.NewID("prj"), OrganizationID: o.ID, Name: belay.DefaultProjectName, CreatedAt: tx.Now,
	}
	o.ServiceUserID, o.DefaultProjectID = service.ID, project.ID
	if err := tx.AddOrganization(o); err != nil {
		return err
	}
	if err := tx.AddUser(&service); err != nil {
		return err
	}
	if err := tx.AddProject(&project); err != nil {
		return err
	}
	if err := foundOwners(tx, o, s); err != nil {
		return err
	}
	return record.EmitOrganization(tx, s, "organization.created", o.ID, "organizations", o.Name, o.Name)
}

// foundOwners makes the owners team with the creator in it.
func foundOwners(tx *store.Tx, o *belay.Organization, s belay.Principal) error {
	creator, err := tx.User(s.ID)
	if err != nil {
		return err
	}
	owners := belay.Team{
		ID: belay.NewID("team"), OrganizationID: o.ID, Name: belay.OwnersTeam, Visibility: "organization", CreatedAt: tx.Now,
	}
	if err := tx.AddTeam(&owners); err != nil {
		return err
	}
	err = tx.AddMembership(&belay.Membership{
		ID: belay.NewID("ou"), OrganizationID: o.ID, UserID: creator.ID, Email: creator.Email,
		Status: belay.ActiveMember, CreatedAt: tx.Now,
	})
	if err != nil {
		return err
	}
	return tx.AddTeamMembers(&owners, []string{creator.ID})
}

// Organization is one organization, to its members.
func (a *App) Organization(ctx context.Context, s belay.Principal, name string) (view OrganizationView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, access, err := gate.Organization(v, s, name, belay.Traverse)
		view = organizationView(o, access)
		return err
	})
	return view, err
}

// Organizations is the organizations that the caller is a member of; all, to a site admin.
func (a *App) Organizations(ctx context.Context, s belay.Principal, want belay.OrganizationQuery) (list []OrganizationView, total int, err error) {
	switch {
	case s.SiteAdmin:
	case s.Kind == belay.UserPrincipal:
		want.MemberID = s.ID
	default:
		want.OnlyID = s.OrganizationID
	}
	want.UserTokens = s.ByUserToken()
	err = a.db.View(ctx, func(v *store.View) error {
		if want.OnlyID != "" {
			if knows, err := traverses(v, s); err != nil || !knows {
				return err
			}
		}
		found, n, err := v.Organizations(want)
		total = n
		for _, o := range found {
			access, err := v.Access(s, o)
			if err != nil {
				return err
			}
			list = append(list, organizationView(o, access))
		}
		return err
	})
	return list, total, err
}

// OrganizationsSeen is the organizations of some ids, for documents that lead to them.
func (a *App) OrganizationsSeen(ctx context.Context, s belay.Principal, ids []string) (list []OrganizationView, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		found, err := v.OrganizationsByID(ids)
		if err != nil {
			return err
		}
		for _, o := range found {
			access, err := gate.AccessIfTaken(v, s, o)
			if err != nil {
				return err
			}
			if access.Everywhere.Has(belay.Traverse) {
				list = append(list, organizationView(o, access))
			}
		}
		return nil
	})
	return list, err
}

// traverses says whether a principal that belongs to one organization sees it: the tokens of
// agents and those for the audit trail do not.
func traverses(v *store.View, s belay.Principal) (bool, error) {
	o, err := v.Organization(s.OrganizationID)
	if err != nil {
		return false, err
	}
	access, err := v.Access(s, o)
	return access.Everywhere.Has(belay.Traverse), err
}

// UpdateOrganization changes an organization's settings. It is the one verb that a site
// admin's token always has: with it users' tokens are taken again when nobody else can.
func (a *App) UpdateOrganization(ctx context.Context, s belay.Principal, name string, p belay.OrganizationPatch) (view OrganizationView, err error) {
	asks := s
	if s.SiteAdmin {
		asks.TokenID = ""
	}
	err = a.db.Update(ctx, func(tx *store.Tx) error {
		o, access, err := gate.Organization(&tx.Locked, asks, name, belay.UpdateOrganization)
		if err != nil {
			return err
		}
		before := o
		if err := applyOrganization(tx, &o, p); err != nil {
			return err
		}
		if err := tx.SaveOrganization(&o); err != nil {
			return err
		}
		if o.DefaultExecutionMode != before.DefaultExecutionMode || o.AssessmentsEnforced && !before.AssessmentsEnforced {
			if err := tx.SetDue(store.InForceDue, o.ID, tx.Now); err != nil {
				return err
			}
		}
		if o.RunLimit != before.RunLimit {
			tx.Wake(store.DueWake) // there may be room for what is held
		}
		view = organizationView(o, access)
		told := record.InOrganization(s, "organization.updated", o.ID, "organizations", o.Name, o.Name)
		return tx.Emit(record.Changing(told, store.OrganizationChanges(&before, &o)))
	})
	return view, err
}

// DeleteOrganization deletes an organization and all that is in it: at once for whoever
// looks, and then a part at a time.
func (a *App) DeleteOrganization(ctx context.Context, s belay.Principal, name string) error {
	err := a.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(&tx.Locked, s, name, belay.DeleteOrganization)
		if err != nil {
			return err
		}
		if err := record.EmitOrganization(tx, s, "organization.deleted", o.ID, "organizations", o.Name, o.Name); err != nil {
			return err
		}
		return tx.BuryOrganization(&o)
	})
	if err == nil {
		a.erase.Now()
	}
	return err
}

// eraseGone erases what is in organizations that are deleted.
func (a *App) eraseGone(ctx context.Context) {
	background.InParts(ctx, a.log, "what is in organizations that are gone", a.db.EraseSome)
}
