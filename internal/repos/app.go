package repos

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
)

// renewBefore is how long a token must be good for yet: longer than any use of it takes.
const renewBefore = 15 * time.Minute

// lent is the tokens of installations that are good now. They live in memory alone.
type lent struct {
	mu sync.Mutex
	of map[loan]*lending
}

// lending is one token, which one at a time asks for.
type lending struct {
	asking sync.Mutex
	token  token
}

// to is what is lent for something, also where that is nothing yet.
func (l *lent) to(of loan) *lending {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[of] == nil {
		l.of[of] = &lending{}
	}
	return l.of[of]
}

// keep keeps a token, and forgets those that are over.
func (l *lent) keep(one *lending, t token, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.token = t
	for of, old := range l.of {
		if !old.token.until.IsZero() && !old.token.until.After(now) {
			delete(l.of, of)
		}
	}
}

// forget forgets a token; whichever there is where none is named.
func (l *lent) forget(of loan, text string) {
	one := l.to(of)
	l.mu.Lock()
	defer l.mu.Unlock()
	if text == "" || one.token.text == text {
		one.token = token{}
	}
}

// loan is what a token is for: one repository of one installation.
type loan struct {
	number   int64
	folded   string
	onlyRead bool
}

type token struct {
	text  string
	until time.Time
}

// installed is an installation, as a source of tokens for one repository.
type installed struct {
	room *Room
	loan
	repo string
}

// Token is the token that is good now, or a new one.
func (i *installed) Token(ctx context.Context) (string, error) {
	app := i.room.app
	if app == nil {
		return "", &vcs.Error{Service: "GitHub App", Detail: "this server has none any more"}
	}
	one := i.room.lent.to(i.loan)
	one.asking.Lock()
	defer one.asking.Unlock()
	i.room.lent.mu.Lock()
	t := one.token
	i.room.lent.mu.Unlock()
	now := i.room.Now()
	if t.until.After(now.Add(renewBefore)) {
		return t.text, nil
	}
	text, until, err := app.InstallationToken(ctx, i.number, i.repo, i.onlyRead)
	if err == nil {
		i.room.lent.keep(one, token{text, until}, now)
	}
	return text, err
}

// Refused forgets a token, so that the next try has another.
func (i *installed) Refused(text string) { i.room.lent.forget(i.loan, text) }

// unlend forgets the token that git had, if it was one of an installation.
func (s *service) unlend(r *Room) {
	if s.installation == nil {
		return
	}
	r.lent.forget(r.lends(s.installation.Number, s.hook.Identifier, true).loan, "")
}

// lends is the tokens of an installation for a repository.
func (r *Room) lends(number int64, repo string, onlyRead bool) *installed {
	return &installed{room: r, loan: loan{number, forge.FoldIdentifier(repo), onlyRead}, repo: repo}
}

// openApp is how the service of a hook is asked that is reached by an installation.
func (r *Room) openApp(s *service) (vcs.Client, error) {
	c := vcs.Connection{Service: belay.GitHubApp, HTTPURL: s.client.HTTPURL, APIURL: s.client.APIURL}
	tokens := r.lends(s.installation.Number, s.hook.Identifier, false)
	if r.app != nil {
		return vcs.Open(r.app.Reached(tokens), r.client)
	}
	c.Tokens = tokens
	return vcs.Open(c, r.client)
}

// ReceiveApp takes what GitHub tells the App, of all its installations: it is proved, then written
// down for every organization that reaches the repository by that installation.
func (r *Room) ReceiveApp(ctx context.Context, header http.Header, body []byte) error {
	if r.app == nil {
		return belay.ErrNotFound
	}
	if !r.app.Verify(header, body) {
		return belay.ErrUnauthenticated
	}
	number, moved, events, delivery, err := vcs.ReadApp(header, body)
	if err != nil {
		return belay.Refuse(belay.BadRequest, "%v", err)
	}
	if moved {
		r.mu.Lock()
		r.appAt = time.Time{}
		r.mu.Unlock()
		r.poke()
	}
	var list []forge.HookDelivery
	for i := range events {
		e := &events[i]
		if means(e) {
			some, err := r.newsOfApp(ctx, number, e, delivery+suffix(i))
			if err != nil {
				return err
			}
			list = append(list, some...)
		}
	}
	return r.write(ctx, list)
}

// newsOfApp is an event for each hook that it is of.
func (r *Room) newsOfApp(ctx context.Context, number int64, e *vcs.Event, delivery string) (list []forge.HookDelivery, err error) {
	var hooks []forge.Hook
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		hooks, err = v.AppHooks(number, e.Repository)
		return err
	})
	for i := range hooks {
		if err != nil {
			return nil, err
		}
		var d forge.HookDelivery
		d, err = r.news(&hooks[i], e, delivery)
		list = append(list, d)
	}
	return list, err
}

// suffix tells the events of one delivery apart.
func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return " " + strconv.Itoa(i)
}

// workApp asks GitHub now and then who installed the App, and when it told that somebody did.
func (r *Room) workApp(ctx context.Context) (int, error) {
	if r.app == nil || r.free("app", 1) <= 0 {
		return 0, nil
	}
	now := r.Now()
	r.mu.Lock()
	due := now.Sub(r.appAt) >= r.PollEvery
	if due {
		r.appAt = now
	}
	r.mu.Unlock()
	if !due {
		return 0, nil
	}
	r.begin(ctx, "app", r.lookAtApp)
	return 1, nil
}

func (r *Room) lookAtApp(ctx context.Context) error {
	found, err := r.app.Installations(ctx)
	if err != nil {
		return err
	}
	list := make([]belay.AppInstallation, len(found))
	for i, one := range found {
		list[i] = belay.AppInstallation{
			Number: one.Number, Name: one.Account, Kind: one.Kind, URL: one.URL, IconURL: one.IconURL, HTTPURL: r.App.HTTPURL, APIURL: r.App.APIURL, State: belay.AppActive,
		}
		if one.Suspended {
			list[i].State = belay.AppSuspended
		}
	}
	return r.DB.Update(ctx, func(tx *store.Tx) error { return tx.KeepAppInstallations(list) })
}
