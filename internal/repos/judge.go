package repos

import (
	"cmp"
	"regexp"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/runs"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
	"github.com/belayhq/belay/run"
)

// verdict is what an event means for a workspace.
type verdict struct {
	Reason string // of its run
	Skip   string // why there is none
	pass   bool   // the commit passes all the same: a pull request that touches no file of it
}

// Why there is no run.
const (
	alreadyMade = "already processed"
	overtaken   = "that were told of a newer commit"
	untouched   = "whose files did not change"
	outOfReach  = "in projects that the connection does not serve"
)

// judge says what an event means for a workspace (docs/repositories.md).
func (r *Room) judge(d *delivering, w *belay.Workspace) verdict {
	e, repo := &d.event, w.VCSRepo
	switch {
	case repo == nil || w.HookID != d.hook.ID:
		return verdict{Skip: "of another repository"}
	case !d.client.Serves(w.ProjectID):
		return verdict{Skip: outOfReach}
	case w.Mode() == belay.LocalExecution:
		return verdict{Skip: "in local execution"}
	case e.Kind == vcs.Tag:
		return ofTag(e.Tag, repo.TagsRegex)
	}
	if follows := cmp.Or(repo.Branch, d.branch); e.Branch != follows {
		return verdict{Skip: "on another branch"}
	}
	return r.ofBranch(d, w)
}

// ofBranch judges a push to the branch that a workspace follows, or a pull request into it.
func (r *Room) ofBranch(d *delivering, w *belay.Workspace) verdict {
	e, repo := &d.event, w.VCSRepo
	pull := e.Kind == vcs.PullRequest
	switch {
	case pull && !w.SpeculativeEnabled:
		return verdict{Skip: "without speculative plans"}
	case pull && e.Request.Fork() && !r.AllowForks:
		return verdict{Skip: "that plan no forks"}
	case !pull && repo.TagsRegex != "":
		return verdict{Skip: "that wait for tags"}
	}
	reason, wanted := forge.TriggerOn(w, e.Files, e.FilesKnown)
	switch {
	case !wanted:
		return verdict{Skip: untouched, pass: pull && w.Organization.SendPassingStatuses && !w.Organization.AggregatedStatuses}
	case pull:
		return verdict{Reason: run.ReasonPullRequest}
	default:
		return verdict{Reason: reason}
	}
}

func ofTag(tag, pattern string) verdict {
	if pattern == "" {
		return verdict{Skip: "that wait for no tags"}
	}
	if wanted, err := regexp.Compile(pattern); err != nil || !wanted.MatchString(tag) {
		return verdict{Skip: "that wait for other tags"}
	}
	return verdict{Reason: run.ReasonGitTag}
}

// kind is how commits of an event are told apart.
func (d *delivering) kind() string {
	switch d.event.Kind {
	case vcs.Tag:
		return "tag"
	case vcs.PullRequest:
		return "pull_request"
	default:
		return "push"
	}
}

// makeRun makes the run of a workspace as it is now: the configuration version and the run
// come together, once for a commit.
func (r *Room) makeRun(tx *store.Tx, d *delivering, workspaceID string) (verdict, string, error) {
	w, v, err := r.judgeNow(tx, d, workspaceID)
	if err != nil || v.Skip != "" && !v.pass {
		return v, "", err
	}
	seen := forge.RepositoryCommit{WorkspaceID: w.ID, Kind: d.kind(), Commit: d.event.Commit, ToldAt: d.row.ReceivedAt}
	if d.event.Request != nil {
		seen.PullRequest = d.event.Request.Number
	}
	if v.pass {
		if _, err := tx.AddRepositoryCommit(&seen); err != nil {
			return v, "", err
		}
		return v, "", tx.NoteCommitStatus(d.hook.ID, d.event.Commit, &w)
	}
	if skip, err := r.wasHere(tx, d, &seen); err != nil || skip != "" {
		return verdict{Skip: skip}, "", err
	}
	if begun, err := hasBegun(tx, &w); err != nil || !begun {
		return verdict{Skip: "that had no run before, and queue-all-runs is off"}, "", err
	}
	c, err := r.Runs.AddCommit(tx, &w, d.head(&w), d.event.Kind == vcs.PullRequest)
	if err != nil {
		return v, "", err
	}
	made, err := r.Runs.QueueCommit(tx, &w, &c, trimmed(d.event.Message), v.Reason)
	if err != nil {
		return v, "", err
	}
	seen.RunID = made.ID
	if _, err := tx.AddRepositoryCommit(&seen); err != nil {
		return v, "", err
	}
	return v, made.ID, r.supersede(tx, &w, &seen)
}

// lateAfter is how old what a service told must be to be held against what it told since.
const lateAfter = time.Minute

// wasHere is why a workspace has no use for a commit: it made its run already, or it is worked on late, as the service
// did not answer or somebody had it told again, and is older than what the workspace was told of since. A run of it would
// take the workspace back. Tags don't follow each other.
func (r *Room) wasHere(tx *store.Tx, d *delivering, seen *forge.RepositoryCommit) (skip string, err error) {
	if made, err := tx.CommitMade(seen); err != nil || made {
		return alreadyMade, err
	}
	if d.event.Kind == vcs.Tag || r.Now().Sub(seen.ToldAt) < lateAfter {
		return "", nil
	}
	if newer, err := tx.Overtaken(seen); err != nil || newer {
		return overtaken, err
	}
	return "", nil
}

// judgeNow judges a workspace as it is in the transaction, which may not be as it was when the delivery was begun.
func (r *Room) judgeNow(tx *store.Tx, d *delivering, workspaceID string) (w belay.Workspace, v verdict, err error) {
	if w, err = tx.WorkspaceForRuns(belay.WorkspaceRef{ID: workspaceID}); err != nil {
		return w, v, err
	}
	serves, err := tx.HookServes(d.hook.ID, w.ProjectID)
	if err != nil || !serves {
		return w, verdict{Skip: outOfReach}, err
	}
	return w, r.judge(d, &w), nil
}

// hasBegun says whether commits have runs in a workspace: from its first run on, or at once.
func hasBegun(tx *store.Tx, w *belay.Workspace) (bool, error) {
	if w.QueueAllRuns || w.CurrentRunID != "" {
		return true, nil
	}
	return tx.HadRuns(w.ID)
}

// supersede cancels the plans of older commits of a pull request.
func (r *Room) supersede(tx *store.Tx, w *belay.Workspace, seen *forge.RepositoryCommit) error {
	if seen.PullRequest == 0 || !w.Organization.SpeculativeManagement {
		return nil
	}
	ids, err := tx.SupersededRuns(w.ID, seen.PullRequest, seen.Commit)
	if err != nil {
		return err
	}
	return r.Runs.Supersede(tx, w, ids, "a newer commit of the pull request is planned")
}

// head is the commit of an event, as a workspace plans it.
func (d *delivering) head(w *belay.Workspace) *runs.Head {
	e := &d.event
	cloned, _ := d.ask.CloneURL(d.hook.Identifier)
	i := run.Ingress{
		Branch: e.Branch, CloneURL: cloned, CommitMessage: e.Message, CommitSHA: e.Commit, CommitURL: e.CommitURL, CompareURL: e.CompareURL,
		Identifier: w.VCSRepo.Identifier, OnDefaultBranch: e.Kind == vcs.Push && e.Branch == d.branch, Tag: e.Tag,
		SenderUsername: e.Sender.Username, SenderAvatarURL: e.Sender.AvatarURL, SenderHTMLURL: e.Sender.URL, Submodules: w.VCSRepo.IngressSubmodules,
	}
	if q := e.Request; q != nil {
		i.Branch, i.IsPullRequest, i.PullRequestNumber = q.HeadBranch, true, q.Number
		i.PullRequestURL, i.PullRequestTitle, i.PullRequestBody = q.URL, q.Title, run.CutMessage(q.Body)
	}
	i.Ref = e.Ref(d.client.ServiceProvider)
	return &runs.Head{HookID: d.hook.ID, Source: d.source(), Ingress: i}
}
