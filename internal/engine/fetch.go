package engine

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
)

//go:embed keys/*.asc
var projectKeys embed.FS

// keyOf is the file with the key that a project signs its checksums with.
var keyOf = map[string]string{Tofu: "keys/opentofu.asc", Terraform: "keys/hashicorp.asc"}

// signatures are the endings of a list's signature.
var signatures = map[string][]string{Tofu: {".gpgsig"}, Terraform: {".sig"}}

// errNowhere says that no place is known that has the engine.
var errNowhere = errors.New("nothing says where to fetch it")

// What may be fetched at most.
const (
	maxArchive  = 512 << 20
	maxList     = 1 << 20
	fetchWithin = 10 * time.Minute
)

// fetch brings an engine into the cache. Of many that want the same one, one fetches it.
func (f *Finder) fetch(ctx context.Context, product, version string, builds []Build) (string, error) {
	if f.Cache == "" {
		return "", errNowhere
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	folder := filepath.Join(f.Cache, product, version)
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // steps of other users read it
		return "", err
	}
	unlock, err := Lock(ctx, folder+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(folder, product)
	if _, err := f.prove(ctx, path); err == nil {
		return path, nil // fetched while this one waited
	}
	address, sum, err := f.whence(ctx, product, version, builds)
	if err != nil {
		return "", err
	}
	f.Log.Info("fetching an engine", "product", product, "version", version, "from", address)
	if err := f.install(ctx, address, sum, folder, product, version); err != nil {
		return "", fmt.Errorf("fetch it from %s: %w", address, err)
	}
	return path, nil
}

// Lock waits until no other process holds the file at a path; what it gives lets it go.
func Lock(ctx context.Context, path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = file.Close()
			return nil, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			_ = file.Close()
			return nil, ctx.Err()
		}
	}
}

// whence is where the archive lies, and its checksum: of the version's own builds, or of
// the mirror's signed list.
func (f *Finder) whence(ctx context.Context, product, version string, builds []Build) (address, sum string, err error) {
	for _, b := range builds {
		if b.OS == runtime.GOOS && b.Arch == runtime.GOARCH && b.URL != "" && b.SHA256 != "" {
			return b.URL, b.SHA256, nil
		}
	}
	mirror := strings.TrimRight(strings.ReplaceAll(f.Mirrors[product], "{version}", version), "/")
	if mirror == "" {
		return "", "", errNowhere
	}
	name := fmt.Sprintf("%s_%s_%s_%s.zip", product, version, runtime.GOOS, runtime.GOARCH)
	at := fmt.Sprintf("%s/%s_%s_SHA256SUMS", mirror, product, version)
	list, err := f.get(ctx, at)
	if err != nil {
		return "", "", err
	}
	if err := f.signed(ctx, product, at, list); err != nil {
		return "", "", err
	}
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 && strings.TrimPrefix(fields[1], "*") == name {
			return mirror + "/" + name, fields[0], nil
		}
	}
	return "", "", fmt.Errorf("%s does not name %s", at, name)
}

// signed says whether a list of checksums is the project's, or one that the operator trusts.
func (f *Finder) signed(ctx context.Context, product, at string, list []byte) error {
	if f.ChecksumOnly {
		return nil
	}
	keys, err := f.keyring(product)
	if err != nil {
		return err
	}
	var problems error
	for _, ending := range signatures[product] {
		signature, err := f.get(ctx, at+ending)
		if err == nil {
			_, err = openpgp.CheckDetachedSignature(keys, bytes.NewReader(list), bytes.NewReader(signature), nil)
		}
		if err == nil {
			return nil
		}
		problems = errors.Join(problems, err)
	}
	return fmt.Errorf("the signature of %s: %w", at, problems)
}

func (f *Finder) keyring(product string) (openpgp.EntityList, error) {
	raw, err := projectKeys.ReadFile(keyOf[product])
	if err != nil {
		return nil, err
	}
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the key of %s: %w", product, err)
	}
	if len(f.Keys) == 0 {
		return keys, nil
	}
	own, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(f.Keys))
	if err != nil {
		return nil, fmt.Errorf("read the operator's keys: %w", err)
	}
	return slices.Concat(keys, own), nil
}

func (f *Finder) get(ctx context.Context, address string) ([]byte, error) {
	body, err := f.open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return io.ReadAll(io.LimitReader(body, maxList))
}

func (f *Finder) open(ctx context.Context, address string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := f.Client.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%s answered %s", address, answer.Status)
	}
	return answer.Body, nil
}

// install puts an engine in its place when it is what it should be: its archive has the
// checksum, and the binary says its version.
func (f *Finder) install(ctx context.Context, address, sum, folder, product, version string) error {
	archive, err := os.CreateTemp(folder, ".archive-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = archive.Close()
		_ = os.Remove(archive.Name())
	}()
	body, err := f.open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(archive, hash), io.LimitReader(body, maxArchive)); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); !strings.EqualFold(got, sum) {
		return fmt.Errorf("its checksum is %s, not %s", got, sum)
	}
	// A folder of its own, for the binary has to have its name to be asked.
	proving, err := os.MkdirTemp(folder, ".proving-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(proving) }()
	binary := filepath.Join(proving, product)
	if err := extract(archive, product, binary); err != nil {
		return err
	}
	b, err := ask(ctx, product, binary)
	switch {
	case err != nil:
		return err
	case b.Version != version:
		return fmt.Errorf("it says that it is version %s", b.Version)
	}
	return os.Rename(binary, filepath.Join(folder, product))
}

// extract takes the one program out of an archive.
func extract(archive *os.File, name, to string) error {
	size, err := archive.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	zipped, err := zip.NewReader(archive, size)
	if err != nil {
		return err
	}
	from, err := zipped.Open(name)
	if err != nil {
		return fmt.Errorf("the archive has no %s: %w", name, err)
	}
	defer func() { _ = from.Close() }()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // it is a program
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.LimitReader(from, 2*maxArchive))
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
