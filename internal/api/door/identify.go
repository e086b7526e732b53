package door

import (
	"net/http"
	"strings"

	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/web"
)

// identify finds out who asks, and holds back who asks too often.
func (a *Door) identify(r *Request, row *Route) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	if token = strings.TrimSpace(token); row.Open {
		token = ""
	}
	if err := a.expect(r, row, token); err != nil {
		return err
	}
	ctx := a.App.From(r.Context(), web.Address(r.Request))
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
	if err := a.limits.Take(key, r.Writer.Header()); err != nil {
		return err
	}
	switch tenant := r.Principal.Tenant(); {
	case tenant == "": // of nobody, or no longer
		a.whose.forget(token)
	case tenant == fair.Of(ctx):
		r.Request = r.WithContext(ctx)
	default:
		a.whose.note(token, tenant)
		r.Request = r.WithContext(a.App.Tenants().As(ctx, tenant))
	}
	return refusal
}

// expect has the work for a request be that of whoever sent the token before, so that finding out who asks is a part of it, and of
// its turn.
func (a *Door) expect(r *Request, row *Route, token string) error {
	tenant := a.whose.of(token)
	if tenant == "" {
		return nil
	}
	r.Request = r.WithContext(a.App.Tenants().As(r.Context(), tenant))
	if row.Do.lists && r.Method == http.MethodGet {
		return r.Turn()
	}
	return nil
}
