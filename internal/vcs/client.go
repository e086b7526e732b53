package vcs

import "context"

// Connection is how a service is reached, and as whom.
type Connection struct {
	Service string // as in service-provider
	HTTPURL string // where its pages and repositories are
	APIURL  string // where its API is
	Token   string // acts there; never part of an error
	User    string // whose token it is, where the service wants to know (Bitbucket's app passwords)
	Tokens  Tokens // takes the place of Token where tokens end soon; nil: none do
}

// Tokens gives the token that is good now. Its errors are those of a Client.
type Tokens interface {
	Token(ctx context.Context) (string, error)
	// Refused says that the service does not take a token any more.
	Refused(token string)
}

// Client asks one service. Repositories are identifiers as in vcs-repo. Every error is an Error, or one
// of the context; it can be shown to users, and holds no secret.
type Client interface {
	// DefaultBranch is the branch of a repository that is meant when none is.
	DefaultBranch(ctx context.Context, repo string) (string, error)
	// Head is the latest commit of a branch.
	Head(ctx context.Context, repo, branch string) (Commit, error)
	// Commit is a commit by its hash, which may be abbreviated.
	Commit(ctx context.Context, repo, hash string) (Commit, error)
	// AddHook has the service send pushes, tags and pull requests to a URL, and says the hook's id.
	AddHook(ctx context.Context, repo, url, secret string) (id string, err error)
	// Hooks is the ids of all hooks by which the service sends to a URL: whoever made one and died before it
	// was written down finds it again.
	Hooks(ctx context.Context, repo, url string) (ids []string, err error)
	// RemoveHook takes a hook away. One that is not there any more is no error.
	RemoveHook(ctx context.Context, repo, id string) error
	// ChangedFiles is the paths that a pull request changes, unless the service lists only some.
	ChangedFiles(ctx context.Context, repo string, number int) (files []string, known bool, err error)
	// PushedFiles is the paths that differ between two commits, unless the service lists only some.
	PushedFiles(ctx context.Context, repo, before, after string) (files []string, known bool, err error)
	// SetStatus shows a run beside its commit. A later one of the same context takes its place.
	SetStatus(ctx context.Context, repo, commit string, s Status) error
	// Comment writes below a pull request, and says the comment's id.
	Comment(ctx context.Context, repo string, number int, body string) (id string, err error)
	// FindComment is the id of the oldest comment below a pull request whose text holds a mark; empty where
	// there is none: whoever made one and died before it was written down finds it again.
	FindComment(ctx context.Context, repo string, number int, mark string) (id string, err error)
	// UpdateComment changes one of our comments.
	UpdateComment(ctx context.Context, repo string, number int, id, body string) error
	// CloneURL is where git fetches over HTTP, and the user that the token is the password of.
	CloneURL(repo string) (url, user string)
	// SSHURL is where git fetches over SSH, as a URL. Services whose SSH has an address of its own are asked.
	SSHURL(ctx context.Context, repo string) (string, error)
}

// Commit is one commit as a service shows it.
type Commit struct {
	ID, Message, URL string
	Author           User
}

// Status is what a run tells about its commit.
type Status struct {
	State       State
	Context     string // tells our statuses apart
	Description string // one line; cut to what the service takes
	URL         string // the run's page
}

// State is how a run stands, in words that are translated for each service.
type State string

// The states of a status.
const (
	Pending State = "pending"
	Success State = "success"
	Failure State = "failure" // what was asked for is wrong
	Errored State = "error"   // it did not come to an end
)
