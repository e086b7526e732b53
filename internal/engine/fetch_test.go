package engine

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

// program is a script that says it is a version.
func program(version string) string {
	return "#!/bin/sh\n" + `echo '{"terraform_version":"` + version + `","platform":"` + runtime.GOOS + "_" + runtime.GOARCH + `"}'` + "\n"
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	folder, bin, cache := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, filepath.Join(folder, "tofu", "1.12.6", "tofu"), program("1.12.6"))
	put(t, filepath.Join(folder, "tofu", "1.11.0", "tofu"), program("1.10.0")) // the folder's name proves nothing
	put(t, filepath.Join(bin, "terraform"), program("1.11.4"))
	put(t, filepath.Join(bin, "tofu"), program("1.12.6"))
	put(t, filepath.Join(cache, "terraform", "1.9.0", "terraform"), program("1.9.0"))
	put(t, filepath.Join(folder, "terraform", "1.0.0", "terraform"), "#!/bin/sh\nexit 1\n")
	f := New(Config{Dir: folder, Path: bin + ":relative", Cache: cache})
	for _, test := range []struct{ product, version, want string }{
		{"tofu", "1.12.6", filepath.Join(folder, "tofu", "1.12.6", "tofu")},
		{"tofu", "1.10.0", filepath.Join(folder, "tofu", "1.11.0", "tofu")},
		{"terraform", "1.11.4", filepath.Join(bin, "terraform")},
		{"terraform", "1.9.0", filepath.Join(cache, "terraform", "1.9.0", "terraform")},
	} {
		got, err := f.Find(t.Context(), test.product, test.version, nil)
		if err != nil || got != test.want {
			t.Errorf("%s %s is %s, %v", test.product, test.version, got, err)
		}
	}
	for _, test := range []struct{ product, version string }{{"tofu", "1.11.0"}, {"terraform", "1.0.0"}, {"tofu", "../../etc"}, {"sh", "1"}, {"tofu", ""}} {
		if path, err := f.Find(t.Context(), test.product, test.version, nil); !errors.Is(err, ErrMissing) {
			t.Errorf("%s %q is %s, %v", test.product, test.version, path, err)
		}
	}
	_, err := f.Find(t.Context(), "tofu", "1.8.0", nil)
	if want := "OpenTofu 1.8.0 is not here (this runner has OpenTofu 1.10.0, OpenTofu 1.12.6, Terraform 1.11.4, Terraform 1.9.0)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it says %v", err)
	}
}

// mirror is a place that serves one engine.
type mirror struct {
	*httptest.Server
	files map[string][]byte
	gets  atomic.Int32 // of the archive
}

func newMirror(t *testing.T, version, says string, signer *openpgp.Entity) *mirror {
	t.Helper()
	m := &mirror{files: map[string][]byte{}}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "tofu", Method: zip.Deflate})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(program(says)))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("tofu_%s_%s_%s.zip", version, runtime.GOOS, runtime.GOARCH)
	sum := sha256.Sum256(packed.Bytes())
	list := []byte(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	var signature bytes.Buffer
	if err := openpgp.DetachSign(&signature, signer, bytes.NewReader(list), nil); err != nil {
		t.Fatal(err)
	}
	m.files["/"+version+"/"+name] = packed.Bytes()
	m.files["/"+version+"/tofu_"+version+"_SHA256SUMS"] = list
	m.files["/"+version+"/tofu_"+version+"_SHA256SUMS.gpgsig"] = signature.Bytes()
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := m.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".zip") {
			m.gets.Add(1)
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(m.Close)
	return m
}

func signer(t *testing.T) (*openpgp.Entity, []byte) {
	t.Helper()
	entity, err := openpgp.NewEntity("mirror", "", "mirror@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := armor.Encode(&out, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := entity.Serialize(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return entity, out.Bytes()
}

func TestFetch(t *testing.T) {
	t.Parallel()
	ours, keys := signer(t)
	theirs, _ := signer(t)
	for name, test := range map[string]struct {
		signer *openpgp.Entity
		says   string
		spoil  func(m *mirror, c *Config)
		want   string // in the error; empty: it is fetched
	}{
		"signed":                      {ours, "1.9.1", nil, ""},
		"signed by another":           {theirs, "1.9.1", nil, "signature"},
		"signed by another, trusted":  {theirs, "1.9.1", func(_ *mirror, c *Config) { c.ChecksumOnly = true }, ""},
		"another archive":             {ours, "1.9.1", func(m *mirror, _ *Config) { spoil(m, ".zip") }, "checksum"},
		"another list":                {ours, "1.9.1", func(m *mirror, _ *Config) { spoil(m, "SHA256SUMS") }, "signature"},
		"no signature":                {ours, "1.9.1", func(m *mirror, _ *Config) { delete(m.files, "/1.9.1/tofu_1.9.1_SHA256SUMS.gpgsig") }, "404"},
		"a binary of another version": {ours, "1.9.2", nil, "it says that it is version 1.9.2"},
		"a mirror out of reach":       {ours, "1.9.1", func(_ *mirror, c *Config) { c.Mirrors = map[string]string{Tofu: "http://127.0.0.1:1/{version}/"} }, "and 127.0.0.1:1 can't be reached from there"},
		"nothing may be fetched":      {ours, "1.9.1", func(_ *mirror, c *Config) { c.Cache = "" }, "not here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMirror(t, "1.9.1", test.says, test.signer)
			c := Config{Cache: t.TempDir(), Mirrors: map[string]string{Tofu: m.URL + "/{version}/"}, Keys: keys}
			if test.spoil != nil {
				test.spoil(m, &c)
			}
			path, err := New(c).Find(t.Context(), Tofu, "1.9.1", nil)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, ErrMissing) {
					t.Errorf("it is %q, %v", path, err)
				}
				if left, _ := filepath.Glob(filepath.Join(c.Cache, "tofu", "1.9.1", "*")); c.Cache != "" && len(left) > 0 {
					t.Errorf("it left %v", left)
				}
				return
			}
			if err != nil || path != filepath.Join(c.Cache, "tofu", "1.9.1", "tofu") {
				t.Errorf("it is %q, %v", path, err)
			}
		})
	}
}

func spoil(m *mirror, ending string) {
	for name, content := range m.files {
		if strings.HasSuffix(name, ending) {
			m.files[name] = append([]byte("x"), content...)
		}
	}
}

func TestManyWantTheSameEngine(t *testing.T) {
	t.Parallel()
	ours, keys := signer(t)
	m := newMirror(t, "1.9.1", "1.9.1", ours)
	cache := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			f := New(Config{Cache: cache, Mirrors: map[string]string{Tofu: m.URL + "/{version}"}, Keys: keys})
			if _, err := f.Find(t.Context(), Tofu, "1.9.1", nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := m.gets.Load(); n != 1 {
		t.Errorf("it was fetched %d times", n)
	}
}

func TestBuildOfTheServer(t *testing.T) {
	t.Parallel()
	ours, _ := signer(t)
	m := newMirror(t, "1.9.1", "1.9.1", ours)
	name := fmt.Sprintf("/1.9.1/tofu_1.9.1_%s_%s.zip", runtime.GOOS, runtime.GOARCH)
	sum := sha256.Sum256(m.files[name])
	f := New(Config{Cache: t.TempDir()})
	builds := []Build{{"plan9", "mips", "http://nowhere.example", "00"}, {runtime.GOOS, runtime.GOARCH, m.URL + name, hex.EncodeToString(sum[:])}}
	if _, err := f.Find(t.Context(), Tofu, "1.9.1", builds); err != nil {
		t.Error(err)
	}
}

// TestProjectKeys holds the keys that are shipped by their fingerprints.
func TestProjectKeys(t *testing.T) {
	t.Parallel()
	for product, want := range map[string]string{
		Tofu: "e3e6e43d84cb852eadb0051d0c0af313e5fd9f80", Terraform: "c874011f0ab405110d02105534365d9472d7468f",
	} {
		keys, err := New(Config{}).keyring(product)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(keys[0].PrimaryKey.Fingerprint); got != want || len(keys) != 1 {
			t.Errorf("the key of %s is %s", product, got)
		}
	}
}
