package repos

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/internal/vcs"
	"github.com/belayhq/belay/run"
)

// statusTries is how often a service is told before that is given up.
const statusTries = 10

// workStatuses tells services how the runs of commits stand.
func (r *Room) workStatuses(ctx context.Context) (int, error) {
	return r.claim(ctx, "status", store.StatusWork, statusesAtOnce, r.sendStatus)
}

// standing is how the runs of a commit stand.
type standing struct {
	organization belay.Organization
	status       forge.CommitStatus
	runs         []run.Run         // the newest of each workspace
	names        map[string]string // of their workspaces
	projects     map[string]string // and where those are
	serves       func(projectID string) bool
	pull         int // the pull request that the commit is of; 0: none
}

// sendStatus tells a service how the runs of a commit stand now, whatever happened on the way.
func (r *Room) sendStatus(ctx context.Context, id, claim string) error {
	st, err := r.standing(ctx, id)
	if err != nil || st.status.Claim != claim {
		return ignoreGone(err)
	}
	s, err := r.service(ctx, st.status.HookID)
	if err != nil {
		return ignoreGone(err)
	}
	st.serves = s.client.Serves
	err = errors.Join(r.tellStatus(ctx, s, st), r.tellComment(ctx, s, st))
	if ctx.Err() != nil {
		return nil //nolint:nilerr // another has it
	}
	row := &st.status
	row.State = forge.WorkDone
	switch {
	case err == nil:
		row.Tries = 0
	case errors.Is(err, errHeld) && row.Tries < statusTries:
		row.State, row.NextAt = forge.WorkWaits, r.Now().Add(lookEvery)
	case row.Tries >= statusTries:
		r.tell(ctx, s, forge.VCSError, fmt.Sprintf("the status of commit %.12s could not be told, and is given up: %s", row.Commit, plain(err)))
	default:
		row.State, row.NextAt = forge.WorkWaits, r.after(row.Tries, r.Now())
		var failed *vcs.Error
		if errors.As(err, &failed) && r.Now().Add(failed.RetryAfter).After(row.NextAt) { // it says when
			row.NextAt = r.Now().Add(failed.RetryAfter)
		}
		r.tell(ctx, s, forge.VCSError, fmt.Sprintf("the status of commit %.12s could not be told (try %d): %s", row.Commit, row.Tries, plain(err)))
	}
	return r.DB.Update(ctx, func(tx *store.Tx) error { return tx.FinishCommitStatus(row) })
}

// standing reads how the runs of a commit stand.
func (r *Room) standing(ctx context.Context, id string) (*standing, error) {
	st := &standing{names: map[string]string{}, projects: map[string]string{}}
	err := r.DB.View(ctx, func(v *store.View) (err error) {
		if st.status, err = v.CommitStatus(id); err != nil {
			return err
		}
		if st.organization, err = v.Organization(st.status.OrganizationID); err != nil {
			return err
		}
		ids, err := v.RunsOfCommit(st.status.OrganizationID, st.status.Commit, st.status.WorkspaceID)
		if err != nil {
			return err
		}
		list, err := v.RunsByID(ids)
		if err != nil {
			return err
		}
		workspaces := []string{}
		if st.status.WorkspaceID != "" {
			workspaces = append(workspaces, st.status.WorkspaceID)
		}
		seen := map[string]bool{}
		for i := range list { // the newest first
			if w := list[i].WorkspaceID; !seen[w] {
				seen[w] = true
				st.runs, workspaces = append(st.runs, list[i]), append(workspaces, w)
			}
		}
		found, err := v.WorkspacesByID(workspaces)
		for i := range found {
			st.names[found[i].ID], st.projects[found[i].ID] = found[i].Name, found[i].ProjectID
		}
		if err == nil {
			st.pull, err = v.PullRequestOf(workspaces, st.status.Commit)
		}
		return err
	})
	slices.SortFunc(st.runs, func(a, b run.Run) int { return cmp.Compare(st.names[a.WorkspaceID], st.names[b.WorkspaceID]) })
	return st, err
}

// severity orders states: of several runs the worst is told.
var severity = map[vcs.State]int{vcs.Success: 0, vcs.Pending: 1, vcs.Errored: 2, vcs.Failure: 3}

// stateOf is how a run stands, for a commit: what an apply does changes nothing any more.
func (st *standing) stateOf(r *run.Run) (vcs.State, string) {
	switch {
	case !st.serves(st.projects[r.WorkspaceID]): // what it comes to there is nothing that the repository hears of
		return vcs.Errored, "The workspace is in a project that the connection does not serve"
	case r.Plan.Status == run.PhaseFinished:
		return vcs.Success, planText(r)
	case r.Status == run.Errored:
		return vcs.Failure, "The plan failed"
	case r.Status.Final():
		return vcs.Errored, "The run was " + strings.ReplaceAll(string(r.Status), "_", " ")
	case r.Status == run.Fetching:
		return vcs.Pending, "The commit is fetched"
	case r.Status == run.Planning:
		return vcs.Pending, "The plan is under way"
	default:
		return vcs.Pending, "The plan is queued"
	}
}

func planText(r *run.Run) string {
	if !r.Plan.HasChanges {
		return "No changes"
	}
	c := r.Plan.Counts
	return fmt.Sprintf("Plan: %d to add, %d to change, %d to destroy", c.Additions, c.Changes, c.Destructions)
}

// tellStatus sends the status, unless the service was told the same before.
func (r *Room) tellStatus(ctx context.Context, s *service, st *standing) error {
	if st.organization.AggregatedStatuses != (st.status.WorkspaceID == "") {
		return nil // it was changed: the other kind is sent
	}
	told, some := r.statusOf(st)
	text := string(told.State) + " " + told.Description + " " + told.URL
	if !some || st.status.Sent == text {
		return nil
	}
	if err := s.ask.SetStatus(ctx, s.hook.Identifier, st.status.Commit, told); err != nil {
		return err
	}
	st.status.Sent = text
	return nil
}

// statusOf is what there is to tell of a commit.
func (r *Room) statusOf(st *standing) (told vcs.Status, some bool) {
	told.Context = "belay/" + st.organization.Name
	if id := st.status.WorkspaceID; id != "" {
		name := st.names[id]
		if told.Context += "/" + name; name == "" {
			return told, false // it is gone
		}
		if len(st.runs) == 0 {
			told.State, told.Description = vcs.Success, "No file of this workspace was changed"
			told.URL = r.page(st.organization.Name, name)
			return told, true
		}
	}
	counts := map[vcs.State]int{}
	for i := range st.runs {
		one := &st.runs[i]
		state, description := st.stateOf(one)
		if counts[state]++; told.State == "" || severity[state] > severity[told.State] {
			told.State, told.Description = state, description
			told.URL = r.page(st.organization.Name, st.names[one.WorkspaceID], "runs", one.ID)
		}
	}
	if len(st.runs) > 1 {
		told.Description = fmt.Sprintf("%d of %d plans are finished", counts[vcs.Success], len(st.runs))
		if bad := counts[vcs.Failure] + counts[vcs.Errored]; bad > 0 {
			told.Description = fmt.Sprintf("%d of %d plans failed", bad, len(st.runs))
		}
	}
	return told, len(st.runs) > 0
}

// page is the address of a page.
func (r *Room) page(parts ...string) string {
	address := r.address + "/app"
	for i, part := range parts {
		if i == 1 {
			address += "/workspaces"
		}
		address += "/" + url.PathEscape(part)
	}
	return address
}

// errHeld says that another changes the comment on the pull request just now.
var errHeld = errors.New("another tells the pull request")

// tellComment writes below a pull request what the plans of its newest commit come to, once they are
// finished: where the organization wants that. There is one comment, which every newer commit changes.
func (r *Room) tellComment(ctx context.Context, s *service, st *standing) error {
	body := r.comment(st)
	if body == "" {
		return nil
	}
	var c forge.PullRequestComment
	claim := belay.NewID("claim")
	err := r.DB.Update(ctx, func(tx *store.Tx) error {
		if newest, err := tx.NewestOf(s.hook.ID, st.pull); err != nil || newest != st.status.Commit {
			return err
		}
		held, mine, err := tx.HoldComment(s.hook.ID, st.pull, claim, tx.Now.Add(claimFor))
		if err == nil && !mine {
			err = errHeld
		}
		c = held
		return err
	})
	if err != nil || c.Claim == "" { // or of an older commit
		return err
	}
	err = s.write(ctx, &c, body)
	return errors.Join(err, r.DB.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.KeepComment(&c) }))
}

// write changes the comment on a pull request, or makes it: also where somebody deleted it. One that
// was made by a server which died before it wrote that down is found by its mark.
func (s *service) write(ctx context.Context, c *forge.PullRequestComment, body string) (err error) {
	sum := sha256.Sum256([]byte(body))
	told := hex.EncodeToString(sum[:])
	if c.Told == told {
		return nil
	}
	mark := c.Mark()
	body += "\n[//]: # (" + mark + ")\n" // which no service shows
	if err = s.change(ctx, c, body); err == nil && c.ID == "" {
		if c.ID, err = s.ask.FindComment(ctx, s.hook.Identifier, c.Number, mark); err == nil {
			err = s.change(ctx, c, body)
		}
	}
	if err == nil && c.ID == "" {
		c.ID, err = s.ask.Comment(ctx, s.hook.Identifier, c.Number, body)
	}
	if err == nil {
		c.Told = told
	}
	return err
}

// change changes a comment that is known, and forgets it where it is not there any more.
func (s *service) change(ctx context.Context, c *forge.PullRequestComment, body string) error {
	if c.ID == "" {
		return nil
	}
	err := s.ask.UpdateComment(ctx, s.hook.Identifier, c.Number, c.ID, body)
	if vcs.NotFound(err) {
		c.ID, err = "", nil
	}
	return err
}

// comment is what a pull request is told; empty: nothing yet.
func (r *Room) comment(st *standing) string {
	if !st.organization.PullRequestComments || st.status.WorkspaceID != "" || st.pull == 0 || len(st.runs) == 0 {
		return ""
	}
	lines := []string{"Plans of commit " + st.status.Commit[:min(12, len(st.status.Commit))] + ":", "", "| workspace | plan |", "|---|---|"}
	for i := range st.runs {
		one := &st.runs[i]
		state, description := st.stateOf(one)
		if state == vcs.Pending {
			return ""
		}
		name := st.names[one.WorkspaceID]
		lines = append(lines, fmt.Sprintf("| [%s](%s) | %s |", name, r.page(st.organization.Name, name, "runs", one.ID), description))
	}
	return strings.Join(lines, "\n") + "\n"
}
