package run

import "time"

// The runner's wire. Everything is outbound from the runner, plain JSON with names in
// snake_case, under WirePath. Errors are the server's usual {"errors":[{status, title,
// detail}]}. Unknown members are ignored in both directions. Every call may be repeated
// after a lost answer: it answers the same. Calls that wait may end early; retries are
// counted from the last success.
//
//	call                     token    carries           answers
//	POST register            pool     Registration      201 Registered; 422; 426 ErrProtocol
//	POST claim               runner   Claim             200 Claimed, 204 nothing in time; 410
//	POST jobs/ID/start       lease    Start             200 JobSpec; 409
//	GET  jobs/ID/about       lease    -                 200 About; 409
//	POST jobs/ID/step        lease    Step              204 go on; 409 do not
//	POST heartbeat           runner   Beat              200 Beaten; 410
//	GET  orders?wait=SECONDS runner   -                 200 Orders, 204 none in time; 410
//	PATCH logs/ID            lease    bytes             202 LogAnswer; 416 LogAnswer
//	PUT  jobs/ID/files/KIND  lease    bytes             201 FileAnswer; 200 the same bytes again; 409; 422
//	GET  jobs/ID/files/KIND  lease    -                 200 bytes; 404
//	POST jobs/ID/end         lease    End               200 EndAnswer; 409; 422
//	POST jobs/ID/finish      lease    Finish            200 EndAnswer; 404 by older servers; 409; 422
//	POST exit                runner   -                 204: what it has not started goes back
//
// A runner that was started for one job registers with the lease of that job in place of a
// pool's token, and can claim nothing. Tokens are bearers. 401 is an unknown token. A lease that is no longer in force is 409
// everywhere but where "rescue" is said: the runner must then keep what the job made and
// offer it (files of the kinds State and Rescued, which an old lease may still put for 24
// hours, and End), and an engine that applies is left to its end.
const (
	WirePath       = "/api/runner/v1"
	ProtocolHeader = "Belay-Runner-Protocol" // of every request and answer: the number
	Protocol       = 1
	SHA256Header   = "Belay-Sha256" // of every PUT and GET of a file: of its bytes, in hex
)

// Registration announces a runner. The same name and boot id are the same runner.
type Registration struct {
	Name      string         `json:"name"`
	BootID    string         `json:"boot_id"`          // random, new for every start of the program
	Version   string         `json:"version"`          // of Belay
	Platform  Platform       `json:"platform"`         // that it runs on
	Slots     int            `json:"slots"`            // jobs at once, 1 to 100
	Kinds     []JobKind      `json:"kinds"`            // that it accepts; empty: all
	Engines   []EngineBinary `json:"engines"`          // that it has at hand now
	Isolation string         `json:"isolation"`        // none, landlock, strict: how its engines are held
	WorkDir   string         `json:"work_dir"`         // must be equal on all runners of a pool
	Labels    []string       `json:"labels,omitempty"` // KEY=VALUE, for people to read
}

// Platform is an operating system and an architecture, in Go's words.
type Platform struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// EngineBinary is an engine of an exact version.
type EngineBinary struct {
	Product string `json:"product"` // tofu or terraform
	Version string `json:"version"`
}

// Registered is the answer to a registration.
type Registered struct {
	ID              string `json:"id"`
	Token           string `json:"token"`        // the runner token, for its other calls
	HeartbeatMillis int64  `json:"heartbeat_ms"` // how often a heartbeat is wanted
	LeaseMillis     int64  `json:"lease_ms"`     // how long a lease holds without one
	WaitSeconds     int    `json:"wait_seconds"` // the longest wait of claim and orders
	KeepSeconds     int    `json:"keep_seconds"` // how long what is lost is kept for rescue
	SnapshotMillis  int64  `json:"snapshot_ms"`  // an intermediate state at most this often
	LogLimit        int64  `json:"log_limit"`    // bytes of one log
	Address         string `json:"address"`      // of the server, for people and engines
}

// Claim asks for jobs.
type Claim struct {
	Slots int       `json:"slots"` // free ones: at most so many jobs are answered
	Kinds []JobKind `json:"kinds"` // empty: all
	Wait  int       `json:"wait"`  // seconds to wait for one, 0 to 50
	// Nonce is random, new for every claim, and the same when a claim is repeated because
	// its answer was lost: the jobs that it took are answered again.
	Nonce string `json:"nonce"`
	// Engines replaces what the registration said, when something was fetched meanwhile;
	// nil leaves it.
	Engines []EngineBinary `json:"engines,omitempty"`
	// Start says that the runner begins at once: a server that can starts the job with the claim,
	// as jobs/ID/start would. It answers one job then.
	Start bool `json:"start,omitempty"`
}

// Claimed is the jobs that the runner now has.
type Claimed struct {
	Jobs []ClaimedJob `json:"jobs"`
	// Specs are of those that were started with the claim. All others are to be started, and those
	// of a claim that is repeated: what holds secrets is made anew each time it is asked for.
	Specs []JobSpec `json:"specs,omitempty"`
}

// Spec is the specification of a job that was started with the claim; nil: it was not.
func (c *Claimed) Spec(id string) *JobSpec {
	for i := range c.Specs {
		if c.Specs[i].ID == id {
			return &c.Specs[i]
		}
	}
	return nil
}

// ClaimedJob is a job as it is taken: nothing secret but its lease.
type ClaimedJob struct {
	ID          string    `json:"id"`
	Kind        JobKind   `json:"kind"`
	Attempt     int       `json:"attempt"`
	RunID       string    `json:"run_id"`
	WorkspaceID string    `json:"workspace_id"`
	Lease       string    `json:"lease"` // the lease token: the fence of every call about the job
	LeaseUntil  time.Time `json:"lease_until"`
}

// Start asks for the specification of a job, and moves its run to planning or applying.
type Start struct {
	// Isolation is how this job's engine will be held, for the run's details.
	Isolation string `json:"isolation,omitempty"`
}

// Step asks the gate whether a step may be executed now. "apply" must not be executed
// without a 204: from that answer on, nobody else is given the job. "plan" may be done twice, and is
// asked for where checks are to be told.
type Step struct {
	Step StepName `json:"step"`
	// Checks are the results of the checks before it: they are known before the engine begins.
	Checks []Check `json:"checks,omitempty"`
}

// About is what checks are told of a run beside its plan. It is asked for by runners that have
// some.
type About struct {
	Message   string `json:"message"`
	Source    string `json:"source"`
	Reason    string `json:"trigger_reason"`
	CreatedBy string `json:"created_by"` // a user's name; that of the service user where the server made it
	AutoApply bool   `json:"auto_apply"`
	PlanOnly  bool   `json:"plan_only"`
	IsDestroy bool   `json:"is_destroy"`
	CommitSHA string `json:"commit_sha"`
}

// StepName is a step of a job.
type StepName string

// The steps, in order.
const (
	InitStep  StepName = "init"
	PlanStep  StepName = "plan"
	ApplyStep StepName = "apply"
)

// Beat says that a runner and the jobs that it has are alive, and renews their leases.
type Beat struct {
	Jobs    []BeatJob `json:"jobs"`
	Errored bool      `json:"errored,omitempty"` // the runner can do nothing more, and says so
	Slots   int       `json:"slots,omitempty"`   // free now
}

// BeatJob is one job that the runner has.
type BeatJob struct {
	ID          string `json:"id"`
	Lease       string `json:"lease"`
	WorkspaceID string `json:"workspace_id"`
	LogSize     int64  `json:"log_size"` // bytes of its log that are there at the runner
}

// Beaten is the answer to a heartbeat.
type Beaten struct {
	Jobs           []JobOrder `json:"jobs"` // one for each job of the beat
	IntervalMillis int64      `json:"interval_ms"`
	Drain          bool       `json:"drain"` // take nothing new
	Now            time.Time  `json:"now"`   // the server's clock
}

// JobOrder is what a runner is told about one job.
type JobOrder struct {
	ID         string    `json:"id"`
	Order      Order     `json:"order"`             // empty: go on
	LeaseUntil time.Time `json:"lease_until"`       // zero with GoneOrder
	Deleted    bool      `json:"deleted,omitempty"` // its workspace is not there: nobody will ever want what the job made
}

// Orders is what can't wait for the next heartbeat. A client asks again at once.
type Orders struct {
	Jobs  []JobOrder `json:"jobs"`
	Drain bool       `json:"drain"`
}

// LogAnswer is the answer to PATCH logs/ID, whose Content-Range is "bytes FROM-TO/*" with
// TO the last byte's place: how far the log has come at the server. FROM must be Have;
// with 416 the runner goes on from Have. What is not Safe yet must be kept.
type LogAnswer struct {
	Have           int64 `json:"have"`        // bytes that were received
	Safe           int64 `json:"safe"`        // bytes that outlive a crash of the server
	IntervalMillis int64 `json:"interval_ms"` // how often more is wanted: often while somebody watches
	Order          Order `json:"order"`
}

// FileAnswer is the answer to a file.
type FileAnswer struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Kept says of a state where it went: "current", "intermediate" or "rescued".
	Kept           string `json:"kept,omitempty"`
	StateVersionID string `json:"state_version_id,omitempty"`
}

// FileKind is what a file of a job is.
type FileKind string

// The kinds of file. In the comments: who puts it, and who gets it.
const (
	ConfigurationFile FileKind = "configuration"    // server; every job gets it: a gzip-compressed tar
	StateFile         FileKind = "state"            // server, the current one at start; apply puts it again and again
	PlanFile          FileKind = "plan"             // plan puts it; apply gets it
	PlanJSONFile      FileKind = "plan-json"        // plan and assessment put it: show -json
	SchemasFile       FileKind = "provider-schemas" // plan and assessment: providers schema -json
	LockFile          FileKind = "lock-file"        // plan puts it; apply gets it
	ModulesFile       FileKind = "modules"          // plan puts it, a tar; apply gets it
	GeneratedFile     FileKind = "generated-config" // plan
	EventsFile        FileKind = "events"           // either: the engine's own events, JSON lines
	RescuedFile       FileKind = "rescued-state"    // apply: a state that could not be put as one
)

// End says how a job ended. The same End again answers the same; another one is 409.
type End struct {
	Outcome  Outcome `json:"outcome"`
	ExitCode int     `json:"exit_code"`
	Error    string  `json:"error,omitempty"` // a sentence, at most 4,096 characters
	TimedOut bool    `json:"timed_out,omitempty"`

	// Of a plan that succeeded. HasChanges is required: the engine's exit status said 2.
	HasChanges      *bool `json:"has_changes,omitempty"`
	GeneratedConfig bool  `json:"generated_config,omitempty"`
	// Counts left out of a plan are taken from its plan-json.
	Counts *Counts `json:"counts,omitempty"`

	// Of an apply: whether its last state is at the server, or never changed.
	StateHome bool `json:"state_home,omitempty"`
	// Orphans are what the engine's events say it made and its last state does not hold.
	Orphans []Orphan `json:"orphans,omitempty"`

	// Checks are all results of the job's checks. Refused is a plan that was made and that one of
	// them does not let go on: it has what a plan has that succeeded, but for the plan file.
	Checks  []Check `json:"checks,omitempty"`
	Refused bool    `json:"refused,omitempty"`

	LogSize int64         `json:"log_size"` // of the whole log, all of which was sent
	Engine  *EngineBinary `json:"engine,omitempty"`
}

// Orphan is a resource that exists and that no state knows.
type Orphan struct {
	Address string `json:"address"`
	IDKey   string `json:"id_key,omitempty"`
	IDValue string `json:"id_value,omitempty"`
}

// EndAnswer is the answer to an End.
type EndAnswer struct {
	RunStatus Status `json:"run_status"`
}
