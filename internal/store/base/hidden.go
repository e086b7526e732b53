package base

import "github.com/belayhq/belay/internal/sqldb"

// What is on a shelf, in the words of a statement. Rows that hang on a shelved workspace and
// are too many to be written with it are told by their workspace.
const (
	OffShelf             sqldb.Text = "w.organization_id NOT LIKE 'shelf %'"         // of a workspace w that anybody reaches
	Shelved              sqldb.Text = "(SELECT workspace_id FROM recoverable_items)" // the workspaces that nobody does
	IsHidden             sqldb.Text = "name LIKE '% %'"                              // of organizations that nobody reaches
	OrganizationIsHidden sqldb.Text = "o.name LIKE '% %'"                            // of an organization o
)

// The condition of organizations that are deleted and not erased yet: their names
// begin so that an index finds them.
const (
	IsGone             sqldb.Text = "name >= 'gone ' AND name < 'gone!'"     // of rows of organizations
	OrganizationIsGone sqldb.Text = "o.name >= 'gone ' AND o.name < 'gone!'" // of an organization o
)
