package fair

import "io"

// share is how much of a large body or file is worked on before others have their turn. Who works on many that come fast
// enough to wait for none would have the processors for 10 ms each time, and everybody else would wait for all of them.
const share = 64 << 10

// ownShare is the same where nobody but one tenant is there, whose requests are one another's others.
const ownShare = 16 * share

// Sharing reads with turns for others.
type Sharing struct {
	io.Reader
	Several func() bool // says whether more than one tenant is there; nil: it may be so
	got     int
}

func (s *Sharing) Read(buf []byte) (int, error) {
	n, err := s.Reader.Read(buf)
	if s.got += n; s.got >= ownShare || s.got >= share && (s.Several == nil || s.Several()) {
		s.got = 0
		giveWay()
	}
	return n, err
}
