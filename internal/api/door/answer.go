package door

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/belayhq/belay/internal/fair"
	"github.com/belayhq/belay/internal/object"
)

// GrantRefusal is the answer to a grant that is refused, as RFC 6749 has it.
type GrantRefusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// Nothing is the answer to who tells something, and hears nothing of it.
type Nothing struct{}

// plainJSON is the media type of JSON that is no document of the API.
const plainJSON = "application/json"

// SendJSON answers with JSON that is no document of the API.
func (r *Request) SendJSON(status int, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	r.Writer.Header().Set("Content-Type", plainJSON)
	r.Status, r.Wrote = status, true
	r.Writer.WriteHeader(status)
	_, err = r.Writer.Write(raw)
	return err
}

// Stream answers with a file, and closes it. One that turns out to be damaged on the way
// ends the connection: nobody takes a part for the whole.
func (r *Request) Stream(rc io.ReadCloser, size int64, mediaType string) error {
	defer func() { _ = rc.Close() }()
	var from io.Reader = rc
	if size > largeBody {
		from = inTurns{r, rc}
	}
	bytes := bufio.NewReaderSize(&fair.Sharing{Reader: from, Several: r.Door.App.Tenants().Several}, 64<<10)
	if _, err := bytes.Peek(int(min(size, 64<<10))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head := r.Writer.Header()
	head.Set("Content-Type", mediaType)
	head.Set("Content-Length", strconv.FormatInt(size, 10))
	head.Set("Cache-Control", "no-store")
	r.Wrote = true
	r.Writer.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := io.Copy(r.Writer, bytes)
	return err
}

// Redirect sends to another address, which is good for a short while alone.
func (r *Request) Redirect(to string, status int) error {
	head := r.Writer.Header()
	head.Set("Location", to)
	head.Set("Cache-Control", "no-store")
	r.Wrote, r.Status = true, status
	r.Writer.WriteHeader(status)
	return nil
}

// PresignedURL is the full URL that a signed permission opens. What comes by it is the work of who asked for it.
func (r *Request) PresignedURL(p object.Presigned) string {
	r.Door.given.note(p.MAC, fair.Of(r.Context()))
	return r.BaseURL() + p.Path()
}
