package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-tfe"
)

// archiveOf is an archive of files, as names and contents in turn.
func archiveOf(files ...string) []byte {
	var buffer bytes.Buffer
	zip := gzip.NewWriter(&buffer)
	w := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		_ = w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1])), Mode: 0o644})
		_, _ = io.WriteString(w, files[i+1])
	}
	_, _ = w.Close(), zip.Close()
	return buffer.Bytes()
}

// putURL sends bytes to a presigned URL, without a token.
func putURL(t testing.TB, url string, body io.Reader) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	must(t, err)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, string(raw)
}

func TestConfigurationLifeThroughGoTFE(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		ctx, c := context.Background(), s.admin()
		s.organization("acme")
		id := s.workspace("acme", "network")
		made, err := c.ConfigurationVersions.Create(ctx, id, tfe.ConfigurationVersionCreateOptions{AutoQueueRuns: tfe.Bool(false)})
		must(t, err)
		if made.UploadURL == "" || made.Status != tfe.ConfigurationPending || made.AutoQueueRuns || made.Source != tfe.ConfigurationSourceAPI {
			t.Errorf("made: %+v", made)
		}
		folder := t.TempDir()
		must(t, os.WriteFile(filepath.Join(folder, "main.tf"), []byte("# nothing\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(folder, "README.md"), []byte("# The network\n"), 0o600))
		must(t, c.ConfigurationVersions.Upload(ctx, made.UploadURL, folder))
		read, err := c.ConfigurationVersions.ReadWithOptions(ctx, made.ID, &tfe.ConfigurationVersionReadOptions{Include: []tfe.ConfigVerIncludeOpt{tfe.ConfigVerIngressAttributes}})
		must(t, err)
		if read.Status != tfe.ConfigurationUploaded || read.UploadURL != "" || read.StatusTimestamps == nil || read.StatusTimestamps.FinishedAt.IsZero() || read.IngressAttributes != nil {
			t.Errorf("read: %+v", read)
		}
		raw, err := c.ConfigurationVersions.Download(ctx, made.ID)
		must(t, err)
		if _, err := gzip.NewReader(bytes.NewReader(raw)); err != nil {
			t.Errorf("downloaded %d bytes: %v", len(raw), err)
		}
		w, err := c.Workspaces.ReadByIDWithOptions(ctx, id, &tfe.WorkspaceReadOptions{Include: []tfe.WSIncludeOpt{tfe.WSCurrentConfigVer}})
		must(t, err)
		if w.CurrentConfigurationVersion == nil || w.CurrentConfigurationVersion.ID != made.ID || w.CurrentConfigurationVersion.Status != tfe.ConfigurationUploaded {
			t.Errorf("current: %+v", w.CurrentConfigurationVersion)
		}
		text, err := c.Workspaces.Readme(ctx, id)
		must(t, err)
		if got, err := io.ReadAll(text); err != nil || string(got) != "# The network\n" {
			t.Errorf("readme %q, %v", got, err)
		}
		if err := c.ConfigurationVersions.Archive(ctx, made.ID); err == nil || !strings.Contains(err.Error(), "configuration could not be archived because it is current") {
			t.Errorf("archive of the current one: %v", err)
		}
		second, err := c.ConfigurationVersions.Create(ctx, id, tfe.ConfigurationVersionCreateOptions{})
		must(t, err)
		list, err := c.ConfigurationVersions.List(ctx, id, nil)
		must(t, err)
		if len(list.Items) != 2 || list.Items[0].ID != second.ID || list.TotalCount != 2 {
			t.Errorf("%+v", list)
		}
		must(t, c.ConfigurationVersions.Archive(ctx, made.ID))
		if _, err := c.ConfigurationVersions.Download(ctx, made.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
			t.Errorf("download of an archived one: %v", err)
		}
		must(t, c.Workspaces.DeleteByID(ctx, id))
	})
}

func TestUploadsOfConfigurationsAreHeldToTheRules(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		create := func() (string, string) {
			r := s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"speculative":null}}}`).want(t, 201)
			return r.text("data.id"), r.text("data.attributes.upload-url")
		}
		for name, raw := range map[string][]byte{
			"a plain text":       []byte("no archive"),
			"nothing":            {},
			"gzip cut short":     archiveOf("main.tf", strings.Repeat("x", 500))[:40],
			"a name leading out": archiveOf("../x", "y"),
		} {
			version, url := create()
			if status, body := putURL(t, url, bytes.NewReader(raw)); status != 422 || !strings.Contains(body, "archive") {
				t.Errorf("%s: %d %s", name, status, body)
			}
			r := s.do("GET", "/configuration-versions/"+version, s.Token, "").want(t, 200)
			if r.text("data.attributes.status") != "errored" || r.text("data.attributes.error") != "bad_archive" || r.text("data.attributes.error-message") == "" {
				t.Errorf("%s: %s", name, r.Body)
			}
			if status, _ := putURL(t, url, bytes.NewReader(archiveOf("main.tf", ""))); status != 409 {
				t.Errorf("%s, then a good one: %d", name, status)
			}
		}
		version, url := create()
		forged := url[:len(url)-1] + map[bool]string{true: "A", false: "B"}[!strings.HasSuffix(url, "A")]
		if status, _ := putURL(t, forged, bytes.NewReader(archiveOf())); status != 404 {
			t.Errorf("forged: %d", status)
		}
		if status, body := putURL(t, url, bytes.NewReader(archiveOf())); status != 200 || body != "" {
			t.Errorf("no entries: %d %s", status, body)
		}
		if r := s.do("GET", "/configuration-versions/"+version, s.Token, "").want(t, 200); r.at("data.attributes.upload-url") != nil || r.text("data.attributes.status") != "uploaded" {
			t.Errorf("%s", r.Body)
		}
		s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, `{"data":{"type":"configuration-versions","attributes":{"speculative":"yes"}}}`).want(t, 422)
		s.do("GET", "/configuration-versions/"+version+"?include=ingress-attributes,run", s.Token, "").want(t, 200)
		s.do("GET", "/configuration-versions/"+version+"?include=nonsense", s.Token, "").want(t, 400)
		s.do("GET", "/configuration-versions/"+version+"/ingress-attributes", s.Token, "").want(t, 404)
	})
}

func TestLargeConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", "--max-configuration-size", "1000")
	s.organization("acme")
	r := s.do("POST", "/workspaces/"+s.workspace("acme", "network")+"/configuration-versions", s.Token, "").want(t, 201)
	for _, body := range []io.Reader{bytes.NewReader(make([]byte, 1001)), io.MultiReader(bytes.NewReader(make([]byte, 1001)))} { // of a known length, and not
		if status, _ := putURL(t, r.text("data.attributes.upload-url"), body); status != 413 {
			t.Errorf("%d, want 413", status)
		}
	}
	s.do("GET", "/configuration-versions/"+r.text("data.id"), s.Token, "").want(t, 200)
	if status, body := putURL(t, r.text("data.attributes.upload-url"), bytes.NewReader(archiveOf())); status != 200 {
		t.Errorf("after it: %d %s", status, body)
	}
}

// TestConfigurationsSurviveCrashes kills the server in the middle of uploads: what was not
// answered can be sent again to the same URL, and what was is there.
func TestConfigurationsSurviveCrashes(t *testing.T) {
	slow(t)
	each(t, func(t *testing.T, s *server) {
		s.organization("acme")
		id := s.workspace("acme", "network")
		var random strings.Builder
		for i := range 200_000 { // does not compress well
			fmt.Fprintf(&random, "%x", i*2654435761)
		}
		whole := archiveOf("main.tf", random.String())
		for round := range 3 {
			r := s.do("POST", "/workspaces/"+id+"/configuration-versions", s.Token, "").want(t, 201)
			url, version := r.text("data.attributes.upload-url"), "/configuration-versions/"+r.text("data.id")
			reading, writing := io.Pipe()
			sent := make(chan error, 1)
			go func() {
				request, _ := http.NewRequest(http.MethodPut, url, reading)
				answer, err := http.DefaultClient.Do(request)
				if err == nil {
					_ = answer.Body.Close()
				}
				sent <- err
			}()
			_, err := writing.Write(whole[:len(whole)/(round+2)])
			must(t, err)
			time.Sleep(50 * time.Millisecond) // let some of it reach the disk: no matter how much
			s.kill()
			_ = writing.CloseWithError(errors.New("the server is gone"))
			if err := <-sent; err == nil {
				t.Error("half an archive was answered")
			}
			s.run()
			if got := s.do("GET", version, s.Token, "").want(t, 200).text("data.attributes.status"); got != "pending" {
				t.Errorf("%s after the crash", got)
			}
			if status, body := putURL(t, url, bytes.NewReader(whole)); status != 200 {
				t.Errorf("again: %d %s", status, body)
			}
			s.kill()
			s.run()
			raw, err := s.admin().ConfigurationVersions.Download(context.Background(), r.text("data.id"))
			if err != nil || !bytes.Equal(raw, whole) {
				t.Errorf("after another crash: %d bytes, %v", len(raw), err)
			}
		}
	})
}

// TestArchivesAreSealed looks for the configuration in everything that the server keeps.
func TestArchivesAreSealed(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	s.organization("acme")
	r := s.do("POST", "/workspaces/"+s.workspace("acme", "network")+"/configuration-versions", s.Token, "").want(t, 201)
	const secret = "do-not-keep-this-in-the-open"
	if status, _ := putURL(t, r.text("data.attributes.upload-url"), bytes.NewReader(archiveOf("README.md", secret))); status != 200 {
		t.Fatal(status)
	}
	folder := s.args[4]
	must(t, filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it went while the server goes on
			return nil
		}
		if err != nil || info.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Clean(path))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(raw, []byte(secret)) || bytes.Contains(raw, archiveOf("README.md", secret)) {
			t.Errorf("%s holds it in the open", path)
		}
		return err
	}))
}
