package repos

import (
	"context"
	"encoding/json"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
	"github.com/belayhq/belay/run"
)

// Head is the newest commit of the branch that a workspace follows, as its service says now.
func (r *Room) Head(ctx context.Context, w *belay.Workspace) (*runs.Head, error) {
	s, err := r.service(ctx, w.HookID)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !s.client.Serves(w.ProjectID) {
		return nil, unplannable(w, forge.OutOfReach)
	}
	head, err := s.head(ctx, w)
	if err != nil {
		return nil, unplannable(w, plain(err))
	}
	return head, nil
}

// unplannable is why a run has no commit to plan.
func unplannable(w *belay.Workspace, why string) error {
	refusal := belay.Refuse(belay.Invalid, "the newest commit of %s could not be asked for: %s", w.VCSRepo.Identifier, why)
	refusal.Title = "unprocessable entity"
	return refusal
}

func (s *service) head(ctx context.Context, w *belay.Workspace) (*runs.Head, error) {
	fallback, err := s.ask.DefaultBranch(ctx, w.VCSRepo.Identifier)
	if err != nil {
		return nil, err
	}
	branch := w.VCSRepo.Branch
	if branch == "" {
		branch = fallback
	}
	c, err := s.ask.Head(ctx, w.VCSRepo.Identifier, branch)
	if err != nil {
		return nil, err
	}
	cloned, _ := s.ask.CloneURL(w.VCSRepo.Identifier)
	return &runs.Head{HookID: s.hook.ID, Source: s.source(), Ingress: run.Ingress{
		Ref: vcs.BranchRef + branch, Branch: branch, CloneURL: cloned, CommitMessage: c.Message, CommitSHA: c.ID, CommitURL: c.URL, Identifier: w.VCSRepo.Identifier,
		OnDefaultBranch: branch == fallback, SenderUsername: c.Author.Username, SenderAvatarURL: c.Author.AvatarURL,
		SenderHTMLURL: c.Author.URL, Submodules: w.VCSRepo.IngressSubmodules,
	}}, nil
}

// connected makes the first run of a workspace that was connected just now, and wants one.
func (r *Room) connected(ctx context.Context, d *delivering, workspaceID string) error {
	var w belay.Workspace
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		w, err = v.Workspace(belay.WorkspaceRef{ID: workspaceID})
		return err
	})
	d.row.Became = "it wants no first run"
	if err != nil || !d.first(&w) {
		return ignoreGone(err)
	}
	head, err := d.service.head(ctx, &w)
	if err != nil {
		return err
	}
	err = r.DB.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: workspaceID})
		if err != nil || !d.first(&w) {
			return ignoreGone(err)
		}
		if had, err := tx.HadRuns(w.ID); err != nil || had {
			return err
		}
		c, err := r.Runs.AddCommit(tx, &w, head, false)
		if err != nil {
			return err
		}
		made, err := r.Runs.QueueCommit(tx, &w, &c, trimmed(head.Ingress.CommitMessage), forge.TriggerMatched)
		if err != nil {
			return err
		}
		d.row.Became = "made run " + made.ID
		_, err = tx.AddRepositoryCommit(&forge.RepositoryCommit{WorkspaceID: w.ID, Kind: "push", Commit: head.Ingress.CommitSHA, RunID: made.ID, ToldAt: tx.Now})
		return err
	})
	if belay.KindOf(err) == belay.Invalid {
		d.row.Became = "workspace " + w.Name + " was connected and could not make its first run: " + plain(err)
		r.tell(ctx, d.service, forge.VCSError, d.row.Became)
		return nil
	}
	return err
}

// first says that a workspace may want its first run.
func (d *delivering) first(w *belay.Workspace) bool {
	return w.VCSRepo != nil && w.HookID == d.hook.ID && d.client.Serves(w.ProjectID) && w.QueueAllRuns && w.CurrentRunID == "" && w.Mode() != belay.LocalExecution
}

// poll looks at the branches of repositories now and then, and finds what no hook told.
func (r *Room) poll(ctx context.Context) (int, error) {
	return r.claimHooks(ctx, "poll", true, pollsAtOnce, r.PollEvery, r.pollOne)
}

// maxBranches is how many branches of one repository are looked at.
const maxBranches = 50

func (r *Room) pollOne(ctx context.Context, h *forge.Hook) error {
	s, err := r.service(ctx, h.ID)
	if err != nil {
		return ignoreGone(err)
	}
	var heads map[string]string
	branches := map[string]bool{}
	err = r.DB.View(ctx, func(v *store.View) (err error) {
		if heads, err = v.Heads(h.ID); err != nil {
			return err
		}
		return followed(v, s, branches)
	})
	if err != nil {
		return err
	}
	if len(branches) == 0 {
		return r.DB.Update(ctx, func(tx *store.Tx) error { return tx.LookAtHook(h.ID) })
	}
	fallback := ""
	if branches[""] {
		delete(branches, "")
		if fallback, err = s.ask.DefaultBranch(ctx, h.Identifier); err != nil {
			r.tell(ctx, s, forge.VCSError, "the default branch could not be asked for: "+plain(err))
			return nil
		}
		branches[fallback] = true
	}
	for branch := range branches {
		if err := r.pollBranch(ctx, s, branch, fallback, heads[branch]); err != nil {
			return err
		}
	}
	return nil
}

// followed is the branches that the workspaces of a repository follow; the empty one is the default.
func followed(v *store.View, s *service, branches map[string]bool) error {
	for after := ""; ; {
		list, err := v.Connected(s.hook.ID, after, share)
		if err != nil {
			return err
		}
		for i := range list {
			w := &list[i]
			if len(branches) < maxBranches && w.VCSRepo != nil && w.VCSRepo.TagsRegex == "" && s.client.Serves(w.ProjectID) {
				branches[w.VCSRepo.Branch] = true
			}
			after = list[i].ID
		}
		if len(list) < share {
			return nil
		}
	}
}

// pollBranch makes news of a commit that nobody told of. The first that is seen of a branch is
// none.
func (r *Room) pollBranch(ctx context.Context, s *service, branch, fallback, known string) error {
	c, err := s.ask.Head(ctx, s.hook.Identifier, branch)
	if err != nil {
		r.tell(ctx, s, forge.VCSError, "the head of a branch could not be asked for: "+plain(err))
		return nil
	}
	if c.ID == known {
		return nil
	}
	raw, err := json.Marshal(vcs.Event{
		Kind: vcs.Push, Repository: s.hook.Identifier, DefaultBranch: fallback, Branch: branch, Commit: c.ID, BeforeCommit: known,
		Message: c.Message, CommitURL: c.URL, Author: c.Author, Sender: c.Author,
	})
	if err != nil {
		return err
	}
	d := forge.NewHookDelivery(&s.hook, "poll "+branch+" "+c.ID, forge.HookNews{Event: raw}, r.Now())
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		if known == "" {
			return tx.SetHead(s.hook.ID, branch, c.ID)
		}
		_, err := tx.Receive(&d)
		return err
	})
}

// adopt gives workspaces a hook that had an address of their own before hooks were shared.
func (r *Room) adopt(ctx context.Context) (int, error) {
	if r.adopted {
		return 0, nil
	}
	for after := ""; ; {
		var list []belay.Workspace
		err := r.DB.View(ctx, func(v *store.View) (err error) {
			list, err = v.Unhooked(after, share)
			return err
		})
		if err != nil {
			return 0, err
		}
		for i := range list {
			if err := r.adoptOne(ctx, list[i].ID); err != nil {
				return 0, err
			}
			after = list[i].ID
		}
		if len(list) < share {
			r.adopted = true
			return 0, nil
		}
	}
}

func (r *Room) adoptOne(ctx context.Context, workspaceID string) error {
	return r.DB.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.WorkspaceForRuns(belay.WorkspaceRef{ID: workspaceID})
		if err != nil || w.VCSRepo == nil || w.VCSTokenID == "" || w.HookID != "" {
			return ignoreGone(err)
		}
		h, err := tx.HookOf(w.VCSTokenID, w.VCSRepo.Identifier)
		if gone(err) {
			h = forge.NewHook(w.OrganizationID, w.VCSTokenID, w.VCSRepo.Identifier, tx.Now)
			h.ID = w.VCSRepo.WebhookID
			h.SealedSecret = r.Ring.Seal([]byte(belay.RandomText(40)), h.ID)
			if err = tx.AddHook(&h); err == nil {
				h, err = tx.HookOf(w.VCSTokenID, w.VCSRepo.Identifier)
			}
		}
		if err != nil {
			return err
		}
		if w.VCSRepo.WebhookID != h.ID {
			if err := tx.NameHook(w.VCSRepo.WebhookID, h.ID); err != nil {
				return err
			}
		}
		return tx.SetHook(&w, h.ID)
	})
}
