package door

import (
	"context"
	"net/http"
	"strings"

	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/web"
)

// identify finds out who asks, and holds back who asks too often.
func (a *Door) identify(r *Request, row *Route) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if row.Open || !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	token = strings.TrimSpace(token)
	ctx, err := a.expect(a.App.From(r.Context(), web.Address(r.Request)), r, row, token)
	if err != nil {
		return err
	}
	var refusal error
	switch {
	case row.Open:
	case row.Glance != nil:
		ctx, r.Principal, refusal = a.App.Glance(ctx, token, row.Glance(r))
	case row.Lists != nil:
		ctx, r.Principal, refusal = a.App.GlanceList(ctx, token, row.Lists(r), r.URL.RawQuery)
	default:
		r.Principal, refusal = a.App.Authenticate(ctx, token)
	}
	key := r.Principal.ID
	if key == "" {
		key = web.Address(r.Request)
	}
	if err = a.limits.Take(key, r.Writer.Header()); err != nil {
		return err
	}
	tenant := r.Principal.Tenant()
	if tenant == "" { // of nobody, or no longer
		a.tokens.forget(token)
		return refusal
	}
	if tenant != fair.Of(ctx) {
		r.Yield() // it was somebody else's
		a.tokens.note(token, tenant)
		ctx = a.App.Tenants().As(ctx, tenant)
	}
	r.Request = r.WithContext(ctx)
	return refusal
}

// expect has the work for a request be that of whoever sent the token before, so that finding out who asks is a part of it, and of
// its turn.
func (a *Door) expect(ctx context.Context, r *Request, row *Route, token string) (context.Context, error) {
	tenant := a.tokens.of(token)
	if tenant == "" {
		return ctx, nil
	}
	ctx = a.App.Tenants().As(ctx, tenant)
	if row.Do.lists && r.Method == http.MethodGet {
		r.Request = r.WithContext(ctx) // whatever becomes of it, its turn is found
		return ctx, r.Turn()
	}
	return ctx, nil
}
