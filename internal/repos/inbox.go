package repos

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
)

// workInbox works on what services told.
func (r *Room) workInbox(ctx context.Context) (int, error) {
	return r.claim(ctx, "inbox", store.InboxWork, inboxAtOnce, r.deliver)
}

// delivering is one thing that was told, on its way to the workspaces.
type delivering struct {
	*service
	row      forge.HookDelivery
	event    vcs.Event
	branch   string // the repository's default branch; empty: not known
	made     []string
	skipped  map[string]int
	messages []string // about single workspaces
}

// deliver works on one delivery. What fails is tried again.
func (r *Room) deliver(ctx context.Context, id, claim string) error {
	d := delivering{skipped: map[string]int{}}
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		d.row, err = v.HookDelivery(id)
		return err
	})
	if err != nil || d.row.Claim != claim {
		return ignoreGone(err)
	}
	d.row.Became = ""
	if d.service, err = r.service(ctx, d.row.HookID); err != nil {
		return ignoreGone(err)
	}
	if workspace := d.row.News.Workspace; workspace != "" {
		err = r.connected(ctx, &d, workspace)
	} else if err = json.Unmarshal(d.row.News.Event, &d.event); err == nil {
		err = r.work(ctx, &d)
	}
	if err != nil && ctx.Err() != nil {
		return nil //nolint:nilerr // another has it
	}
	d.row.State = forge.WorkDone
	if err != nil {
		d.row.Became = plain(err)
		r.tell(ctx, d.service, forge.VCSError, "what the service told could not be worked on: "+plain(err))
		if d.row.State = forge.WorkFailed; d.row.Tries < maxTries {
			d.row.State, d.row.NextAt = forge.WorkWaits, r.after(d.row.Tries, r.Now())
		}
	}
	_, err = r.save(ctx, &d)
	return err
}

func (r *Room) save(ctx context.Context, d *delivering) (mine bool, err error) {
	err = r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		mine, err = tx.SaveHookDelivery(&d.row)
		return err
	})
	return mine, err
}

// work makes the runs that follow an event, some workspaces at a time.
func (r *Room) work(ctx context.Context, d *delivering) error {
	if err := r.complete(ctx, d); err != nil {
		return err
	}
	for {
		var list []belay.Workspace
		err := r.DB.View(ctx, func(v *store.View) (err error) {
			list, err = v.Connected(d.hook.ID, d.row.After, share)
			return err
		})
		if err != nil {
			return err
		}
		for i := range list {
			if err := r.one(ctx, d, &list[i]); err != nil {
				return err
			}
			d.row.After = list[i].ID
		}
		if len(list) < share {
			break
		}
		d.row.NextAt = r.Now().Add(claimFor)
		if mine, err := r.save(ctx, d); err != nil || !mine {
			return err
		}
	}
	d.row.Became = d.summary()
	r.tell(ctx, d.service, forge.VCSInfo, append(d.messages, d.row.Became)...)
	return nil
}

// complete asks the service for what its event does not say: which files changed, what the
// default branch is, and the whole hash of the commit. It is kept, so that it is asked once.
func (r *Room) complete(ctx context.Context, d *delivering) error {
	e := &d.event
	if e.Abbreviated() {
		c, err := d.ask.Commit(ctx, d.hook.Identifier, e.Commit)
		if err != nil {
			return fmt.Errorf("commit %s: %w", e.Commit, err)
		}
		e.Commit = c.ID
	}
	d.branch = e.DefaultBranch
	if d.branch == "" && e.Kind != vcs.Tag {
		branch, err := d.ask.DefaultBranch(ctx, d.hook.Identifier)
		if err != nil {
			return fmt.Errorf("the default branch: %w", err)
		}
		d.branch, e.DefaultBranch = branch, branch
	}
	if !e.FilesKnown && d.row.After == "" {
		d.askFiles(ctx)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	d.row.News, d.row.NextAt = forge.HookNews{Event: raw}, r.Now().Add(claimFor)
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		if e.Kind == vcs.Push {
			if err := tx.SetHead(d.hook.ID, e.Branch, e.Commit); err != nil {
				return err
			}
		}
		_, err := tx.SaveHookDelivery(&d.row)
		return err
	})
}

// askFiles asks the service which files changed. Where it does not say, all workspaces plan.
func (d *delivering) askFiles(ctx context.Context) {
	e := &d.event
	var err error
	switch {
	case e.Kind == vcs.PullRequest && e.Request != nil:
		e.Files, e.FilesKnown, err = d.ask.ChangedFiles(ctx, d.hook.Identifier, e.Request.Number)
	case e.Kind == vcs.Push && e.BeforeCommit != "" && !e.Forced:
		e.Files, e.FilesKnown, err = d.ask.PushedFiles(ctx, d.hook.Identifier, e.BeforeCommit, e.Commit)
	}
	if err != nil {
		e.Files, e.FilesKnown = nil, false
		d.messages = append(d.messages, "which files "+d.what()+" changed could not be asked: "+plain(err))
	}
}

// one makes the run of one workspace, if there is to be one.
func (r *Room) one(ctx context.Context, d *delivering, w *belay.Workspace) error {
	if v := r.judge(d, w); v.Skip != "" && !v.pass {
		d.skipped[v.Skip]++
		return nil
	}
	var v verdict
	var id string
	err := r.DB.Update(ctx, func(tx *store.Tx) (err error) {
		v, id, err = r.makeRun(tx, d, w.ID)
		return err
	})
	switch {
	case belay.KindOf(err) == belay.Invalid: // no such run can be made
		d.skipped["refused"]++
		d.messages = append(d.messages, d.what()+" made no run in workspace "+w.Name+": "+plain(err))
	case err != nil:
		return ignoreGone(err)
	case v.Skip == alreadyMade:
		d.skipped[v.Skip]++
		d.messages = append(d.messages, "skipped: commit already processed: "+d.what()+" in workspace "+w.Name)
	case v.Skip != "":
		d.skipped[v.Skip]++
	default:
		d.made = append(d.made, id)
	}
	return nil
}

// what is the event in words.
func (d *delivering) what() string { return inWords(&d.event) }

func inWords(e *vcs.Event) string {
	commit := e.Commit[:min(len(e.Commit), 12)]
	switch e.Kind {
	case vcs.Tag:
		return fmt.Sprintf("tag %.100q at %s", e.Tag, commit)
	case vcs.PullRequest:
		if e.Request == nil {
			return "a pull request at " + commit
		}
		return fmt.Sprintf("pull request %d at %s", e.Request.Number, commit)
	default:
		return fmt.Sprintf("push of %s to %.100q", commit, e.Branch)
	}
}

// summary says what came of an event, and why no more did.
func (d *delivering) summary() string {
	text := fmt.Sprintf("%s made %d runs", d.what(), len(d.made))
	if len(d.made) == 1 {
		text = d.what() + " made run " + d.made[0]
	}
	var why []string
	for reason, n := range d.skipped {
		why = append(why, fmt.Sprintf("%d %s", n, reason))
	}
	if slices.Sort(why); len(why) > 0 {
		text += "; workspaces without one: " + strings.Join(why, ", ")
	}
	return text
}
