package connections

import (
	"cmp"
	"context"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/inputs"
	"github.com/belayhq/belay/internal/background"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/record"
	"github.com/belayhq/belay/internal/store"
)

func (r *Room) oauthClient(v store.Reader, s belay.Principal, id string) (forge.OAuthClient, error) {
	c, err := v.OAuthClient(id)
	if err != nil {
		return c, err
	}
	return c, gate.In(v.Peek(), s, c.Organization, belay.ManageVCS)
}

// CreateOAuthClient connects an organization to a version-control service. A token that
// comes with the body is kept as the connection's first.
func (r *Room) CreateOAuthClient(ctx context.Context, s belay.Principal, organization string, p forge.OAuthClientPatch) (c forge.OAuthClient, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		o, _, err := gate.Organization(tx.Peek(), s, organization, belay.ManageVCS)
		if err != nil {
			return err
		}
		c = forge.NewOAuthClient(o, tx.Now)
		c.CreatedBy = belay.GivenBy(s, tx.Now).By
		installation, err := appInstallation(&tx.Locked, s, &c, p)
		if err != nil {
			return err
		}
		if err := r.applyClient(tx, &c, p, installation, true); err != nil {
			return err
		}
		if err := tx.AddOAuthClient(&c); err != nil {
			return err
		}
		if installation != nil {
			err = r.addToken(tx, &c, installation.Name, "")
		} else {
			err = r.keepToken(tx, s, &c, p.TokenString.Value)
		}
		if err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_client.created", o.ID, "oauth-clients", c.ID, c.DisplayName())
	})
	return c, err
}

// applyClient changes the connection, if all that it names is there, and seals its secrets.
func (r *Room) applyClient(tx *store.Tx, c *forge.OAuthClient, p forge.OAuthClientPatch, installation *belay.AppInstallation, create bool) error {
	var problems belay.Problems
	if err := problems.Add(c.Apply(p, installation, create)); err != nil {
		return err
	}
	if err := gate.AllThere(&problems, belay.RelatedList("projects"), c.OrganizationID, p.Projects.Value, tx.ProjectsIn); err != nil {
		return err
	}
	if p.AgentPoolID.Value != "" {
		pool, err := gate.UsablePool(&tx.Locked, c.OrganizationID, p.AgentPoolID.Value, "", "")
		if err != nil {
			return err
		}
		if pool == nil {
			problems.At(belay.Related("agent-pool"), "The provided agent pool does not exist")
		}
	}
	r.sealInto(&c.SealedSecret, p.Secret.Set, p.Secret.Value, c.ID)
	r.sealInto(&c.SealedPrivateKey, p.PrivateKey.Set, p.PrivateKey.Value, c.ID)
	return problems.Err()
}

// sealInto keeps a secret that was given, sealed; an empty one is forgotten.
func (r *Room) sealInto(kept *string, given bool, secret, rowID string) {
	switch {
	case given && secret == "":
		*kept = ""
	case given:
		*kept = r.ring.Seal([]byte(secret), rowID)
	}
}

// keepToken writes a token of a connection: over the one it has, or as its first.
func (r *Room) keepToken(tx *store.Tx, s belay.Principal, c *forge.OAuthClient, secret string) error {
	if secret == "" {
		return nil
	}
	if len(c.TokenIDs) > 0 {
		t, err := tx.OAuthToken(c.TokenIDs[0])
		if err != nil {
			return err
		}
		t.Sealed, t.RefusedAt = r.ring.Seal([]byte(secret), t.ID), time.Time{}
		return tx.SaveOAuthToken(&t)
	}
	_, name := s.Actor()
	return r.addToken(tx, c, name, secret)
}

// addToken writes the first token of a connection. That of an app installation has no secret: the
// server asks GitHub for one when it needs it.
func (r *Room) addToken(tx *store.Tx, c *forge.OAuthClient, user, secret string) error {
	t := forge.OAuthToken{ID: belay.NewID("ot"), ClientID: c.ID, OrganizationID: c.OrganizationID, ServiceProviderUser: user, CreatedAt: tx.Now}
	r.sealInto(&t.Sealed, secret != "", secret, t.ID)
	c.TokenIDs = []string{t.ID}
	return tx.AddOAuthToken(&t)
}

// OAuthClients is the connections of an organization, to those who manage them.
func (r *Room) OAuthClients(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []forge.OAuthClient, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageVCS)
		if err != nil {
			return err
		}
		list, total, err = v.OAuthClients(o, page)
		return err
	})
	return list, total, err
}

// OAuthClient is one connection, to those who manage them.
func (r *Room) OAuthClient(ctx context.Context, s belay.Principal, id string) (c forge.OAuthClient, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		c, err = r.oauthClient(v, s, id)
		return err
	})
	return c, err
}

// HookNotes is so many of the repositories of a connection, and when its service told of each last.
func (r *Room) HookNotes(ctx context.Context, s belay.Principal, id string, most int) (list []forge.HookNote, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		c, err := r.oauthClient(v, s, id)
		if err != nil {
			return err
		}
		list, err = v.HookNotes(c.ID, most)
		return err
	})
	return list, err
}

// UpdateOAuthClient changes a connection.
func (r *Room) UpdateOAuthClient(ctx context.Context, s belay.Principal, id string, p forge.OAuthClientPatch) (c forge.OAuthClient, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		if c, err = r.oauthClient(&tx.Locked, s, id); err != nil {
			return err
		}
		pool := c.AgentPoolID
		if err := r.applyClient(tx, &c, p, nil, false); err != nil {
			return err
		}
		if err := r.mayReachThrough(tx, s, &c, pool); err != nil {
			return err
		}
		c.UpdatedAt = tx.Now
		if err := tx.SaveOAuthClient(&c); err != nil {
			return err
		}
		if err := r.keepToken(tx, s, &c, p.TokenString.Value); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_client.updated", c.OrganizationID, "oauth-clients", c.ID, c.DisplayName())
	})
	return c, err
}

// errConnectionUsed is told to those who would have other agents fetch the code of workspaces.
var errConnectionUsed error = belay.Refuse(belay.Invalid, "Only those who may queue and apply runs in all workspaces of a connection can have agents fetch for it")

// mayReachThrough holds that whoever has agents of another pool fetch for a connection may run anything
// in the workspaces that have their code by it: the agents say what that is.
func (r *Room) mayReachThrough(tx *store.Tx, s belay.Principal, c *forge.OAuthClient, before string) error {
	if c.AgentPoolID == "" || c.AgentPoolID == before {
		return nil
	}
	access, err := tx.Access(s, c.Organization)
	if err != nil {
		return err
	}
	if used, err := tx.ConnectionUsedBeyond(c.ID, access.Scope(belay.Steering)); err != nil || used {
		return cmp.Or(err, errConnectionUsed)
	}
	return nil
}

// DeleteOAuthClient deletes a connection; workspaces that used it have no repository
// from then on.
func (r *Room) DeleteOAuthClient(ctx context.Context, s belay.Principal, id string) error {
	return r.forgetting(ctx, func(tx *store.Tx) error {
		c, err := r.oauthClient(tx.Peek(), s, id)
		if err != nil {
			return err
		}
		if err := tx.Disconnect(c.OrganizationID, c.TokenIDs); err != nil {
			return err
		}
		if c, err = tx.Seizing().OAuthClient(id); err != nil {
			return err
		}
		if err := tx.DropOAuthClient(&c); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_client.deleted", c.OrganizationID, "oauth-clients", c.ID, c.DisplayName())
	})
}

// ChangeClientProjects adds projects to a connection, or takes them away.
func (r *Room) ChangeClientProjects(ctx context.Context, s belay.Principal, id string, projects []string, add bool) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		c, err := r.oauthClient(&tx.Locked, s, id)
		if err != nil {
			return err
		}
		if !add {
			if err := tx.RemoveClientProjects(&c, projects); err != nil {
				return err
			}
			return record.EmitOrganization(tx, s, "oauth_client.projects_removed", c.OrganizationID, "oauth-clients", c.ID, c.DisplayName())
		}
		var problems belay.Problems
		if err := gate.AllThere(&problems, belay.Whole, c.OrganizationID, projects, tx.ProjectsIn); err != nil {
			return err
		}
		if err := problems.Err(); err != nil {
			return err
		}
		if err := tx.AddClientProjects(&c, projects); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_client.projects_added", c.OrganizationID, "oauth-clients", c.ID, c.DisplayName())
	})
}

func (r *Room) oauthToken(v store.Reader, s belay.Principal, id string) (forge.OAuthToken, error) {
	t, err := v.OAuthToken(id)
	if err != nil {
		return t, err
	}
	return t, gate.In(v.Peek(), s, t.Organization, belay.ManageVCS)
}

// OAuthTokens is the tokens of an organization's connections.
func (r *Room) OAuthTokens(ctx context.Context, s belay.Principal, organization string, page belay.Page) (list []forge.OAuthToken, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		o, _, err := gate.Organization(v, s, organization, belay.ManageVCS)
		if err != nil {
			return err
		}
		list, total, err = v.OAuthTokens(o, "", page)
		return err
	})
	return list, total, err
}

// ClientTokens is the tokens of one connection.
func (r *Room) ClientTokens(ctx context.Context, s belay.Principal, clientID string, page belay.Page) (list []forge.OAuthToken, total int, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		c, err := r.oauthClient(v, s, clientID)
		if err != nil {
			return err
		}
		list, total, err = v.OAuthTokens(c.Organization, c.ID, page)
		return err
	})
	return list, total, err
}

// OAuthToken is one token of a connection.
func (r *Room) OAuthToken(ctx context.Context, s belay.Principal, id string) (t forge.OAuthToken, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		t, err = r.oauthToken(v, s, id)
		return err
	})
	return t, err
}

// SetOAuthTokenKey gives a token the SSH key that repositories are cloned with; an empty
// one takes it away.
func (r *Room) SetOAuthTokenKey(ctx context.Context, s belay.Principal, id string, given bool, key string) (t forge.OAuthToken, err error) {
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		if t, err = r.oauthToken(&tx.Locked, s, id); err != nil {
			return err
		}
		if err := inputs.CheckCloneKey(key); err != nil {
			return err
		}
		if t.Sealed == "" && key != "" {
			return belay.Refuse(belay.Invalid, "an app installation fetches with tokens of its own, and takes no SSH key")
		}
		r.sealInto(&t.SealedSSHKey, given, key, t.ID)
		if err := tx.SaveOAuthToken(&t); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_token.updated", t.OrganizationID, "oauth-tokens", t.ID, "")
	})
	return t, err
}

// DeleteOAuthToken deletes a token; workspaces that used it have no repository from then on.
func (r *Room) DeleteOAuthToken(ctx context.Context, s belay.Principal, id string) error {
	return r.forgetting(ctx, func(tx *store.Tx) error {
		t, err := r.oauthToken(tx.Peek(), s, id)
		if err != nil {
			return err
		}
		if err := tx.Disconnect(t.OrganizationID, []string{t.ID}); err != nil {
			return err
		}
		if t, err = tx.Seizing().OAuthToken(id); err != nil {
			return err
		}
		if err := tx.DropOAuthToken(&t); err != nil {
			return err
		}
		return record.EmitOrganization(tx, s, "oauth_token.deleted", t.OrganizationID, "oauth-tokens", t.ID, "")
	})
}

// forgetting deletes what very many workspaces may use: it is gone from all of them with the
// transaction, and their rows are written after it, in parts.
func (r *Room) forgetting(ctx context.Context, fn func(*store.Tx) error) error {
	err := r.db.Update(ctx, fn)
	if err == nil {
		r.forget.Now()
	}
	return err
}

// ForgetDeleted writes the rows of workspaces that use what was deleted.
func (r *Room) ForgetDeleted(ctx context.Context) {
	background.InParts(ctx, r.log, "references to what was deleted", r.db.ForgetSome)
}

// ByToken is the connection that a workspace may reach its repository through by a
// token, held until the commit; nil when there is none.
func ByToken(v *store.Locked, w *belay.Workspace, tokenID string) (*belay.VCSConnection, error) {
	t, err := v.Peek().OAuthToken(tokenID)
	if err != nil || t.OrganizationID != w.OrganizationID {
		return nil, unlessNotFound(err)
	}
	c, err := v.OAuthClient(t.ClientID) // held before its tokens, which go with it
	if err != nil || !c.Serves(w.ProjectID) {
		return nil, unlessNotFound(err)
	}
	if t, err = v.OAuthToken(tokenID); err != nil {
		return nil, unlessNotFound(err)
	}
	found := &belay.VCSConnection{TokenID: t.ID, ServiceProvider: c.ServiceProvider, HTTPURL: c.HTTPURL, ClientName: c.Name}
	if c.AppInstallationID == "" {
		return found, nil
	}
	i, err := v.AppInstallation(c.AppInstallationID)
	if err != nil || i.State == belay.AppRemoved {
		return nil, unlessNotFound(err)
	}
	found.AppInstallation = &i
	return found, nil
}

// unlessNotFound is an error that is more than an absent row.
func unlessNotFound(err error) error {
	if belay.KindOf(err) == belay.NotFound {
		return nil
	}
	return err
}
