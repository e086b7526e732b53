package connections

import (
	"context"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
)

// AppInstallations is the installations of the server's GitHub App: those that stand behind a
// connection which the caller manages; all, to a site admin.
func (r *Room) AppInstallations(ctx context.Context, s belay.Principal, want belay.AppInstallationQuery) (list []belay.AppInstallation, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		ids, err := appInstallationsOf(v, s)
		if err != nil {
			return err
		}
		list, total, err = v.AppInstallations(ids, want)
		return err
	})
	return list, total, err
}

// AppInstallation is one installation, to those who would find it in the list.
func (r *Room) AppInstallation(ctx context.Context, s belay.Principal, id string) (i belay.AppInstallation, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		if i, err = v.AppInstallation(id); err != nil {
			return err
		}
		if i.State == belay.AppRemoved {
			return belay.ErrNotFound
		}
		if s.SiteAdmin {
			return nil
		}
		within, err := v.AppOrganizations(id)
		if err != nil {
			return err
		}
		if within, err = managing(v, s, within); err == nil && len(within) == 0 {
			err = belay.ErrNotFound
		}
		return err
	})
	return i, err
}

// appInstallationsOf is the ids of the installations that a principal sees; nil: of all.
func appInstallationsOf(v *store.View, s belay.Principal) ([]string, error) {
	if s.SiteAdmin {
		return nil, nil
	}
	within, err := v.AppOrganizations("")
	if err != nil {
		return nil, err
	}
	if within, err = managing(v, s, within); err != nil || len(within) == 0 {
		return []string{}, err
	}
	ids, err := v.AppInstallationsOf(within)
	return append([]string{}, ids...), err
}

// managing is those of some organizations whose connections a principal manages.
func managing(v *store.View, s belay.Principal, ids []string) (list []string, err error) {
	found, err := v.OrganizationsByID(ids)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		access, err := v.Access(s, o)
		switch {
		case belay.KindOf(err) == belay.Unauthenticated: // it takes no tokens of users
		case err != nil:
			return nil, err
		case access.Everywhere.Has(belay.ManageVCS.And(belay.Traverse)):
			list = append(list, o.ID)
		}
	}
	return list, nil
}

// appInstallation is the installation that a new connection stands on; nil when there is none. The
// App sees all who installed it, so that it is a site admin who says whose organization that is.
func appInstallation(v *store.Locked, s belay.Principal, c *forge.OAuthClient, p forge.OAuthClientPatch) (*belay.AppInstallation, error) {
	if p.ServiceProvider.Value != belay.GitHubApp {
		return nil, nil
	}
	if !s.SiteAdmin {
		return nil, belay.Refuse(belay.Forbidden, "a site admin connects an installation of the GitHub App with an organization")
	}
	i, err := v.AppInstallation(p.AppInstallationID.Value)
	if err != nil {
		return nil, unlessNotFound(err)
	}
	_, err = v.AppClient(c.OrganizationID, i.ID)
	switch {
	case belay.KindOf(err) == belay.NotFound:
		return &i, nil
	case err != nil:
		return nil, err
	}
	var problems belay.Problems
	problems.Attribute("github-app-installation-id", "The app installation has a connection in this organization")
	return nil, problems
}

// ByInstallation is the connection that a workspace may reach its repository through by an app
// installation; nil when there is none.
func ByInstallation(v *store.Locked, w *belay.Workspace, installationID string) (*belay.VCSConnection, error) {
	c, err := v.AppClient(w.OrganizationID, installationID)
	if err != nil || len(c.TokenIDs) == 0 {
		return nil, unlessNotFound(err)
	}
	return ByToken(v, w, c.TokenIDs[0])
}
