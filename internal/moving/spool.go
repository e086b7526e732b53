package moving

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the API speaks of, no protection
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"time"

	"github.com/belayhq/belay/internal/remote"
)

// held is how much of a file is held in memory on its way; the rest goes by way of the disk.
const held = 1 << 20

// spool is a file on its way: its checksum is sent before it.
type spool struct {
	head   bytes.Buffer
	folder string
	file   *os.File
	size   int64
	sum    hash.Hash
}

func newSpool(folder string) *spool {
	return &spool{folder: folder, sum: md5.New()} //nolint:gosec // see the import
}

func (s *spool) Write(p []byte) (n int, err error) {
	s.size += int64(len(p))
	_, _ = s.sum.Write(p) // never fails
	if s.file == nil && s.head.Len()+len(p) <= held {
		return s.head.Write(p)
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.folder, "belay-import-*.tfstate"); err != nil {
			return 0, err
		}
		_ = os.Remove(s.file.Name()) // it lives as long as it is open, even after kill -9
		if _, err = s.file.Write(s.head.Bytes()); err != nil {
			return 0, err
		}
		s.head = bytes.Buffer{}
	}
	return s.file.Write(p)
}

func (s *spool) md5() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// open reads the file from its beginning; several may read at once.
func (s *spool) open() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.head.Bytes())
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// Close gives the disk back.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// encoded is a document around the file in base64, and how long that is.
func (s *spool) encoded(before, after string) (size int64, open func() (io.ReadCloser, error)) {
	size = int64(len(before)) + int64(base64.StdEncoding.EncodedLen(int(s.size))) + int64(len(after))
	return size, func() (io.ReadCloser, error) {
		out, in := io.Pipe()
		go func() {
			_, err := io.WriteString(in, before)
			if err == nil {
				encoder := base64.NewEncoder(base64.StdEncoding, in)
				_, err = io.Copy(encoder, s.open())
				err = errors.Join(err, encoder.Close())
			}
			if err == nil {
				_, err = io.WriteString(in, after)
			}
			_ = in.CloseWithError(err)
		}()
		return out, nil
	}
}

// opening opens files by their URLs.
type opening interface {
	Open(ctx context.Context, address string) (io.ReadCloser, error)
}

// opener opens one file.
type opener func(context.Context) (io.ReadCloser, error)

// urlLife is for how long a URL is taken to work that a list told.
const urlLife = 5 * time.Minute

// fetch brings the file of a version here, whole.
func (m *mover) fetch(ctx context.Context, files opening, v *version) (*spool, error) {
	open := v.open
	if open == nil {
		open = func(ctx context.Context) (io.ReadCloser, error) {
			if reader, ok := files.(remote.Reader); ok && time.Since(v.told) > urlLife {
				r, err := remote.One(ctx, reader, "state-versions/"+v.id)
				if err != nil {
					return nil, err
				}
				v.url, v.jsonURL, v.told = r.Text("hosted-state-download-url"), r.Text("hosted-json-state-download-url"), time.Now()
			}
			return files.Open(ctx, v.url)
		}
	}
	return m.fetchFile(ctx, open, v.md5, v.size)
}

// fetchFile reads a file until it came whole: as long as the source said, with the checksum
// that it said.
func (m *mover) fetchFile(ctx context.Context, open opener, sum string, size int64) (*spool, error) {
	var err error
	for try := range 5 {
		pause(ctx, try)
		var body io.ReadCloser
		if body, err = open(ctx); err != nil {
			if remote.Status(err) != 0 || ctx.Err() != nil {
				return nil, err
			}
			continue
		}
		s := newSpool(m.Scratch)
		_, err = io.Copy(s, body)
		_ = body.Close()
		switch {
		case err != nil:
		case sum != "" && s.md5() != sum:
			err = errors.New("the source told another checksum of the file than it has")
		case size > 0 && s.size != size:
			err = errors.New("the source told another size of the file than it has")
		default:
			return s, nil
		}
		_ = s.Close()
	}
	return nil, err
}
