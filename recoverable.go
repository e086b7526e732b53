package belay

import (
	"strings"
	"time"
)

// DefaultRecoverable is how long a deleted workspace can be brought back, unless the server
// is told otherwise.
const DefaultRecoverable = 7 * 24 * time.Hour

// RecoverableItem is a workspace that was deleted and can be brought back. The workspace
// itself lies on its organization's shelf meanwhile.
type RecoverableItem struct {
	ID             string
	OrganizationID string // that the workspace was deleted in
	WorkspaceID    string
	ProjectID      string // that it was in
	Name           string // that it had
	DeletedBy      string // by name
	DeletedAt      time.Time
	ExpiresAt      time.Time // when it is erased; zero: it is being erased
	Resources      int       // that its state manages, and nobody else does now
	Organization   Organization
}

// ErrNameClash is the answer to bringing a workspace back whose name another has by now.
var ErrNameClash = Refuse(Conflict, "another workspace has this name by now: rename or delete it first")

// NewRecoverableItem is the item of a workspace that is deleted.
func NewRecoverableItem(w *Workspace, by string, now, until time.Time) RecoverableItem {
	return RecoverableItem{
		ID: NewID("ri"), OrganizationID: w.OrganizationID, WorkspaceID: w.ID, ProjectID: w.ProjectID, Name: w.Name,
		DeletedBy: by, DeletedAt: now, ExpiresAt: until,
	}
}

// Recoverable says whether the workspace can still be brought back.
func (r *RecoverableItem) Recoverable(now time.Time) bool { return r.ExpiresAt.After(now) }

// The marks that begin the names of organizations that nobody reaches. No other name has a
// blank.
const (
	goneMark  = "gone "
	shelfMark = "shelf "
)

// Shelf is where the deleted workspaces of an organization lie: an organization of its own,
// with one project, both of one id. It is nobody's, so whatever asks who may see a workspace,
// or which an organization has, does not find them.
func Shelf(organizationID string) (Organization, Project) {
	id := shelfMark + organizationID
	return Organization{ID: id, Name: id, DefaultProjectID: id}, Project{ID: id, OrganizationID: id, Name: DefaultProjectName}
}

// Bury deletes the organization: its name is free, and nobody reaches it or what is in it.
// What is in it is erased after that, however long it takes.
func (o *Organization) Bury() { o.Name = goneMark + o.ID }

// Gone says that nobody reaches the organization: it was deleted, though not all that was in
// it is erased yet, or it is a shelf.
func (o *Organization) Gone() bool { return strings.Contains(o.Name, " ") }
