package repos

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/sqldb"
)

var appInstallations = sqldb.NewTable(sqldb.Table[belay.AppInstallation]{
	Name: "github_app_installations",
	Own: []sqldb.Column[belay.AppInstallation]{
		{Name: "id", At: func(i *belay.AppInstallation) any { return &i.ID }},
		{Name: "number", At: func(i *belay.AppInstallation) any { return &i.Number }},
		{Name: "name", At: func(i *belay.AppInstallation) any { return &i.Name }},
		{Name: "kind", At: func(i *belay.AppInstallation) any { return &i.Kind }},
		{Name: "url", At: func(i *belay.AppInstallation) any { return &i.URL }},
		{Name: "icon_url", At: func(i *belay.AppInstallation) any { return &i.IconURL }},
		{Name: "http_url", At: func(i *belay.AppInstallation) any { return &i.HTTPURL }},
		{Name: "api_url", At: func(i *belay.AppInstallation) any { return &i.APIURL }},
		{Name: "state", At: func(i *belay.AppInstallation) any { return &i.State }},
		{Name: "created_at", At: func(i *belay.AppInstallation) any { return sqldb.Millis(&i.CreatedAt) }},
		{Name: "updated_at", At: func(i *belay.AppInstallation) any { return sqldb.Millis(&i.UpdatedAt) }},
	},
})

// AppInstallation is one installation of the GitHub App.
func (v *View) AppInstallation(id string) (belay.AppInstallation, error) {
	return appInstallations.One(v, "github_app_installations.id = ?", id)
}

// AppInstallations is one page of the installations that GitHub still has, by their accounts: of
// these ids, or of all where that is nil.
func (v *View) AppInstallations(ids []string, want belay.AppInstallationQuery) ([]belay.AppInstallation, int, error) {
	where := func(q *sqldb.Query) *sqldb.Query {
		q.Add("WHERE state <> 'removed'")
		if ids != nil {
			q.In(" AND id", ids)
		}
		if want.Name != "" {
			q.Add(" AND lower(name) = lower(?)", want.Name)
		}
		if want.Number != 0 {
			q.Add(" AND number = ?", want.Number)
		}
		return q
	}
	total, _, err := sqldb.Value[int](v, where(v.SQL("SELECT count(*) FROM github_app_installations ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := appInstallations.Many(v, where(v.SQL(appInstallations.Selected)).Add(" ORDER BY name, number").Page(want.Page))
	return list, total, err
}

// AppOrganizations is the organizations that have a connection of an app installation: of one of
// them where an id is given.
func (v *View) AppOrganizations(installationID string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT DISTINCT organization_id FROM oauth_clients WHERE app_installation_id <> '' AND (? = '' OR app_installation_id = ?) ORDER BY organization_id", installationID, installationID))
}

// AppInstallationsOf is the ids of the installations that organizations are connected to.
func (v *View) AppInstallationsOf(organizationIDs []string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT DISTINCT app_installation_id FROM oauth_clients WHERE app_installation_id <> ''").In(" AND organization_id", organizationIDs))
}

// AppClient is the connection of an organization that stands on an installation.
func (v *View) AppClient(organizationID, installationID string) (forge.OAuthClient, error) {
	id, found, err := sqldb.Value[string](v, v.SQL("SELECT id FROM oauth_clients WHERE app_installation_id = ? AND app_installation_id <> '' AND organization_id = ?", installationID, organizationID))
	if err != nil || !found {
		return forge.OAuthClient{}, firstError(err, belay.ErrNotFound)
	}
	return v.OAuthClient(id)
}

func firstError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// KeepAppInstallations writes down which installations GitHub has now: each by its number. Those that
// it has no more are forgotten, or kept as removed while a connection names them.
func (tx *Tx) KeepAppInstallations(list []belay.AppInstallation) error {
	there, err := appInstallations.Many(&tx.View, tx.SQL(appInstallations.Selected).Add("ORDER BY id"+tx.Dialect().Hold))
	if err != nil {
		return err
	}
	known := map[int64]belay.AppInstallation{}
	for _, i := range there {
		known[i.Number] = i
	}
	for i := range list {
		if err := tx.keepAppInstallation(&list[i], known[list[i].Number]); err != nil {
			return err
		}
		delete(known, list[i].Number)
	}
	for _, gone := range known {
		if err := tx.RemoveAppInstallation(gone); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) keepAppInstallation(i *belay.AppInstallation, was belay.AppInstallation) error {
	if was.ID == "" {
		i.ID, i.CreatedAt, i.UpdatedAt = belay.NewID("ghain"), tx.Now, tx.Now
		return appInstallations.Insert(tx, i, nil)
	}
	i.ID, i.CreatedAt, i.UpdatedAt = was.ID, was.CreatedAt, was.UpdatedAt
	if *i == was {
		return nil
	}
	i.UpdatedAt = tx.Now
	return appInstallations.Update(tx, i, nil)
}

// RemoveAppInstallation forgets an installation that GitHub has no more, or keeps it as removed
// while a connection names it.
func (tx *Tx) RemoveAppInstallation(i belay.AppInstallation) error {
	named, err := tx.AppOrganizations(i.ID)
	if err != nil {
		return err
	}
	if len(named) == 0 {
		return tx.Do("DELETE FROM github_app_installations WHERE id = ?", i.ID)
	}
	if i.State == belay.AppRemoved {
		return nil
	}
	i.State, i.UpdatedAt = belay.AppRemoved, tx.Now
	return appInstallations.Update(tx, &i, nil)
}

// AppHooks is the hooks of a repository in all organizations that reach it by an installation.
func (v *View) AppHooks(number int64, identifier string) ([]forge.Hook, error) {
	return hooks.Many(v, v.SQL(hooks.Selected).Add(`WHERE folded = ? AND token_id IN (SELECT t.id FROM github_app_installations i
		JOIN oauth_clients c ON c.app_installation_id = i.id AND c.app_installation_id <> ''
		JOIN oauth_tokens t ON t.client_id = c.id WHERE i.number = ?) ORDER BY id`, forge.FoldIdentifier(identifier), number))
}
