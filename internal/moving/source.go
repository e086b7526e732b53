package moving

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hashicorp/go-tfe"

	"github.com/belayhq/belay/internal/remote"
)

// server is a source that speaks this API, read by go-tfe: it keeps to the rate that the
// server tells. Documents are read as they are, so that an attribute that go-tfe does not
// know comes along too.
type server struct {
	client *tfe.Client
	files  *remote.Client
}

// OpenServer opens a server to read from.
func OpenServer(address, token string, way *remote.Polite) (Source, error) {
	files, err := remote.NewClient(address, token, way)
	if err != nil {
		return nil, err
	}
	client, err := tfe.NewClient(&tfe.Config{
		Address: files.Base, Token: token, HTTPClient: files.HTTP,
		Headers: http.Header{"User-Agent": []string{"belay-import"}},
	})
	if err != nil {
		return nil, fmt.Errorf("the source %s: %w", files.Base, err)
	}
	return &server{client: client, files: files}, nil
}

// Ours says whether the source is a Belay.
func (s *server) Ours() bool { return s.client.AppName() == "Belay" }

// Document reads a document of the source.
func (s *server) Document(ctx context.Context, path string) (remote.Document, error) {
	return remote.Whole(ctx, func(into io.Writer) error {
		r, err := s.client.NewRequest(http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		status := 0
		err = r.Do(tfe.ContextWithResponseHeaderHook(ctx, func(answered int, _ http.Header) { status = answered }), into)
		if err == nil || status < http.StatusBadRequest {
			return err
		}
		return &remote.Error{
			Server: s.files.Base, Method: http.MethodGet, Path: "/api/v2/" + path, Status: status,
			Problems: []remote.Problem{{Detail: strings.Join(strings.Fields(err.Error()), " ")}},
		}
	})
}

// Open opens a file of the source.
func (s *server) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	return s.files.Open(ctx, address)
}
