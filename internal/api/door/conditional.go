package door

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/once"
)

// entityTag names what a document says. It is the reader's own: permissions are part of it.
func entityTag(raw []byte) string {
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// tagged gives the answer of a single document its tag, and says whether the client has it.
func (r *Request) tagged(document *jsonapi.Document, raw []byte) bool {
	if _, single := document.Data.(*jsonapi.Resource); !single || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	tag := entityTag(raw)
	r.Writer.Header().Set("ETag", tag)
	return r.Status == http.StatusOK && matches(r.Header.Get("If-None-Match"), tag)
}

// matches says whether a list of tags holds one. A weak tag will do: it is made of the bytes.
func matches(list, tag string) bool {
	for _, one := range strings.Split(list, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == "*" || one == tag {
			return true
		}
	}
	return false
}

// checkFirst has If-Match looked at in the transaction of the change: what GET shows at the
// same path must be what the client has seen.
func (r *Request) checkFirst(row Route) {
	list := r.Header.Get("If-Match")
	show, ok := r.Door.shows[row.Path]
	if list == "" || !ok || show.Do.Run == nil || row.Method != http.MethodPatch && row.Method != http.MethodPut && row.Method != http.MethodDelete {
		return
	}
	r.check(show, func(document *jsonapi.Document) error {
		if !matches(list, entityTag(document.Append(nil))) {
			return belay.Refuse(belay.Precondition, "it has changed since: read it again")
		}
		return nil
	})
}

// check has what GET shows at the same path looked at in the transaction of the change.
func (r *Request) check(show Route, look func(*jsonapi.Document) error) {
	r.Request = r.WithContext(once.WithCheck(r.Context(), func(ctx context.Context) error {
		seen := &Request{Request: r.Clone(ctx), Door: r.Door, Edition: r.Edition, Writer: nowhere{}, Principal: r.Principal, Status: show.Status, writes: true}
		seen.Method, seen.URL.RawQuery = http.MethodGet, ""
		document, err := show.Do.Run(seen)
		if err != nil {
			return err
		}
		return look(document)
	}))
}

// checkID refuses a change whose body gives the id of another thing than its path leads to.
// A path may name it otherwise, such as by its name: then what GET shows there is asked.
func (r *Request) checkID(id string) error {
	ends := endsIn(r.at)
	if id == "" || ends == "" || id == r.Param(ends) {
		return nil
	}
	other := belay.Refuse(belay.Conflict, "the path leads to another one")
	other.Place = "/data/id"
	show, ok := r.Door.shows[r.at]
	if !ok {
		return other
	}
	r.check(show, func(document *jsonapi.Document) error {
		if is, single := document.Data.(*jsonapi.Resource); single && is.ID != id {
			return other
		}
		return nil
	})
	return nil
}

// endsIn is the name of the parameter that the path of a route ends in; empty: in none.
func endsIn(path string) string {
	last := path[strings.LastIndex(path, "/")+1:]
	if !strings.HasPrefix(last, "{") {
		return ""
	}
	return strings.Trim(last, "{}")
}

// nowhere is where the answer goes that is only compared.
type nowhere struct{}

func (nowhere) Header() http.Header           { return http.Header{} }
func (nowhere) Write(raw []byte) (int, error) { return len(raw), nil }
func (nowhere) WriteHeader(int)               {}

// KeyHeader names a request that makes something, so that it may be sent again.
const KeyHeader = "Idempotency-Key"

// ReplayedHeader tells an answer that was given before.
const ReplayedHeader = "Idempotent-Replayed"

// Keyed says whether a request of the route may come with a key: whether it makes something.
func (row *Route) Keyed() bool {
	return row.Method == http.MethodPost && (row.Creates || row.Status == http.StatusCreated)
}

// maxKey is how long an Idempotency-Key may be.
const maxKey = 255

// once answers a request that comes with a key: the first time by doing it, and then with
// the same answer for a day.
func (r *Request) once(row Route) (*jsonapi.Document, error) {
	key := r.Header.Get(KeyHeader)
	if len(key) > maxKey {
		return nil, belay.Refuse(belay.BadRequest, "%s is longer than %d bytes", KeyHeader, maxKey)
	}
	sum := r.fingerprint(row)
	bare := r.Context()
	ctx, keyed := r.Door.App.Once(bare, r.Principal, key)
	if found, err := r.replay(bare, row, keyed, sum); found || err != nil {
		return nil, err
	}
	r.Request = r.WithContext(ctx)
	ended := false
	defer func() { // a panic must not leave a transaction open
		if !ended {
			keyed.Abandon(ctx, errors.New("the request broke"))
		}
	}()
	document, err := r.do(row)
	if err != nil {
		ended = true
		keyed.Abandon(ctx, err)
		if found, again := r.replay(bare, row, keyed, sum); found && again == nil { // another with the key was faster
			return nil, nil
		}
		return nil, err
	}
	var raw []byte
	if document != nil {
		raw = withoutSecrets(document).Append(nil)
	}
	r.writes = true
	hash := sum()
	ended = true // by Keep, which ends it in any case
	taken, err := keyed.Keep(ctx, hash, r.Status, raw)
	if taken {
		found, again := r.replay(bare, row, keyed, sum)
		if found || again != nil {
			return nil, again
		}
	}
	return document, err
}

// fingerprint names what is asked: the key may not stand for something else later. Of a body
// that is a stream it is known at its end.
func (r *Request) fingerprint(row Route) func() string {
	sum := sha256.New()
	_, _ = io.WriteString(sum, r.Method+" "+r.URL.EscapedPath()+"?"+r.URL.RawQuery+"\n")
	_, _ = sum.Write(r.Document)
	if row.Streams {
		r.Body = &hashed{r.Body, sum}
	}
	return func() string {
		if row.Streams {
			_, _ = io.Copy(io.Discard, http.MaxBytesReader(r.Writer, r.Body, r.Limit))
		}
		return hex.EncodeToString(sum.Sum(nil))
	}
}

// hashed is a body that is hashed while it is read.
type hashed struct {
	io.ReadCloser
	sum hash.Hash
}

func (h *hashed) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	_, _ = h.sum.Write(p[:n])
	return n, err
}

// withoutSecrets is a document as it is kept: the value of a token is told once, to whoever
// made it, and is written down nowhere.
func withoutSecrets(d *jsonapi.Document) *jsonapi.Document {
	made, single := d.Data.(*jsonapi.Resource)
	if !single {
		return d
	}
	bare, kept := *made, *d
	bare.Attributes = slices.Clone(made.Attributes)
	for i := range bare.Attributes {
		if m := &bare.Attributes[i]; m.Name == "token" || m.Name == "secret" || m.Name == "link" {
			m.Value = nil
		}
	}
	kept.Data = &bare
	return &kept
}

// errAgain undoes what is done only to see whether it still may be.
var errAgain = belay.Refuse(belay.Conflict, "the request was answered before")

// still refuses what is kept to those who may not ask for it any more: the request is carried
// out once more, nothing of it is kept, and nobody outside is reached (store.Rehearsed). Of one
// that was read as a stream, what it made is looked at.
func (r *Request) still(ctx context.Context, row Route, body []byte) error {
	var err error
	if row.Streams {
		var made struct{ Data struct{ ID string } }
		if err = json.Unmarshal(body, &made); err == nil {
			err = row.Still(ctx, r.Principal, made.Data.ID)
		}
	} else {
		again := *r
		again.Request, again.Writer, again.Shape = r.WithContext(once.WithRefusal(ctx, errAgain)), nowhere{}, nil
		_, err = again.do(row)
	}
	switch belay.KindOf(err) {
	case belay.NotFound, belay.Forbidden, belay.Unauthenticated:
		return err
	default: // such as a name that is taken now, by what was made; see decisions/0262
		return nil
	}
}

// replay answers with what is kept for the key, if anything is, and the rights are.
func (r *Request) replay(ctx context.Context, row Route, keyed *once.Request, sum func() string) (found bool, err error) {
	kept, status, body, found, err := keyed.Answer(r.Context())
	switch {
	case err != nil || !found:
		return false, err
	case status == 0:
		return true, belay.Refuse(belay.Conflict, "a request with this %s was begun: it is under way, or was cut short", KeyHeader)
	case kept != sum():
		return true, belay.Refuse(belay.Invalid, "this %s was used for another request", KeyHeader)
	}
	if err := r.still(ctx, row, body); err != nil {
		return true, err
	}
	r.Yield()
	r.Status, r.Wrote = status, true
	r.Writer.Header().Set(ReplayedHeader, "true")
	if len(body) == 0 {
		r.Writer.WriteHeader(status)
		return true, nil
	}
	writeJSON(r.Writer, status, body)
	return true, nil
}
