package vcs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxAnswer    = 8 << 20          // more than any page of any list
	tries        = 3                // for what failed on the service's side
	longestWait  = 10 * time.Second // a service that wants more is asked again by whoever comes back later
	maxRedirects = 3
	maxPages     = 40
)

// rest asks an API: with retries, within limits, and never another host than the connection's.
type rest struct {
	client  *http.Client
	service string // its name for people
	base    *url.URL
	header  http.Header // of every request: who we are
	secret  string      // must be in no error
	tokens  Tokens      // who we are, where that ends and is begun anew; nil: header says it
	lent    atomic.Pointer[string]
	wait    func(context.Context, time.Duration) error
}

// call is one question to an API.
type call struct {
	method string
	path   string // escaped, below the API's address
	query  url.Values
	send   any  // JSON, unless nil
	answer any  // filled from the answer, unless nil
	once   bool // what a second try would make twice
}

func newRest(service, address, secret string, h *http.Client) (*rest, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil {
		return nil, &Error{Service: service, Detail: "the address of its API is not one of HTTP"}
	}
	own := *h
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &rest{client: &own, service: service, base: base, header: http.Header{}, secret: secret, wait: sleep}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// do asks, and asks again when the service failed or has no time.
func (r *rest) do(ctx context.Context, c call) (http.Header, error) {
	for try := 1; ; try++ {
		header, err := r.try(ctx, c)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || try == tries || !failed.passes(c) || failed.RetryAfter > longestWait {
			return header, err
		}
		pause := failed.RetryAfter
		if pause == 0 {
			pause = time.Duration(try) * 500 * time.Millisecond
		}
		if err := r.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// try asks once, and follows a service that moved something within its own address.
func (r *rest) try(ctx context.Context, c call) (http.Header, error) {
	target, err := url.Parse(strings.TrimRight(r.base.String(), "/") + c.path)
	if err != nil {
		return nil, &Error{Service: r.service, Detail: "the name of the repository makes no address"}
	}
	target.RawQuery = c.query.Encode()
	for range maxRedirects + 1 {
		response, err := r.send(ctx, c, target)
		var known *Error
		if errors.As(err, &known) { // of the token
			return nil, err
		}
		if err != nil {
			return nil, r.unreached(ctx, err)
		}
		next, err := r.moved(c, target, response)
		if next == nil && err == nil {
			return r.take(c, response)
		}
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		target = next
	}
	return nil, &Error{Service: r.service, Detail: "it redirects in a circle"}
}

func (r *rest) send(ctx context.Context, c call, target *url.URL) (*http.Response, error) {
	var body io.Reader
	if c.send != nil {
		raw, err := json.Marshal(c.send)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, target.String(), body)
	if err != nil {
		return nil, err
	}
	request.Header = r.header.Clone()
	request.Header.Set("User-Agent", "Belay")
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json")
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.tokens != nil {
		token, err := r.tokens.Token(ctx)
		if err != nil {
			return nil, err
		}
		r.lent.Store(&token)
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := r.client.Do(request)
	if err == nil && response.StatusCode == http.StatusUnauthorized && r.tokens != nil {
		r.tokens.Refused(*r.lent.Load())
	}
	return response, err
}

// moved is where a redirect leads. Only questions follow one, and only within the same host: the token
// goes nowhere else.
func (r *rest) moved(c call, from *url.URL, response *http.Response) (*url.URL, error) {
	if response.StatusCode < 300 || response.StatusCode > 399 {
		return nil, nil
	}
	next, err := from.Parse(response.Header.Get("Location"))
	if err != nil || c.method != http.MethodGet || next.Scheme != r.base.Scheme || next.Host != r.base.Host || response.Header.Get("Location") == "" {
		return nil, &Error{Service: r.service, Status: response.StatusCode, Detail: "it redirects to another address; is the address of the connection right?"}
	}
	return next, nil
}

// take reads an answer.
func (r *rest) take(c call, response *http.Response) (http.Header, error) {
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, r.refused(response, raw)
	case err != nil:
		return nil, &Error{Service: r.service, Detail: "its answer broke off", broken: true}
	case c.answer == nil:
		return response.Header, nil
	case len(raw) > maxAnswer:
		return nil, &Error{Service: r.service, Detail: "its answer is too long", tooLong: true}
	}
	if err := json.Unmarshal(raw, c.answer); err != nil {
		return nil, &Error{Service: r.service, Detail: "its answer is not what its API answers; is the address of the connection right?"}
	}
	return response.Header, nil
}

// pages asks for one page after another until more says that there is none. It says whether that was so
// within the limit.
func (r *rest) pages(ctx context.Context, c call, size string, count int, more func(http.Header) bool) (bool, error) {
	if c.query == nil {
		c.query = url.Values{}
	}
	c.query.Set(size, strconv.Itoa(count))
	for page := 1; page <= maxPages; page++ {
		c.query.Set("page", strconv.Itoa(page))
		header, err := r.do(ctx, c)
		if err != nil {
			return false, err
		}
		if !more(header) {
			return true, nil
		}
	}
	return false, nil
}

// linked says whether a page has a next one; the address itself is not followed.
func linked(header http.Header) bool {
	return strings.Contains(strings.Join(header.Values("Link"), ","), `rel="next"`)
}

// listed is an error unless a list was had as a whole.
func (r *rest) listed(whole bool, err error) error {
	if err == nil && !whole {
		err = &Error{Service: r.service, Detail: "its list is too long", tooLong: true}
	}
	return err
}

// gone takes "it is not there" for success: what should be away is.
func gone(err error) error {
	var failed *Error
	if errors.As(err, &failed) && (failed.Status == http.StatusNotFound || failed.Status == http.StatusGone) {
		return nil
	}
	return err
}

// unknown takes what a service won't list for a list that is not known.
func unlisted(err error) (files []string, known bool, _ error) {
	var failed *Error
	if errors.As(err, &failed) && failed.tooLong {
		return nil, false, nil
	}
	return nil, false, err
}
