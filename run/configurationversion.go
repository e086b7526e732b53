package run

import (
	"time"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// ConfigurationStatus is where the archive of a configuration version is.
type ConfigurationStatus string

// The statuses of configuration versions.
const (
	ConfigurationPending     ConfigurationStatus = "pending" // made, and not uploaded
	ConfigurationFetching    ConfigurationStatus = "fetching"
	ConfigurationUploaded    ConfigurationStatus = "uploaded"
	ConfigurationErrored     ConfigurationStatus = "errored"
	ConfigurationArchived    ConfigurationStatus = "archived"
	ConfigurationSoftDeleted ConfigurationStatus = "backing_data_soft_deleted"
	ConfigurationDeleted     ConfigurationStatus = "backing_data_permanently_deleted"
)

// What is stamped on a configuration version, as documents call it without "-at".
const (
	FetchingStamp    = "fetching"
	UploadedStamp    = "uploaded"
	FinishedStamp    = "finished"
	ArchivedStamp    = "archived"
	ErroredStamp     = "errored"
	SoftDeletedStamp = "soft-delete-backing-data"
	RestoredStamp    = "restore-backing-data"
	DeletedStamp     = "permanently-delete-backing-data"
)

// What went wrong with a configuration version, in one word.
const (
	BadArchive    = "bad_archive"
	FetchFailed   = "fetch_failed"
	UploadExpired = "upload_expired"
)

// Where configuration versions come from, beside the services of version control.
const (
	ConfigurationFromAPI = "tfe-api"
	ConfigurationFromCLI = "terraform"
	ConfigurationFromUI  = "tfe-ui"
)

// ConfigurationVersion is one archive of configuration that runs of a workspace plan.
type ConfigurationVersion struct {
	ID            string
	WorkspaceID   string
	Sequence      int64 // grows with every one of the workspace
	Status        ConfigurationStatus
	AutoQueueRuns bool // a run is made as soon as the archive is there
	Speculative   bool // for plans alone
	Provisional   bool // current only once a run of it was applied
	Candidate     bool // may be the current one of its workspace: the newest of them is
	Vetted        bool // made, or applied, by somebody who may apply: its runs may be applied by themselves
	Source        string
	ErrorCode     string
	ErrorMessage  string
	Stamps        map[string]time.Time
	Key           string // where its archive lies; empty: nowhere
	Size          int64
	SHA256        string
	Ingress       *Ingress        // what it was fetched from; nil: it was uploaded
	FetchID       string          // what fetches its archive; empty: nothing does
	CreatedBy     string          // a user: the author, or who stands for it
	Author        belay.Principal // whose rights the runs have that it queues
	CreatedAt     time.Time
	RunID         string // the first run that was made of it; empty: none
}

// Ingress is what is known of the commit that a configuration version was fetched from.
type Ingress struct {
	ID                string `json:"id"`
	Branch            string `json:"branch"`
	CloneURL          string `json:"clone-url"`
	CommitMessage     string `json:"commit-message"`
	CommitSHA         string `json:"commit-sha"`
	CommitURL         string `json:"commit-url"`
	CompareURL        string `json:"compare-url"`
	Identifier        string `json:"identifier"`
	IsPullRequest     bool   `json:"is-pull-request"`
	OnDefaultBranch   bool   `json:"on-default-branch"`
	PullRequestNumber int    `json:"pull-request-number"` // 0: none
	PullRequestURL    string `json:"pull-request-url"`
	PullRequestTitle  string `json:"pull-request-title"`
	PullRequestBody   string `json:"pull-request-body"`
	Tag               string `json:"tag"`
	SenderUsername    string `json:"sender-username"`
	SenderAvatarURL   string `json:"sender-avatar-url"`
	SenderHTMLURL     string `json:"sender-html-url"`
	CreatedBy         string `json:"created-by"` // a user
	HookID            string `json:"hook-id"`    // of the repository, to fetch it again
	Submodules        bool   `json:"submodules"` // are fetched with it
	Ref               string `json:"ref"`        // that the commit must be found on; empty: anywhere
}

// ConfigurationPatch is what a client says of a new configuration version.
type ConfigurationPatch struct {
	AutoQueueRuns, Speculative, Provisional patch.Field[bool]
}

// NewConfiguration is a configuration version that waits for its archive. vetted says that
// whoever makes it may apply.
func (p ConfigurationPatch) NewConfiguration(vetted bool, now time.Time) ConfigurationVersion {
	c := ConfigurationVersion{
		ID: belay.NewID("cv"), Status: ConfigurationPending, AutoQueueRuns: true, Source: ConfigurationFromAPI,
		Vetted: vetted, Stamps: map[string]time.Time{}, CreatedAt: now,
	}
	p.AutoQueueRuns.Into(&c.AutoQueueRuns)
	p.Speculative.Into(&c.Speculative)
	p.Provisional.Into(&c.Provisional)
	if p.AutoQueueRuns.Null {
		c.AutoQueueRuns = true // null is the default
	}
	c.Candidate = !c.Speculative && !c.Provisional
	return c
}

// NewCommit is a configuration version of a commit, whose archive is to be fetched.
func NewCommit(i Ingress, source string, speculative bool, now time.Time) ConfigurationVersion {
	i.ID, i.CommitMessage = belay.NewID("ia"), CutMessage(i.CommitMessage)
	c := ConfigurationVersion{
		ID: belay.NewID("cv"), Status: ConfigurationFetching, Speculative: speculative, Candidate: !speculative, Vetted: true,
		Source: source, Stamps: map[string]time.Time{}, Ingress: &i, CreatedAt: now,
	}
	c.stamp(now, FetchingStamp)
	return c
}

// Prove says of a commit that was fetched before that it was found where it was told to be: its
// branch may have gone since.
func (c *ConfigurationVersion) Prove() {
	if c.Status == ConfigurationArchived {
		c.Ingress.Ref = ""
	}
}

// Refetch has an archive fetched again that was given up. It says whether that changed
// anything.
func (c *ConfigurationVersion) Refetch(fetchID string, now time.Time) bool {
	if c.Status != ConfigurationArchived && (c.Status != ConfigurationFetching || c.FetchID == fetchID) {
		return false
	}
	c.Status, c.FetchID = ConfigurationFetching, fetchID
	c.stamp(now, FetchingStamp)
	return true
}

// GiveUp archives what came from a repository and nobody needs: it can be fetched again. It
// says whether that changed anything.
func (c *ConfigurationVersion) GiveUp(now time.Time) bool {
	if c.Status != ConfigurationUploaded || !c.FromRepository() {
		return false
	}
	c.Status, c.Key = ConfigurationArchived, ""
	c.stamp(now, ArchivedStamp)
	return true
}

// FromRepository says that it can be fetched again.
func (c *ConfigurationVersion) FromRepository() bool { return c.Ingress != nil }

// Usable says whether runs can be made of it.
func (c *ConfigurationVersion) Usable() bool {
	switch c.Status {
	case ConfigurationUploaded:
		return true
	case ConfigurationFetching, ConfigurationArchived:
		return c.FromRepository()
	default:
		return false
	}
}

// There says whether its archive can be read.
func (c *ConfigurationVersion) There() bool { return c.Status == ConfigurationUploaded && c.Key != "" }

// Takes refuses an archive that the configuration version does not take, or not any more.
// Until a run is made of it, it takes another in place of the one it has.
func (c *ConfigurationVersion) Takes(sha256 string) error {
	switch {
	case c.Status == ConfigurationPending, c.Status == ConfigurationFetching:
		return nil
	case c.Status == ConfigurationUploaded && (c.RunID == "" || c.SHA256 == sha256):
		return nil
	case c.Status == ConfigurationUploaded:
		return belay.Refuse(belay.Conflict, "the configuration version was uploaded before, with other contents, and a run was made of it")
	default:
		return belay.Refuse(belay.Conflict, "the configuration version takes no archive: it is %s", c.Status)
	}
}

// Upload gives the configuration version its archive. first says that it had none before.
func (c *ConfigurationVersion) Upload(key, sha256 string, size int64, now time.Time) (first bool) {
	first = c.Status != ConfigurationUploaded
	c.Key, c.SHA256, c.Size, c.Status = key, sha256, size, ConfigurationUploaded
	if first {
		c.stamp(now, UploadedStamp, FinishedStamp)
	}
	return first
}

// Fail ends the configuration version: it will never be usable, nor current.
func (c *ConfigurationVersion) Fail(code, message string, now time.Time) {
	c.Status, c.ErrorCode, c.ErrorMessage, c.Candidate = ConfigurationErrored, code, message, false
	c.stamp(now, ErroredStamp)
}

// Archive gives up the archive of a configuration version that nobody needs any more.
// current says that it is its workspace's; unfinished, that a run of it is under way.
func (c *ConfigurationVersion) Archive(current, unfinished bool, now time.Time) error {
	switch {
	case current:
		return c.refuse(belay.Conflict, "configuration could not be archived because it is current")
	case c.Status != ConfigurationUploaded:
		return c.refuse(belay.Conflict, "it is "+string(c.Status))
	case c.FromRepository():
		return c.refuse(belay.Conflict, "it came from a repository, and is archived by itself")
	case unfinished:
		return c.refuse(belay.Conflict, "a run of it is under way")
	}
	c.Status, c.Key = ConfigurationArchived, ""
	c.stamp(now, ArchivedStamp)
	return nil
}

// Transition moves the archive towards its deletion, or back.
func (c *ConfigurationVersion) Transition(to ConfigurationStatus, current, unfinished bool, now time.Time) error {
	stamp := DeletedStamp
	switch to {
	case ConfigurationSoftDeleted:
		stamp = SoftDeletedStamp
	case ConfigurationUploaded:
		stamp = RestoredStamp
	}
	switch {
	case c.Status != belay.BackingFrom(to, ConfigurationUploaded, ConfigurationSoftDeleted) || c.FromRepository():
		return c.refuse(belay.BadRequest, "it is "+string(c.Status))
	case current:
		return c.refuse(belay.BadRequest, "it is current")
	case unfinished:
		return c.refuse(belay.BadRequest, "a run of it is under way")
	}
	if c.Status = to; to == ConfigurationDeleted {
		c.Key = ""
	}
	c.stamp(now, stamp)
	return nil
}

func (c *ConfigurationVersion) refuse(kind belay.Kind, why string) error {
	return belay.Refuse(kind, "transition not allowed: %s", why)
}

func (c *ConfigurationVersion) stamp(now time.Time, names ...string) {
	if c.Stamps == nil {
		c.Stamps = map[string]time.Time{}
	}
	for _, name := range names {
		c.Stamps[name] = now
	}
}

// WasApplied notes that a run of it was applied in its own workspace: somebody took it there,
// and a provisional one may be the current one from then on. It says whether that changed
// anything.
func (c *ConfigurationVersion) WasApplied() bool {
	was := *c
	c.Vetted, c.Candidate = true, c.Candidate || c.Provisional && !c.Speculative
	return c.Vetted != was.Vetted || c.Candidate != was.Candidate
}
