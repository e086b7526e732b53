package api

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/object"
)

// anObject is where what is kept as bytes is read and written without a token: the path
// is the secret.
const anObject = "/_objects/{object}/{object_id}/{expires}/{signature}"

// presignedURL is the full URL that a signed permission opens.
func (r *request) presignedURL(p object.Presigned) string { return r.baseURL() + p.Path() }

// presigned is the permission that the path carries, for one of the kinds.
func (r *request) presigned(upload bool) object.Presigned {
	return object.Presigned{
		Upload: upload, Kind: object.Kind(r.param("object")), ID: r.param("object_id"),
		Expires: r.param("expires"), MAC: r.param("signature"),
	}
}

// uploadObject takes the bytes of a file as they are.
func (a *API) uploadObject(r *request) error {
	p := r.presigned(true)
	var err error
	switch p.Kind {
	case object.State, object.JSONState:
		err = a.App.UploadState(r.Context(), p, r.Body)
	case object.Configuration:
		err = a.Configs.Upload(r.Context(), p, r.Body, r.ContentLength)
	default:
		err = belay.ErrNotFound
	}
	if err != nil {
		return err
	}
	r.wrote = true
	r.w.WriteHeader(http.StatusOK)
	return nil
}

// downloadObject gives the bytes of a file as they are.
func (a *API) downloadObject(r *request) error {
	p := r.presigned(false)
	switch p.Kind {
	case object.State, object.JSONState:
		file, rc, err := a.App.DownloadState(r.Context(), p)
		if err != nil {
			return err
		}
		return r.stream(rc, file.Size, "application/json")
	case object.Configuration:
		c, rc, err := a.Configs.Download(r.Context(), p)
		if err != nil {
			return err
		}
		return r.stream(rc, c.Size, "application/x-gzip")
	case object.Log:
		return a.readLog(r, p)
	case object.PlanJSON, object.PlanRedacted, object.PlanSchema, object.ErroredState:
		rc, file, err := a.Files.Download(r.Context(), p)
		if err != nil {
			return err
		}
		return r.stream(rc, file.Size, fileTypes[p.Kind])
	default:
		return belay.ErrNotFound
	}
}

// stream answers with a file, and closes it. One that turns out to be damaged on the way
// ends the connection: nobody takes a part for the whole.
func (r *request) stream(rc io.ReadCloser, size int64, mediaType string) error {
	defer func() { _ = rc.Close() }()
	bytes := bufio.NewReaderSize(rc, 64<<10)
	if _, err := bytes.Peek(int(min(size, 64<<10))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head := r.w.Header()
	head.Set("Content-Type", mediaType)
	head.Set("Content-Length", strconv.FormatInt(size, 10))
	head.Set("Cache-Control", "no-store")
	r.wrote = true
	r.w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := io.Copy(r.w, bytes)
	return err
}
