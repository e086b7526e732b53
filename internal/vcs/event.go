// Package vcs speaks with version-control services: it proves and reads what they send, and asks them
// for what a run needs. It is a pure client: it keeps nothing, knows no workspace, and dials with the
// HTTP client it is given.
package vcs

import "fmt"

// Kind is what an event is about.
type Kind int

// The kinds of events.
const (
	Nothing     Kind = iota // understood, and of no interest: a comment, a label, a branch created empty
	Ping                    // the service tries the hook out
	Push                    // a branch has another commit, or is deleted
	Tag                     // a tag was made, moved or deleted
	PullRequest             // a pull request was opened, opened again, or has other commits
)

// Event is one thing that happened in a repository. A delivery may bring several: Bitbucket and Azure
// DevOps tell of all branches of a push at once.
type Event struct {
	Kind     Kind
	Delivery string // the service's id of the delivery; of its bytes where the service gives none

	// Repository is the identifier as in vcs-repo, in the service's spelling: compare it without case.
	Repository string
	// DefaultBranch is the repository's, where the payload tells it: not Bitbucket.
	DefaultBranch string

	Branch       string // of a push its branch, of a pull request the branch it wants into
	Tag          string // of a tag its name, without refs/tags/
	Commit       string // the commit there is now; an annotated tag's own commit where the service tells it; see Abbreviated
	BeforeCommit string // what was there before; empty for a new branch, tag or pull request
	Deleted      bool   // the branch or tag is gone: Commit is empty
	Forced       bool   // commits were taken away; only GitHub and Bitbucket Cloud tell

	Message    string // of the commit; of a pull request its title
	CommitURL  string // a page of the service; not Bitbucket Data Center, not Azure DevOps
	CompareURL string // a page with the difference; GitHub, Gitea and Forgejo, Bitbucket Cloud
	Author     User   // who made the commit, as far as the payload tells
	Sender     User   // who pushed, or acted on the pull request

	// Files are the paths that a push changed. FilesKnown says that these are all of them: it is false
	// when the payload carries no list, or not all of it, and always for pull requests. Then
	// Client.PushedFiles and Client.ChangedFiles can be asked.
	Files      []string
	FilesKnown bool

	Request *Request // of a pull request, else nil
}

// Abbreviated says whether the commit is only the beginning of a hash, which Client.Commit completes:
// Bitbucket Cloud's pull requests have no more.
func (e Event) Abbreviated() bool { return e.Commit != "" && !isHash.MatchString(e.Commit) }

// User is somebody at the service. Any part may be missing.
type User struct{ Username, AvatarURL, URL string }

// Request is a pull request, which some services call a merge request.
type Request struct {
	Number         int
	URL            string
	Title, Body    string
	HeadBranch     string
	BaseBranch     string
	HeadRepository string // an identifier; another than BaseRepository for a fork, empty when the fork is gone
	BaseRepository string
	Action         string // Opened, Reopened or Updated
}

// What happened to a pull request.
const (
	Opened   = "opened"
	Reopened = "reopened"
	Updated  = "updated"
)

// Fork says whether the pull request comes from another repository, or from one nobody can name.
func (r Request) Fork() bool { return !sameName(r.HeadRepository, r.BaseRepository) }

// What the names of branches and tags begin with.
const (
	BranchRef = "refs/heads/"
	TagRef    = "refs/tags/"
)

// requestRefs is where families keep the commits of pull requests, also of those from forks.
var requestRefs = map[family]string{
	gitHub: "refs/pull/%d/head", gitea: "refs/pull/%d/head", gitLab: "refs/merge-requests/%d/head",
	bitbucketServer: "refs/pull-requests/%d/from", azure: "refs/pull/%d/merge",
}

// Ref is where the repository itself must have the commit of an event. A pull request of the repository's
// own is held against its branch, where no fork can put anything. Empty: the service has no such place.
func (e *Event) Ref(service string) string {
	switch {
	case e.Kind == Tag:
		return TagRef + e.Tag
	case e.Request == nil:
		return BranchRef + e.Branch
	case !e.Request.Fork():
		return BranchRef + e.Request.HeadBranch
	}
	if where := requestRefs[families[service]]; where != "" {
		return fmt.Sprintf(where, e.Request.Number)
	}
	return ""
}
