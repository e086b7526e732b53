package vcs

// gitLabCommits is the number of commits of a push that GitLab lists.
const gitLabCommits = 20

type gitLabProject struct {
	Path          string `json:"path_with_namespace"`
	DefaultBranch string `json:"default_branch"`
}

type gitLabCommit struct {
	pushedCommit
	Author struct {
		Name string `json:"name"`
	} `json:"author"`
}

type gitLabPush struct {
	Ref          string         `json:"ref"`
	Before       string         `json:"before"`
	After        string         `json:"after"`
	CheckoutSHA  string         `json:"checkout_sha"` // the commit, also behind an annotated tag
	Message      string         `json:"message"`      // of an annotated tag
	Commits      []gitLabCommit `json:"commits"`
	TotalCommits int            `json:"total_commits_count"`
	Project      gitLabProject  `json:"project"`
	UserUsername string         `json:"user_username"`
	UserAvatar   string         `json:"user_avatar"`
}

type gitLabRequest struct {
	User struct {
		Username  string `json:"username"`
		AvatarURL string `json:"avatar_url"`
	} `json:"user"`
	Project gitLabProject `json:"project"`
	Request struct {
		Number          int            `json:"iid"`
		Action          string         `json:"action"`
		OldRev          string         `json:"oldrev"`
		URL             string         `json:"url"`
		Title           string         `json:"title"`
		Description     string         `json:"description"`
		SourceBranch    string         `json:"source_branch"`
		TargetBranch    string         `json:"target_branch"`
		SourceProjectID int64          `json:"source_project_id"`
		TargetProjectID int64          `json:"target_project_id"`
		Source          *gitLabProject `json:"source"`
		LastCommit      *gitLabCommit  `json:"last_commit"`
	} `json:"object_attributes"`
}

func readGitLab(event string, body []byte) ([]Event, error) {
	switch event {
	case "Push Hook", "Tag Push Hook":
		return readGitLabPush(body)
	case "Merge Request Hook":
		return readGitLabRequest(body)
	}
	var ignored map[string]any
	return nil, decode(body, &ignored)
}

func readGitLabPush(body []byte) ([]Event, error) {
	var p gitLabPush
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	kind, name := ref(p.Ref)
	sender := User{Username: p.UserUsername, AvatarURL: p.UserAvatar}
	e := Event{
		Kind: kind, Repository: p.Project.Path, DefaultBranch: p.Project.DefaultBranch,
		Commit: p.After, BeforeCommit: p.Before, Deleted: noCommit(p.After), Sender: sender, Author: sender,
	}
	if !noCommit(p.CheckoutSHA) {
		e.Commit = p.CheckoutSHA
	}
	switch kind {
	case Push:
		e.Branch = name
	case Tag:
		e.Tag, e.Message = name, p.Message
	}
	var lists [][]string
	for _, c := range p.Commits {
		lists = append(lists, c.Added, c.Modified, c.Removed)
		if c.ID == e.Commit {
			e.Message, e.CommitURL = c.Message, c.URL
		}
	}
	e.Files = changed(lists...)
	e.FilesKnown = kind == Push && len(p.Commits) > 0 && p.TotalCommits <= min(len(p.Commits), gitLabCommits)
	return []Event{e}, nil
}

// action is what happened, as far as it matters: an update without oldrev brings no other commit.
func (p *gitLabRequest) action() string {
	switch p.Request.Action {
	case "open":
		return Opened
	case "reopen":
		return Reopened
	case "update":
		if !noCommit(p.Request.OldRev) {
			return Updated
		}
	}
	return ""
}

func readGitLabRequest(body []byte) ([]Event, error) {
	var p gitLabRequest
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	r, action := &p.Request, p.action()
	if action == "" || r.LastCommit == nil {
		return nil, nil
	}
	head := p.Project.Path
	if r.SourceProjectID != r.TargetProjectID {
		head = ""
		if r.Source != nil && !sameName(r.Source.Path, p.Project.Path) {
			head = r.Source.Path
		}
	}
	sender := User{Username: p.User.Username, AvatarURL: p.User.AvatarURL}
	return []Event{{
		Kind: PullRequest, Repository: p.Project.Path, DefaultBranch: p.Project.DefaultBranch,
		Commit: r.LastCommit.ID, BeforeCommit: r.OldRev, CommitURL: r.LastCommit.URL,
		Author: User{Username: r.LastCommit.Author.Name}, Sender: sender,
		Request: &Request{
			Number: r.Number, URL: r.URL, Title: r.Title, Body: r.Description, Action: action,
			HeadBranch: r.SourceBranch, BaseBranch: r.TargetBranch, HeadRepository: head, BaseRepository: p.Project.Path,
		},
	}}, nil
}
