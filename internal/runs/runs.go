// Package runs owns the verbs of runs: making one, confirming, discarding and canceling
// it, giving its jobs to runners, and what happens to it by itself later. It decides who
// may, asks the run package what follows, and does that in one transaction.
//
// It never carries anything out: runners do, and what they say comes in through the verbs
// of jobs. It knows no HTTP and no SQL, and reads no clock but the one it is given.
package runs

import (
	"context"
	"log/slog"
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/gate"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
	"github.com/belayhq/belay/site"
)

// DefaultSpeculativeLimit is how many plan-only runs and saved plans of a workspace go on at
// once.
const DefaultSpeculativeLimit = 4

// Room is the verbs.
type Room struct {
	Config
	dispatch dispatcher
	met      met
}

// Config is what the verbs are built on.
type Config struct {
	DB    *store.DB
	Ring  *seal.Ring       // seals what engines are given, and makes leases
	Log   *slog.Logger     // nil: nothing is logged
	Now   func() time.Time // the clock; time.Now when nil
	Logs  Logs             // of plans and applies
	Files Files            // that runners bring

	// Engines is the versions that may be chosen.
	Engines func(*store.View) (belay.Engines, error)
	// Finalize makes the newest state that came under a lock the current one, as unlocking
	// does; what was announced and never came is given up.
	Finalize func(*store.Tx, *belay.Workspace) (*store.After, error)
	// StoreLast stores the last state of a run, which comes with its end. take makes it the current one
	// in the transaction of that end, and over is told what became of that.
	StoreLast func(ctx context.Context, s belay.Principal, raw []byte) (take TakeLast, over OverLast, err error)

	// Head asks for the newest commit of the branch that a workspace follows; nil: nobody can.
	Head func(context.Context, *belay.Workspace) (*Head, error)

	Carries          bool          // the server carries runs out itself
	Address          string        // of the server, for engines and people
	DefaultEngine    string        // tofu, terraform, or auto: what the runners have
	ForceCancelAfter time.Duration // how long a runner has to obey before a cancel may be forced
	ApplyLostAfter   time.Duration // how long an apply may be silent
	SavedPlanLife    time.Duration // how long a saved plan waits to be confirmed
	PlanTimeout      time.Duration
	ApplyTimeout     time.Duration
	SnapshotInterval time.Duration // an intermediate state at most this often
	LogLimit         int64         // bytes of one log
	FinishBytes      int64         // of the rest of a log, and of a file, that may come with the end of a job; 0: none may
	StateBytes       int64         // of a last state that may come with it; 0: none may
	SpeculativeLimit int           // plan-only runs and saved plans of a workspace at once; 4 when 0
	AssessEvery      time.Duration // how often workspaces are assessed that are to be
	Edition          site.Edition  // says whether assessments are offered
	RunLimit         int           // plans and applies of an organization at once; 0: any number
}

// TakeLast makes a state that was stored the current one of its workspace, which is held by a run that
// has its lock. kept is false where the very same was there.
type TakeLast = func(*store.Tx, *belay.Workspace) (after *store.After, kept bool, err error)

// OverLast is told whether the transaction kept the state, or why it failed.
type OverLast = func(ctx context.Context, kept bool, err error)

// DefaultStateBytes is how many bytes of a last state may come with the end of its job.
const DefaultStateBytes = 256 << 10

// Logs is where what engines print is kept.
type Logs interface {
	// Begin opens the log of a phase that a runner has begun.
	Begin(tx *store.Tx, r *run.Run, phaseID string) error
	// End closes it: nothing comes any more. rest is its last bytes, if some are yet to be written,
	// and line is what the server has to say last.
	End(tx *store.Tx, r *run.Run, phaseID string, rest *run.LogRest, line string) error
	// Size is how much of it has come.
	Size(v *store.View, phaseID string) (int64, error)
}

// Files is what runners brought for a run.
type Files interface {
	// Of is the files that are there.
	Of(v *store.View, r *run.Run) ([]run.JobFile, error)
	// Among is those among all files of a run.
	Among(r *run.Run, files []store.RunFile) []run.JobFile
	// Keep keeps files that came with the end of a job.
	Keep(tx *store.Tx, r *run.Run, files []run.ShortFile) error
	// Counts is what the plan that was brought comes to.
	Counts(ctx context.Context, r *run.Run) (run.Counts, error)
	// CountsOf is what a plan in JSON comes to.
	CountsOf(plan []byte) (run.Counts, error)
	// Findings is what the plan of an assessment found.
	Findings(ctx context.Context, r *run.Run) (run.Findings, error)
	// GiveUp forgets the files behind a plan or an apply. What it answers deletes them, once
	// that is committed.
	GiveUp(tx *store.Tx, r *run.Run, phaseID string) (del func(context.Context), err error)
}

// New makes the verbs.
func New(c Config) *Room {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{
		{&c.ForceCancelAfter, 30 * time.Second}, {&c.ApplyLostAfter, 15 * time.Minute}, {&c.SavedPlanLife, 21 * 24 * time.Hour},
		{&c.PlanTimeout, 2 * time.Hour}, {&c.ApplyTimeout, 24 * time.Hour}, {&c.SnapshotInterval, time.Minute},
		{&c.AssessEvery, 24 * time.Hour},
	} {
		if *d.set == 0 {
			*d.set = d.to
		}
	}
	if c.LogLimit == 0 {
		c.LogLimit = 64 << 20
	}
	if c.SpeculativeLimit == 0 {
		c.SpeculativeLimit = DefaultSpeculativeLimit
	}
	return &Room{Config: c}
}

// get hands out a run with its workspace to those who have a permission there. In a
// transaction the workspace is held first, and the run as it is then.
func get(v store.Reader, s belay.Principal, id string, need belay.Permission) (belay.Workspace, belay.Access, run.Run, error) {
	r, err := v.Peek().Run(id)
	if err == nil && r.Assesses() {
		err = belay.ErrNotFound
	}
	if err != nil {
		return belay.Workspace{}, belay.Access{}, r, err
	}
	w, access, err := gate.WorkspaceForRuns(v, s, belay.WorkspaceRef{ID: r.WorkspaceID}, need)
	if err == nil && v.Holds() {
		r, err = v.Run(id)
	}
	return w, access, r, err
}

// Possible says whether anybody may come to carry out the runs of an organization: the
// server itself, or runners of a pool that has a token.
func (m *Room) Possible(ctx context.Context, organizationID string) (possible bool, err error) {
	err = m.DB.View(ctx, func(v *store.View) error {
		possible, err = m.possible(v, organizationID)
		return err
	})
	return possible, err
}

func (m *Room) possible(v *store.View, organizationID string) (bool, error) {
	if m.Carries {
		return true, nil
	}
	return v.PoolTokens(organizationID, m.Now())
}

// View is a run as a principal sees it.
type View struct {
	run.Run
	Can          belay.Permission // on its workspace
	Now          run.Actions      // what may be done with it, whoever asks
	Organization string           // names, for links
	Workspace    string
	ServiceUser  string       // the id of the user that stands for the server's own acts
	Events       []run.Event  // what happened to it, in order
	Position     int          // in the organization's queue; 0: it has none
	Ingress      *run.Ingress // of its commit, where one run is shown; nil: it is of none
	ProjectID    string
	InTheWay     string            // why its plan can't be confirmed now; empty: nothing is
	StateMoved   bool              // the state is another than the plan began with
	Figures      *belay.RunFigures // of its workspace; nil: no run counts yet
}

func (m *Room) seen(w *belay.Workspace, access belay.Access, r run.Run) View {
	return View{
		Run: r, Can: access.OnWorkspace(w.ID, w.ProjectID), Now: r.Actions(m.Now()), Organization: w.Organization.Name, Workspace: w.Name,
		ServiceUser: w.Organization.ServiceUserID, ProjectID: w.ProjectID, Figures: w.RunFigures,
		InTheWay: inTheWay(w, &r), StateMoved: r.InputStateVersionID != w.CurrentStateVersionID,
	}
}
