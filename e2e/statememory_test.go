package e2e_test

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

const mebibyte = 1 << 20

// bigState writes a state of about 50 MiB: 50,000 instances of a kilobyte each.
func bigState(w io.Writer, serial int64) {
	attributes := strings.Repeat("x", 960)
	_, _ = fmt.Fprintf(w, `{"version":4,"terraform_version":"1.12.6","serial":%d,"lineage":%q,"outputs":{},"resources":[{"mode":"managed","type":"aws_instance","name":"web","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[`, serial, lineage)
	for i := range 50_000 {
		if i > 0 {
			_, _ = io.WriteString(w, ",")
		}
		_, _ = fmt.Fprintf(w, `{"index_key":%d,"attributes":{"id":%q}}`, i, attributes)
	}
	_, _ = io.WriteString(w, "]}]}")
}

// streamed is a reader of what write writes, so that the test holds nothing either.
func streamed(write func(io.Writer)) io.Reader {
	r, w := io.Pipe()
	go func() {
		write(w)
		_ = w.Close()
	}()
	return r
}

// measured is the size and the md5 of what write writes.
func measured(write func(io.Writer)) (int64, string) {
	sum := md5.New()
	size, _ := io.Copy(sum, streamed(write))
	return size, hex.EncodeToString(sum.Sum(nil))
}

// TestTenLargeStatesAtOnceTakeLittleMemory uploads and downloads ten states of 50 MiB at
// once, by URL and inside documents, and looks at the most memory the server had.
func TestTenLargeStatesAtOnceTakeLittleMemory(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t, "sqlite")
	s.organization("acme")
	var ids []string
	for i := range 10 {
		ids = append(ids, s.workspace("acme", fmt.Sprint("w", i)))
		s.lock(ids[i])
	}
	before := s.memory()
	state := func(w io.Writer) { bigState(w, 1) }
	size, sum := measured(state)
	urls := make([]string, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			var err error
			if urls[i], err = s.giveLarge(id, sum, i%2 == 0, state); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	uploaded := s.memory()
	for _, url := range urls {
		all.Go(func() {
			if got, err := download(url, md5.New()); err != nil || got != sum {
				t.Errorf("downloaded %s, want %s: %v", got, sum, err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		s.unlock(id)
		all.Go(func() {
			list, err := s.try("GET", "/workspaces/"+id+"/resources?page[size]=1", s.Token, "")
			if err != nil || list.at("meta.pagination.total-count") != 50000.0 {
				t.Errorf("resources: %s, %v", list.Body, err)
			}
		})
	}
	all.Wait()
	after := s.memory()
	t.Logf("%d MiB each; resident at most: %d MiB before, %d after ten uploads, %d after ten downloads and ten lists of resources",
		size/mebibyte, before/1024, uploaded/1024, after/1024)
	if after-before > 352*1024 {
		t.Errorf("memory grew by %d MiB for ten states of %d MiB", (after-before)/1024, size/mebibyte)
	}
}

// giveLarge brings a state as a stream, and gives the URL that it can be read back from.
func (s *server) giveLarge(id, sum string, inline bool, state func(io.Writer)) (string, error) {
	document := func(w io.Writer) {
		_, _ = fmt.Fprintf(w, `{"data":{"type":"state-versions","attributes":{"serial":1,"md5":%q,"lineage":%q`, sum, lineage)
		if inline {
			_, _ = io.WriteString(w, `,"state":"`)
			encoder := base64.NewEncoder(base64.StdEncoding, w)
			state(encoder)
			_ = encoder.Close()
			_, _ = io.WriteString(w, `"`)
		}
		_, _ = io.WriteString(w, "}}}")
	}
	request, err := http.NewRequest(http.MethodPost, s.URL+"/api/v2/workspaces/"+id+"/state-versions", streamed(document))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/vnd.api+json")
	made, err := s.exchange(request)
	if err != nil || made.Status != 201 {
		return "", fmt.Errorf("create: %d %s, %w", made.Status, made.Body, err)
	}
	if !inline {
		request, err := http.NewRequest(http.MethodPut, made.text("data.attributes.hosted-state-upload-url"), streamed(state))
		if err != nil {
			return "", err
		}
		if r, err := s.exchange(request); err != nil || r.Status != 200 {
			return "", fmt.Errorf("upload: %d %s, %w", r.Status, r.Body, err)
		}
	}
	r, err := s.try("GET", "/state-versions/"+made.text("data.id"), s.Token, "")
	return r.text("data.attributes.hosted-state-download-url"), err
}

// download reads a URL into a hash.
func download(url string, sum hash.Hash) (string, error) {
	answer, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return "", errors.New(answer.Status)
	}
	_, err = io.Copy(sum, answer.Body)
	return hex.EncodeToString(sum.Sum(nil)), err
}
