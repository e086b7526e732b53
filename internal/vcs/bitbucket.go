package vcs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
)

// cloudClient is the API of Bitbucket Cloud.
type cloudClient struct {
	rest       *rest
	connection Connection
}

func cloudPath(repo string) string { return "/repositories/" + escape(repo) }

type cloudFacts struct {
	MainBranch *struct {
		Name string `json:"name"`
	} `json:"mainbranch"` // null in an empty repository
	Links struct {
		Clone []namedLink `json:"clone"`
	} `json:"links"`
}

type namedLink struct {
	Name string `json:"name"`
	Href string `json:"href"`
}

// sshLink is the address for SSH among those for cloning.
func (r *rest) sshLink(links []namedLink, err error) (string, error) {
	if err != nil {
		return "", err
	}
	for _, link := range links {
		if link.Name == "ssh" {
			return sshURL(link.Href), nil
		}
	}
	return "", &Error{Service: r.service, Detail: "the repository can't be fetched over SSH"}
}

func (b *cloudClient) facts(ctx context.Context, repo string) (cloudFacts, error) {
	var answer cloudFacts
	_, err := b.rest.do(ctx, call{method: http.MethodGet, path: cloudPath(repo), answer: &answer})
	return answer, err
}

func (b *cloudClient) DefaultBranch(ctx context.Context, repo string) (string, error) {
	answer, err := b.facts(ctx, repo)
	if err != nil || answer.MainBranch == nil {
		return "", err
	}
	return answer.MainBranch.Name, nil
}

func (c *cloudCommit) commit() Commit {
	return Commit{ID: c.Hash, Message: c.Message, URL: c.Links.HTML.Href, Author: c.Author.User.user()}
}

func (b *cloudClient) Commit(ctx context.Context, repo, hash string) (Commit, error) {
	var answer cloudCommit
	if _, err := b.rest.do(ctx, call{method: http.MethodGet, path: cloudPath(repo) + "/commit/" + segmented(hash), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return b.rest.head(answer.commit())
}

func (b *cloudClient) Head(ctx context.Context, repo, branch string) (Commit, error) {
	var answer struct {
		Target cloudCommit `json:"target"`
	}
	if _, err := b.rest.do(ctx, call{method: http.MethodGet, path: cloudPath(repo) + "/refs/branches/" + url.PathEscape(branch), answer: &answer}); err != nil {
		return Commit{}, err
	}
	return b.rest.head(answer.Target.commit())
}

func (b *cloudClient) AddHook(ctx context.Context, repo, hook, secret string) (string, error) {
	var answer struct {
		UUID string `json:"uuid"`
	}
	_, err := b.rest.do(ctx, call{method: http.MethodPost, path: cloudPath(repo) + "/hooks", answer: &answer, once: true, send: map[string]any{
		"description": "Belay", "url": hook, "secret": secret, "active": true,
		"events": []string{"repo:push", "pullrequest:created", "pullrequest:updated"},
	}})
	if err == nil && answer.UUID == "" {
		err = &Error{Service: b.rest.service, Detail: "its answer names no id"}
	}
	return answer.UUID, err
}

func (b *cloudClient) Hooks(ctx context.Context, repo, hook string) (ids []string, err error) {
	type list struct {
		Values []struct {
			UUID string `json:"uuid"`
			URL  string `json:"url"`
		} `json:"values"`
		Next string `json:"next"`
	}
	var page list
	whole, err := b.rest.pages(ctx, call{method: http.MethodGet, path: cloudPath(repo) + "/hooks", answer: &page}, "pagelen", 100, func(http.Header) bool {
		for _, h := range page.Values {
			if h.URL == hook {
				ids = append(ids, h.UUID)
			}
		}
		more := page.Next != "" && len(page.Values) > 0
		page = list{}
		return more
	})
	return ids, b.rest.listed(whole, err)
}

func (b *cloudClient) RemoveHook(ctx context.Context, repo, id string) error {
	_, err := b.rest.do(ctx, call{method: http.MethodDelete, path: cloudPath(repo) + "/hooks/" + url.PathEscape(id)})
	return gone(err)
}

func (b *cloudClient) ChangedFiles(ctx context.Context, repo string, number int) ([]string, bool, error) {
	return b.diffstat(ctx, cloudPath(repo)+"/pullrequests/"+strconv.Itoa(number)+"/diffstat", nil)
}

// PushedFiles asks for the plain difference: without topic=false it would be that from where both parted.
func (b *cloudClient) PushedFiles(ctx context.Context, repo, before, after string) ([]string, bool, error) {
	return b.diffstat(ctx, cloudPath(repo)+"/diffstat/"+url.PathEscape(after+".."+before), url.Values{"topic": {"false"}})
}

func (b *cloudClient) diffstat(ctx context.Context, path string, query url.Values) ([]string, bool, error) {
	type file struct {
		Path string `json:"path"`
	}
	type list struct {
		Values []struct {
			Old *file `json:"old"`
			New *file `json:"new"`
		} `json:"values"`
		Next string `json:"next"`
	}
	var page list
	var paths []string
	whole, err := b.rest.pages(ctx, call{method: http.MethodGet, path: path, query: query, answer: &page}, "pagelen", 500, func(http.Header) bool {
		for _, value := range page.Values {
			for _, f := range []*file{value.Old, value.New} {
				if f != nil && f.Path != "" {
					paths = append(paths, f.Path)
				}
			}
		}
		more := page.Next != "" && len(page.Values) > 0
		page = list{}
		return more
	})
	if err != nil || !whole {
		return unlisted(err)
	}
	return changed(paths), true, nil
}

// bitbucketStates is how both Bitbuckets call the states; Data Center has no word for the last.
var bitbucketStates = map[State]string{Pending: "INPROGRESS", Success: "SUCCESSFUL", Failure: "FAILED", Errored: "STOPPED"}

// bitbucketKey is a context within the length of a key: what is longer is known by its sum.
func bitbucketKey(context string, most int) string {
	if len(context) <= most {
		return context
	}
	sum := sha256.Sum256([]byte(context))
	return hex.EncodeToString(sum[:])[:min(most, 2*len(sum))]
}

func (b *cloudClient) SetStatus(ctx context.Context, repo, commit string, s Status) error {
	_, err := b.rest.do(ctx, call{method: http.MethodPost, path: cloudPath(repo) + "/commit/" + segmented(commit) + "/statuses/build", send: map[string]string{
		"key": bitbucketKey(s.Context, 40), "name": cut(s.Context, 255), "state": bitbucketStates[s.State],
		"description": cut(s.Description, 255), "url": s.URL,
	}})
	return err
}

func cloudComment(body string) map[string]any {
	return map[string]any{"content": map[string]string{"raw": body}}
}

func (b *cloudClient) Comment(ctx context.Context, repo string, number int, body string) (string, error) {
	return b.rest.make(ctx, cloudPath(repo)+"/pullrequests/"+strconv.Itoa(number)+"/comments", cloudComment(body))
}

func (b *cloudClient) UpdateComment(ctx context.Context, repo string, number int, id, body string) error {
	path := cloudPath(repo) + "/pullrequests/" + strconv.Itoa(number) + "/comments/" + segmented(id)
	_, err := b.rest.do(ctx, call{method: http.MethodPut, path: path, send: cloudComment(body)})
	return err
}

func (b *cloudClient) CloneURL(repo string) (string, string) {
	return b.connection.HTTPURL + "/" + escape(repo) + ".git", b.connection.user("x-token-auth")
}

func (b *cloudClient) SSHURL(ctx context.Context, repo string) (string, error) {
	answer, err := b.facts(ctx, repo)
	return b.rest.sshLink(answer.Links.Clone, err)
}
