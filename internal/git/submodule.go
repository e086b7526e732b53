package git

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
)

// addSubmodules fetches the submodules of a commit and puts them where they belong. git's own
// way, which writes folders and reads their configurations, is not gone.
func (j *job) addSubmodules(ctx context.Context, t target, repo, commit, below string, depth int) error {
	linked, err := j.links(ctx, t, repo, commit)
	if err != nil || len(linked) == 0 {
		return err
	}
	if depth++; depth > maxDepth {
		return failed("submodules are in each other more than %d deep", maxDepth)
	}
	addresses, err := j.modules(ctx, t, repo, commit)
	if err != nil {
		return err
	}
	for _, l := range linked {
		address, known := addresses[l.path]
		if !known {
			return failed("the submodule %.200q is not in .gitmodules", l.path)
		}
		full, err := join(t.address, address)
		if err != nil {
			return err
		}
		if full.Scheme != "ssh" && !strings.EqualFold(full.Host, t.address.Host) && !sameHTTP(full, j.request.URL) {
			return failed("the submodule %.200q is on another host, %.200q: the connection's token is not sent there", l.path, full.Host)
		}
		if err := j.add(ctx, full.String(), l.commit, path.Join(below, l.path), depth); err != nil {
			return wrapped("the submodule "+l.path, err)
		}
	}
	return nil
}

func wrapped(what string, err error) error {
	if known, ok := err.(*Error); ok { //nolint:errorlint // made here and never wrapped
		return &Error{Text: fmt.Sprintf("%.200s: %s", what, known.Text), Passing: known.Passing}
	}
	return err
}

func sameHTTP(u *url.URL, of string) bool {
	first, err := url.Parse(of)
	return err == nil && first.Scheme == u.Scheme && strings.EqualFold(first.Host, u.Host)
}

// link is where a commit of another repository stands in a tree.
type link struct{ path, commit string }

// links is the submodules that a commit has.
func (j *job) links(ctx context.Context, t target, repo, commit string) (list []link, err error) {
	raw, err := j.output(ctx, t, "ls-tree", "--git-dir="+repo, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(raw, "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if len(fields) != 3 || fields[0] != "160000" {
			continue
		}
		if path.Clean(name) != name || strings.HasPrefix(name, "../") || path.IsAbs(name) || hidden(name) || !fullHash.MatchString(fields[2]) {
			return nil, failed("a submodule stands at %.200q, where none may", name)
		}
		list = append(list, link{name, fields[2]})
	}
	return list, nil
}

var moduleKey = regexp.MustCompile(`(?s)^submodule\.(.+)\.(path|url)$`)

// modules is the addresses of submodules by their paths, as .gitmodules has them.
func (j *job) modules(ctx context.Context, t target, repo, commit string) (map[string]string, error) {
	raw, err := j.output(ctx, t, "gitmodules", "--git-dir="+repo, "config", "--blob", commit+":.gitmodules", "-z", "--list")
	if err != nil {
		return nil, failed(".gitmodules is missing, or can't be read")
	}
	paths, urls := map[string]string{}, map[string]string{}
	for entry := range strings.SplitSeq(raw, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		if m := moduleKey.FindStringSubmatch(key); m != nil {
			map[string]map[string]string{"path": paths, "url": urls}[m[2]][m[1]] = value
		}
	}
	addresses := map[string]string{}
	for name, at := range paths {
		addresses[path.Clean(at)] = urls[name]
	}
	return addresses, nil
}

var scpForm = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):([^/:].*)$`)

// join is the address that a submodule's is meant as, seen from the repository that has it.
func join(from *url.URL, address string) (*url.URL, error) {
	if m := scpForm.FindStringSubmatch(address); m != nil {
		address = "ssh://" + m[1] + "@" + m[2] + "/" + m[3]
	}
	if strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../") {
		u := *from
		u.Path = path.Join(u.Path, address)
		return &u, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, failed("the address of a submodule can't be used: %.200q", address)
	}
	if u.Scheme != "ssh" {
		u.User = nil
	}
	return u, nil
}

func (j *job) output(ctx context.Context, t target, name string, args ...string) (string, error) {
	file, err := j.run(ctx, t, name, args...)
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(file)
	return string(raw), err
}
