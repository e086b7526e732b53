package door

import (
	"strings"

	"github.com/belayhq/belay/internal/web"
)

// identify finds out who asks, and holds back who asks too often.
func (a *Door) identify(r *Request, row *Route) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	ctx := a.App.From(r.Context(), web.Address(r.Request))
	var refusal error
	switch token = strings.TrimSpace(token); {
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
	if tenant := r.Principal.Tenant(); tenant != "" {
		r.Request = r.WithContext(a.App.Tenants().As(ctx, tenant))
	}
	return refusal
}
