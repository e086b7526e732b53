package cli

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// lookAgain is how long a certificate is served before its files are looked at again.
const lookAgain = time.Second

// reloaded is a certificate whose files may be replaced while it is served. One that can't be
// read leaves the one before in place.
type reloaded struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	pair   *tls.Certificate
	mark   fileMark
	looked time.Time
}

// fileMark tells the files of a pair from others of the same names.
type fileMark struct {
	cert, key time.Time
	sizes     [2]int64
}

func loadReloaded(cert, key string, log *slog.Logger) (*reloaded, error) {
	r := &reloaded{cert: cert, key: key, log: log, looked: time.Now()}
	mark, err := r.marks()
	if err != nil {
		return nil, err
	}
	return r, r.load(mark)
}

func (r *reloaded) marks() (fileMark, error) {
	cert, err := os.Stat(r.cert)
	key, keyErr := os.Stat(r.key)
	if err = errors.Join(err, keyErr); err != nil {
		return fileMark{}, err
	}
	return fileMark{cert.ModTime(), key.ModTime(), [2]int64{cert.Size(), key.Size()}}, nil
}

func (r *reloaded) load(mark fileMark) error {
	pair, err := tls.LoadX509KeyPair(r.cert, r.key)
	if err == nil {
		r.pair, r.mark = &pair, mark
	}
	return err
}

// get is the pair as its files have it now.
func (r *reloaded) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.looked) >= lookAgain {
		r.looked = now
		r.look()
	}
	return r.pair, nil
}

// look takes the files again if they are others. Half of a pair that is just being replaced
// does not fit the other half, and is looked at again.
func (r *reloaded) look() {
	mark, err := r.marks()
	if err == nil && mark != r.mark {
		if err = r.load(mark); err == nil {
			r.log.Info("the certificate was replaced", "certificate", r.cert, "until", r.pair.Leaf.NotAfter)
		}
	}
	if err != nil {
		r.log.Warn("the certificate can't be read again: the one before is served", "error", err)
	}
}
