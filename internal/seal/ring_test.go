package seal_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/belayhq/belay/internal/seal"
)

func parse(t *testing.T, keys ...string) *seal.Ring {
	t.Helper()
	ring, err := seal.Parse(strings.Join(keys, ","))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestOpenMakesTheKeyFileOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	const racers = 8
	ids := make([]string, racers)
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			ring, err := seal.Open(" \n", dir, true)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = ring.ID()
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("servers that started together have keys %q", ids)
		}
	}
	files, _ := os.ReadDir(dir)
	info, err := os.Stat(filepath.Join(dir, "encryption.key"))
	if err != nil || info.Mode().Perm() != 0o600 || len(files) != 1 {
		t.Errorf("%v %v, %d files; want one file of mode 0600", info, err, len(files))
	}
}

func TestOpenPrefersTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := seal.GenerateKey()
	ring, err := seal.Open(key, dir, true)
	if err != nil || ring.ID() != parse(t, key).ID() {
		t.Fatalf("%v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Error("a key file was made beside a key in the environment")
	}
}

func TestKeyFileRotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, err := seal.Open("", dir, true)
	if err != nil {
		t.Fatal(err)
	}
	sealed := before.Seal([]byte("s3cret"), "var-1")
	path := filepath.Join(dir, "encryption.key")
	old, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte(seal.GenerateKey()+"\n"), old...), 0o600); err != nil {
		t.Fatal(err)
	}
	after, err := seal.Open("", dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if after.ID() == before.ID() {
		t.Error("the first line is not the current key")
	}
	if plain, err := after.Unseal(sealed, "var-1"); err != nil || string(plain) != "s3cret" {
		t.Errorf("Unseal after rotation = %q, %v", plain, err)
	}
	if _, err := before.Unseal(after.Seal(nil, ""), ""); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("a ring without the key says %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	key := seal.GenerateKey()
	short := base64.StdEncoding.EncodeToString(make([]byte, 16))
	for text, want := range map[string]string{
		"":                "no encryption key",
		" , ":             "no encryption key",
		short:             "encryption key 1: 16 bytes long, must be 32",
		key + "," + short: "encryption key 2: 16 bytes long, must be 32",
		"not!base64":      "encryption key 1: not base64",
		key + "\n" + key:  "encryption key 2 is given twice",
	} {
		if _, err := seal.Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = %v, want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "encryption.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.Open("", dir, true); err == nil || !strings.Contains(err.Error(), "no encryption key") {
		t.Errorf("an empty key file: %v", err)
	}
}

func TestParseTakesEverySpellingOfBase64(t *testing.T) {
	t.Parallel()
	raw := []byte(strings.Repeat("\xfb\xff", 16))
	want := parse(t, base64.StdEncoding.EncodeToString(raw)).ID()
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if got := parse(t, enc.EncodeToString(raw)).ID(); got != want {
			t.Errorf("%s: key %s, want %s", enc.EncodeToString(raw), got, want)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	old := seal.GenerateKey()
	ring := parse(t, seal.GenerateKey(), old)
	for _, plain := range []string{"", "x", strings.Repeat("long ", 4000)} {
		sealed := ring.Seal([]byte(plain), "var-1")
		if len(plain) > 1 && strings.Contains(sealed, plain) {
			t.Error("the value can be read in its sealed form")
		}
		got, err := ring.Unseal(sealed, "var-1")
		if err != nil || string(got) != plain {
			t.Errorf("Unseal = %.20q, %v", got, err)
		}
		if _, err := ring.Unseal(sealed, "var-2"); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("under another context: %v", err)
		}
		if sealed == ring.Seal([]byte(plain), "var-1") {
			t.Error("sealing twice gives the same text")
		}
	}
	if _, err := ring.Unseal(parse(t, seal.GenerateKey()).Seal(nil, ""), ""); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("sealed with a foreign key: %v", err)
	}
}

func TestEveryChangedByteOfAValueIsNoticed(t *testing.T) {
	t.Parallel()
	ring := parse(t, seal.GenerateKey())
	sealed := ring.Seal([]byte("password"), "var-1")
	for i := range sealed {
		changed := []byte(sealed)
		changed[i] ^= 1
		if plain, err := ring.Unseal(string(changed), "var-1"); err == nil {
			t.Errorf("byte %d changed, opened as %q", i, plain)
		}
		if plain, err := ring.Unseal(sealed[:i], "var-1"); err == nil {
			t.Errorf("cut to %d bytes, opened as %q", i, plain)
		}
	}
}

func TestMAC(t *testing.T) {
	t.Parallel()
	old := seal.GenerateKey()
	before := parse(t, old)
	after := parse(t, seal.GenerateKey(), old)
	mac := before.MAC("download", "sv-1|1700000000")
	if mac == after.MAC("download", "sv-1|1700000000") {
		t.Error("the ring does not sign with its current key")
	}
	for _, c := range []struct {
		ring                  *seal.Ring
		purpose, message, mac string
		want                  bool
	}{
		{before, "download", "sv-1|1700000000", mac, true},
		{after, "download", "sv-1|1700000000", mac, true},
		{after, "upload", "sv-1|1700000000", mac, false},
		{after, "download", "sv-2|1700000000", mac, false},
		{after, "download", "sv-1|1700000000", mac + "=", false},
		{after, "download", "sv-1|1700000000", "", false},
		{parse(t, seal.GenerateKey()), "download", "sv-1|1700000000", mac, false},
	} {
		if got := c.ring.VerifyMAC(c.purpose, c.message, c.mac); got != c.want {
			t.Errorf("VerifyMAC(%s, %s, %s) = %v", c.purpose, c.message, c.mac, got)
		}
	}
}
