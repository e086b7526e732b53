package app

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/connections"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/store"
)

// connect gives a workspace the hook of its repository, when that is another than before. The
// service is asked for nothing here: that is done later, and its failure is none of the
// request.
func (a *App) connect(tx *store.Tx, w, before *belay.Workspace) error {
	if w.VCSTokenID == before.VCSTokenID && sameRepository(w.VCSRepo, before.VCSRepo) {
		return nil
	}
	if err := tx.LookAtHook(before.HookID); err != nil {
		return err
	}
	w.HookID = ""
	if w.VCSRepo == nil || w.VCSTokenID == "" {
		return nil
	}
	h, err := a.hook(tx, w)
	if err != nil {
		return err
	}
	w.HookID, w.VCSRepo.WebhookID = h.ID, h.ID
	if !w.QueueAllRuns {
		return nil
	}
	d := forge.NewHookDelivery(&h, "connected "+belay.NewID("hd"), forge.HookNews{Workspace: w.ID}, tx.Now)
	d.About = "workspace " + w.Name + " was connected"
	_, err = tx.Receive(&d)
	return err
}

func sameRepository(a, b *belay.VCSRepo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return forge.FoldIdentifier(a.Identifier) == forge.FoldIdentifier(b.Identifier)
}

// repositoryFacts is the connection that a change of a workspace's repository leans on: the one
// that it names, or the one that is there; nil when it leans on none, or none serves the workspace.
func repositoryFacts(v *store.Locked, w *belay.Workspace, change patch.Field[belay.VCSRepoPatch]) (*belay.VCSConnection, error) {
	p := change.Value
	token, installed := p.OAuthTokenID.Value, p.App().Value
	switch {
	case !change.Given():
		return nil, nil
	case token != "":
		return connections.ByToken(v, w, token)
	case installed != "":
		return connections.ByInstallation(v, w, installed)
	case w.VCSTokenID != "":
		return connections.ByToken(v, w, w.VCSTokenID)
	}
	return nil, nil
}

// hook is the hook of a workspace's repository, which is made when it is the first.
func (a *App) hook(tx *store.Tx, w *belay.Workspace) (forge.Hook, error) {
	h, err := tx.HookOf(w.VCSTokenID, w.VCSRepo.Identifier)
	switch {
	case err == nil && h.Connect(tx.Now):
		return h, tx.SaveHook(&h)
	case belay.KindOf(err) != belay.NotFound:
		return h, err
	}
	h = forge.NewHook(w.OrganizationID, w.VCSTokenID, w.VCSRepo.Identifier, tx.Now)
	h.SealedSecret = a.ring.Seal([]byte(belay.RandomText(40)), h.ID)
	if err := tx.AddHook(&h); err != nil {
		return h, err
	}
	return tx.HookOf(w.VCSTokenID, w.VCSRepo.Identifier) // another may have been sooner
}
