package runnerwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/belayhq/belay"
)

// read reads the body of a call. An empty one says nothing.
func (c *call) read(into any) error { return c.readAtMost(maxCall, into) }

// A NUL is in what an engine or a machine said, and PostgreSQL keeps none: a runner that is refused
// for it could never end its job, so it is taken as a sign that can't be read. Of one that is
// written out, as a backslash and its number, the number is lost.
var nul, unreadable = []byte(`\u0000`), []byte(`\ufffd`)

func (c *call) readAtMost(most int64, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(c.w, c.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return belay.Refuse(belay.TooLarge, "the body is larger than %d bytes", most)
	case err != nil:
		return belay.Refuse(belay.BadRequest, "the body could not be read")
	case len(raw) == 0:
		return nil
	}
	err = json.Unmarshal(bytes.ReplaceAll(raw, nul, unreadable), into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return belay.Refuse(belay.Invalid, "the body is not what this call takes: %s can't be of type %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return belay.Refuse(belay.Invalid, "the body is not what this call takes: it can't be of type %s", wrong.Value)
	case err != nil:
		return belay.Refuse(belay.Invalid, "the body is not what this call takes: it is no valid JSON")
	}
	return nil
}
