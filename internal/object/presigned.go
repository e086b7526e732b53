package object

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/belayhq/belay"
)

// How long presigned URLs work.
const (
	// LongLife is for what a client comes back to, such as the log of a run.
	LongLife = 25 * time.Hour
	// StateLife is for the files of states: a client follows such a URL at once, and tries
	// again for some minutes. It outlives the right that it was given for.
	StateLife = 15 * time.Minute
	// ShortLife is for what a client follows at once.
	ShortLife = time.Minute
)

// Presigned names an object and what its bearer may do with it, without a token: the URL
// that carries it is the secret.
type Presigned struct {
	Upload  bool
	Kind    Kind
	ID      string // of what the object belongs to
	Expires string // seconds since 1970
	MAC     string
}

// Path is where the door of objects takes it.
func (p Presigned) Path() string {
	return "/_objects/" + strings.Join([]string{string(p.Kind), p.ID, p.Expires, p.MAC}, "/")
}

func (p Presigned) signed() (purpose, message string) {
	purpose = traits[p.Kind].purpose + " download"
	if p.Upload {
		purpose = traits[p.Kind].purpose + " upload"
	}
	return purpose, p.ID + "|" + string(p.Kind) + "|" + p.Expires
}

// Presign signs the permission to upload or download one object.
func (r *Room) Presign(upload bool, kind Kind, id string, life time.Duration) Presigned {
	p := Presigned{Upload: upload, Kind: kind, ID: id, Expires: strconv.FormatInt(r.now().Add(life).Unix(), 10)}
	p.MAC = r.ring.MAC(p.signed())
	return p
}

// Check refuses what is forged, has expired, or belongs to nothing that anybody reaches. It is
// told as if it were not there.
func (r *Room) Check(ctx context.Context, p Presigned) error {
	purpose, message := p.signed()
	expires, err := strconv.ParseInt(p.Expires, 10, 64)
	if err != nil || !p.Kind.Known() || !r.ring.VerifyMAC(purpose, message, p.MAC) || r.now().Unix() > expires {
		return belay.ErrNotFound
	}
	if r.reached == nil {
		return nil
	}
	return r.reached(ctx, p.Kind, p.ID)
}
