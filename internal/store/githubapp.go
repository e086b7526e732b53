package store

import "github.com/belayhq/belay"

var appInstallations = newTable(table[belay.AppInstallation]{
	name: "github_app_installations",
	own: []column[belay.AppInstallation]{
		{"id", func(i *belay.AppInstallation) any { return &i.ID }},
		{"number", func(i *belay.AppInstallation) any { return &i.Number }},
		{"name", func(i *belay.AppInstallation) any { return &i.Name }},
		{"kind", func(i *belay.AppInstallation) any { return &i.Kind }},
		{"url", func(i *belay.AppInstallation) any { return &i.URL }},
		{"icon_url", func(i *belay.AppInstallation) any { return &i.IconURL }},
		{"http_url", func(i *belay.AppInstallation) any { return &i.HTTPURL }},
		{"api_url", func(i *belay.AppInstallation) any { return &i.APIURL }},
		{"state", func(i *belay.AppInstallation) any { return &i.State }},
		{"created_at", func(i *belay.AppInstallation) any { return millis{&i.CreatedAt} }},
		{"updated_at", func(i *belay.AppInstallation) any { return millis{&i.UpdatedAt} }},
	},
})

// AppInstallation is one installation of the GitHub App.
func (v *View) AppInstallation(id string) (belay.AppInstallation, error) {
	return appInstallations.one(v, "github_app_installations.id = ?", id)
}

// AppInstallations is one page of the installations that GitHub still has, by their accounts: of
// these ids, or of all where that is nil.
func (v *View) AppInstallations(ids []string, want belay.AppInstallationQuery) ([]belay.AppInstallation, int, error) {
	where := func(q *query) *query {
		q.add("WHERE state <> 'removed'")
		if ids != nil {
			q.in(" AND id", ids)
		}
		if want.Name != "" {
			q.add(" AND lower(name) = lower(?)", want.Name)
		}
		if want.Number != 0 {
			q.add(" AND number = ?", want.Number)
		}
		return q
	}
	total, _, err := value[int](v, where(v.sql("SELECT count(*) FROM github_app_installations ")))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	list, err := appInstallations.many(v, where(v.sql(appInstallations.selected)).add(" ORDER BY name, number").page(want.Page))
	return list, total, err
}

// AppOrganizations is the organizations that have a connection of an app installation: of one of
// them where an id is given.
func (v *View) AppOrganizations(installationID string) ([]string, error) {
	return values[string](v, v.sql("SELECT DISTINCT organization_id FROM oauth_clients WHERE app_installation_id <> '' AND (? = '' OR app_installation_id = ?) ORDER BY organization_id", installationID, installationID))
}

// AppInstallationsOf is the ids of the installations that organizations are connected to.
func (v *View) AppInstallationsOf(organizationIDs []string) ([]string, error) {
	return values[string](v, v.sql("SELECT DISTINCT app_installation_id FROM oauth_clients WHERE app_installation_id <> ''").in(" AND organization_id", organizationIDs))
}

// AppClient is the connection of an organization that stands on an installation.
func (v *View) AppClient(organizationID, installationID string) (belay.OAuthClient, error) {
	id, found, err := value[string](v, v.sql("SELECT id FROM oauth_clients WHERE app_installation_id = ? AND app_installation_id <> '' AND organization_id = ?", installationID, organizationID))
	if err != nil || !found {
		return belay.OAuthClient{}, firstError(err, belay.ErrNotFound)
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
	there, err := appInstallations.many(&tx.View, tx.sql(appInstallations.selected).add("ORDER BY id"+tx.db.dialect.hold))
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
		return appInstallations.insert(tx, i, nil)
	}
	i.ID, i.CreatedAt, i.UpdatedAt = was.ID, was.CreatedAt, was.UpdatedAt
	if *i == was {
		return nil
	}
	i.UpdatedAt = tx.Now
	return appInstallations.update(tx, i, nil)
}

// RemoveAppInstallation forgets an installation that GitHub has no more, or keeps it as removed
// while a connection names it.
func (tx *Tx) RemoveAppInstallation(i belay.AppInstallation) error {
	named, err := tx.AppOrganizations(i.ID)
	if err != nil {
		return err
	}
	if len(named) == 0 {
		return tx.do("DELETE FROM github_app_installations WHERE id = ?", i.ID)
	}
	if i.State == belay.AppRemoved {
		return nil
	}
	i.State, i.UpdatedAt = belay.AppRemoved, tx.Now
	return appInstallations.update(tx, &i, nil)
}

// AppHooks is the hooks of a repository in all organizations that reach it by an installation.
func (v *View) AppHooks(number int64, identifier string) ([]belay.Hook, error) {
	return hooks.many(v, v.sql(hooks.selected).add(`WHERE folded = ? AND token_id IN (SELECT t.id FROM github_app_installations i
		JOIN oauth_clients c ON c.app_installation_id = i.id AND c.app_installation_id <> ''
		JOIN oauth_tokens t ON t.client_id = c.id WHERE i.number = ?) ORDER BY id`, belay.FoldIdentifier(identifier), number))
}
