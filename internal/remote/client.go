package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const mediaType = "application/vnd.api+json"

// Client speaks to one server with one token.
type Client struct {
	Base  string // such as https://belay.example.com
	Token string
	HTTP  *http.Client // nil: waits as the server asks; see Polite
}

// NewClient is a client that waits where the server asks for it.
func NewClient(address, token string, way *Polite) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a server: it begins with https:// or http://", address)
	}
	if way == nil {
		way = &Polite{}
	}
	if way.Base == nil {
		way.Base = connections()
	}
	return &Client{Base: u.Scheme + "://" + u.Host, Token: token, HTTP: &http.Client{Transport: way}}, nil
}

// manyAtOnce is how many connections to one server are kept open between requests.
const manyAtOnce = 64

// connections keeps as many open as are used at once: opening one costs more than a request.
func connections() http.RoundTripper {
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	kept := usual.Clone()
	kept.MaxIdleConnsPerHost = manyAtOnce
	return kept
}

// reads is how often an answer is read that is cut before its end.
const reads = 5

// Document reads a document.
func (c *Client) Document(ctx context.Context, path string) (document Document, err error) {
	return Whole(ctx, func(into io.Writer) error {
		body, err := c.open(ctx, c.Base+"/api/v2/"+path, true)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		_, err = io.Copy(into, body)
		return err
	})
}

// Whole decodes what read writes, and has it read again when it is cut.
func Whole(ctx context.Context, read func(io.Writer) error) (document Document, err error) {
	for range reads {
		var raw bytes.Buffer
		if err = read(&raw); err != nil {
			if Status(err) != 0 || ctx.Err() != nil {
				return document, err
			}
			continue
		}
		if raw.Len() == 0 {
			return document, nil
		}
		if err = json.Unmarshal(raw.Bytes(), &document); err == nil {
			return document, nil
		}
	}
	return document, err
}

// Send asks for a change and reads the answer, which may be empty.
func (c *Client) Send(ctx context.Context, method, path string, body any) (made Resource, err error) {
	var raw []byte
	if body != nil {
		if raw, err = json.Marshal(body); err != nil {
			return made, err
		}
	}
	return c.Stream(ctx, method, c.Base+"/api/v2/"+path, mediaType, int64(len(raw)), func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(raw)), nil
	})
}

// Stream sends a body that is opened for each try, and reads the answer.
func (c *Client) Stream(ctx context.Context, method, address, media string, size int64, open func() (io.ReadCloser, error)) (made Resource, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return made, err
	}
	if size > 0 {
		if r.Body, err = open(); err != nil {
			return made, err
		}
		r.GetBody, r.ContentLength = open, size
	}
	r.Header.Set("Content-Type", media)
	if strings.HasPrefix(address, c.Base+"/") {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	answer, err := c.do(r)
	if err != nil {
		return made, err
	}
	defer func() { _ = answer.Body.Close() }()
	var document Document
	err = json.NewDecoder(answer.Body).Decode(&document)
	if errors.Is(err, io.EOF) {
		return made, nil
	}
	if err != nil {
		return made, fmt.Errorf("%s: read the answer: %w", c.Base, err)
	}
	return document.One()
}

// Open opens a file by its URL, which is absolute, or a path of the server. The token goes
// only to the server itself, and where that asks for it, to others of the same domain.
func (c *Client) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	base, err := url.Parse(c.Base)
	if err != nil {
		return nil, err
	}
	u, err := base.Parse(address)
	if err != nil {
		return nil, err
	}
	body, err := c.open(ctx, u.String(), u.Host == base.Host)
	if status := Status(err); (status == http.StatusUnauthorized || status == http.StatusForbidden) && kin(u.Hostname(), base.Hostname()) && u.Scheme == "https" {
		return c.open(ctx, u.String(), true)
	}
	return body, err
}

// kin says whether two hosts are of one domain, such as app.terraform.io and
// archivist.terraform.io.
func kin(a, b string) bool {
	_, domainA, _ := strings.Cut(a, ".")
	_, domainB, _ := strings.Cut(b, ".")
	return a != b && domainA == domainB && strings.Contains(domainA, ".")
}

func (c *Client) open(ctx context.Context, address string, known bool) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if known {
		r.Header.Set("Authorization", "Bearer "+c.Token)
		r.Header.Set("Accept", mediaType+", application/json;q=0.9, */*;q=0.8")
	}
	answer, err := c.do(r)
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

func (c *Client) do(r *http.Request) (*http.Response, error) {
	way := c.HTTP
	if way == nil {
		way = http.DefaultClient
	}
	answer, err := way.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s can't be reached: %w", c.Base, unwrapURL(err))
	}
	if answer.StatusCode >= http.StatusBadRequest {
		defer func() { _ = answer.Body.Close() }()
		return nil, Refusal(answer)
	}
	return answer, nil
}

// unwrapURL leaves the address out, which may be a secret.
func unwrapURL(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
