package store

import (
	"encoding/json"
	"fmt"

	"github.com/belayhq/belay"
)

// siteRetention names the fact that holds the policy of the whole site.
const siteRetention = "data-retention-policy"

// SiteRetention is the policy of the whole site.
func (v *View) SiteRetention() (p belay.RetentionPolicy, err error) {
	raw, err := v.Meta(siteRetention)
	if err != nil || raw == "" {
		return p, err
	}
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		return p, fmt.Errorf("read the site's retention policy: %w", err)
	}
	return p, nil
}

// SaveSiteRetention keeps the policy of the whole site.
func (tx *Tx) SaveSiteRetention(p belay.RetentionPolicy) error {
	if !p.Given() {
		return tx.SetMeta(siteRetention, "")
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.SetMeta(siteRetention, string(raw))
}

// SaveWorkspaceRetention keeps the policy of a workspace.
func (tx *Tx) SaveWorkspaceRetention(id string, p belay.RetentionPolicy) error {
	return tx.do("UPDATE workspaces SET retention_id = ?, retention_kind = ?, retention_days = ? WHERE id = ?",
		p.ID, string(p.Kind), p.Days, id)
}

// SaveOrganizationRetention keeps the policy of an organization.
func (tx *Tx) SaveOrganizationRetention(id string, p belay.RetentionPolicy) error {
	return tx.do("UPDATE organizations SET retention_id = ?, retention_kind = ?, retention_days = ? WHERE id = ?",
		p.ID, string(p.Kind), p.Days, id)
}
