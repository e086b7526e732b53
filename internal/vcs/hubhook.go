package vcs

import "strings"

// GitHub's payloads, which Gitea and Forgejo follow closely enough to be read by one reader.

// hubCommits is the number of commits from which GitHub leaves some out.
const hubCommits = 2048

// hubFiles is the number of files of one commit from which GitHub leaves some out.
const hubFiles = 3000

type hubUser struct {
	Login     string `json:"login"`
	AvatarURL string `json:"avatar_url"`
	HTMLURL   string `json:"html_url"`
}

func (u hubUser) user() User { return User{Username: u.Login, AvatarURL: u.AvatarURL, URL: u.HTMLURL} }

type hubRepository struct {
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type hubCommit struct {
	pushedCommit
	Author struct {
		Username string `json:"username"`
	} `json:"author"`
}

type hubPush struct {
	Ref          string        `json:"ref"`
	RefType      string        `json:"ref_type"` // of create, with SHA
	SHA          string        `json:"sha"`
	Before       string        `json:"before"`
	After        string        `json:"after"`
	Deleted      bool          `json:"deleted"`
	Forced       bool          `json:"forced"`
	Compare      string        `json:"compare"`     // GitHub
	CompareURL   string        `json:"compare_url"` // Gitea
	TotalCommits int           `json:"total_commits"`
	Commits      []hubCommit   `json:"commits"`
	HeadCommit   *hubCommit    `json:"head_commit"`
	Repository   hubRepository `json:"repository"`
	Sender       hubUser       `json:"sender"`
}

type hubSide struct {
	SHA  string         `json:"sha"`
	Ref  string         `json:"ref"`
	Repo *hubRepository `json:"repo"` // null when the fork is gone
	User hubUser        `json:"user"`
}

func (s hubSide) name() string {
	if s.Repo == nil {
		return ""
	}
	return s.Repo.FullName
}

type hubPullRequest struct {
	Action string `json:"action"`
	Before string `json:"before"`
	Number int    `json:"number"`
	Pull   *struct {
		Number  int     `json:"number"`
		HTMLURL string  `json:"html_url"`
		Title   string  `json:"title"`
		Body    string  `json:"body"`
		Head    hubSide `json:"head"`
		Base    hubSide `json:"base"`
		User    hubUser `json:"user"`
	} `json:"pull_request"`
	Repository hubRepository `json:"repository"`
	Sender     hubUser       `json:"sender"`
}

// hubActions is what happened to a pull request, of which only a few bring other commits.
var hubActions = map[string]string{
	"opened": Opened, "reopened": Reopened,
	"synchronize":  Updated, // GitHub
	"synchronized": Updated, // Gitea
}

func readHub(event string, body []byte) ([]Event, error) {
	switch event {
	case "push", "create":
		return readHubPush(event, body)
	case "pull_request", "pull_request_sync": // the latter where the type of the event is told, not its name
		return readHubPullRequest(body)
	}
	var whatever map[string]any
	if err := decode(body, &whatever); err != nil {
		return nil, err
	}
	if event == "ping" {
		return []Event{{Kind: Ping}}, nil
	}
	return nil, nil
}

func readHubPush(event string, body []byte) ([]Event, error) {
	var p hubPush
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	if event == "create" { // Gitea names a tag's commit here; GitHub sends a push as well, which tells more
		if p.RefType != "tag" || p.SHA == "" {
			return nil, nil
		}
		p.Ref, p.After = "refs/tags/"+strings.TrimPrefix(p.Ref, "refs/tags/"), p.SHA
	}
	kind, name := ref(p.Ref)
	e := Event{
		Kind: kind, Repository: p.Repository.FullName, DefaultBranch: p.Repository.DefaultBranch,
		Commit: p.After, BeforeCommit: p.Before, Deleted: p.Deleted, Forced: p.Forced,
		CompareURL: p.Compare + p.CompareURL, Sender: p.Sender.user(), Author: p.Sender.user(),
	}
	switch kind {
	case Push:
		e.Branch = name
	case Tag:
		e.Tag = name
	}
	p.describe(&e)
	return []Event{e}, nil
}

// describe tells of the commit, and of the files where the list is whole. A list without any commit
// tells nothing: a branch that is set to a commit of another one changes files all the same.
func (p *hubPush) describe(e *Event) {
	if head := p.HeadCommit; head != nil && head.ID != "" && !noCommit(p.After) {
		e.Message, e.CommitURL = head.Message, head.URL
		if e.Kind == Tag {
			e.Commit = head.ID // After is the tag itself when it is an annotated one
		}
		if head.Author.Username != "" && head.Author.Username != e.Sender.Username {
			e.Author = User{Username: head.Author.Username}
		}
	}
	whole := e.Kind == Push && !p.Forced && len(p.Commits) > 0 && len(p.Commits) < hubCommits && p.TotalCommits <= len(p.Commits)
	var lists [][]string
	for _, c := range p.Commits {
		lists = append(lists, c.Added, c.Modified, c.Removed)
		whole = whole && len(c.Added)+len(c.Modified)+len(c.Removed) < hubFiles
	}
	e.Files, e.FilesKnown = changed(lists...), whole
}

func readHubPullRequest(body []byte) ([]Event, error) {
	var p hubPullRequest
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	action := hubActions[p.Action]
	if action == "" || p.Pull == nil {
		return nil, nil
	}
	number := p.Pull.Number
	if number == 0 {
		number = p.Number
	}
	return []Event{{
		Kind: PullRequest, Repository: p.Repository.FullName, DefaultBranch: p.Repository.DefaultBranch,
		Commit: p.Pull.Head.SHA, BeforeCommit: p.Before, Author: p.Pull.User.user(), Sender: p.Sender.user(),
		Request: &Request{
			Number: number, URL: p.Pull.HTMLURL, Title: p.Pull.Title, Body: p.Pull.Body, Action: action,
			HeadBranch: p.Pull.Head.Ref, BaseBranch: p.Pull.Base.Ref,
			HeadRepository: p.Pull.Head.name(), BaseRepository: p.Pull.Base.name(),
		},
	}}, nil
}
