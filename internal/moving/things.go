package moving

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/belayhq/belay/internal/remote"
)

// join adds references to a relationship, as many at once as a body may have. What is there
// already is no error to the server, so a lost answer is asked for again.
func (o *organization) join(ctx context.Context, path string, refs ...remote.Ref) (err error) {
	for len(refs) > 0 && err == nil {
		some := refs[:min(500, len(refs))]
		refs = refs[len(some):]
		for try := range lostTries {
			pause(ctx, try)
			if _, err = o.To.Send(ctx, http.MethodPost, path, map[string]any{"data": some}); !remote.Uncertain(err) {
				break
			}
		}
	}
	return err
}

// filtered is a path with a filter in it, for a list that stands below no path of its own.
func filtered(path, filter string) string {
	return path + "?" + strings.ReplaceAll(url.QueryEscape(filter), "%", "%%") + "=%s"
}

// bringVariables brings the variables of a workspace or a set.
func (o *organization) bringVariables(ctx context.Context, list, one string, p pair, label string) error {
	return o.bring(ctx, &kind{
		typ: "vars", list: list, one: one, below: true, facts: variableFacts,
		key:    func(_ *side, r *remote.Resource) string { return r.Text("category") + "/" + r.Text("key") },
		secret: sensitive, needs: true,
	}, owner{p.from.ID, p.to.ID, label, p.fresh})
}

func variableFacts(_ *side, r *remote.Resource) facts {
	f := facts{}
	f.take(r, "key", "category", "hcl", "description", "sensitive")
	if !r.Truth("sensitive") {
		f.take(r, "value")
	}
	return f
}

func sensitive(r *remote.Resource) string {
	if r.Truth("sensitive") {
		return "value"
	}
	return ""
}

// bringAccess brings what teams were given on a workspace or a project.
func (o *organization) bringAccess(ctx context.Context, typ, on string, p pair, label string, custom ...string) error {
	subject := strings.TrimSuffix(on, "s")
	key := func(s *side, r *remote.Resource) string {
		return s.name(remote.Ref{Type: "teams", ID: r.One("team").ID})
	}
	k := &kind{
		typ: typ, list: filtered(typ, "filter["+subject+"][id]"), create: typ, one: typ + "/%s", key: key,
		more: func() map[string]any {
			return map[string]any{subject: map[string]any{"data": remote.Ref{Type: on, ID: p.to.ID}}}
		},
		facts: func(s *side, r *remote.Resource) facts {
			f := facts{"team": link{"teams", key(s, r)}}
			f.take(r, "access")
			if r.Text("access") == "custom" {
				f.take(r, custom...)
			}
			return f
		},
	}
	return o.bring(ctx, k, owner{p.from.ID, p.to.ID, label, p.fresh})
}

// bringNotifications brings who is told of what happens to a team, workspace or project.
func (o *organization) bringNotifications(ctx context.Context, on string, p pair, label string) error {
	k := &kind{
		typ: "notification-configurations", list: on + "/%s/notification-configurations", one: "notification-configurations/%s",
		key: func(_ *side, r *remote.Resource) string {
			return r.Text("name") + " (" + r.Text("destination-type") + ")"
		},
		facts: func(s *side, r *remote.Resource) facts {
			f := facts{}
			f.take(r, "name", "destination-type", "enabled", "url", "triggers", "email-addresses", "email_all_members")
			if users, told := s.many(r, "users", "users"); told && len(users.names) > 0 {
				f["users"] = users
			}
			return f
		},
		secret: func(r *remote.Resource) string {
			if r.Text("destination-type") == "generic" {
				return "token"
			}
			return ""
		},
		extra: func(r *remote.Resource) bool { return on == "teams" && r.Text("name") == "Default email" },
		yield: func(f facts) string {
			if on, _ := f["enabled"].(bool); !on {
				return ""
			}
			f["enabled"] = false
			return "it is there, but not enabled"
		},
	}
	at := owner{p.from.ID, p.to.ID, label, p.fresh && (on != "teams" || o.Mode != Import)} // a new team has one already
	return o.bring(ctx, k, at)
}

// bindings brings the key-value tags of a project that is there.
func (o *organization) bindings(ctx context.Context, typ string, p pair, label string) error {
	want, err := o.bindingsOf(ctx, o.From, typ, p.from.ID)
	if err != nil || p.to.ID == "" && o.Mode != DryRun {
		return err
	}
	have := map[string]any{}
	if p.to.ID != "" && !p.fresh {
		if have, err = o.bindingsOf(ctx, o.To, typ, p.to.ID); err != nil {
			return err
		}
	}
	if same(want, have) && (o.Mode != Verify || same(have, want)) {
		return nil
	}
	return o.change(ctx, typ, typ+"/"+p.to.ID, label, facts{"tag-bindings": bindingData(want)}, []string{"tag-bindings"}, facts{"tag-bindings": have})
}

// bindingsOf is the key-value tags of a thing; none, where the server knows no such.
func (o *organization) bindingsOf(ctx context.Context, from remote.Reader, typ, id string) (map[string]any, error) {
	tags := map[string]any{}
	document, err := from.Document(ctx, typ+"/"+id+"/tag-bindings")
	if status := remote.Status(err); status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return tags, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := document.List()
	for i := range list {
		tags[list[i].Text("key")] = list[i].Text("value")
	}
	return tags, err
}

func bindingData(tags map[string]any) related {
	data := []any{}
	for key, value := range tags {
		data = append(data, map[string]any{"type": "tag-bindings", "attributes": map[string]any{"key": key, "value": value}})
	}
	return related{data}
}
