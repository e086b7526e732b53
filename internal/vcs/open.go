package vcs

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// Open is a client of the connection's service. The HTTP client decides which addresses may be reached;
// it is not changed.
func Open(c Connection, h *http.Client) (Client, error) {
	f := families[c.Service]
	name := names[f]
	if c.Service == "forgejo" {
		name = "Forgejo"
	}
	c.HTTPURL, c.APIURL = strings.TrimRight(c.HTTPURL, "/"), strings.TrimRight(c.APIURL, "/")
	if c.APIURL == "" {
		c.APIURL = c.HTTPURL
	}
	r, err := newRest(name, c.api(f), c.Token, h)
	switch {
	case f == unknown:
		return nil, &Error{Service: c.Service, Detail: "it is no version-control service that is known here"}
	case err != nil:
		return nil, err
	}
	c.authorize(f, r.header)
	r.tokens = c.Tokens
	switch f {
	case gitHub:
		return &hubClient{rest: r, connection: c}, nil
	case gitea:
		return &giteaClient{hubClient{rest: r, connection: c}}, nil
	case gitLab:
		return &gitLabClient{rest: r, connection: c}, nil
	case bitbucketCloud:
		return &cloudClient{rest: r, connection: c}, nil
	case bitbucketServer:
		return &centerClient{rest: r, connection: c}, nil
	default:
		return &azureClient{rest: r, connection: c}, nil
	}
}

// names is what the families are called before people.
var names = map[family]string{
	gitHub: "GitHub", gitLab: "GitLab", gitea: "Gitea", azure: "Azure DevOps",
	bitbucketCloud: "Bitbucket Cloud", bitbucketServer: "Bitbucket Data Center",
}

// roots is where the API of a family begins, which not everybody writes into api-url.
var roots = map[family]string{
	gitLab: "/api/v4", gitea: "/api/v1", bitbucketCloud: "/2.0", bitbucketServer: "/rest",
}

// api is the address of the API with its root.
func (c Connection) api(f family) string {
	root := roots[f]
	switch {
	case f == gitHub && c.APIURL == c.HTTPURL && c.Service == "github_enterprise":
		root = "/api/v3"
	case f == bitbucketServer:
		return strings.TrimSuffix(c.APIURL, "/rest/api/1.0") + root
	}
	return strings.TrimSuffix(c.APIURL, root) + root
}

// authorize says who we are, in the way of the family.
func (c Connection) authorize(f family, header http.Header) {
	if f == gitHub {
		header.Set("Accept", "application/vnd.github+json")
		header.Set("X-GitHub-Api-Version", "2022-11-28")
	}
	switch {
	case c.Token == "":
		return
	case f == gitea:
		header.Set("Authorization", "token "+c.Token)
	case f == azure && strings.Count(c.Token, ".") != 2: // a personal token; with two dots it is one of OAuth
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+c.Token)))
	case f == bitbucketCloud && c.User != "":
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.User+":"+c.Token)))
	default:
		header.Set("Authorization", "Bearer "+c.Token)
	}
}

// escape makes an identifier safe within a path, its slashes kept.
func escape(identifier string) string {
	parts := strings.Split(identifier, "/")
	for i, part := range parts {
		parts[i] = segmented(part)
	}
	return strings.Join(parts, "/")
}

// segmented is one segment of a path. Dots alone would lead out of it.
func segmented(part string) string {
	if part == "." || part == ".." {
		return strings.ReplaceAll(part, ".", "%2E")
	}
	return url.PathEscape(part)
}

// sshURL is an address as a URL, where a service gives the short form of git: user@host:path.
func sshURL(address string) string {
	host, path, found := strings.Cut(address, ":")
	if !found || strings.Contains(address, "://") || strings.Contains(host, "/") {
		return address
	}
	return "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
}

// user is who git says it is, with the token as password.
func (c Connection) user(usual string) string {
	if c.User != "" {
		return c.User
	}
	return usual
}
