package vcs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// centerClient is the API of Bitbucket Data Center and of the servers before it.
type centerClient struct {
	rest       *rest
	connection Connection
}

// centerPath is where a repository is; its identifier is the project's key and the repository's slug.
func centerPath(repo string) string {
	key, slug, _ := strings.Cut(repo, "/")
	return "/api/1.0/projects/" + segmented(key) + "/repos/" + segmented(slug)
}

func (b *centerClient) get(ctx context.Context, path string, query url.Values, answer any) error {
	_, err := b.rest.do(ctx, call{method: http.MethodGet, path: path, query: query, answer: answer})
	return err
}

func (b *centerClient) DefaultBranch(ctx context.Context, repo string) (string, error) {
	var answer struct {
		DisplayID string `json:"displayId"`
	}
	err := b.get(ctx, centerPath(repo)+"/default-branch", nil, &answer)
	if NotFound(err) { // servers before 7.5
		err = b.get(ctx, centerPath(repo)+"/branches/default", nil, &answer)
	}
	return answer.DisplayID, err
}

func (c *centerCommit) commit() Commit {
	return Commit{ID: c.ID, Message: c.Message, Author: User{Username: c.Author.Name}}
}

func (b *centerClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	var answer centerCommit
	if err := b.get(ctx, centerPath(repo)+"/commits/"+segmented(hash), nil, &answer); err != nil {
		return Commit{}, err
	}
	return b.rest.head(answer.commit())
}

func (b *centerClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Values []centerCommit `json:"values"`
	}
	query := url.Values{"until": {"refs/heads/" + branch}, "limit": {"1"}}
	if err := b.get(ctx, centerPath(repo)+"/commits", query, &answer); err != nil {
		return Commit{}, err
	}
	if len(answer.Values) == 0 {
		return b.rest.head(Commit{})
	}
	return b.rest.head(answer.Values[0].commit())
}

func (b *centerClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	return b.rest.make(ctx, centerPath(repo)+"/webhooks", map[string]any{
		"name": "Belay", "url": hook, "active": true, "configuration": map[string]string{"secret": secret},
		"events": []string{"repo:refs_changed", "pr:opened", "pr:from_ref_updated"},
	})
}

func (b *centerClient) Hooks(ctx context.Context, repo, hook string) (ids []string, err error) {
	query := url.Values{"limit": {"100"}}
	for range maxPages {
		var page struct {
			Values []struct {
				ID  int64  `json:"id"`
				URL string `json:"url"`
			} `json:"values"`
			Next *int `json:"nextPageStart"`
		}
		if err := b.get(ctx, centerPath(repo)+"/webhooks", query, &page); err != nil {
			return nil, err
		}
		for _, h := range page.Values {
			if h.URL == hook {
				ids = append(ids, strconv.FormatInt(h.ID, 10))
			}
		}
		if page.Next == nil {
			return ids, nil
		}
		query.Set("start", strconv.Itoa(*page.Next))
	}
	return nil, b.rest.listed(false, nil)
}

func (b *centerClient) RemoveHook(ctx context.Context, repo, id string) error {
	_, err := b.rest.do(ctx, call{method: http.MethodDelete, path: centerPath(repo) + "/webhooks/" + segmented(id)})
	return gone(err)
}

func (b *centerClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	return b.changes(ctx, centerPath(repo)+"/pull-requests/"+strconv.Itoa(number)+"/changes", url.Values{})
}

func (b *centerClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	return b.changes(ctx, centerPath(repo)+"/changes", url.Values{"since": {before}, "until": {after}})
}

// changes follows a list whose pages begin where the one before says.
func (b *centerClient) changes(ctx context.Context, path string, query url.Values) ([]string, bool, error) {
	type file struct {
		Text string `json:"toString"`
	}
	var paths []string
	query.Set("limit", "1000")
	for range maxPages {
		var page struct {
			Values []struct {
				Path    *file `json:"path"`
				SrcPath *file `json:"srcPath"`
			} `json:"values"`
			IsLastPage bool `json:"isLastPage"`
			Next       *int `json:"nextPageStart"`
		}
		if err := b.get(ctx, path, query, &page); err != nil {
			return unlisted(err)
		}
		for _, value := range page.Values {
			for _, f := range []*file{value.Path, value.SrcPath} {
				if f != nil && f.Text != "" {
					paths = append(paths, f.Text)
				}
			}
		}
		if page.IsLastPage {
			return changed(paths), true, nil
		}
		if page.Next == nil { // it leaves off, and says that there is more
			return nil, false, nil
		}
		query.Set("start", strconv.Itoa(*page.Next))
	}
	return nil, false, nil
}

func (b *centerClient) SetStatus(ctx context.Context, _, commit string, s Status) error {
	state := bitbucketStates[s.State]
	if s.State == Errored {
		state = bitbucketStates[Failure]
	}
	_, err := b.rest.do(ctx, call{method: http.MethodPost, path: "/build-status/1.0/commits/" + segmented(commit), send: map[string]string{
		"key": bitbucketKey(s.Context, 255), "name": cut(s.Context, 255), "state": state,
		"description": cut(s.Description, 255), "url": s.URL,
	}})
	return err
}

func (b *centerClient) Comment(ctx context.Context, repo string, number int, body string) (string, error) {
	return b.rest.make(ctx, centerPath(repo)+"/pull-requests/"+strconv.Itoa(number)+"/comments", map[string]string{"text": body})
}

// UpdateComment names the version it changes, and looks again when somebody was in between.
func (b *centerClient) UpdateComment(ctx context.Context, repo string, number int, id, body string) error {
	path := centerPath(repo) + "/pull-requests/" + strconv.Itoa(number) + "/comments/" + segmented(id)
	for try := 1; ; try++ {
		var there struct {
			Version int `json:"version"`
		}
		if err := b.get(ctx, path, nil, &there); err != nil {
			return err
		}
		_, err := b.rest.do(ctx, call{method: http.MethodPut, path: path, send: map[string]any{"text": body, "version": there.Version}})
		var failed *Error
		if !errors.As(err, &failed) || failed.Status != http.StatusConflict || try == tries {
			return err
		}
	}
}

func (b *centerClient) CloneURL(repo string) (string, string) {
	return b.connection.HTTPURL + "/scm/" + escape(repo) + ".git", b.connection.user("x-token-auth")
}

func (b *centerClient) SSHURL(ctx context.Context, repo string) (string, error) {
	var answer struct {
		Links struct {
			Clone []namedLink `json:"clone"`
		} `json:"links"`
	}
	err := b.get(ctx, centerPath(repo), nil, &answer)
	return b.rest.sshLink(answer.Links.Clone, err)
}
