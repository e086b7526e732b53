package blob_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/belayhq/belay/internal/blob"
	"github.com/belayhq/belay/internal/seal"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "belay", "AWS_SECRET_ACCESS_KEY": "belay-secret"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// place is where a store keeps its bytes, seen from behind.
type place interface {
	open(t *testing.T, ring *seal.Ring) blob.Store
	raw(t *testing.T, key string) []byte
	setRaw(t *testing.T, key string, data []byte)
	// leaveBehind makes what a Put that was killed leaves.
	leaveBehind(t *testing.T)
	leftovers(t *testing.T) int
}

var places = map[string]func(*testing.T) place{
	"folder": func(t *testing.T) place { t.Helper(); return directory(t.TempDir()) },
	"s3":     func(t *testing.T) place { t.Helper(); return newS3(t, nil) },
}

// everywhere runs a test against each kind of store.
func everywhere(t *testing.T, test func(t *testing.T, p place)) {
	t.Helper()
	t.Parallel()
	for name, open := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func openAt(t *testing.T, rawURL string, ring *seal.Ring) blob.Store {
	t.Helper()
	store, err := blob.Open(t.Context(), rawURL, ring)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

type directory string

func (d directory) open(t *testing.T, ring *seal.Ring) blob.Store {
	t.Helper()
	return openAt(t, "file://"+string(d), ring)
}

func (d directory) raw(t *testing.T, key string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(string(d), key))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (d directory) setRaw(t *testing.T, key string, data []byte) {
	t.Helper()
	path := filepath.Join(string(d), key)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (d directory) leaveBehind(t *testing.T) {
	t.Helper()
	d.setRaw(t, ".incoming/KILLED", []byte("half a state"))
}

func (d directory) leftovers(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(string(d), ".incoming"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

const (
	bucketName = "belay-test"
	prefix     = "some/where"
)

// s3 is the in-process server of gofakes3 behind real HTTP.
type s3 struct {
	server *httptest.Server
	client *minio.Core
}

// newS3 starts a server; front, if any, may answer requests before it does.
func newS3(t *testing.T, front func(next http.Handler) http.Handler) *s3 {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucketName); err != nil {
		t.Fatal(err)
	}
	handler := gofakes3.New(backend).Server()
	if front != nil {
		handler = front(handler)
	}
	return startS3(t, handler)
}

func startS3(t *testing.T, handler http.Handler) *s3 {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := minio.NewCore(server.Listener.Addr().String(), &minio.Options{
		Creds: credentials.NewStaticV4("belay", "belay-secret", ""), Region: "eu-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return &s3{server, client}
}

func (s *s3) open(t *testing.T, ring *seal.Ring) blob.Store {
	t.Helper()
	query := url.Values{
		"endpoint": {s.server.Listener.Addr().String()}, "region": {"eu-1"},
		"prefix": {prefix}, "insecure": {"true"},
	}
	return openAt(t, "s3://"+bucketName+"?"+query.Encode(), ring)
}

func (s *s3) raw(t *testing.T, key string) []byte {
	t.Helper()
	body, _, _, err := s.client.GetObject(t.Context(), bucketName, prefix+"/"+key, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

func (s *s3) setRaw(t *testing.T, key string, data []byte) {
	t.Helper()
	_, err := s.client.PutObject(t.Context(), bucketName, prefix+"/"+key, bytes.NewReader(data), int64(len(data)),
		"", "", minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *s3) leaveBehind(t *testing.T) {
	t.Helper()
	object := prefix + "/states/ws-1/killed.state"
	id, err := s.client.NewMultipartUpload(t.Context(), bucketName, object, minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.client.PutObjectPart(t.Context(), bucketName, object, id, 1, bytes.NewReader([]byte("half")), 4,
		minio.PutObjectPartOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *s3) leftovers(t *testing.T) int {
	t.Helper()
	page, err := s.client.ListMultipartUploads(t.Context(), bucketName, "", "", "", "", 0)
	if minio.ToErrorResponse(err).Code == "NoSuchUpload" { // gofakes3's way to say none
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Uploads)
}
