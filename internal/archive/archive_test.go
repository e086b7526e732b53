package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/belayhq/belay/internal/archive"
)

// entry is one entry of an archive in the making.
type entry struct {
	name, content, link string
	kind                byte
	header              *tar.Header
}

func file(name, content string) entry { return entry{name: name, content: content, kind: tar.TypeReg} }
func link(name, to string) entry      { return entry{name: name, link: to, kind: tar.TypeSymlink} }
func of(kind byte, name string) entry { return entry{name: name, kind: kind} }

// tarred is the entries as a tar.
func tarred(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, e := range entries {
		h := e.header
		if h == nil {
			h = &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.content)), Mode: 0o644}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func zipped(raw []byte) []byte {
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	_, _ = w.Write(raw)
	_ = w.Close()
	return buffer.Bytes()
}

func check(raw []byte, limits archive.Limits) (archive.Contents, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return archive.Check(open, limits, "net")
}

func TestArchivesThatAreTaken(t *testing.T) {
	for name, entries := range map[string][]entry{
		"no entries":             {},
		"a file":                 {file("main.tf", "x")},
		"as tar -C . writes it":  {of(tar.TypeDir, "./"), file("./main.tf", "x"), of(tar.TypeDir, "./a/"), file("./a/b.tf", "")},
		"a link to a sibling":    {file("b/x", ""), link("a/l", "../b")},
		"a link to the root":     {link("a/l", "..")},
		"a link to nowhere":      {link("l", "missing")},
		"a link there and back":  {of(tar.TypeDir, "sub"), link("l", "sub/../x")},
		"git's global header":    {{header: &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "abc"}}}, file("main.tf", "")},
		"a long name":            {file(strings.Repeat("d/", 500)+"x", "")},
		"one name twice":         {file("main.tf", "a"), file("main.tf", "b")},
		"dots that mean nothing": {file("a/./b//c..d/...", "")},
	} {
		if _, err := check(zipped(tarred(t, entries...)), archive.Standard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArchivesThatAreRefused(t *testing.T) {
	for name, entries := range map[string][]entry{
		"a name that leads out":           {file("../x", "")},
		"an absolute name":                {file("/etc/x", "")},
		"a name that leads out later":     {file("a/../../x", "")},
		"a name that leads in again":      {file("a/../x", "")},
		"a name of dots":                  {file("..", "")},
		"no name":                         {link(".", "a")},
		"a drive":                         {file(`C:\x`, "")},
		"a name from a backslash":         {file(`\x`, "")},
		"a name that is too long":         {file(strings.Repeat("d", 2000), "")},
		"a link out":                      {link("l", "../..")},
		"a link to a file of the machine": {link("l", "/etc/passwd")},
		"a link out by a detour":          {link("l", "sub/../../x")},
		"a link without a target":         {link("l", "")},
		"a file below a link":             {of(tar.TypeDir, "sub"), link("d", "sub"), file("d/x", "")},
		"a link above a file before it":   {file("d/x", ""), link("d", "sub")},
		"a file far below a link":         {link("d", "sub"), file("d/a/b/c/x", "")},
		"a link below a link":             {link("d", "sub"), link("d/x", "y")},
		"a link back from below a link":   {link("a/b/up", "../.."), link("l", "a/b/up/../x")},
		"a hard link":                     {file("a", ""), {name: "b", link: "a", kind: tar.TypeLink}},
		"a device":                        {of(tar.TypeBlock, "a")},
		"a character device":              {of(tar.TypeChar, "a")},
		"a pipe":                          {of(tar.TypeFifo, "a")},
	} {
		wantRefused(t, name, zipped(tarred(t, entries...)), archive.Standard)
	}
}

func wantRefused(t *testing.T, name string, raw []byte, limits archive.Limits) {
	t.Helper()
	var refusal *archive.Error
	if _, err := check(raw, limits); !errors.As(err, &refusal) {
		t.Errorf("%s: %v, want a refusal", name, err)
	}
}

func TestWhatIsNoArchive(t *testing.T) {
	plain := tarred(t, file("main.tf", strings.Repeat("x", 3000)), file("b.tf", "y"))
	good := zipped(plain)
	noSum := bytes.Clone(good)
	noSum[len(noSum)-6] ^= 1
	for name, raw := range map[string][]byte{
		"nothing":                 {},
		"a plain tar":             plain,
		"a zip":                   []byte("PK\x03\x04 and more"),
		"gzip of nothing":         zipped(nil),
		"gzip of a text":          zipped([]byte(strings.Repeat("no tar ", 200))),
		"gzip cut short":          good[:len(good)-20],
		"a wrong checksum":        noSum,
		"a tar cut in a file":     zipped(plain[:1500]),
		"a tar cut between files": zipped(plain[:512+3072]),
		"more behind the gzip":    append(bytes.Clone(good), "more"...),
	} {
		wantRefused(t, name, raw, archive.Standard)
	}
	if _, err := check(good, archive.Standard); err != nil {
		t.Error(err)
	}
}

func TestLimitsOfArchives(t *testing.T) {
	limits := archive.Limits{Unpacked: 64 << 10, File: 8 << 10, Entries: 5, Path: 20}
	sparse := &tar.Header{Name: "s", Typeflag: tar.TypeReg, Format: tar.FormatPAX, Size: 1}
	for name, raw := range map[string][]byte{
		"one large file":   zipped(tarred(t, file("a", strings.Repeat("x", 9<<10)))),
		"many entries":     zipped(tarred(t, file("1", ""), file("2", ""), file("3", ""), file("4", ""), file("5", ""), file("6", ""))),
		"a long name":      zipped(tarred(t, file(strings.Repeat("n", 21), ""))),
		"much in all":      zipped(append(tarred(t, file("a", "")), make([]byte, 64<<10)...)),
		"a long target":    zipped(tarred(t, link("l", strings.Repeat("n", 21)))),
		"a bomb of zeroes": zipped(make([]byte, 1<<20)),
	} {
		wantRefused(t, name, raw, limits)
	}
	if _, err := check(zipped(tarred(t, file("a", strings.Repeat("x", 8<<10)), entry{header: sparse, content: "x"})), limits); err != nil {
		t.Errorf("as much as is allowed: %v", err)
	}
}

// TestBombsTakeNoMemory unpacks far more than may be held, from very little.
func TestBombsTakeNoMemory(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	tw := tar.NewWriter(w)
	for i := range 3 {
		if err := tw.WriteHeader(&tar.Header{Name: fmt.Sprint("zeroes", i), Typeflag: tar.TypeReg, Size: 30 << 20}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(tw, zeroes{}, 30<<20); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wantRefused(t, "a bomb", bomb.Bytes(), archive.Limits{Unpacked: 64 << 20, File: 32 << 20, Entries: 10, Path: 100})
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestFailuresOfTheReaderAreNotTheArchives(t *testing.T) {
	good := zipped(tarred(t, file("a", strings.Repeat("xy", 5000))))
	failed := errors.New("the disk is gone")
	for _, at := range []int{0, 5, len(good) - 3} {
		_, err := archive.Check(func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(good[:at]), iotest.ErrReader(failed))), nil
		}, archive.Standard, "")
		if !errors.Is(err, failed) {
			t.Errorf("failing at %d: %v", at, err)
		}
	}
}

func TestReadme(t *testing.T) {
	large := strings.Repeat("x", 256<<10+1)
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"none":                    {[]entry{file("main.tf", "x"), file("other/README.md", "no")}, ""},
		"in the root":             {[]entry{file("./README.md", "root")}, "root"},
		"in any case":             {[]entry{file("readme.MD", "root")}, "root"},
		"in the folder first":     {[]entry{file("README.md", "root"), file("net/readme.md", "net")}, "net"},
		"too large":               {[]entry{file("README.md", large)}, ""},
		"too large in the folder": {[]entry{file("README.md", "root"), file("net/README.md", large)}, "root"},
		"the last of two":         {[]entry{file("README.md", "first"), file("README.md", "second")}, "second"},
		"what is no text, mended": {[]entry{file("README.md", "a\x00b\xff")}, "a\uFFFDb\uFFFD"},
		"a link is none":          {[]entry{link("README.md", "x")}, ""},
	} {
		found, err := check(zipped(tarred(t, c.entries...)), archive.Standard)
		if err != nil || found.Readme != c.want {
			t.Errorf("%s: %.20q, %v, want %.20q", name, found.Readme, err, c.want)
		}
	}
}

// FuzzCheck gives it anything: it must end, and never take more than it may.
func FuzzCheck(f *testing.F) {
	f.Add(tarred(f, file("main.tf", "x"), link("l", "main.tf")))
	f.Add(tarred(f, link("a", "b"), file("a/x", "y")))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		limits := archive.Limits{Unpacked: 1 << 16, File: 1 << 12, Entries: 20, Path: 100}
		found, err := check(zipped(raw), limits)
		var refusal *archive.Error
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("%v is no refusal", err)
		}
		if found.Entries > limits.Entries {
			t.Errorf("%d entries", found.Entries)
		}
	})
}
