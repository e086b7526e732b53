// Package engine finds the programs that plan and apply: OpenTofu and Terraform, by exact
// version. It looks in the operator's folder, on the PATH, in its cache, and where it may
// fetch them, and runs no version that it did not prove. It never takes another version in
// silence, and knows no runs.
package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The products.
const (
	Tofu      = "tofu"
	Terraform = "terraform"
)

// Products are all of them; where both are there the first is taken.
var Products = []string{Tofu, Terraform}

// Title is how a product calls itself.
func Title(product string) string {
	if product == Tofu {
		return "OpenTofu"
	}
	return "Terraform"
}

// Binary is an engine that is there.
type Binary struct {
	Product string
	Version string
	Path    string
}

// Build is where an engine can be had for one platform.
type Build struct {
	OS, Arch, URL, SHA256 string
}

// ErrMissing says that an engine of exactly that version can't be had.
var ErrMissing = errors.New("no such engine")

// Config is where to look.
type Config struct {
	Dir     string            // DIR/tofu/1.12.6/tofu; empty: none
	Path    string            // as in PATH
	Cache   string            // what was fetched; empty: nothing may be fetched
	Mirrors map[string]string // by product: the address of a version's files, with {version} in it
	Keys    []byte            // armored OpenPGP keys that sign checksums, besides those of the projects
	// ChecksumOnly trusts a list of checksums without its signature.
	ChecksumOnly bool
	Elsewhere    []Binary // what is where the work is done, which is not here: these alone are listed
	Client       *http.Client
	Log          *slog.Logger
}

// Finder finds engines.
type Finder struct {
	Config
	mu     sync.Mutex
	proved map[string]proof // by path
}

// proof is what a binary said of itself, and which file it was.
type proof struct {
	Binary
	size  int64
	at    time.Time
	err   error
	asked time.Time
}

// failedFor is how long a binary that did not say its version is not asked again: what kept it
// from that may pass.
const failedFor = time.Minute

// New makes a finder.
func New(c Config) *Finder {
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	// An engine is asked and run in folders of its own: where it lies has to be said from the root.
	c.Dir, c.Cache = absolute(c.Dir), absolute(c.Cache)
	return &Finder{Config: c, proved: map[string]proof{}}
}

func absolute(folder string) string {
	if folder == "" {
		return ""
	}
	if whole, err := filepath.Abs(folder); err == nil {
		return whole
	}
	return folder
}

// Find is the engine of exactly this version. What can't be had is ErrMissing, with what
// there is instead.
func (f *Finder) Find(ctx context.Context, product, version string, builds []Build) (string, error) {
	if !slices.Contains(Products, product) || !plain(version) {
		return "", fmt.Errorf("%w: %s %s", ErrMissing, product, version)
	}
	here := f.List(ctx)
	for _, b := range here {
		if b.Product == product && b.Version == version {
			return b.Path, nil
		}
	}
	path, err := f.fetch(ctx, product, version, builds)
	if err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%w: %s %s is not here (%s)%s", ErrMissing, Title(product), version, f.describe(here), because(err))
}

func because(err error) string {
	var unreached *net.OpError
	var asked *url.Error
	switch {
	case errors.Is(err, errNowhere):
		return ""
	case errors.As(err, &unreached) && errors.As(err, &asked): // a name that is not found, a connection that nobody takes
		host := asked.URL
		if at, err := url.Parse(asked.URL); err == nil {
			host = at.Host
		}
		return ", and " + host + " can't be reached from there"
	default:
		return ": " + err.Error()
	}
}

func (f *Finder) describe(here []Binary) string {
	if len(here) == 0 {
		return "this runner has no engine"
	}
	names := make([]string, len(here))
	for i, b := range here {
		names[i] = Title(b.Product) + " " + b.Version
	}
	return "this runner has " + strings.Join(slices.Compact(names), ", ")
}

// plain says that a version may be part of a path.
func plain(version string) bool {
	return version != "" && !strings.HasPrefix(version, ".") && strings.Trim(version, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-+") == ""
}

// List is the engines that are there: the folder's before the PATH's before the cache's,
// each version once.
func (f *Finder) List(ctx context.Context) []Binary {
	if f.Elsewhere != nil {
		return f.Elsewhere
	}
	var paths []string
	for _, product := range Products {
		for _, root := range []string{f.Dir, f.Cache} {
			if root == "" {
				continue
			}
			found, _ := filepath.Glob(filepath.Join(escape(root), product, "*", product))
			paths = append(paths, found...)
		}
		paths = append(paths, onPath(f.Path, product)...)
	}
	var all []Binary
	for _, path := range paths {
		if b, err := f.prove(ctx, path); err != nil {
			f.Log.Debug("no engine", "path", path, "error", err)
		} else if !slices.ContainsFunc(all, func(o Binary) bool { return o.Product == b.Product && o.Version == b.Version }) {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b Binary) int {
		return cmp.Or(cmp.Compare(slices.Index(Products, a.Product), slices.Index(Products, b.Product)), cmp.Compare(a.Version, b.Version))
	})
	return all
}

// escape is a folder's name as a pattern that matches it alone.
func escape(root string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(root)
}

func onPath(path, product string) []string {
	var found []string
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		candidate := filepath.Join(folder, product)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = append(found, candidate)
		}
	}
	return found
}

// proveWithin is how long an engine may take to say its version.
const proveWithin = 30 * time.Second

// prove asks a binary for its version. What it said is kept as long as the file is the same.
func (f *Finder) prove(ctx context.Context, path string) (Binary, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Binary{}, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return Binary{}, err
	}
	f.mu.Lock()
	known, ok := f.proved[target]
	f.mu.Unlock()
	if ok && known.size == info.Size() && known.at.Equal(info.ModTime()) && (known.err == nil || time.Since(known.asked) < failedFor) {
		return known.Binary, known.err
	}
	b, err := ask(ctx, filepath.Base(path), target)
	if ctx.Err() != nil {
		return Binary{}, ctx.Err()
	}
	f.mu.Lock()
	f.proved[target] = proof{b, info.Size(), info.ModTime(), err, time.Now()}
	f.mu.Unlock()
	return b, err
}

// ask runs an engine in an environment of nothing, so that no setting of the operator's
// speaks in between.
func ask(ctx context.Context, product, path string) (Binary, error) {
	ctx, cancel := context.WithTimeout(ctx, proveWithin)
	defer cancel()
	nowhere, err := os.MkdirTemp("", "belay-engine-")
	if err != nil {
		return Binary{}, err
	}
	defer func() { _ = os.RemoveAll(nowhere) }()
	out, err := output(ctx, nowhere, path, "version", "-json")
	if err != nil {
		return Binary{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	var said struct {
		Version  string `json:"terraform_version"`
		Platform string `json:"platform"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return Binary{}, fmt.Errorf("read what %s says of its version: %w", path, err)
	}
	if !plain(said.Version) || said.Platform != runtime.GOOS+"_"+runtime.GOARCH {
		return Binary{}, fmt.Errorf("%s says that it is %q on %q", path, said.Version, said.Platform)
	}
	return Binary{Product: product, Version: said.Version, Path: path}, nil
}

// busyFor is how long a file that was written just now may stay open in a child that was
// started meanwhile: until that is another program.
const busyFor = 5 * time.Second

// output is what a command writes. A file that somebody has open for writing can't be run: one
// that was fetched just now may be so for a moment.
func output(ctx context.Context, folder, path string, args ...string) ([]byte, error) {
	for until := time.Now().Add(busyFor); ; time.Sleep(10 * time.Millisecond) {
		cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // the engine, once it is proved
		cmd.Dir = folder
		cmd.Env = []string{"HOME=" + folder, "TMPDIR=" + folder, "CHECKPOINT_DISABLE=1", "PATH=" + filepath.Dir(path)}
		out, err := cmd.Output()
		if !errors.Is(err, syscall.ETXTBSY) || time.Now().After(until) {
			return out, err
		}
	}
}
