package vcs

import (
	"context"
	"net/http"
	"net/url"
)

// giteaClient is the API of Gitea and Forgejo where it is not GitHub's.
type giteaClient struct{ hubClient }

func (g *giteaClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Commit struct {
			ID      string `json:"id"`
			Message string `json:"message"`
			URL     string `json:"url"`
			Author  struct {
				Name     string `json:"name"`
				Username string `json:"username"`
			} `json:"author"`
		} `json:"commit"`
	}
	if _, err := g.rest.do(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/branches/" + escape(branch), answer: &answer}); err != nil {
		return Commit{}, err
	}
	at := answer.Commit
	name := at.Author.Username
	if name == "" {
		name = at.Author.Name
	}
	return g.rest.head(Commit{ID: at.ID, Message: at.Message, URL: at.URL, Author: User{Username: name}})
}

func (g *giteaClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	return g.commit(ctx, "/repos/"+escape(repo)+"/git/commits/"+segmented(hash))
}

func (g *giteaClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	return g.addHook(ctx, repo, "gitea", []string{"push", "pull_request_only", "pull_request_sync"}, hook, secret)
}

func (g *giteaClient) Hooks(ctx context.Context, repo, hook string) ([]string, error) {
	return g.hooks(ctx, repo, hook, "limit", 50)
}

func (g *giteaClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	files, whole, err := g.requestFiles(ctx, repo, number, "limit", 50)
	if err != nil || !whole {
		return unlisted(err)
	}
	return changed(hubPaths(files)), true, nil
}

// PushedFiles gathers the files of the commits that came, and of those that a forced push took away.
func (g *giteaClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	var lists [][]string
	for _, pair := range []string{before + "..." + after, after + "..." + before} {
		var answer struct {
			TotalCommits int `json:"total_commits"`
			Commits      []struct {
				Files []hubFile `json:"files"`
			} `json:"commits"`
		}
		query := url.Values{"verification": {"false"}}
		_, err := g.rest.do(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/compare/" + url.PathEscape(pair), query: query, answer: &answer})
		if err != nil || answer.TotalCommits > len(answer.Commits) {
			return unlisted(err)
		}
		for _, c := range answer.Commits {
			lists = append(lists, hubPaths(c.Files))
		}
	}
	return changed(lists...), true, nil
}

func (g *giteaClient) CloneURL(repo string) (string, string) {
	address, _ := g.hubClient.CloneURL(repo)
	return address, g.connection.user("oauth2")
}
