package plan

import (
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var savedViews = sqldb.NewTable(sqldb.Table[backlog.SavedView]{
	Name: "saved_views",
	Own: []sqldb.Column[backlog.SavedView]{
		{Name: "id", At: func(s *backlog.SavedView) any { return &s.ID }},
		{Name: "organization_id", At: func(s *backlog.SavedView) any { return &s.OrganizationID }},
		{Name: "name", At: func(s *backlog.SavedView) any { return &s.Name }},
		{Name: "query", At: func(s *backlog.SavedView) any { return question{&s.Query, &s.QueryType} }},
		{Name: "created_by", At: func(s *backlog.SavedView) any { return &s.CreatedBy }},
		{Name: "created_at", At: func(s *backlog.SavedView) any { return sqldb.Millis(&s.CreatedAt) }},
		{Name: "updated_at", At: func(s *backlog.SavedView) any { return sqldb.Millis(&s.UpdatedAt) }},
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
	err := errors.Join(kept.Scan(src), sqldb.JSON(&form).Scan(src))
	*q.query, *q.about = kept.String, form.Type
	return err
}

// SavedView is one saved view of an organization.
func (v *View) SavedView(o belay.Organization, id string) (backlog.SavedView, error) {
	return savedViews.One(v, "organization_id = ? AND id = ?", o.ID, id)
}

// SavedViews is one page of an organization's saved views, by name.
func (v *View) SavedViews(o belay.Organization, page belay.Page) ([]backlog.SavedView, int, error) {
	return savedViews.Page(v, page, "name, id", "organization_id = ?", o.ID)
}

// AddSavedView writes a new saved view.
func (tx *Tx) AddSavedView(s *backlog.SavedView) error {
	return savedViews.Insert(tx, s, base.NameTaken)
}

// SaveSavedView writes a saved view.
func (tx *Tx) SaveSavedView(s *backlog.SavedView) error {
	return savedViews.Update(tx, s, base.NameTaken)
}

// DropSavedView deletes a saved view.
func (tx *Tx) DropSavedView(s *backlog.SavedView) error {
	return tx.Do("DELETE FROM saved_views WHERE id = ?", s.ID)
}
