package vcs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
)

// errNotJSON is the answer to a body that can't be read at all.
var errNotJSON = errors.New("the body is not the JSON that this service sends")

// maxFiles is how many changed files are kept of one push. More is as good as not knowing.
const maxFiles = 50_000

// pushedCommit is a commit of a push as GitHub, Gitea and GitLab send it; they name its author
// each in a way of their own.
type pushedCommit struct {
	ID       string   `json:"id"`
	Message  string   `json:"message"`
	URL      string   `json:"url"`
	Added    []string `json:"added"`
	Modified []string `json:"modified"`
	Removed  []string `json:"removed"`
}

// deliveries is the header in which a family names its delivery. Azure DevOps has it in the body.
var deliveries = map[family][]string{
	gitHub:          {"X-GitHub-Delivery"},
	gitLab:          {"X-Gitlab-Event-UUID"},
	bitbucketCloud:  {"X-Request-UUID"},
	bitbucketServer: {"X-Request-Id"},
	gitea:           {"X-Forgejo-Delivery", "X-Gitea-Delivery"},
}

// Read turns a delivery into what happened. Ask Verify first. What means nothing here is one event of
// the kind Nothing, never an error: an error is a body that is not what the service sends.
func Read(service string, header http.Header, body []byte) (events []Event, delivery string, err error) {
	f := families[service]
	delivery = deliveryID(f, header, body)
	switch f {
	case gitHub:
		events, err = readHub(header.Get("X-GitHub-Event"), body)
	case gitea:
		events, err = readHub(first(header, "X-Forgejo-Event", "X-Gitea-Event"), body)
	case gitLab:
		events, err = readGitLab(header.Get("X-Gitlab-Event"), body)
	case bitbucketCloud:
		events, err = readCloud(header.Get("X-Event-Key"), body)
	case bitbucketServer:
		events, err = readCenter(header.Get("X-Event-Key"), body)
	case azure:
		events, err = readAzure(body)
	default:
		return nil, "", fmt.Errorf("%q is no version-control service that is known here", service)
	}
	if err != nil {
		return nil, delivery, err
	}
	if len(events) == 0 {
		events = []Event{{Kind: Nothing}}
	}
	for i := range events {
		events[i].Delivery = delivery
		events[i].settle()
	}
	return events, delivery, nil
}

// isHash is the two lengths that git has.
var isHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// isShortHash is enough of one to find the commit.
var isShortHash = regexp.MustCompile(`^[0-9a-f]{12,64}$`)

// settle makes one form of what services say in several.
func (e *Event) settle() {
	e.Commit, e.BeforeCommit = commit(e.Commit), commit(e.BeforeCommit)
	if e.Commit != "" && !isShortHash.MatchString(e.Commit) || e.Kind == PullRequest && e.Commit == "" {
		*e = Event{Delivery: e.Delivery, Repository: e.Repository} // git must never be given a word for a hash
	}
	if !isHash.MatchString(e.BeforeCommit) {
		e.BeforeCommit = ""
	}
	switch e.Kind {
	case Push, Tag:
		e.Deleted = e.Deleted || e.Commit == ""
	case PullRequest:
		e.Branch, e.Message, e.FilesKnown = e.Request.BaseBranch, e.Request.Title, false
	}
	if e.Deleted {
		e.Commit = ""
	}
	if e.Deleted || !e.FilesKnown || len(e.Files) > maxFiles {
		e.Files, e.FilesKnown = nil, false
	}
}

func deliveryID(f family, header http.Header, body []byte) string {
	if id := first(header, deliveries[f]...); id != "" && len(id) <= 128 {
		return id
	}
	if f == azure {
		var sent struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(body, &sent) == nil && sent.ID != "" && len(sent.ID) <= 128 {
			return sent.ID
		}
	}
	sum := sha256.Sum256(body)
	return "sha256-" + hex.EncodeToString(sum[:])
}

// first is the first header that says anything.
func first(header http.Header, names ...string) string {
	for _, name := range names {
		if value := header.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// decode reads a payload, which is an object.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return errNotJSON
	}
	return nil
}

// changed gathers the files of commits, each once.
func changed(lists ...[]string) []string {
	seen := map[string]bool{}
	var files []string
	for _, list := range lists {
		for _, file := range list {
			if !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
	}
	return files
}
