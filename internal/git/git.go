// Package git fetches one commit of a repository by the git binary, and makes an archive of
// its files. The binary runs behind walls, in a folder of its own, with a configuration that is
// ours alone: it asks nobody, runs no hook, follows no redirect, and dials only addresses that
// were looked at before. No working tree is ever written.
//
// It knows no workspace and no service, and keeps nothing but the keys of hosts.
package git

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/egress"
)

// Fetcher fetches commits.
type Fetcher struct {
	Binary   string // the path of git
	Folder   string // where fetches have their folders; they are gone afterwards
	Egress   egress.Policy
	Landlock bool          // by which git is held
	CertFile string        // the authorities that are trusted; empty: the system's
	Time     time.Duration // that one fetch may take; 10 minutes when 0
	Size     int64         // bytes of one file that git may write; 2 GiB when 0
}

// Request is what is to be fetched.
type Request struct {
	URL        string // https://host/path, or ssh://user@host/path
	User       string // of HTTP
	Password   string
	LFS        string // where files of LFS are beside a repository that is reached over SSH; empty: nowhere
	SSHKey     string // PEM, of SSH; without it only HTTP is spoken
	HostsOf    string // which file of known hosts is used: a name
	Commit     string // its whole hash
	Ref        string // refs/…, that the commit must be on; empty: it may be anywhere
	Submodules bool   // are fetched with it
}

// The bounds of submodules.
const (
	maxSubmodules = 100
	maxDepth      = 5
)

var (
	fullHash  = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	hostName  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	userName  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$`)
	plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
)

// Fetch writes the files of a commit as a gzip-compressed tar.
func (f *Fetcher) Fetch(ctx context.Context, r Request, to io.Writer) (err error) {
	within := f.Time
	if within == 0 {
		within = 10 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if f.Binary == "" {
		return passing("this server has no git") // another may have it
	}
	if !fullHash.MatchString(r.Commit) {
		return failed("%.80q is no hash of a commit", r.Commit)
	}
	if err := os.MkdirAll(f.Folder, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(f.Folder, "fetch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	j := &job{Fetcher: f, dir: dir, request: r}
	if err := j.prepare(); err != nil {
		return err
	}
	if err := j.onRef(ctx); err != nil {
		return j.late(ctx, within, err)
	}
	zip := gzip.NewWriter(to)
	j.to = tar.NewWriter(zip)
	if err := j.add(ctx, r.URL, r.Commit, "", 0); err != nil {
		return j.late(ctx, within, err)
	}
	return errors.Join(j.to.Close(), zip.Close())
}

// late says of what failed for want of time that it did.
func (j *job) late(ctx context.Context, within time.Duration, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return passing("the fetch took longer than %s", within)
	}
	return err
}

// job is one fetch.
type job struct {
	*Fetcher
	dir     string
	request Request
	to      *tar.Writer
	steps   int
	fetched int   // repositories
	large   int64 // bytes of LFS
	client  *http.Client
}

// target is a repository that may be dialed.
type target struct {
	url, user string
	address   *url.URL
	at        []netip.Addr
	ssh       bool
}

// target looks at an address: what it is spoken to by, and where its host is.
func (j *job) target(ctx context.Context, address string) (t target, err error) {
	if t.address, err = url.Parse(address); err != nil {
		return t, failed("the address of the repository can't be read")
	}
	u := t.address
	t.ssh = u.Scheme == "ssh"
	if err := j.usable(u); err != nil {
		return t, err
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err != nil && !hostName.MatchString(host) {
		return t, failed("the host of the repository can't be used")
	}
	t.user = u.User.Username()
	if !t.ssh {
		t.user = j.request.User
	}
	if t.user != "" && !userName.MatchString(t.user) {
		return t, failed("the user of the repository can't be used")
	}
	if t.at, err = j.Egress.Resolve(ctx, host); err != nil {
		return t, &Error{Text: fmt.Sprintf("%s: %v", host, err), Passing: !errors.Is(err, egress.ErrPrivate)}
	}
	clean := *u
	clean.User = nil
	if t.user != "" {
		clean.User = url.User(t.user)
	}
	t.url = clean.String()
	return t, nil
}

// usable refuses addresses that nothing could be fetched from, or that would say more to git
// than where the repository is.
func (j *job) usable(u *url.URL) error {
	ssh := u.Scheme == "ssh"
	switch {
	case u.Scheme != "https" && u.Scheme != "http" && !ssh:
		return failed("repositories are fetched over https or ssh, not %.20q", u.Scheme)
	case ssh && j.request.SSHKey == "":
		return failed("the connection has no SSH key to fetch %s with", u.Host)
	case u.RawQuery != "" || u.Fragment != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "/-") || strings.ContainsAny(u.Path, "\x00\r\n\\"):
		return failed("the address of the repository can't be used")
	}
	return nil
}

// add fetches a commit and puts its files below a folder of the archive.
func (j *job) add(ctx context.Context, address, commit, below string, depth int) error {
	if j.fetched++; j.fetched > maxSubmodules {
		return failed("there are more than %d submodules", maxSubmodules)
	}
	t, err := j.target(ctx, address)
	if err != nil {
		return err
	}
	repo := filepath.Join(j.dir, "work", fmt.Sprintf("repo-%d", j.fetched))
	if _, err := j.run(ctx, t, "init", "init", "--quiet", "--bare", "--template=", repo); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(repo, "info"), 0o700); err != nil {
		return err
	}
	// What is in the repository must not say how its files are changed on their way.
	attributes := "* -export-ignore -export-subst -text -eol -crlf -ident -filter -working-tree-encoding\n"
	if err := os.WriteFile(filepath.Join(repo, "info", "attributes"), []byte(attributes), 0o600); err != nil {
		return err
	}
	if _, err := j.run(ctx, t, "fetch", "--git-dir="+repo, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--", t.url, commit); err != nil {
		return err
	}
	file, err := j.run(ctx, t, "archive", "--git-dir="+repo, "archive", "--format=tar", commit)
	if err != nil {
		return err
	}
	if err := j.take(ctx, t, repo, commit, file, below); err != nil {
		return err
	}
	if !j.request.Submodules {
		return nil
	}
	return j.addSubmodules(ctx, t, repo, commit, below, depth)
}

// take puts the files of a commit below a folder of the archive, those of LFS as what they stand for.
func (j *job) take(ctx context.Context, t target, repo, commit, file, below string) error {
	pointers, err := j.pointers(ctx, t, repo, commit, file)
	if err != nil {
		return err
	}
	objects := ""
	if len(pointers) > 0 {
		if objects, err = j.objects(ctx, t, pointers); err != nil {
			return err
		}
	}
	if err := j.copy(file, below, pointers, objects); err != nil || objects == "" {
		return err
	}
	return os.RemoveAll(objects)
}

// copy puts the entries of an archive below a folder of the one that is made.
func (j *job) copy(file, below string, pointers map[string]pointer, objects string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	for entries := tar.NewReader(in); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return os.Remove(file)
		}
		if err != nil {
			return failed("the archive of the commit can't be read: %v", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader || hidden(h.Name) {
			continue
		}
		from, done, err := stoodFor(entries, h, pointers, objects)
		if err != nil {
			return err
		}
		if below != "" {
			h.Name = path.Join(below, h.Name) + map[bool]string{true: "/"}[h.Typeflag == tar.TypeDir] //nolint:gosec // nothing is written by this name here
		}
		if err := j.to.WriteHeader(h); err != nil {
			return failed("the archive can't hold %.200q: %v", h.Name, err)
		}
		_, err = io.Copy(j.to, from)
		if err = firstOf(err, done()); err != nil {
			return err
		}
	}
}

// stoodFor is the content of an entry: where it stands for an object, that.
func stoodFor(entry io.Reader, h *tar.Header, pointers map[string]pointer, objects string) (io.Reader, func() error, error) {
	p, is := pointers[h.Name]
	if !is || h.Typeflag != tar.TypeReg {
		return entry, func() error { return nil }, nil
	}
	object, err := os.Open(filepath.Join(objects, p.OID))
	if err != nil {
		return nil, nil, err
	}
	h.Size = p.Size
	return object, object.Close, nil
}

// hidden says that a path is git's own, which no archive has.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}
