package vcs

// Payloads of Bitbucket Cloud. They name no file.

type cloudLink struct {
	Href string `json:"href"`
}

type cloudLinks struct {
	HTML   cloudLink `json:"html"`
	Avatar cloudLink `json:"avatar"`
}

type cloudUser struct {
	Nickname    string     `json:"nickname"`
	DisplayName string     `json:"display_name"`
	Links       cloudLinks `json:"links"`
}

func (u *cloudUser) user() User {
	if u == nil {
		return User{}
	}
	name := u.Nickname
	if name == "" {
		name = u.DisplayName
	}
	return User{Username: name, AvatarURL: u.Links.Avatar.Href, URL: u.Links.HTML.Href}
}

type cloudRepository struct {
	FullName string `json:"full_name"`
}

type cloudCommit struct {
	Hash    string `json:"hash"`
	Message string `json:"message"`
	Author  struct {
		User *cloudUser `json:"user"`
	} `json:"author"`
	Links cloudLinks `json:"links"`
}

type cloudRef struct {
	Type   string      `json:"type"` // branch or tag; also annotated_tag
	Name   string      `json:"name"`
	Target cloudCommit `json:"target"`
}

type cloudChange struct {
	New    *cloudRef  `json:"new"` // null when it is closed
	Old    *cloudRef  `json:"old"` // null when it is new
	Forced bool       `json:"forced"`
	Links  cloudLinks `json:"links"`
}

type cloudPush struct {
	Actor      *cloudUser      `json:"actor"`
	Repository cloudRepository `json:"repository"`
	Push       struct {
		Changes []cloudChange `json:"changes"`
	} `json:"push"`
}

type cloudSide struct {
	Branch struct {
		Name string `json:"name"`
	} `json:"branch"`
	Commit     *cloudCommit     `json:"commit"`
	Repository *cloudRepository `json:"repository"` // null when the fork is gone
}

func (s cloudSide) name() string {
	if s.Repository == nil {
		return ""
	}
	return s.Repository.FullName
}

type cloudRequest struct {
	Actor      *cloudUser      `json:"actor"`
	Repository cloudRepository `json:"repository"`
	Request    *struct {
		ID          int        `json:"id"`
		Title       string     `json:"title"`
		Description string     `json:"description"`
		Source      cloudSide  `json:"source"`
		Destination cloudSide  `json:"destination"`
		Author      *cloudUser `json:"author"`
		Links       cloudLinks `json:"links"`
	} `json:"pullrequest"`
}

func readCloud(event string, body []byte) ([]Event, error) {
	switch event {
	case "repo:push":
		return readCloudPush(body)
	case "pullrequest:created":
		return readCloudRequest(Opened, body)
	case "pullrequest:updated":
		return readCloudRequest(Updated, body)
	}
	var ignored map[string]any
	return nil, decode(body, &ignored)
}

func readCloudPush(body []byte) ([]Event, error) {
	var p cloudPush
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	var events []Event
	for _, change := range p.Push.Changes {
		e := change.event()
		e.Repository, e.Sender = p.Repository.FullName, p.Actor.user()
		if e.Author == (User{}) {
			e.Author = e.Sender
		}
		events = append(events, e)
	}
	return events, nil
}

func (c *cloudChange) event() Event {
	e := Event{Forced: c.Forced, CompareURL: c.Links.HTML.Href}
	at := c.New
	if c.Old != nil {
		e.BeforeCommit = c.Old.Target.Hash
	}
	if at == nil {
		at, e.Deleted = c.Old, true
	}
	if at == nil {
		return Event{}
	}
	switch at.Type {
	case "branch", "named_branch":
		e.Kind, e.Branch = Push, at.Name
	case "tag", "annotated_tag":
		e.Kind, e.Tag = Tag, at.Name
	}
	if !e.Deleted {
		e.Commit, e.Message, e.CommitURL = at.Target.Hash, at.Target.Message, at.Target.Links.HTML.Href
		e.Author = at.Target.Author.User.user()
	}
	return e
}

func readCloudRequest(action string, body []byte) ([]Event, error) {
	var p cloudRequest
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	if p.Request == nil || p.Request.Source.Commit == nil {
		return nil, nil
	}
	r := p.Request
	return []Event{{
		Kind: PullRequest, Repository: p.Repository.FullName, Commit: r.Source.Commit.Hash,
		CommitURL: r.Source.Commit.Links.HTML.Href, Author: r.Author.user(), Sender: p.Actor.user(),
		Request: &Request{
			Number: r.ID, URL: r.Links.HTML.Href, Title: r.Title, Body: r.Description, Action: action,
			HeadBranch: r.Source.Branch.Name, BaseBranch: r.Destination.Branch.Name,
			HeadRepository: r.Source.name(), BaseRepository: r.Destination.name(),
		},
	}}, nil
}
