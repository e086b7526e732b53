package moving

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/belayhq/belay/internal/remote"
)

// sending is one change that the target is asked for.
type sending struct {
	method, path, typ, thing string
	facts                    facts
	related                  map[string]any // relationships that are no facts
}

// send asks for a change. A part that the target refuses is left out and reported with its
// own words, and the rest is asked for again.
func (o *organization) send(ctx context.Context, s sending) (remote.Resource, error) {
	f := maps.Clone(s.facts)
	for {
		attributes, relations := o.written(s.thing, f)
		maps.Copy(relations, s.related)
		made, err := o.To.Send(ctx, s.method, s.path, body(s.typ, attributes, relations))
		if err == nil || !o.dropped(s.thing, f, err) {
			return made, err
		}
		if len(f) == 0 && len(s.related) == 0 {
			return remote.Resource{}, nil // nothing is left to ask for
		}
	}
}

// body is a document that asks for something.
func body(typ string, attributes, relations map[string]any) map[string]any {
	data := map[string]any{"type": typ}
	if len(attributes) > 0 {
		data["attributes"] = attributes
	}
	if len(relations) > 0 {
		data["relationships"] = relations
	}
	return map[string]any{"data": data}
}

// written is facts as a request has them: names are ids of the target again.
func (o *organization) written(thing string, f facts) (attributes, relations map[string]any) {
	attributes, relations = map[string]any{}, map[string]any{}
	for name, value := range f {
		switch v := value.(type) {
		case link:
			if id := o.refer(thing, name, v); id != "" && strings.HasSuffix(name, "-id") {
				attributes[name] = id
			} else if id != "" {
				relations[name] = map[string]any{"data": remote.Ref{Type: v.typ, ID: id}}
			}
		case links:
			refs := []remote.Ref{}
			for _, one := range v.names {
				if id := o.refer(thing, name, link{v.typ, one}); id != "" {
					refs = append(refs, remote.Ref{Type: v.typ, ID: id})
				}
			}
			relations[name] = map[string]any{"data": refs}
		case related:
			relations[name] = map[string]any{"data": v.data}
		default:
			attributes[name] = v
		}
	}
	if repo, ok := attributes["vcs-repo"].(map[string]any); ok {
		attributes["vcs-repo"] = o.repository(thing, repo)
	}
	return attributes, relations
}

// related is a fact that is written as a relationship with whole things in it.
type related struct{ data []any }

// refer is the id on the target of what a link names; empty, and reported, when the target
// lacks it.
func (o *organization) refer(thing, fact string, to link) string {
	id := o.to.id(to.typ, to.name)
	if id == "" {
		o.Report.left(thing, fact+": the target has no "+to.typ+" "+to.name)
	}
	return id
}

// dropped leaves out what a refusal points at, and says whether that was anything.
func (o *organization) dropped(thing string, f facts, err error) bool {
	var refused *remote.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity {
		return false
	}
	dropped := false
	for _, p := range refused.Problems {
		name, member := pointed(p.Source.Pointer)
		if name == "name" || name == "key" || !f.drop(name, member) {
			continue
		}
		dropped = true
		o.Report.left(thing, strings.TrimSuffix(name+"/"+member, "/")+": "+p.Said())
	}
	return dropped
}

// pointed is the attribute or relationship that a pointer is at, and the member of it.
func pointed(pointer string) (name, member string) {
	for _, before := range []string{"/data/attributes/", "/data/relationships/"} {
		if rest, ok := strings.CutPrefix(pointer, before); ok {
			name, member, _ = strings.Cut(rest, "/")
			if before == "/data/relationships/" {
				member = ""
			}
			return name, member
		}
	}
	return "", ""
}

// drop takes a fact away, or a member of one.
func (f facts) drop(name, member string) bool {
	value, there := f[name]
	if members, ok := value.(map[string]any); ok && member != "" {
		if _, has := members[member]; has && len(members) > 1 {
			rest := maps.Clone(members)
			delete(rest, member)
			f[name] = rest
			return true
		}
	}
	delete(f, name)
	return there
}

// said is a refusal in the words of the server.
func said(err error) string {
	var refused *remote.Error
	if errors.As(err, &refused) {
		return refused.Said()
	}
	return err.Error()
}
