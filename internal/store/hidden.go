package store

// What is on a shelf, in the words of a statement. Rows that hang on a shelved workspace and
// are too many to be written with it are told by their workspace.
const (
	offShelf  text = "w.organization_id NOT LIKE 'shelf %'"
	shelved   text = "(SELECT workspace_id FROM recoverable_items)"
	hidden    text = "name LIKE '% %'" // organizations that nobody reaches
	oIsHidden text = "o.name LIKE '% %'"
)

// The condition of organizations that are deleted and not erased yet: their names
// begin so that an index finds them.
const (
	isGone  text = "name >= 'gone ' AND name < 'gone!'"
	oIsGone text = "o.name >= 'gone ' AND o.name < 'gone!'"
)
