package repos

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
)

// service is the service that a hook is of, as it is reached by the hook's token.
type service struct {
	hook   forge.Hook
	client forge.OAuthClient
	token  forge.OAuthToken
	ask    vcs.Client
	secret string       // the token itself
	answer atomic.Int32 // of HTTP, to what was asked with the token last; 0: nothing was
	sshKey string       // empty: none

	installation *belay.AppInstallation // it takes the place of the token; nil: there is one
}

// service finds what a hook is reached by.
func (r *Room) service(ctx context.Context, hookID string) (s *service, err error) {
	if s, err = r.known(ctx, hookID); err != nil {
		return nil, err
	}
	for _, sealed := range []struct {
		from string
		to   *string
	}{{s.token.Sealed, &s.secret}, {s.token.SealedSSHKey, &s.sshKey}} {
		if sealed.from == "" {
			continue
		}
		plain, err := r.Ring.Unseal(sealed.from, s.token.ID)
		if err != nil {
			return nil, err
		}
		*sealed.to = string(plain)
	}
	if s.installation != nil {
		s.ask, err = r.openApp(s)
		return s, err
	}
	s.ask, err = vcs.Open(vcs.Connection{
		Service: s.client.ServiceProvider, HTTPURL: s.client.HTTPURL, APIURL: s.client.APIURL, Token: s.secret,
	}, s.heard(r.client))
	return s, err
}

// known is what is written down of a hook, with nothing unsealed.
func (r *Room) known(ctx context.Context, hookID string) (*service, error) {
	s := &service{}
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		if s.hook, err = v.Hook(hookID); err != nil {
			return err
		}
		if s.token, err = v.OAuthToken(s.hook.TokenID); err != nil {
			return err
		}
		if s.client, err = v.OAuthClient(s.token.ClientID); err != nil || s.client.AppInstallationID == "" {
			return err
		}
		i, err := v.AppInstallation(s.client.AppInstallationID)
		s.installation = &i
		return err
	})
	return s, err
}

// event is what those are told who look after the connection.
func (s *service) event(level, message string, now time.Time) forge.VCSEvent {
	const most = 2000
	message = s.hook.Identifier + ": " + strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", ""), "")
	if utf8.RuneCountInString(message) > most {
		message = string([]rune(message)[:most])
	}
	return forge.VCSEvent{
		ID: belay.NewID("ve"), OrganizationID: s.hook.OrganizationID, ClientID: s.client.ID, TokenID: s.token.ID,
		Level: level, Message: message, CreatedAt: now,
	}
}

// sources is what configuration versions say they come from.
var sources = []struct{ begins, source string }{
	{"github", "github"}, {"gitlab", "gitlab"}, {"bitbucket", "bitbucket"}, {"ado", "ado"}, {"gitea", "gitea"}, {"forgejo", "gitea"},
}

// source is what a configuration version from the service says it comes from.
func (s *service) source() string {
	for _, one := range sources {
		if strings.HasPrefix(s.client.ServiceProvider, one.begins) {
			return one.source
		}
	}
	return s.client.ServiceProvider
}

// gone says that something was deleted meanwhile: there is nothing to do for it.
func gone(err error) bool { return belay.KindOf(err) == belay.NotFound }

// plain is an error in the words that people may read: of a service, or none.
func plain(err error) string {
	var refusal *belay.Error
	if errors.As(err, &refusal) {
		return refusal.Detail
	}
	return err.Error()
}
