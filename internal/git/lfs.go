package git

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay/internal/egress"
)

// Files of Git LFS are fetched by ourselves, from the repository's own service: its own program dials
// whatever the service and .lfsconfig name.

// pointer stands for a file whose content lies beside the repository.
type pointer struct {
	OID  string `json:"oid"` // the SHA-256 of its content
	Size int64  `json:"size"`
}

// The bounds of LFS.
const (
	maxPointer = 1024
	atOnce     = 100 // objects that one question is about, and paths
	maxAnswer  = 8 << 20
)

var pointerText = regexp.MustCompile(`^version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\n(?:[a-z0-9.-]+ [^\n]*\n)*?size ([0-9]{1,18})\n`)

// pointerIn is what a file stands for.
func pointerIn(raw []byte) (p pointer, is bool) {
	m := pointerText.FindSubmatch(raw)
	if m == nil {
		return p, false
	}
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	return pointer{string(m[1]), size}, err == nil
}

// pointers is the files of an archive that stand for others, as the repository's attributes have it.
func (j *job) pointers(ctx context.Context, t target, repo, commit, file string) (map[string]pointer, error) {
	found, err := looksLikePointers(file)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	// Of attributes we have our own, which are over those of the repository.
	ours := filepath.Join(repo, "info", "attributes")
	aside := ours + ".aside"
	if err := os.Rename(ours, aside); err != nil {
		return nil, err
	}
	defer func() { _ = os.Rename(aside, ours) }()
	if _, err := j.run(ctx, t, "read-tree", "--git-dir="+repo, "read-tree", commit); err != nil {
		return nil, err
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for some := range slices.Chunk(names, atOnce) {
		raw, err := j.output(ctx, t, "check-attr", append([]string{"--git-dir=" + repo, "check-attr", "--cached", "-z", "filter", "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for told := range slices.Chunk(strings.Split(raw, "\x00"), 3) { // path, attribute, value
			if len(told) == 3 && told[2] != "lfs" {
				delete(found, told[0])
			}
		}
	}
	return found, nil
}

func looksLikePointers(file string) (map[string]pointer, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	found := map[string]pointer{}
	for entries := tar.NewReader(in); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, failed("the archive of the commit can't be read: %v", err)
		}
		if h.Typeflag != tar.TypeReg || h.Size > maxPointer {
			continue
		}
		raw, err := io.ReadAll(entries)
		if err != nil {
			return nil, failed("the archive of the commit can't be read: %v", err)
		}
		if p, is := pointerIn(raw); is {
			found[h.Name] = p
		}
	}
}

// download is where one object is.
type download struct {
	pointer
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Actions struct {
		Download *struct {
			Href   string            `json:"href"`
			Header map[string]string `json:"header"`
		} `json:"download"`
	} `json:"actions"`
}

// objects fetches what pointers stand for into a folder, by the names of their sums.
func (j *job) objects(ctx context.Context, t target, pointers map[string]pointer) (folder string, err error) {
	service, err := j.lfsService(t)
	if err != nil {
		return "", err
	}
	folder = filepath.Join(j.dir, "objects")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	wanted := map[string]pointer{}
	for _, p := range pointers {
		if j.large += p.Size; p.Size > j.size() || j.large > j.size() {
			return "", failed("the files of Git LFS are larger than %d bytes", j.size())
		}
		wanted[p.OID] = p
	}
	var list []pointer
	for _, p := range wanted {
		list = append(list, p)
	}
	for some := range slices.Chunk(list, atOnce) {
		answer, err := j.batch(ctx, service, some)
		if err != nil {
			return "", err
		}
		for i := range answer {
			d := &answer[i]
			if p, asked := wanted[d.OID]; asked {
				if err := j.object(ctx, service, d, p, filepath.Join(folder, p.OID)); err != nil {
					return "", err
				}
				delete(wanted, d.OID)
			}
		}
	}
	for oid := range wanted {
		return "", failed("the service says nothing of the Git LFS object %.12s", oid)
	}
	return folder, nil
}

// lfsService is where the service has the files of a repository: beside it, never where .lfsconfig says.
func (j *job) lfsService(t target) (*url.URL, error) {
	u := t.address
	if t.ssh {
		if t.address.String() != j.request.URL || j.request.LFS == "" {
			return nil, failed("files of Git LFS are fetched over https, and %s is reached over ssh", t.address.Host)
		}
		var err error
		if u, err = url.Parse(j.request.LFS); err != nil {
			return nil, failed("the address of the repository can't be read")
		}
	}
	service := *u
	service.User, service.RawPath = nil, ""
	if service.Path = strings.TrimSuffix(service.Path, "/"); !strings.HasSuffix(service.Path, ".git") && !strings.Contains(service.Path, "/_git/") {
		service.Path += ".git"
	}
	return service.JoinPath("info", "lfs"), nil
}

// batch asks where objects are.
func (j *job) batch(ctx context.Context, service *url.URL, some []pointer) ([]download, error) {
	body, err := json.Marshal(map[string]any{"operation": "download", "transfers": []string{"basic"}, "objects": some, "hash_algo": "sha256"})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, service.JoinPath("objects", "batch").String(), bytes.NewReader(body))
	if err != nil {
		return nil, failed("the address of Git LFS can't be used")
	}
	request.Header.Set("Accept", "application/vnd.git-lfs+json")
	request.Header.Set("Content-Type", "application/vnd.git-lfs+json")
	if j.request.Password != "" {
		request.SetBasicAuth(j.request.User, j.request.Password)
	}
	answer, err := j.web().Do(request)
	if err != nil {
		return nil, j.unreached(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, &Error{Text: fmt.Sprintf("the service answers %d for the files of Git LFS", answer.StatusCode), Passing: statusPasses(answer.StatusCode)}
	}
	var told struct {
		Transfer string     `json:"transfer"`
		Objects  []download `json:"objects"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&told); err != nil || told.Transfer != "" && told.Transfer != "basic" {
		return nil, failed("the service does not answer as Git LFS does")
	}
	return told.Objects, nil
}

// objectRequest is how an object is asked for: where the service says, by its headers, and with the password only at the
// service itself.
func (j *job) objectRequest(ctx context.Context, service *url.URL, d *download, p pointer) (*http.Request, error) {
	action := d.Actions.Download
	if d.Error != nil || action == nil {
		why, code := "it is not there", 0
		if d.Error != nil {
			why, code = fmt.Sprintf("%.200q", d.Error.Message), d.Error.Code
		}
		return nil, &Error{Text: fmt.Sprintf("the Git LFS object %.12s can't be had: %s", p.OID, why), Passing: statusPasses(code)}
	}
	at, err := url.Parse(action.Href)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != service.Scheme {
		return nil, failed("the Git LFS object %.12s is where it can't be fetched from", p.OID)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, failed("the Git LFS object %.12s is where it can't be fetched from", p.OID)
	}
	for name, value := range action.Header {
		request.Header.Set(name, value)
	}
	if j.request.Password != "" && at.Scheme == service.Scheme && at.Host == service.Host && request.Header.Get("Authorization") == "" {
		request.SetBasicAuth(j.request.User, j.request.Password)
	}
	return request, nil
}

// object fetches one object, and holds that it is what the repository names.
func (j *job) object(ctx context.Context, service *url.URL, d *download, p pointer, to string) (err error) {
	request, err := j.objectRequest(ctx, service, d, p)
	if err != nil {
		return err
	}
	answer, err := j.web().Do(request)
	if err != nil {
		return j.unreached(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return &Error{Text: fmt.Sprintf("the service answers %d for the Git LFS object %.12s", answer.StatusCode, p.OID), Passing: statusPasses(answer.StatusCode)}
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(answer.Body, p.Size+1))
	if err = firstOf(err, out.Close()); err != nil {
		return j.unreached(err)
	}
	if n != p.Size || hex.EncodeToString(sum.Sum(nil)) != p.OID {
		return failed("the Git LFS object %.12s is not what the repository names", p.OID)
	}
	return nil
}

// unreached is what went wrong on the way, without addresses that hold secrets.
func (j *job) unreached(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	lasts := errors.Is(err, egress.ErrPrivate) || errors.Is(err, errElsewhere)
	return &Error{Text: fmt.Sprintf("the files of Git LFS could not be fetched: %v", err), Passing: !lasts}
}
