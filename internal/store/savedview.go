package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/belayhq/belay"
)

var savedViews = newTable(table[belay.SavedView]{
	name: "saved_views",
	own: []column[belay.SavedView]{
		{"id", func(s *belay.SavedView) any { return &s.ID }},
		{"organization_id", func(s *belay.SavedView) any { return &s.OrganizationID }},
		{"name", func(s *belay.SavedView) any { return &s.Name }},
		{"query", func(s *belay.SavedView) any { return question{&s.Query, &s.QueryType} }},
		{"created_by", func(s *belay.SavedView) any { return &s.CreatedBy }},
		{"created_at", func(s *belay.SavedView) any { return millis{&s.CreatedAt} }},
		{"updated_at", func(s *belay.SavedView) any { return millis{&s.UpdatedAt} }},
	},
})

// question keeps a query as the explorer writes it, and reads which view it is about out of it.
type question struct{ query, about *string }

// Value writes the query.
func (q question) Value() (driver.Value, error) { return *q.query, nil }

// Scan reads the query.
func (q question) Scan(src any) error {
	var form struct{ Type string }
	var kept sql.NullString
	err := errors.Join(kept.Scan(src), jsonText[struct{ Type string }]{&form}.Scan(src))
	*q.query, *q.about = kept.String, form.Type
	return err
}

// SavedView is one saved view of an organization.
func (v *View) SavedView(o belay.Organization, id string) (belay.SavedView, error) {
	return savedViews.one(v, "organization_id = ? AND id = ?", o.ID, id)
}

// SavedViews is one page of an organization's saved views, by name.
func (v *View) SavedViews(o belay.Organization, page belay.Page) ([]belay.SavedView, int, error) {
	return savedViews.page(v, page, "name, id", "organization_id = ?", o.ID)
}

// AddSavedView writes a new saved view.
func (tx *Tx) AddSavedView(s *belay.SavedView) error { return savedViews.insert(tx, s, nameTaken) }

// SaveSavedView writes a saved view.
func (tx *Tx) SaveSavedView(s *belay.SavedView) error { return savedViews.update(tx, s, nameTaken) }

// DropSavedView deletes a saved view.
func (tx *Tx) DropSavedView(s *belay.SavedView) error {
	return tx.do("DELETE FROM saved_views WHERE id = ?", s.ID)
}
