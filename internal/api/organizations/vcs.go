package organizations

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/api/doc"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/paths"
	"github.com/belayhq/belay/internal/openapi"
	"github.com/belayhq/belay/internal/repos"
	"github.com/belayhq/belay/internal/throttle"
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
	often *throttle.Limits
	app   *throttle.Limits
	large turnstile
}

func newHookLimits(perSecond float64, now func() time.Time) hookLimits {
	l := hookLimits{throttle.New(webhooksPerSec, webhooksPerSec, now), throttle.New(appHooksPerSec, appHooksPerSec, now), make(turnstile, largeAtOnce)}
	if perSecond <= 0 {
		l.often, l.app = throttle.New(0, 0, now), throttle.New(0, 0, now)
	}
	return l
}

var _ = routes.Join(func(a *Verbs) []door.Route {
	return []door.Route{
		{Method: http.MethodPost, Path: aWebhook, Status: http.StatusOK, Raw: a.receiveWebhook, Open: true, JSON: openapi.Of[door.Nothing], Limit: maxWebhook, Refuses: []belay.Kind{belay.Unauthenticated, belay.NotFound, belay.TooLarge}, Does: "Tell of a repository, signed with the secret of its hook (for version-control services)"},
		{Method: http.MethodPost, Path: paths.Workspace + "/actions/rotate-webhook-secret", Status: http.StatusOK, Do: door.Showing(webhooks, a.rotateWebhookSecret), Needs: belay.UpdateWorkspace.And(belay.Steering, belay.ManageVCS), Does: "Give the hook of its repository another secret"},
		{Method: http.MethodGet, Path: paths.Organization + "/vcs-events", Status: http.StatusOK, Do: door.Listing(vcsEvents, a.listVCSEvents), Filters: vcsEventFilters, Needs: belay.ManageVCS, Does: "List what happened with repositories, and why nothing did"},
	}
})

// receiveWebhook takes what a service tells, as it was signed.
func (a *Verbs) receiveWebhook(r *door.Request) error {
	id := r.Param("webhook_id")
	if err := a.hooked.often.Take(id, r.Writer.Header()); err != nil {
		return err
	}
	body, err := a.webhookBody(r)
	if err != nil {
		return err
	}
	if err := a.Repos.Receive(r.Context(), id, r.Header, body); err != nil {
		return err
	}
	return r.SendJSON(http.StatusOK, door.Nothing{})
}

// webhookBody reads the body, if it is not too large. Large ones wait for each other: they
// are held in memory until their signature is known.
func (a *Verbs) webhookBody(r *door.Request) ([]byte, error) {
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
	body, err := io.ReadAll(http.MaxBytesReader(r.Writer, r.Body, maxWebhook))
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
var vcsEvents = &doc.Noun[forge.VCSEvent, struct{}]{
	Type: "vcs-events",
	ID:   func(e *forge.VCSEvent) string { return e.ID },
	Attributes: doc.Attributes[forge.VCSEvent, struct{}]{
		{Name: "created-at", Show: doc.Value(func(e *forge.VCSEvent) time.Time { return e.CreatedAt })},
		{Name: "level", Show: doc.Value(func(e *forge.VCSEvent) string { return e.Level })},
		{Name: "message", Show: doc.Value(func(e *forge.VCSEvent) string { return e.Message })},
		{Name: "organization-id", Show: doc.Value(func(e *forge.VCSEvent) string { return e.OrganizationID })},
	},
	Relations: []doc.Relation[forge.VCSEvent, struct{}]{
		doc.To[forge.VCSEvent, struct{}]("oauth-client", "oauth-clients", func(e *forge.VCSEvent) string { return e.ClientID }),
		doc.To[forge.VCSEvent, struct{}]("oauth-token", "oauth-tokens", func(e *forge.VCSEvent) string { return e.TokenID }),
	},
}

var vcsEventFilters = []string{"filter[from]", "filter[to]", "filter[oauth_client_external_ids]", "filter[levels]"}

func (a *Verbs) listVCSEvents(r *door.Request) ([]forge.VCSEvent, int, error) {
	q := r.URL.Query()
	want, err := forge.ParseVCSEventQuery(q.Get("filter[from]"), q.Get("filter[to]"), q.Get("filter[oauth_client_external_ids]"), q.Get("filter[levels]"), time.Now())
	if err != nil {
		return nil, 0, err
	}
	want.Page = r.Page()
	return a.Repos.Events(r.Context(), r.Principal, r.Param("organization_name"), want)
}

// webhookDoc is a hook with its secret, which is shown once.
type webhookDoc struct {
	repos.Rotated
	url string
}

var webhooks = &doc.Noun[webhookDoc, struct{}]{
	Type: "vcs-webhooks",
	ID:   func(h *webhookDoc) string { return h.ID },
	Attributes: doc.Attributes[webhookDoc, struct{}]{
		{Name: "webhook-url", Show: doc.Value(func(h *webhookDoc) string { return h.url })},
		{Name: "secret", Show: doc.Value(func(h *webhookDoc) string { return h.Secret })},
	},
}

func (a *Verbs) rotateWebhookSecret(r *door.Request) (webhookDoc, error) {
	rotated, err := a.Repos.RotateSecret(r.Context(), r.Principal, belay.WorkspaceRef{ID: r.Param("workspace_id")})
	return webhookDoc{rotated, r.BaseURL() + rotated.Path}, err
}
