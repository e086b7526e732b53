package vcs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// marked looks for a mark in comments, which come in any order, and keeps the oldest that holds it.
type marked struct {
	mark string
	id   int64
}

func (m *marked) look(id int64, text string) {
	if strings.Contains(text, m.mark) && (m.id == 0 || id < m.id) {
		m.id = id
	}
}

// found is the id, or nothing. Of a list that is too long only its beginning was looked at.
func (m *marked) found(err error) (string, error) {
	var failed *Error
	if err != nil && (!errors.As(err, &failed) || !failed.tooLong) {
		return "", err
	}
	if m.id == 0 {
		return "", nil
	}
	return strconv.FormatInt(m.id, 10), nil
}

// note is a comment as GitHub, Gitea and GitLab list it.
type note struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
}

// notes looks through the pages of a list of notes.
func (r *rest) notes(ctx context.Context, path string, query url.Values, mark string) (string, error) {
	m := marked{mark: mark}
	var page []note
	_, err := r.pages(ctx, call{method: http.MethodGet, path: path, query: query, answer: &page}, "per_page", 100, func(header http.Header) bool {
		for _, n := range page {
			m.look(n.ID, n.Body)
		}
		page = nil
		return header.Get("X-Next-Page") != "" || linked(header)
	})
	return m.found(err)
}

func (g *hubClient) FindComment(ctx context.Context, repo string, number int, mark string) (string, error) {
	return g.rest.notes(ctx, "/repos/"+escape(repo)+"/issues/"+strconv.Itoa(number)+"/comments", nil, mark)
}

func (g *gitLabClient) FindComment(ctx context.Context, repo string, number int, mark string) (string, error) {
	oldest := url.Values{"order_by": {"created_at"}, "sort": {"asc"}}
	return g.rest.notes(ctx, project(repo)+"/merge_requests/"+strconv.Itoa(number)+"/notes", oldest, mark)
}

func (b *cloudClient) FindComment(ctx context.Context, repo string, number int, mark string) (string, error) {
	type list struct {
		Values []struct {
			ID      int64 `json:"id"`
			Deleted bool  `json:"deleted"`
			Content struct {
				Raw string `json:"raw"`
			} `json:"content"`
		} `json:"values"`
		Next string `json:"next"`
	}
	m := marked{mark: mark}
	var page list
	path := cloudPath(repo) + "/pullrequests/" + strconv.Itoa(number) + "/comments"
	_, err := b.rest.pages(ctx, call{method: http.MethodGet, path: path, answer: &page}, "pagelen", 100, func(http.Header) bool {
		for _, c := range page.Values {
			if !c.Deleted {
				m.look(c.ID, c.Content.Raw)
			}
		}
		more := page.Next != "" && len(page.Values) > 0
		page = list{}
		return more
	})
	return m.found(err)
}

// FindComment looks through the activities: the server lists comments by file alone.
func (b *centerClient) FindComment(ctx context.Context, repo string, number int, mark string) (string, error) {
	m := marked{mark: mark}
	query := url.Values{"limit": {"100"}}
	for range maxPages {
		var page struct {
			Values []struct {
				Comment *struct {
					ID   int64  `json:"id"`
					Text string `json:"text"`
				} `json:"comment"`
			} `json:"values"`
			Next *int `json:"nextPageStart"`
		}
		if err := b.get(ctx, centerPath(repo)+"/pull-requests/"+strconv.Itoa(number)+"/activities", query, &page); err != nil {
			return m.found(err)
		}
		for _, a := range page.Values {
			if a.Comment != nil {
				m.look(a.Comment.ID, a.Comment.Text)
			}
		}
		if page.Next == nil {
			break
		}
		query.Set("start", strconv.Itoa(*page.Next))
	}
	return m.found(nil)
}

// FindComment says the thread and its comment, as Comment does.
func (a *azureClient) FindComment(ctx context.Context, repo string, number int, mark string) (string, error) {
	var answer struct {
		Value []struct {
			ID       int64 `json:"id"`
			Deleted  bool  `json:"isDeleted"`
			Comments []struct {
				ID      int64  `json:"id"`
				Content string `json:"content"`
				Deleted bool   `json:"isDeleted"`
			} `json:"comments"`
		} `json:"value"`
	}
	err := a.ask(ctx, repo, call{method: http.MethodGet, path: "/pullRequests/" + strconv.Itoa(number) + "/threads", answer: &answer})
	m, within := marked{mark: mark}, int64(0)
	for _, t := range answer.Value {
		for _, c := range t.Comments {
			if before := m.id; !t.Deleted && !c.Deleted {
				if m.look(t.ID, c.Content); m.id != before {
					within = c.ID
				}
			}
		}
	}
	thread, err := m.found(err)
	if thread == "" {
		return "", err
	}
	return thread + "/" + strconv.FormatInt(within, 10), nil
}
