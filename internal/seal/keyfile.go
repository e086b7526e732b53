package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keyFile is the name of the key file in the data directory.
const keyFile = "encryption.key"

// ErrNoKey says that no key is given, and that none may be made: data was sealed with
// one, which a new one would not open.
var ErrNoKey = errors.New("the key that the data is sealed with is missing")

// Open makes the ring: from env (keys in base64, separated by commas, the first
// is current) or else from the file encryption.key in dataDir (one key per line,
// the first is current), which is made when it is not there and fresh says that
// nothing was sealed yet.
func Open(env string, dataDir string, fresh bool) (*Ring, error) {
	if strings.TrimSpace(env) != "" {
		return Parse(env)
	}
	path := filepath.Join(dataDir, keyFile)
	ring, err := readKeyFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return ring, err
	}
	if !fresh {
		return nil, fmt.Errorf("%w: neither BELAY_ENCRYPTION_KEY nor the file %s gives it", ErrNoKey, path)
	}
	if err := makeKeyFile(path); err != nil {
		return nil, fmt.Errorf("make the key file %s: %w", path, err)
	}
	// Another server may have been first: what the file says now is the key.
	return readKeyFile(path)
}

func readKeyFile(path string) (*Ring, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ring, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return ring, nil
}

// makeKeyFile writes a complete, synced file under another name and then links it:
// unlike a rename a link never replaces a key that another server made meanwhile.
func makeKeyFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, keyFile+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a leftover does no harm
	_, err = f.WriteString(GenerateKey() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // cannot sync a directory and need not
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
