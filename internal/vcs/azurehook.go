package vcs

import (
	"net/url"
	"strconv"
	"strings"
)

// Payloads of Azure DevOps. They name no file and no page of a commit.

type azureUser struct {
	DisplayName string `json:"displayName"`
	UniqueName  string `json:"uniqueName"`
	ImageURL    string `json:"imageUrl"`
}

func (u azureUser) user() User {
	name := u.UniqueName
	if name == "" {
		name = u.DisplayName
	}
	return User{Username: name, AvatarURL: u.ImageURL}
}

type azureRepository struct {
	Name          string `json:"name"`
	DefaultBranch string `json:"defaultBranch"`
	RemoteURL     string `json:"remoteUrl"`
	Project       struct {
		Name string `json:"name"`
	} `json:"project"`
}

// identifier is organization/project/_git/repository. The organization, or collection, is in the
// address alone: before the project, or as the name of the host.
func (r azureRepository) identifier() string {
	at, err := url.Parse(r.RemoteURL)
	if err != nil || r.Name == "" || r.Project.Name == "" {
		return ""
	}
	before, _, found := strings.Cut(at.Path, "/_git/")
	parts := strings.Split(strings.Trim(before, "/"), "/")
	if len(parts) > 1 && strings.EqualFold(parts[len(parts)-1], r.Project.Name) {
		parts = parts[:len(parts)-1] // left out where the repository is called like its project
	}
	organization := ""
	if len(parts) > 0 {
		organization = parts[len(parts)-1]
	}
	if host := strings.ToLower(at.Hostname()); strings.HasSuffix(host, ".visualstudio.com") {
		organization, _, _ = strings.Cut(host, ".")
	}
	if !found || organization == "" {
		return ""
	}
	return organization + "/" + r.Project.Name + "/_git/" + r.Name
}

func (r azureRepository) defaultBranch() string {
	return strings.TrimPrefix(r.DefaultBranch, "refs/heads/")
}

type azurePush struct {
	Resource struct {
		RefUpdates []struct {
			Name        string `json:"name"`
			OldObjectID string `json:"oldObjectId"`
			NewObjectID string `json:"newObjectId"`
		} `json:"refUpdates"`
		Commits []struct {
			CommitID string `json:"commitId"`
			Comment  string `json:"comment"`
			Author   struct {
				Name string `json:"name"`
			} `json:"author"`
		} `json:"commits"`
		Repository azureRepository `json:"repository"`
		PushedBy   azureUser       `json:"pushedBy"`
	} `json:"resource"`
}

type azureRequest struct {
	Resource struct {
		Number      int             `json:"pullRequestId"`
		Status      string          `json:"status"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Source      string          `json:"sourceRefName"`
		Target      string          `json:"targetRefName"`
		Repository  azureRepository `json:"repository"`
		CreatedBy   azureUser       `json:"createdBy"`
		Last        *struct {
			CommitID string `json:"commitId"`
		} `json:"lastMergeSourceCommit"`
		Fork *struct {
			Repository azureRepository `json:"repository"`
		} `json:"forkSource"`
		Links struct {
			Web cloudLink `json:"web"`
		} `json:"_links"`
	} `json:"resource"`
}

func readAzure(body []byte) ([]Event, error) {
	var sent struct {
		EventType string `json:"eventType"`
	}
	if err := decode(body, &sent); err != nil {
		return nil, err
	}
	switch sent.EventType {
	case "git.push":
		return readAzurePush(body)
	case "git.pullrequest.created":
		return readAzureRequest(Opened, body)
	case "git.pullrequest.updated":
		return readAzureRequest(Updated, body)
	}
	return nil, nil
}

func readAzurePush(body []byte) ([]Event, error) {
	var p azurePush
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	r := &p.Resource
	var events []Event
	for _, u := range r.RefUpdates {
		kind, name := ref(u.Name)
		e := Event{
			Kind: kind, Repository: r.Repository.identifier(), DefaultBranch: r.Repository.defaultBranch(),
			Commit: u.NewObjectID, BeforeCommit: u.OldObjectID, Sender: r.PushedBy.user(), Author: r.PushedBy.user(),
		}
		switch kind {
		case Push:
			e.Branch = name
		case Tag:
			e.Tag = name
		}
		for _, c := range r.Commits {
			if c.CommitID == u.NewObjectID {
				e.Message = c.Comment
				if c.Author.Name != "" {
					e.Author = User{Username: c.Author.Name}
				}
			}
		}
		events = append(events, e)
	}
	return events, nil
}

func readAzureRequest(action string, body []byte) ([]Event, error) {
	var p azureRequest
	if err := decode(body, &p); err != nil {
		return nil, err
	}
	r := &p.Resource
	_, head := ref(r.Source)
	_, base := ref(r.Target)
	if r.Last == nil || r.Status != "active" || base == "" {
		return nil, nil
	}
	repository := r.Repository.identifier()
	from := repository
	if r.Fork != nil {
		from = r.Fork.Repository.identifier()
	}
	web := r.Links.Web.Href
	if web == "" && r.Repository.RemoteURL != "" {
		web = r.Repository.RemoteURL + "/pullrequest/" + strconv.Itoa(r.Number)
	}
	return []Event{{
		Kind: PullRequest, Repository: repository, DefaultBranch: r.Repository.defaultBranch(),
		Commit: r.Last.CommitID, Author: r.CreatedBy.user(), Sender: r.CreatedBy.user(),
		Request: &Request{
			Number: r.Number, URL: web, Title: r.Title, Body: r.Description, Action: action,
			HeadBranch: head, BaseBranch: base, HeadRepository: from, BaseRepository: repository,
		},
	}}, nil
}
