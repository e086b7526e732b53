package vcs

// Payloads of Bitbucket Data Center. They name no file and no page.

type centerUser struct {
	Name  string `json:"name"`
	Links struct {
		Self []cloudLink `json:"self"`
	} `json:"links"`
}

func (u *centerUser) user() User {
	if u == nil {
		return User{}
	}
	user := User{Username: u.Name}
	if len(u.Links.Self) > 0 {
		user.URL = u.Links.Self[0].Href
	}
	return user
}

type centerRepository struct {
	Slug    string `json:"slug"`
	Project struct {
		Key string `json:"key"`
	} `json:"project"`
}

func (r centerRepository) name() string {
	if r.Slug == "" || r.Project.Key == "" {
		return ""
	}
	return r.Project.Key + "/" + r.Slug
}

type centerCommit struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Author  struct {
		Name string `json:"name"`
	} `json:"author"`
}

type centerPush struct {
	Actor      *centerUser      `json:"actor"`
	Repository centerRepository `json:"repository"`
	ToCommit   *centerCommit    `json:"toCommit"` // of newer servers, when one branch changed
	Changes    []struct {
		Ref struct {
			DisplayID string `json:"displayId"`
			Type      string `json:"type"`
		} `json:"ref"`
		FromHash string `json:"fromHash"`
		ToHash   string `json:"toHash"`
		Type     string `json:"type"` // ADD, UPDATE or DELETE
	} `json:"changes"`
}

type centerSide struct {
	DisplayID    string           `json:"displayId"`
	LatestCommit string           `json:"latestCommit"`
	Repository   centerRepository `json:"repository"`
}

type centerRequest struct {
	Actor            *centerUser `json:"actor"`
	PreviousFromHash string      `json:"previousFromHash"`
	Request          *struct {
		ID          int        `json:"id"`
		Title       string     `json:"title"`
		Description string     `json:"description"`
		FromRef     centerSide `json:"fromRef"`
		ToRef       centerSide `json:"toRef"`
		Author      struct {
			User *centerUser `json:"user"`
		} `json:"author"`
		Links struct {
			Self []cloudLink `json:"self"`
		} `json:"links"`
	} `json:"pullRequest"`
}

func readCenter(event string, body []byte) ([]Event, error) {
	switch event {
	case bitbucketPing: // not signed: nothing of it is believed
		return []Event{{Kind: Ping}}, nil
	case "repo:refs_changed":
		return readCenterPush(body)
	case "pr:opened":
		return readCenterRequest(Opened, body)
	case "pr:from_ref_updated":
		return readCenterRequest(Updated, body)
	}
	var ignored map[string]any
	return nil, decode(body, &ignored)
}

func readCenterPush(body []byte) ([]Event, error) {
	var p centerPush
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	var events []Event
	for _, c := range p.Changes {
		e := Event{
			Repository: p.Repository.name(), Commit: c.ToHash, BeforeCommit: c.FromHash, Deleted: c.Type == "DELETE",
			Sender: p.Actor.user(), Author: p.Actor.user(),
		}
		switch c.Ref.Type {
		case "BRANCH":
			e.Kind, e.Branch = Push, c.Ref.DisplayID
		case "TAG":
			e.Kind, e.Tag = Tag, c.Ref.DisplayID
		}
		if p.ToCommit != nil && p.ToCommit.ID == c.ToHash {
			e.Message = p.ToCommit.Message
			if p.ToCommit.Author.Name != "" {
				e.Author = User{Username: p.ToCommit.Author.Name}
			}
		}
		events = append(events, e)
	}
	return events, nil
}

func readCenterRequest(action string, body []byte) ([]Event, error) {
	var p centerRequest
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	if p.Request == nil {
		return nil, nil
	}
	r := p.Request
	e := Event{
		Kind: PullRequest, Repository: r.ToRef.Repository.name(), Commit: r.FromRef.LatestCommit, BeforeCommit: p.PreviousFromHash,
		Author: r.Author.User.user(), Sender: p.Actor.user(),
		Request: &Request{
			Number: r.ID, Title: r.Title, Body: r.Description, Action: action,
			HeadBranch: r.FromRef.DisplayID, BaseBranch: r.ToRef.DisplayID,
			HeadRepository: r.FromRef.Repository.name(), BaseRepository: r.ToRef.Repository.name(),
		},
	}
	if len(r.Links.Self) > 0 {
		e.Request.URL = r.Links.Self[0].Href
	}
	return []Event{e}, nil
}
