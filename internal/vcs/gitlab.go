package vcs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// gitLabClient is GitLab's API.
type gitLabClient struct {
	rest       *rest
	connection Connection
}

// project is the path of a project, whose identifier is one segment.
func project(repo string) string { return "/projects/" + url.PathEscape(repo) }

type gitLabFacts struct {
	DefaultBranch string `json:"default_branch"`
	SSHURL        string `json:"ssh_url_to_repo"`
}

func (g *gitLabClient) facts(ctx context.Context, repo string) (gitLabFacts, error) {
	var answer gitLabFacts
	_, err := g.rest.do(ctx, call{method: http.MethodGet, path: project(repo), answer: &answer})
	return answer, err
}

func (g *gitLabClient) DefaultBranch(ctx context.Context, repo string) (string, error) {
	answer, err := g.facts(ctx, repo)
	return answer.DefaultBranch, err
}

type gitLabDetails struct {
	ID         string `json:"id"`
	Message    string `json:"message"`
	WebURL     string `json:"web_url"`
	AuthorName string `json:"author_name"`
}

func (d gitLabDetails) commit() Commit {
	return Commit{ID: d.ID, Message: d.Message, URL: d.WebURL, Author: User{Username: d.AuthorName}}
}

func (g *gitLabClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	var answer gitLabDetails
	if _, err := g.rest.do(ctx, call{method: http.MethodGet, path: project(repo) + "/repository/commits/" + segmented(hash), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return g.rest.head(answer.commit())
}

func (g *gitLabClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Commit gitLabDetails `json:"commit"`
	}
	if _, err := g.rest.do(ctx, call{method: http.MethodGet, path: project(repo) + "/repository/branches/" + url.PathEscape(branch), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return g.rest.head(answer.Commit.commit())
}

func (g *gitLabClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	return g.rest.make(ctx, project(repo)+"/hooks", map[string]any{
		"url": hook, "token": secret, "push_events": true, "tag_push_events": true, "merge_requests_events": true,
		"enable_ssl_verification": true,
	})
}

func (g *gitLabClient) Hooks(ctx context.Context, repo, hook string) (ids []string, err error) {
	var page []struct {
		ID  int64  `json:"id"`
		URL string `json:"url"`
	}
	whole, err := g.rest.pages(ctx, call{method: http.MethodGet, path: project(repo) + "/hooks", answer: &page}, "per_page", 100, func(header http.Header) bool {
		for _, h := range page {
			if h.URL == hook {
				ids = append(ids, strconv.FormatInt(h.ID, 10))
			}
		}
		page = nil
		return header.Get("X-Next-Page") != "" || linked(header)
	})
	return ids, g.rest.listed(whole, err)
}

func (g *gitLabClient) RemoveHook(ctx context.Context, repo, id string) error {
	_, err := g.rest.do(ctx, call{method: http.MethodDelete, path: project(repo) + "/hooks/" + segmented(id)})
	return gone(err)
}

type gitLabDiff struct {
	OldPath string `json:"old_path"`
	NewPath string `json:"new_path"`
}

func gitLabPaths(diffs []gitLabDiff) []string {
	var paths []string
	for _, d := range diffs {
		paths = append(paths, d.NewPath)
		if d.OldPath != d.NewPath && d.OldPath != "" {
			paths = append(paths, d.OldPath)
		}
	}
	return paths
}

// ChangedFiles asks first whether GitLab counts all of them: the number ends in + when it does not, and
// then the list lacks some without saying so.
func (g *gitLabClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	var request struct {
		ChangesCount string `json:"changes_count"` // empty until GitLab has counted
	}
	path := project(repo) + "/merge_requests/" + strconv.Itoa(number)
	_, err := g.rest.do(ctx, call{method: http.MethodGet, path: path, answer: &request})
	if err != nil || strings.HasSuffix(request.ChangesCount, "+") || request.ChangesCount == "" {
		return unlisted(err)
	}
	var diffs, page []gitLabDiff
	whole, err := g.rest.pages(ctx, call{method: http.MethodGet, path: path + "/diffs", answer: &page}, "per_page", 100, func(header http.Header) bool {
		diffs, page = append(diffs, page...), nil
		return header.Get("X-Next-Page") != "" || linked(header)
	})
	if count, bad := strconv.Atoi(request.ChangesCount); err != nil || !whole || bad != nil || len(diffs) < count {
		return unlisted(err)
	}
	return changed(gitLabPaths(diffs)), true, nil
}

func (g *gitLabClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	var answer struct {
		Diffs   []gitLabDiff `json:"diffs"`
		Timeout bool         `json:"compare_timeout"`
	}
	query := url.Values{"from": {before}, "to": {after}, "straight": {"true"}}
	_, err := g.rest.do(ctx, call{method: http.MethodGet, path: project(repo) + "/repository/compare", query: query, answer: &answer})
	if err != nil || answer.Timeout {
		return unlisted(err)
	}
	return changed(gitLabPaths(answer.Diffs)), true, nil
}

// gitLabStates is how GitLab calls the states.
var gitLabStates = map[State]string{Pending: "pending", Success: "success", Failure: "failed", Errored: "canceled"}

func (g *gitLabClient) SetStatus(ctx context.Context, repo, commit string, s Status) error {
	_, err := g.rest.do(ctx, call{method: http.MethodPost, path: project(repo) + "/statuses/" + segmented(commit), send: map[string]string{
		"state": gitLabStates[s.State], "name": cut(s.Context, 255), "description": cut(s.Description, 255), "target_url": s.URL,
	}})
	var failed *Error
	if errors.As(err, &failed) && failed.Status == http.StatusBadRequest && strings.Contains(failed.Detail, "Cannot transition status") {
		return nil // it is in that state already
	}
	return err
}

func (g *gitLabClient) Comment(ctx context.Context, repo string, number int, body string) (string, error) {
	return g.rest.make(ctx, project(repo)+"/merge_requests/"+strconv.Itoa(number)+"/notes", map[string]string{"body": body})
}

func (g *gitLabClient) UpdateComment(ctx context.Context, repo string, number int, id, body string) error {
	path := project(repo) + "/merge_requests/" + strconv.Itoa(number) + "/notes/" + segmented(id)
	_, err := g.rest.do(ctx, call{method: http.MethodPut, path: path, send: map[string]string{"body": body}})
	return err
}

func (g *gitLabClient) CloneURL(repo string) (string, string) {
	return g.connection.HTTPURL + "/" + escape(repo) + ".git", "oauth2"
}

func (g *gitLabClient) SSHURL(ctx context.Context, repo string) (string, error) {
	answer, err := g.facts(ctx, repo)
	return sshURL(answer.SSHURL), err
}
