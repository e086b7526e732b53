package moving

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/remote"
)

// kind is one kind of thing: where it is listed, what it is known by, and its facts.
type kind struct {
	typ    string // of documents, and what reports call it
	list   string // path, with the id of what it belongs to
	create string // the same for making one; empty: where it is listed
	one    string // path of a single one, with its id
	below  bool   // one has the id of the owner before its own
	key    func(s *side, r *remote.Resource) string
	facts  func(s *side, r *remote.Resource) facts
	secret func(r *remote.Resource) string // the attribute that no server tells; empty: none
	needs  bool                            // it can't be without the secret
	found  func(ctx context.Context, p pair) error
	extra  func(r *remote.Resource) bool // the target makes such a one by itself
	yield  func(f facts) string          // gives up a part after a refusal, and says which
	more   func() map[string]any         // relationships of a new one: what it belongs to
	change func(ctx context.Context, thing string, want facts, have remote.Resource) (bool, error)
}

// owner is what things hang on, on both sides.
type owner struct {
	from, to, label string
	fresh           bool
}

// bring makes all things of a kind of one owner the same on the target, or says how they
// are not.
func (o *organization) bring(ctx context.Context, k *kind, at owner) error {
	source, offered, err := o.listSource(ctx, k, at)
	if err != nil || !offered {
		return err
	}
	target, err := o.listTarget(ctx, k, at)
	if err != nil {
		return err
	}
	there := map[string][]remote.Resource{}
	for _, r := range target {
		key := k.key(o.to, &r)
		there[key] = append(there[key], r)
	}
	o.Report.seen(k.typ, len(source), len(target))
	for _, r := range source {
		key := k.key(o.from, &r)
		var have *remote.Resource
		if len(there[key]) > 0 {
			have, there[key] = &there[key][0], there[key][1:]
		}
		if err := o.bringOne(ctx, k, at, key, r, have); err != nil {
			return err
		}
	}
	if o.Mode == Verify {
		for key, rest := range there {
			for i := range rest {
				if k.extra == nil || !k.extra(&rest[i]) {
					o.Report.differ(label(at, k, key), "only the target has it")
				}
			}
		}
	}
	return nil
}

func label(at owner, k *kind, key string) string { return at.label + " " + k.typ + " " + key }

// listSource lists what the source has; a kind that it does not offer is told of once.
func (o *organization) listSource(ctx context.Context, k *kind, at owner) (list []remote.Resource, offered bool, err error) {
	list, err = remote.All(ctx, o.From, fmt.Sprintf(k.list, at.from))
	switch remote.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		if _, told := o.absent.LoadOrStore(o.fromName+k.typ+k.list, true); !told {
			o.Report.left(o.toName+" "+k.typ, "the source does not offer "+strings.SplitN(fmt.Sprintf(k.list, "…"), "?", 2)[0]+", or its token may not see them")
		}
		return nil, false, nil
	}
	return list, true, err
}

func (o *organization) listTarget(ctx context.Context, k *kind, at owner) ([]remote.Resource, error) {
	if at.fresh || at.to == "" {
		return nil, nil
	}
	return remote.All(ctx, o.To, fmt.Sprintf(k.list, at.to))
}

// bringOne makes one thing the same.
func (o *organization) bringOne(ctx context.Context, k *kind, at owner, key string, r remote.Resource, have *remote.Resource) error {
	want, thing := k.facts(o.from, &r), label(at, k, key)
	secret := ""
	if k.secret != nil {
		secret = k.secret(&r)
	}
	var made remote.Resource
	var err error
	switch {
	case have != nil:
		made, err = *have, o.settle(ctx, k, at, thing, want, *have)
	case k.needs && secret != "" && o.Mode == Verify:
		o.Report.differ(thing, "the target lacks it: no server tells its "+secret+", which is to be given")
		return nil
	case k.needs && secret != "" && o.Secrets[thing] == "":
		o.Report.give(thing, "its "+secret+" is not told by the source: it is made once you give it")
		return nil
	default:
		made, err = o.make(ctx, k, at, key, thing, want, secret)
	}
	if err != nil || k.found == nil || have == nil && made.ID == "" && o.Mode != DryRun {
		return err
	}
	return k.found(ctx, pair{from: r, to: made, fresh: have == nil})
}

// settle brings the facts of what is there into line.
func (o *organization) settle(ctx context.Context, k *kind, at owner, thing string, want facts, have remote.Resource) error {
	unlike := want.unlike(k.facts(o.to, &have))
	if len(unlike) == 0 {
		return nil
	}
	if k.change != nil && o.Mode == Import {
		changed, err := k.change(ctx, thing, want, have)
		if err == nil && changed {
			o.Report.changed(k.typ)
		}
		return o.spared(thing, err)
	}
	return o.change(ctx, k.typ, k.path(at, have.ID), thing, want, unlike, k.facts(o.to, &have))
}

func (k *kind) path(at owner, id string) string {
	if k.below {
		return fmt.Sprintf(k.one, at.to, id)
	}
	return fmt.Sprintf(k.one, id)
}

// change writes the facts that differ, or says that they do.
func (o *organization) change(ctx context.Context, typ, path, thing string, want facts, unlike []string, have facts) error {
	switch o.Mode {
	case Verify:
		for _, fact := range unlike {
			o.Report.differ(thing, fmt.Sprintf("%s is %s, and %s on the target", fact, told(want[fact]), told(have[fact])))
		}
		return nil
	case DryRun:
		o.Report.plan(typ, thing, "would change "+strings.Join(unlike, ", "))
		return nil
	}
	_, err := o.send(ctx, sending{method: http.MethodPatch, path: path, typ: typ, thing: thing, facts: want.only(unlike)})
	if err == nil {
		o.Report.changed(typ)
	}
	return o.spared(thing, err)
}

// told is a value as a difference tells it, in few words.
func told(v any) string {
	switch value := v.(type) {
	case nil:
		return "nothing"
	case link:
		return value.name
	case links:
		return fmt.Sprint(value.names)
	}
	text := fmt.Sprint(v)
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return text
}

// make makes a thing that the target lacks. An answer that was lost may have been a yes: it
// looks before it asks again, so that nothing is there twice.
func (o *organization) make(ctx context.Context, k *kind, at owner, key, thing string, want facts, secret string) (made remote.Resource, err error) {
	if o.lacking(k.typ, thing) {
		return made, nil
	}
	s := sending{method: http.MethodPost, path: k.making(at), typ: k.typ, thing: thing, facts: want}
	if k.more != nil {
		s.related = k.more()
	}
	if value := o.Secrets[thing]; secret != "" && value != "" {
		s.facts = maps.Clone(want)
		s.facts[secret] = value
	} else if secret != "" {
		o.Report.give(thing, "its "+secret+" is not told by the source")
	}
	for try := range lostTries {
		pause(ctx, try)
		made, err = o.send(ctx, s)
		if part := k.given(s.facts, err); part != "" {
			o.Report.left(thing, part+": "+said(err))
			continue
		}
		if !remote.Uncertain(err) && remote.Status(err) != http.StatusUnprocessableEntity {
			break
		}
		again, failed := o.listTarget(ctx, k, owner{to: at.to})
		if failed != nil {
			return made, failed
		}
		for i := range again {
			if k.key(o.to, &again[i]) == key {
				return again[i], o.settle(ctx, k, at, thing, want, again[i])
			}
		}
		if !remote.Uncertain(err) {
			break
		}
	}
	if err == nil {
		o.Report.made(k.typ)
	}
	return made, o.spared(thing, err)
}

// lostTries is how often a request is sent again whose answer was lost.
const lostTries = 20

// pause waits before a request is sent again, a little longer each time.
func pause(ctx context.Context, try int) {
	if try == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(min(20*time.Millisecond<<try, 5*time.Second)):
	}
}

func (k *kind) making(at owner) string {
	path := k.create
	if path == "" {
		path = k.list
	}
	if strings.Contains(path, "%s") {
		return fmt.Sprintf(path, at.to)
	}
	return path
}

// given gives up a part of what was refused, and says which.
func (k *kind) given(f facts, err error) string {
	status := remote.Status(err)
	if k.yield == nil || status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return ""
	}
	return k.yield(f)
}

// spared notes a refusal of one thing, which does not end the walk. What ends it are a
// target that is away, and a token that is refused.
func (m *mover) spared(thing string, err error) error {
	status := remote.Status(err)
	if status < 400 || status >= 500 || status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
		return err
	}
	m.Report.left(thing, said(err))
	return nil
}
