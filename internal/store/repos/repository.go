package repos

import (
	"database/sql/driver"
	"encoding/json"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/forge"
	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/internal/store/base"
)

var hookDeliveries = sqldb.NewTable(sqldb.Table[forge.HookDelivery]{
	Name: "vcs_inbox",
	Own: []sqldb.Column[forge.HookDelivery]{
		{Name: "id", At: func(d *forge.HookDelivery) any { return &d.ID }},
		{Name: "hook_id", At: func(d *forge.HookDelivery) any { return &d.HookID }},
		{Name: "organization_id", At: func(d *forge.HookDelivery) any { return &d.OrganizationID }},
		{Name: "delivery_id", At: func(d *forge.HookDelivery) any { return &d.DeliveryID }},
		{Name: "payload", At: func(d *forge.HookDelivery) any { return newsText{&d.News.Workspace, &d.News.Event} }},
		{Name: "state", At: func(d *forge.HookDelivery) any { return &d.State }},
		{Name: "after_workspace", At: func(d *forge.HookDelivery) any { return &d.After }},
		{Name: "tries", At: func(d *forge.HookDelivery) any { return &d.Tries }},
		{Name: "next_at", At: func(d *forge.HookDelivery) any { return sqldb.Millis(&d.NextAt) }},
		{Name: "claim", At: func(d *forge.HookDelivery) any { return &d.Claim }},
		{Name: "received_at", At: func(d *forge.HookDelivery) any { return sqldb.Millis(&d.ReceivedAt) }},
		{Name: "about", At: func(d *forge.HookDelivery) any { return &d.About }},
		{Name: "became", At: func(d *forge.HookDelivery) any { return &d.Became }},
	},
})

// newsText keeps what a delivery is about as JSON text.
type newsText struct {
	workspace *string
	event     *[]byte
}

type keptNews struct {
	Workspace string          `json:"workspace,omitempty"`
	Event     json.RawMessage `json:"event,omitempty"`
}

// Value writes the news.
func (t newsText) Value() (driver.Value, error) {
	return sqldb.JSON(&keptNews{*t.workspace, *t.event}).Value()
}

// Scan reads the news. What can't be read is no news, and whoever works on it says so.
func (t newsText) Scan(src any) error {
	var kept keptNews
	_ = sqldb.JSON(&kept).Scan(src)
	*t.workspace, *t.event = kept.Workspace, kept.Event
	return nil
}

var fetches = sqldb.NewTable(sqldb.Table[forge.Fetch]{
	Name: "vcs_fetches",
	Own: []sqldb.Column[forge.Fetch]{
		{Name: "id", At: func(f *forge.Fetch) any { return &f.ID }},
		{Name: "hook_id", At: func(f *forge.Fetch) any { return &f.HookID }},
		{Name: "organization_id", At: func(f *forge.Fetch) any { return &f.OrganizationID }},
		{Name: "commit_sha", At: func(f *forge.Fetch) any { return &f.Commit }},
		{Name: "submodules", At: func(f *forge.Fetch) any { return &f.Submodules }},
		{Name: "ref", At: func(f *forge.Fetch) any { return &f.Ref }},
		{Name: "state", At: func(f *forge.Fetch) any { return &f.State }},
		{Name: "tries", At: func(f *forge.Fetch) any { return &f.Tries }},
		{Name: "next_at", At: func(f *forge.Fetch) any { return sqldb.Millis(&f.NextAt) }},
		{Name: "claim", At: func(f *forge.Fetch) any { return &f.Claim }},
		{Name: "error", At: func(f *forge.Fetch) any { return &f.Error }},
		{Name: "code", At: func(f *forge.Fetch) any { return &f.Code }},
		{Name: "blob_key", At: func(f *forge.Fetch) any { return &f.Key }},
		{Name: "size", At: func(f *forge.Fetch) any { return &f.Size }},
		{Name: "sha256", At: func(f *forge.Fetch) any { return &f.SHA256 }},
		{Name: "readme", At: func(f *forge.Fetch) any { return &f.Readme }},
		{Name: "used_at", At: func(f *forge.Fetch) any { return sqldb.Millis(&f.UsedAt) }},
	},
})

var commitStatuses = sqldb.NewTable(sqldb.Table[forge.CommitStatus]{
	Name: "vcs_statuses",
	Own: []sqldb.Column[forge.CommitStatus]{
		{Name: "id", At: func(s *forge.CommitStatus) any { return &s.ID }},
		{Name: "hook_id", At: func(s *forge.CommitStatus) any { return &s.HookID }},
		{Name: "organization_id", At: func(s *forge.CommitStatus) any { return &s.OrganizationID }},
		{Name: "workspace_id", At: func(s *forge.CommitStatus) any { return &s.WorkspaceID }},
		{Name: "commit_sha", At: func(s *forge.CommitStatus) any { return &s.Commit }},
		{Name: "state", At: func(s *forge.CommitStatus) any { return &s.State }},
		{Name: "moved", At: func(s *forge.CommitStatus) any { return &s.Moved }},
		{Name: "tries", At: func(s *forge.CommitStatus) any { return &s.Tries }},
		{Name: "next_at", At: func(s *forge.CommitStatus) any { return sqldb.Millis(&s.NextAt) }},
		{Name: "claim", At: func(s *forge.CommitStatus) any { return &s.Claim }},
		{Name: "sent", At: func(s *forge.CommitStatus) any { return &s.Sent }},
		{Name: "updated_at", At: func(s *forge.CommitStatus) any { return sqldb.Millis(&s.UpdatedAt) }},
	},
})

// Receive writes down what a service told. It says whether it is new: what came before is
// known by the service's own id of the delivery.
func (tx *Tx) Receive(d *forge.HookDelivery) (fresh bool, err error) {
	q := tx.SQL(hookDeliveries.Inserted + " ON CONFLICT (hook_id, delivery_id) DO NOTHING")
	q.Args = hookDeliveries.Values(d)
	n, err := tx.Exec(q)
	if n > 0 {
		tx.Wake(ReposWake)
	}
	return n > 0, err
}

// HookDelivery is one thing that was told.
func (v *View) HookDelivery(id string) (forge.HookDelivery, error) {
	return hookDeliveries.One(v, "vcs_inbox.id = ?", id)
}

// SaveHookDelivery writes how far a delivery was worked on, unless another does by now.
func (tx *Tx) SaveHookDelivery(d *forge.HookDelivery) (mine bool, err error) {
	n, err := tx.Exec(tx.SQL("UPDATE vcs_inbox SET payload = ?, state = ?, after_workspace = ?, next_at = ?, became = ? WHERE id = ? AND claim = ?",
		newsText{&d.News.Workspace, &d.News.Event}, string(d.State), d.After, sqldb.UnixMillis(d.NextAt), d.Became, d.ID, d.Claim))
	return n > 0, err
}

// Fetch is one fetch.
func (v *View) Fetch(id string) (forge.Fetch, error) { return fetches.One(v, "vcs_fetches.id = ?", id) }

// WantFetch is the fetch of a commit, which is begun where it never was, or failed before.
func (tx *Tx) WantFetch(hookID, organizationID, commit, ref string, submodules bool) (forge.Fetch, error) {
	f := forge.Fetch{
		ID: forge.FetchID(hookID, commit, ref, submodules), HookID: hookID, OrganizationID: organizationID, Commit: commit,
		Ref: ref, Submodules: submodules, State: forge.WorkWaits, NextAt: tx.Now, UsedAt: tx.Now,
	}
	found, err := tx.Peek().Fetch(f.ID)
	switch {
	case belay.KindOf(err) == belay.NotFound:
	case err != nil:
		return found, err
	case found.State != forge.WorkFailed: // and it stays: what nobody used for long is forgotten
		n, err := tx.Exec(tx.SQL("UPDATE vcs_fetches SET used_at = ? WHERE id = ? AND state <> 'failed'", sqldb.UnixMillis(tx.Now), f.ID))
		if err != nil || n > 0 {
			return found, err
		}
	}
	tx.Wake(ReposWake)
	q := tx.SQL(fetches.Inserted + ` ON CONFLICT (id) DO UPDATE SET state = excluded.state, tries = 0, next_at = excluded.next_at,
		error = '', code = '', used_at = excluded.used_at WHERE vcs_fetches.state = 'failed'`)
	q.Args = fetches.Values(&f)
	_, err = tx.Exec(q)
	return f, err
}

// SaveFetch writes how a fetch ended, unless another works on it by now.
func (tx *Tx) SaveFetch(f *forge.Fetch) (mine bool, err error) {
	held, err := tx.Fetch(f.ID)
	if err != nil || held.Claim != f.Claim {
		return false, base.UnlessGone(err)
	}
	tx.Wake(ReposWake)
	return true, fetches.Update(tx, f, nil)
}

// Unsettled is the configuration versions that nothing is fetched for any more: it has ended, or is gone with its
// hook.
func (v *View) Unsettled(atMost int) ([]string, error) {
	return sqldb.Values[string](v, v.SQL(`SELECT c.id FROM configuration_versions c WHERE c.status = 'fetching' AND c.fetch_id <> ''
		AND NOT EXISTS (SELECT 1 FROM vcs_fetches f WHERE f.id = c.fetch_id AND f.state IN ('waiting', 'elsewhere')) ORDER BY c.id`).First(atMost))
}

// RunsFetching is the runs of a configuration version that wait for its archive.
func (v *View) RunsFetching(configurationVersionID string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL("SELECT id FROM runs WHERE configuration_version_id = ? AND status = 'fetching' AND unfinished ORDER BY id", configurationVersionID))
}

// CommitStatus is the status of a commit that is to be sent.
func (v *View) CommitStatus(id string) (forge.CommitStatus, error) {
	return commitStatuses.One(v, "vcs_statuses.id = ?", id)
}

// NoteCommitStatus notes that the status of a commit is to be looked at: that of a workspace,
// or that of all where the organization wants one alone.
func (tx *Tx) NoteCommitStatus(hookID, commit string, w *belay.Workspace) error {
	if _, err := tx.Peek().Hook(hookID); err != nil {
		return base.UnlessGone(err)
	}
	o := &w.Organization
	if o.AggregatedStatuses || o.PullRequestComments { // a comment tells of all workspaces
		if err := tx.noteCommitStatus(hookID, commit, "", w); err != nil || o.AggregatedStatuses {
			return err
		}
	}
	return tx.noteCommitStatus(hookID, commit, w.ID, w)
}

func (tx *Tx) noteCommitStatus(hookID, commit, workspaceID string, w *belay.Workspace) error {
	s := forge.CommitStatus{
		ID: forge.CommitStatusID(hookID, commit, workspaceID), HookID: hookID, OrganizationID: w.OrganizationID, WorkspaceID: workspaceID,
		Commit: commit, State: forge.WorkWaits, Moved: 1, NextAt: tx.Now, UpdatedAt: tx.Now,
	}
	tx.Wake(ReposWake)
	q := tx.SQL(commitStatuses.Inserted + ` ON CONFLICT (id) DO UPDATE SET moved = vcs_statuses.moved + 1, updated_at = excluded.updated_at, state = 'waiting',
		next_at = CASE WHEN vcs_statuses.claim = '' AND vcs_statuses.state <> 'waiting' THEN excluded.next_at ELSE vcs_statuses.next_at END,
		tries = CASE WHEN vcs_statuses.state <> 'waiting' THEN 0 ELSE vcs_statuses.tries END`)
	q.Args = commitStatuses.Values(&s)
	_, err := tx.Exec(q)
	return err
}

// FinishCommitStatus writes how sending ended, unless another sends by now. What happened
// meanwhile is to be sent at once.
func (tx *Tx) FinishCommitStatus(s *forge.CommitStatus) error {
	tx.Wake(ReposWake)
	return tx.Do(`UPDATE vcs_statuses SET claim = '', sent = ?, tries = ?,
		state = CASE WHEN moved <> ? THEN 'waiting' ELSE ? END, next_at = CASE WHEN moved <> ? AND CAST(? AS TEXT) <> 'waiting' THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END WHERE id = ? AND claim = ?`,
		s.Sent, s.Tries, s.Moved, string(s.State), s.Moved, string(s.State), sqldb.UnixMillis(tx.Now), sqldb.UnixMillis(s.NextAt), s.ID, s.Claim)
}

// RunsOfCommit is the newest run of each workspace that is of a commit, or of one workspace.
func (v *View) RunsOfCommit(organizationID, commit, workspaceID string) ([]string, error) {
	q := v.SQL("SELECT id FROM runs WHERE organization_id = ? AND commit_sha = ? AND commit_sha <> ''", organizationID, commit)
	if workspaceID != "" {
		q.Add(" AND workspace_id = ?", workspaceID)
	}
	return sqldb.Values[string](v, q.Add(" ORDER BY created_at DESC, id DESC").First(sqldb.RowsAtOnce))
}

// AddRepositoryCommit notes that a commit was seen in a workspace, and says whether it is the
// first time for its kind.
func (tx *Tx) AddRepositoryCommit(c *forge.RepositoryCommit) (first bool, err error) {
	n, err := tx.Exec(tx.SQL(`INSERT INTO vcs_commits (workspace_id, kind, commit_sha, run_id, pull_request, told_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, kind, commit_sha) DO UPDATE SET run_id = excluded.run_id WHERE vcs_commits.run_id = '' AND excluded.run_id <> ''`,
		c.WorkspaceID, c.Kind, c.Commit, c.RunID, c.PullRequest, sqldb.UnixMillis(c.ToldAt), sqldb.UnixMillis(tx.Now)))
	return n > 0, err
}

// Overtaken says whether a newer commit of its kind, or of its pull request, was told of in a workspace.
func (v *View) Overtaken(c *forge.RepositoryCommit) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT commit_sha FROM vcs_commits WHERE workspace_id = ? AND kind = ? AND pull_request = ? AND told_at > 0 AND told_at > ? LIMIT 1",
		c.WorkspaceID, c.Kind, c.PullRequest, sqldb.UnixMillis(c.ToldAt)))
	return found, err
}

// SupersededRuns is the unfinished runs of a workspace for other commits of a pull request.
func (v *View) SupersededRuns(workspaceID string, pullRequest int, commit string) ([]string, error) {
	return sqldb.Values[string](v, v.SQL(`SELECT r.id FROM vcs_commits c JOIN runs r ON r.id = c.run_id AND r.unfinished
		WHERE c.workspace_id = ? AND c.pull_request = ? AND c.pull_request > 0 AND c.commit_sha <> ? ORDER BY r.id`, workspaceID, pullRequest, commit))
}

// PullRequestOf is the pull request that a commit was seen in; 0: none.
func (v *View) PullRequestOf(workspaceIDs []string, commit string) (int, error) {
	n, _, err := sqldb.Value[int](v, v.SQL("SELECT pull_request FROM vcs_commits WHERE commit_sha = ? AND pull_request > 0 AND ", commit).In("workspace_id", workspaceIDs).Add(" ORDER BY created_at DESC LIMIT 1"))
	return n, err
}

// NewestOf is the commit of a pull request that was told of last, in the workspaces of a hook.
func (v *View) NewestOf(hookID string, pullRequest int) (string, error) {
	commit, _, err := sqldb.Value[string](v, v.SQL(`SELECT c.commit_sha FROM vcs_commits c JOIN workspaces w ON w.id = c.workspace_id
		WHERE w.vcs_hook_id = ? AND w.vcs_hook_id <> '' AND c.pull_request = ? AND c.pull_request > 0 ORDER BY c.created_at DESC LIMIT 1`, hookID, pullRequest))
	return commit, err
}

// HoldComment is the comment on a pull request for whoever is to change it, and nobody else until a
// moment. It says whether it was free.
func (tx *Tx) HoldComment(hookID string, pullRequest int, claim string, until time.Time) (c forge.PullRequestComment, mine bool, err error) {
	c = forge.PullRequestComment{HookID: hookID, Number: pullRequest, Claim: claim}
	n, err := tx.Exec(tx.SQL(`INSERT INTO vcs_comments (hook_id, pull_request, comment_id, told, claim, held_until) VALUES (?, ?, '', '', ?, ?)
		ON CONFLICT (hook_id, pull_request) DO UPDATE SET claim = excluded.claim, held_until = excluded.held_until
		WHERE vcs_comments.claim = '' OR vcs_comments.held_until <= ?`, hookID, pullRequest, claim, sqldb.UnixMillis(until), sqldb.UnixMillis(tx.Now)))
	if err != nil || n == 0 {
		return c, false, err
	}
	type row struct{ id, told string }
	list, err := sqldb.Collect(tx.Peek(), tx.SQL("SELECT comment_id, told FROM vcs_comments WHERE hook_id = ? AND pull_request = ?", hookID, pullRequest),
		func(r *row) []any { return []any{&r.id, &r.told} })
	for _, r := range list {
		c.ID, c.Told = r.id, r.told
	}
	return c, true, err
}

// KeepComment writes what became of a comment, and lets others have it, unless another has it by now.
func (tx *Tx) KeepComment(c *forge.PullRequestComment) error {
	return tx.Do("UPDATE vcs_comments SET comment_id = ?, told = ?, claim = '' WHERE hook_id = ? AND pull_request = ? AND claim = ?",
		c.ID, c.Told, c.HookID, c.Number, c.Claim)
}

// HadRuns says whether a workspace ever had a run.
func (v *View) HadRuns(workspaceID string) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT id FROM runs WHERE workspace_id = ? LIMIT 1", workspaceID))
	return found, err
}

// Work is a kind of work on repositories that waits for somebody to do it, in the lane of its organization.
type Work struct{ queue base.Queue }

func workIn(table, state sqldb.Text) Work {
	return Work{base.Queue{Table: table, Lane: "organization_id", State: "state", Waits: state, Tries: "tries"}}
}

// The kinds of work.
var (
	InboxWork  = workIn("vcs_inbox", "waiting")
	FetchWork  = workIn("vcs_fetches", "waiting")
	StatusWork = workIn("vcs_statuses", "waiting")
)

// WorkLanes is the organizations for which something is due.
func (v *View) WorkLanes(of Work, now time.Time) ([]string, error) {
	return sqldb.Values[string](v, of.queue.Lanes(v, "l.id", "", now))
}

// ClaimWork takes work of an organization, so that nobody else does it before until.
func (tx *Tx) ClaimWork(of Work, organizationID, claim string, until time.Time, atMost int) ([]string, error) {
	return sqldb.Values[string](&tx.View, of.queue.Claim(tx, claim, tx.Now, until, atMost, "id", "k.organization_id = ?", organizationID))
}

// RenewWork keeps work for longer, unless another has it by now.
func (tx *Tx) RenewWork(of Work, id, claim string, until time.Time) (mine bool, err error) {
	return of.queue.Renew(tx, id, claim, until)
}

// NextWork is when the next piece of any work is due; zero when none waits.
func (v *View) NextWork() (time.Time, error) {
	return base.Next(v, "SELECT min(work_at) AS at FROM vcs_hooks WHERE work_at > 0", InboxWork.queue, FetchWork.queue, StatusWork.queue)
}

// PruneRepositories forgets some of what is old, and says whether there may be more:
// deliveries that are done, what people were told, statuses, fetches that nobody uses. Their
// archives go when nothing else names them.
func (tx *Tx) PruneRepositories(deliveries, events, unused time.Time) (more bool, err error) {
	for _, old := range []struct {
		table, condition sqldb.Text
		before           time.Time
	}{
		{"vcs_inbox", "state <> 'waiting' AND received_at < ?", deliveries},
		{"vcs_events", "created_at < ?", events},
		{"vcs_statuses", "state <> 'waiting' AND updated_at < ?", events},
		{"vcs_fetches", "state IN ('done', 'failed') AND used_at < ?", unused},
	} {
		q := tx.SQL("DELETE FROM "+old.table+" WHERE id IN (SELECT id FROM "+old.table+" WHERE "+old.condition, sqldb.UnixMillis(old.before))
		n, err := tx.Exec(q.First(sqldb.RowsAtOnce).Add(")"))
		if err != nil {
			return false, err
		}
		more = more || n == sqldb.RowsAtOnce
	}
	return more, nil
}

// CommitMade says whether a commit made a run of its kind in a workspace already.
func (v *View) CommitMade(c *forge.RepositoryCommit) (bool, error) {
	_, found, err := sqldb.Value[string](v, v.SQL("SELECT run_id FROM vcs_commits WHERE workspace_id = ? AND kind = ? AND commit_sha = ? AND run_id <> ''",
		c.WorkspaceID, c.Kind, c.Commit))
	return found, err
}
