package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/repos"
)

// aWebhook is where version-control services tell of repositories. It takes no token: the body
// is signed.
const aWebhook = "/webhooks/vcs/{webhook_id}"

// The bounds of what services send.
const (
	maxWebhook     = 25 << 20 // bytes of a body
	webhooksPerSec = 60       // of one hook
	appHooksPerSec = 600      // of one address that tells the GitHub App, which is told of all repositories
	largeWebhook   = 1 << 20  // bytes: of larger ones few are read at once
	largeAtOnce    = 4
)

// hookLimits bounds what services send: how often to one hook, and how many large bodies at once.
type hookLimits struct {
	often *limits
	app   *limits
	large turnstile
}

func newHookLimits(perSecond float64) hookLimits {
	l := hookLimits{newLimits(webhooksPerSec, webhooksPerSec), newLimits(appHooksPerSec, appHooksPerSec), make(turnstile, largeAtOnce)}
	if perSecond <= 0 {
		l.often, l.app = newLimits(0, 0), newLimits(0, 0)
	}
	return l
}

// receiveWebhook takes what a service tells, as it was signed.
func (a *API) receiveWebhook(r *request) error {
	id := r.param("webhook_id")
	if err := a.hooked.often.take(id, r.w.Header()); err != nil {
		return err
	}
	body, err := a.webhookBody(r)
	if err != nil {
		return err
	}
	if err := a.Repos.Receive(r.Context(), id, r.Header, body); err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{})
}

// webhookBody reads the body, if it is not too large. Large ones wait for each other: they
// are held in memory until their signature is known.
func (a *API) webhookBody(r *request) ([]byte, error) {
	tooLarge := belay.Refuse(belay.TooLarge, "the body is larger than %d bytes", maxWebhook)
	if r.ContentLength > maxWebhook {
		return nil, tooLarge
	}
	if r.ContentLength < 0 || r.ContentLength > largeWebhook {
		if err := a.hooked.large.enter(r.Context()); err != nil {
			return nil, err
		}
		defer a.hooked.large.leave()
	}
	body, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, maxWebhook))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case err != nil && belay.KindOf(err) == belay.Internal:
		return nil, belay.Refuse(belay.BadRequest, "the body could not be read")
	default:
		return body, err
	}
}

// turnstile lets so many in at once.
type turnstile chan struct{}

func (t turnstile) enter(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return belay.Refuse(belay.NotReady, "too many large bodies at once, try again later")
	}
}

func (t turnstile) leave() { <-t }

// vcsEvents is what those are told who look after connections.
var vcsEvents = &noun[belay.VCSEvent, struct{}]{
	typ: "vcs-events",
	id:  func(e *belay.VCSEvent) string { return e.ID },
	attributes: attributes[belay.VCSEvent, struct{}]{
		{name: "created-at", show: value(func(e *belay.VCSEvent) time.Time { return e.CreatedAt })},
		{name: "level", show: value(func(e *belay.VCSEvent) string { return e.Level })},
		{name: "message", show: value(func(e *belay.VCSEvent) string { return e.Message })},
		{name: "organization-id", show: value(func(e *belay.VCSEvent) string { return e.OrganizationID })},
	},
	relations: []relation[belay.VCSEvent, struct{}]{
		to[belay.VCSEvent, struct{}]("oauth-client", "oauth-clients", func(e *belay.VCSEvent) string { return e.ClientID }),
		to[belay.VCSEvent, struct{}]("oauth-token", "oauth-tokens", func(e *belay.VCSEvent) string { return e.TokenID }),
	},
}

var vcsEventFilters = []string{"filter[from]", "filter[to]", "filter[oauth_client_external_ids]", "filter[levels]"}

func (a *API) listVCSEvents(r *request) ([]belay.VCSEvent, int, error) {
	q := r.URL.Query()
	want, err := belay.ParseVCSEventQuery(q.Get("filter[from]"), q.Get("filter[to]"), q.Get("filter[oauth_client_external_ids]"), q.Get("filter[levels]"), time.Now())
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.page()
	return a.Repos.Events(r.Context(), r.subject, r.param("organization_name"), want)
}

// webhookDoc is a hook with its secret, which is shown once.
type webhookDoc struct {
	repos.Rotated
	url string
}

var webhooks = &noun[webhookDoc, struct{}]{
	typ: "vcs-webhooks",
	id:  func(h *webhookDoc) string { return h.ID },
	attributes: attributes[webhookDoc, struct{}]{
		{name: "webhook-url", show: value(func(h *webhookDoc) string { return h.url })},
		{name: "secret", show: value(func(h *webhookDoc) string { return h.Secret })},
	},
}

func (a *API) rotateWebhookSecret(r *request) (webhookDoc, error) {
	rotated, err := a.Repos.RotateSecret(r.Context(), r.subject, belay.WorkspaceRef{ID: r.param("workspace_id")})
	return webhookDoc{rotated, r.baseURL() + rotated.Path}, err
}
