package runner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLinksOutOfTheHomeAreNotFollowed: a job that makes a link to a file of the runner's
// machine where its plan or its state is looked for does not get that file sent.
func TestLinksOutOfTheHomeAreNotFollowed(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	f := &folder{path: filepath.Join(work, "jobs", "job-1"), home: filepath.Join(work, "w", "run-1")}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(f.path, 0o700))
	must(os.MkdirAll(f.real(outFolder), 0o700))
	must(os.MkdirAll(filepath.Join(work, "host", modulesName), 0o700))
	secret := filepath.Join(work, "host", modulesName, "key")
	must(os.WriteFile(secret, []byte("of the host"), 0o600))
	must(os.WriteFile(f.in("plan.json"), []byte("own"), 0o600))
	must(os.WriteFile(f.real(outFolder, "plain"), []byte("plain"), 0o600))
	must(os.Symlink("plain", f.real(outFolder, "inside")))
	must(os.Symlink(secret, f.real(outFolder, "absolute")))
	must(os.Symlink(filepath.Join("..", "..", "..", "host", modulesName, "key"), f.real(outFolder, "relative")))
	must(os.Symlink(filepath.Join(work, "host"), f.real(dataFolder)))
	must(syscall.Mkfifo(f.real(outFolder, "pipe"), 0o600))

	for path, want := range map[string]string{
		f.in("plan.json"):                      "own",
		f.real(outFolder, "plain"):             "plain",
		f.real(outFolder, "inside"):            "plain",
		f.real(outFolder, "absolute"):          "",
		f.real(outFolder, "relative"):          "",
		f.real(outFolder, "pipe"):              "",
		f.real(outFolder):                      "",
		f.real(outFolder, "missing"):           "",
		f.real(dataFolder, modulesName, "key"): "",
	} {
		file, err := f.open(path)
		if (err == nil) != (want != "") {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil {
			continue
		}
		raw, err := io.ReadAll(file)
		_ = file.Close()
		if err != nil || string(raw) != want {
			t.Errorf("%s holds %q, %v", path, raw, err)
		}
	}

	var packed bytes.Buffer
	root, err := os.OpenRoot(f.home)
	must(err)
	defer func() { _ = root.Close() }()
	if err := pack(root, filepath.Join(dataFolder, modulesName), &packed); err == nil || bytes.Contains(packed.Bytes(), []byte("of the host")) {
		t.Errorf("modules outside the home are packed: %v", err)
	}
}
