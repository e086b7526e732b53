package runner

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tarOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		content := h.Uname
		h.Uname, h.Size = "", int64(len(content))
		if h.Typeflag != tar.TypeReg {
			h.Size, content = 0, ""
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Uname: content, Mode: 0o644}
}

func link(name, to string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers []tar.Header
		ok      bool
	}{
		"files":                   {[]tar.Header{file("./main.tf", "x"), file("a/b/c.tf", "y"), {Name: "d/", Typeflag: tar.TypeDir}, {Name: "./", Typeflag: tar.TypeDir}}, true},
		"the same name twice":     {[]tar.Header{file("main.tf", "first"), file("main.tf", "x")}, true},
		"a link inside":           {[]tar.Header{file("main.tf", "x"), link("a/other.tf", "../main.tf")}, true},
		"a name upwards":          {[]tar.Header{file("../main.tf", "x")}, false},
		"a name from the root":    {[]tar.Header{file("/etc/passwd", "x")}, false},
		"a link out":              {[]tar.Header{link("a", "../../etc")}, false},
		"a link to the root":      {[]tar.Header{link("a", "/etc")}, false},
		"a link out by another":   {[]tar.Header{link("a/b", ".."), link("c", "a/b/../..")}, false},
		"through a link":          {[]tar.Header{{Name: "d/", Typeflag: tar.TypeDir}, link("a", "d"), file("a/b", "x")}, false},
		"a file through a file":   {[]tar.Header{file("a", "x"), file("a/b", "x")}, false},
		"a hard link":             {[]tar.Header{file("a", "x"), {Name: "b", Typeflag: tar.TypeLink, Linkname: "a"}}, false},
		"a device":                {[]tar.Header{{Name: "b", Typeflag: tar.TypeBlock}}, false},
		"a pipe":                  {[]tar.Header{{Name: "b", Typeflag: tar.TypeFifo}}, false},
		"a folder over a file":    {[]tar.Header{file("a", "x"), {Name: "a/", Typeflag: tar.TypeDir}}, false},
		"a name that is too long": {[]tar.Header{file(strings.Repeat("a/", 600)+"b", "x")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := t.TempDir()
			err := untar(bytes.NewReader(tarOf(t, test.headers...)), to)
			if (err == nil) != test.ok {
				t.Errorf("it says %v", err)
			}
			if raw, err := os.ReadFile(filepath.Join(to, "main.tf")); test.ok && (err != nil || string(raw) != "x") {
				t.Errorf("main.tf is %q, %v", raw, err)
			}
		})
	}
}

// FuzzUnpack: whatever an archive is, nothing is made outside its folder, and no link
// leads out of it.
func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, file("main.tf", "x"), link("a", "main.tf"), file("b/c", "y")))
	f.Add(tarOf(f, link("a", "b"), link("b", "../.."), file("a/x", "y")))
	f.Fuzz(func(t *testing.T, archive []byte) {
		outer := t.TempDir()
		to := filepath.Join(outer, "in", "side")
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		unpacked := untar(bytes.NewReader(archive), to) == nil
		_ = filepath.WalkDir(outer, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // what can't be looked at was not made by the archive
			}
			inside, _ := filepath.Rel(outer, path)
			if inside != "." && inside != "in" && !strings.HasPrefix(inside, filepath.Join("in", "side")) {
				t.Errorf("%q was made", inside)
			}
			if unpacked && entry.Type()&fs.ModeSymlink != 0 {
				if target, err := filepath.EvalSymlinks(path); err == nil && !strings.HasPrefix(target, to) {
					t.Errorf("%q leads to %q", inside, target)
				}
			}
			return nil
		})
	})
}

func TestPackedModulesComeBack(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(from, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "a", "b", "run.sh"), []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	var packed bytes.Buffer
	if err := pack(root, ".", &packed); err != nil {
		t.Fatal(err)
	}
	if err := untar(&packed, to); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(to, "a", "b", "run.sh"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it is %v, %v", info, err)
	}
}
