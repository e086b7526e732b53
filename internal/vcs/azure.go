package vcs

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// azureVersion is the API's that all servers since 2019 know.
const azureVersion = "5.0"

// azureClient is the API of Azure DevOps Services and Server.
type azureClient struct {
	rest       *rest
	connection Connection
}

// split takes an identifier apart: organization/project/_git/repository.
func (a *azureClient) split(repo string) (organization, project, name string, err error) {
	parts := strings.Split(repo, "/")
	if len(parts) != 4 || parts[2] != "_git" {
		return "", "", "", &Error{Service: a.rest.service, Detail: "the identifier must be of the form :org/:project/_git/:repo"}
	}
	return segmented(parts[0]), segmented(parts[1]), segmented(parts[3]), nil
}

// ask is one call below a repository, with the version of the API.
func (a *azureClient) ask(ctx context.Context, repo string, c call) error {
	organization, project, name, err := a.split(repo)
	if err != nil {
		return err
	}
	c.path = "/" + organization + "/" + project + "/_apis/git/repositories/" + name + c.path
	return a.versioned(ctx, c)
}

func (a *azureClient) versioned(ctx context.Context, c call) error {
	if c.query == nil {
		c.query = url.Values{}
	}
	c.query.Set("api-version", azureVersion)
	_, err := a.rest.do(ctx, c)
	return err
}

type azureFacts struct {
	ID            string `json:"id"`
	DefaultBranch string `json:"defaultBranch"`
	SSHURL        string `json:"sshUrl"`
	Project       struct {
		ID string `json:"id"`
	} `json:"project"`
}

func (a *azureClient) facts(ctx context.Context, repo string) (azureFacts, error) {
	var answer azureFacts
	err := a.ask(ctx, repo, call{method: http.MethodGet, answer: &answer})
	return answer, err
}

func (a *azureClient) DefaultBranch(ctx context.Context, repo string) (string, error) {
	answer, err := a.facts(ctx, repo)
	return strings.TrimPrefix(answer.DefaultBranch, "refs/heads/"), err
}

type azureDetails struct {
	CommitID string `json:"commitId"`
	Comment  string `json:"comment"`
	Author   struct {
		Name string `json:"name"`
	} `json:"author"`
	RemoteURL string `json:"remoteUrl"`
}

func (d azureDetails) commit() Commit {
	return Commit{ID: d.CommitID, Message: d.Comment, URL: d.RemoteURL, Author: User{Username: d.Author.Name}}
}

func (a *azureClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	var answer azureDetails
	if err := a.ask(ctx, repo, call{method: http.MethodGet, path: "/commits/" + segmented(hash), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return a.rest.head(answer.commit())
}

func (a *azureClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Value []azureDetails `json:"value"`
	}
	query := url.Values{
		"searchCriteria.itemVersion.version": {branch}, "searchCriteria.itemVersion.versionType": {"branch"}, "searchCriteria.$top": {"1"},
	}
	if err := a.ask(ctx, repo, call{method: http.MethodGet, path: "/commits", query: query, answer: &answer}); err != nil {
		return Commit{}, err
	}
	if len(answer.Value) == 0 {
		return a.rest.head(Commit{})
	}
	return a.rest.head(answer.Value[0].commit())
}

// azureSubscriptions is what is subscribed to: one event each. Of updated pull requests only those with
// other commits.
var azureSubscriptions = []struct{ event, only string }{
	{event: "git.push"}, {event: "git.pullrequest.created"}, {event: "git.pullrequest.updated", only: "PushNotification"},
}

// AddHook makes three subscriptions, which are one hook: all of them or none.
func (a *azureClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	organization, _, _, err := a.split(repo)
	if err != nil {
		return "", err
	}
	facts, err := a.facts(ctx, repo)
	if err != nil {
		return "", err
	}
	var made []string
	for _, s := range azureSubscriptions {
		inputs := map[string]string{"projectId": facts.Project.ID, "repository": facts.ID}
		if s.only != "" {
			inputs["notificationType"] = s.only
		}
		var answer struct {
			ID string `json:"id"`
		}
		err := a.versioned(ctx, call{method: http.MethodPost, path: "/" + organization + "/_apis/hooks/subscriptions", once: true, answer: &answer, send: map[string]any{
			"publisherId": "tfs", "eventType": s.event, "resourceVersion": "1.0",
			"consumerId": "webHooks", "consumerActionId": "httpRequest", "publisherInputs": inputs,
			"consumerInputs": map[string]string{"url": hook, "basicAuthUsername": HookUser, "basicAuthPassword": secret},
		}})
		if err != nil {
			_ = a.RemoveHook(ctx, repo, strings.Join(made, ",")) // the first failure is the one to tell
			return "", err
		}
		made = append(made, answer.ID)
	}
	return strings.Join(made, ","), nil
}

// Hooks is the subscriptions that send to a URL, of whatever repository: no other has it.
func (a *azureClient) Hooks(ctx context.Context, repo, hook string) (ids []string, err error) {
	organization, _, _, err := a.split(repo)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value []struct {
			ID     string `json:"id"`
			Inputs struct {
				URL string `json:"url"`
			} `json:"consumerInputs"`
		} `json:"value"`
	}
	query := url.Values{"publisherId": {"tfs"}, "consumerId": {"webHooks"}, "consumerActionId": {"httpRequest"}}
	err = a.versioned(ctx, call{method: http.MethodGet, path: "/" + organization + "/_apis/hooks/subscriptions", query: query, answer: &answer})
	for _, s := range answer.Value {
		if s.Inputs.URL == hook {
			ids = append(ids, s.ID)
		}
	}
	return ids, err
}

func (a *azureClient) RemoveHook(ctx context.Context, repo, id string) error {
	organization, _, _, err := a.split(repo)
	if err != nil {
		return err
	}
	var failed error
	for _, one := range strings.FieldsFunc(id, func(r rune) bool { return r == ',' }) {
		err := gone(a.versioned(ctx, call{method: http.MethodDelete, path: "/" + organization + "/_apis/hooks/subscriptions/" + segmented(one)}))
		if failed == nil {
			failed = err
		}
	}
	return failed
}

type azureChange struct {
	Item struct {
		Path     string `json:"path"`
		IsFolder bool   `json:"isFolder"`
	} `json:"item"`
	SourceServerItem string `json:"sourceServerItem"` // where a file that was renamed lay
	OriginalPath     string `json:"originalPath"`     // the same, of pull requests
}

func azurePaths(changes []azureChange) []string {
	var paths []string
	for _, c := range changes {
		for _, path := range []string{c.Item.Path, c.SourceServerItem, c.OriginalPath} {
			if path != "" && !c.Item.IsFolder {
				paths = append(paths, strings.TrimPrefix(path, "/"))
			}
		}
	}
	return paths
}

// azurePage is how many changes are asked for at a time.
const azurePage = 2000

// ChangedFiles asks the latest iteration of the pull request for what it changes in all.
func (a *azureClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	path := "/pullRequests/" + strconv.Itoa(number) + "/iterations"
	var iterations struct {
		Value []struct {
			ID int `json:"id"`
		} `json:"value"`
	}
	if err := a.ask(ctx, repo, call{method: http.MethodGet, path: path, answer: &iterations}); err != nil {
		return unlisted(err)
	}
	latest := 0
	for _, i := range iterations.Value {
		latest = max(latest, i.ID)
	}
	if latest == 0 {
		return nil, false, nil
	}
	var paths []string
	for skip, page := 0, 0; page < maxPages; page++ {
		var answer struct {
			Changes  []azureChange `json:"changeEntries"`
			NextSkip int           `json:"nextSkip"`
		}
		query := url.Values{"$top": {strconv.Itoa(azurePage)}, "$skip": {strconv.Itoa(skip)}, "compareTo": {"0"}}
		if err := a.ask(ctx, repo, call{method: http.MethodGet, path: path + "/" + strconv.Itoa(latest) + "/changes", query: query, answer: &answer}); err != nil {
			return unlisted(err)
		}
		paths = append(paths, azurePaths(answer.Changes)...)
		if answer.NextSkip <= skip {
			return changed(paths), true, nil
		}
		skip = answer.NextSkip
	}
	return nil, false, nil
}

func (a *azureClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	var paths []string
	for page := range maxPages {
		var answer struct {
			All     bool          `json:"allChangesIncluded"`
			Changes []azureChange `json:"changes"`
		}
		query := url.Values{
			"baseVersion": {before}, "baseVersionType": {"commit"}, "targetVersion": {after}, "targetVersionType": {"commit"},
			"diffCommonCommit": {"false"}, "$top": {strconv.Itoa(azurePage)}, "$skip": {strconv.Itoa(page * azurePage)},
		}
		if err := a.ask(ctx, repo, call{method: http.MethodGet, path: "/diffs/commits", query: query, answer: &answer}); err != nil {
			return unlisted(err)
		}
		paths = append(paths, azurePaths(answer.Changes)...)
		if answer.All || len(answer.Changes) == 0 {
			return changed(paths), true, nil
		}
	}
	return nil, false, nil
}

// azureStates is how Azure DevOps calls the states.
var azureStates = map[State]string{Pending: "pending", Success: "succeeded", Failure: "failed", Errored: "error"}

func (a *azureClient) SetStatus(ctx context.Context, repo, commit string, s Status) error {
	genre, name, found := strings.Cut(s.Context, "/")
	if !found {
		genre, name = "", s.Context
	}
	return a.ask(ctx, repo, call{method: http.MethodPost, path: "/commits/" + segmented(commit) + "/statuses", send: map[string]any{
		"state": azureStates[s.State], "description": cut(s.Description, 255), "targetUrl": s.URL,
		"context": map[string]string{"genre": genre, "name": cut(name, 255)},
	}})
}

// Comment opens a thread that asks for nothing. Its id is the thread's and the comment's.
func (a *azureClient) Comment(ctx context.Context, repo string, number int, body string) (string, error) {
	var answer struct {
		ID       int `json:"id"`
		Comments []struct {
			ID int `json:"id"`
		} `json:"comments"`
	}
	err := a.ask(ctx, repo, call{method: http.MethodPost, path: "/pullRequests/" + strconv.Itoa(number) + "/threads", answer: &answer, once: true, send: map[string]any{
		"comments": []map[string]any{{"parentCommentId": 0, "content": body, "commentType": "text"}}, "status": "closed",
	}})
	if err == nil && len(answer.Comments) == 0 {
		err = &Error{Service: a.rest.service, Detail: "its answer names no id"}
	}
	if err != nil {
		return "", err
	}
	return strconv.Itoa(answer.ID) + "/" + strconv.Itoa(answer.Comments[0].ID), nil
}

func (a *azureClient) UpdateComment(ctx context.Context, repo string, number int, id, body string) error {
	thread, comment, _ := strings.Cut(id, "/")
	path := "/pullRequests/" + strconv.Itoa(number) + "/threads/" + segmented(thread) + "/comments/" + segmented(comment)
	return a.ask(ctx, repo, call{method: http.MethodPatch, path: path, send: map[string]string{"content": body}})
}

func (a *azureClient) CloneURL(repo string) (string, string) {
	return a.connection.HTTPURL + "/" + escape(repo), a.connection.user(HookUser)
}

func (a *azureClient) SSHURL(ctx context.Context, repo string) (string, error) {
	answer, err := a.facts(ctx, repo)
	return sshURL(answer.SSHURL), err
}
