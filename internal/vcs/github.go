package vcs

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// hubRequestFiles is the number of files of a pull request, or of a comparison, from which GitHub leaves some out.
const hubRequestFiles = 300

// hubClient is GitHub's API, of which Gitea has most.
type hubClient struct {
	rest       *rest
	connection Connection
}

type hubRepo struct {
	DefaultBranch string `json:"default_branch"`
	SSHURL        string `json:"ssh_url"`
}

func (g *hubClient) repository(ctx context.Context, repo string) (hubRepo, error) {
	var answer hubRepo
	_, err := g.rest.do(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo), answer: &answer})
	return answer, err
}

func (g *hubClient) DefaultBranch(ctx context.Context, repo string) (string, error) {
	answer, err := g.repository(ctx, repo)
	return answer.DefaultBranch, err
}

// hubDetails is a commit as the API of both shows it.
type hubDetails struct {
	SHA     string   `json:"sha"`
	HTMLURL string   `json:"html_url"`
	Author  *hubUser `json:"author"` // null when nobody has the address of the commit
	Commit  struct {
		Message string `json:"message"`
		Author  struct {
			Name string `json:"name"`
		} `json:"author"`
	} `json:"commit"`
}

func (d *hubDetails) commit() Commit {
	c := Commit{ID: d.SHA, Message: d.Commit.Message, URL: d.HTMLURL, Author: User{Username: d.Commit.Author.Name}}
	if d.Author != nil && d.Author.Login != "" {
		c.Author = d.Author.user()
	}
	return c
}

func (g *hubClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	return g.commit(ctx, "/repos/"+escape(repo)+"/commits/"+segmented(hash))
}

func (g *hubClient) commit(ctx context.Context, path string) (Commit, error) {
	var answer hubDetails
	if _, err := g.rest.do(ctx, call{method: http.MethodGet, path: path, answer: &answer}); err != nil {
		return Commit{}, err
	}
	return g.rest.head(answer.commit())
}

func (g *hubClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Commit hubDetails `json:"commit"`
	}
	if _, err := g.rest.do(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/branches/" + escape(branch), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return g.rest.head(answer.Commit.commit())
}

func (g *hubClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	return g.addHook(ctx, repo, "web", []string{"push", "pull_request"}, hook, secret)
}

func (g *hubClient) addHook(ctx context.Context, repo, kind string, events []string, hook, secret string) (string, error) {
	config := map[string]string{"url": hook, "content_type": "json", "secret": secret}
	fields := map[string]any{"events": events, "active": true, "config": config}
	if kind == "web" {
		config["insecure_ssl"] = "0"
		fields["name"] = kind
	} else {
		fields["type"] = kind
	}
	return g.rest.make(ctx, "/repos/"+escape(repo)+"/hooks", fields)
}

func (g *hubClient) Hooks(ctx context.Context, repo, hook string) ([]string, error) {
	return g.hooks(ctx, repo, hook, "per_page", 100)
}

func (g *hubClient) hooks(ctx context.Context, repo, hook, size string, count int) (ids []string, err error) {
	var page []struct {
		ID     int64 `json:"id"`
		Config struct {
			URL string `json:"url"`
		} `json:"config"`
	}
	whole, err := g.rest.pages(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/hooks", answer: &page}, size, count, func(header http.Header) bool {
		for _, h := range page {
			if h.Config.URL == hook {
				ids = append(ids, strconv.FormatInt(h.ID, 10))
			}
		}
		page = nil
		return linked(header)
	})
	return ids, g.rest.listed(whole, err)
}

func (g *hubClient) RemoveHook(ctx context.Context, repo, id string) error {
	_, err := g.rest.do(ctx, call{method: http.MethodDelete, path: "/repos/" + escape(repo) + "/hooks/" + segmented(id)})
	return gone(err)
}

type hubFile struct {
	Filename string `json:"filename"`
	Previous string `json:"previous_filename"`
}

func hubPaths(files []hubFile) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Filename)
		if f.Previous != "" {
			paths = append(paths, f.Previous)
		}
	}
	return paths
}

func (g *hubClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	files, whole, err := g.requestFiles(ctx, repo, number, "per_page", 100)
	if err != nil || !whole || len(files) >= hubRequestFiles {
		return unlisted(err)
	}
	return changed(hubPaths(files)), true, nil
}

func (g *hubClient) requestFiles(ctx context.Context, repo string, number int, size string, count int) ([]hubFile, bool, error) {
	var files, page []hubFile
	c := call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/pulls/" + strconv.Itoa(number) + "/files", answer: &page}
	whole, err := g.rest.pages(ctx, c, size, count, func(header http.Header) bool {
		files, page = append(files, page...), nil
		return linked(header)
	})
	return files, whole, err
}

// PushedFiles asks for both directions, so that what a forced push took away counts as well.
func (g *hubClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	var all []string
	for _, pair := range []string{before + "..." + after, after + "..." + before} {
		var answer struct {
			Status string    `json:"status"`
			Files  []hubFile `json:"files"`
		}
		_, err := g.rest.do(ctx, call{method: http.MethodGet, path: "/repos/" + escape(repo) + "/compare/" + url.PathEscape(pair), answer: &answer})
		if err != nil || len(answer.Files) >= hubRequestFiles {
			return unlisted(err)
		}
		all = append(all, hubPaths(answer.Files)...)
		if answer.Status == "ahead" || answer.Status == "identical" { // nothing was taken away
			break
		}
	}
	return changed(all), true, nil
}

func (g *hubClient) SetStatus(ctx context.Context, repo, commit string, s Status) error {
	_, err := g.rest.do(ctx, call{method: http.MethodPost, path: "/repos/" + escape(repo) + "/statuses/" + segmented(commit), send: map[string]string{
		"state": string(s.State), "context": cut(s.Context, 255), "description": cut(s.Description, 140), "target_url": s.URL,
	}})
	return err
}

func (g *hubClient) Comment(ctx context.Context, repo string, number int, body string) (string, error) {
	return g.rest.make(ctx, "/repos/"+escape(repo)+"/issues/"+strconv.Itoa(number)+"/comments", map[string]string{"body": body})
}

func (g *hubClient) UpdateComment(ctx context.Context, repo string, _ int, id, body string) error {
	_, err := g.rest.do(ctx, call{method: http.MethodPatch, path: "/repos/" + escape(repo) + "/issues/comments/" + segmented(id), send: map[string]string{"body": body}})
	return err
}

func (g *hubClient) CloneURL(repo string) (string, string) {
	return g.connection.HTTPURL + "/" + escape(repo) + ".git", "x-access-token"
}

func (g *hubClient) SSHURL(ctx context.Context, repo string) (string, error) {
	answer, err := g.repository(ctx, repo)
	return sshURL(answer.SSHURL), err
}

// head is a commit, unless the answer names none.
func (r *rest) head(c Commit) (Commit, error) {
	if !isHash.MatchString(c.ID) {
		return Commit{}, &Error{Service: r.service, Detail: "there is no such commit"}
	}
	return c, nil
}

// make makes something at the service, once, and gives its id as text.
func (r *rest) make(ctx context.Context, path string, send any) (string, error) {
	var answer struct {
		ID int64 `json:"id"`
	}
	_, err := r.do(ctx, call{method: http.MethodPost, path: path, send: send, answer: &answer, once: true})
	if err == nil && answer.ID == 0 {
		err = &Error{Service: r.service, Detail: "its answer names no id"}
	}
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(answer.ID, 10), nil
}
