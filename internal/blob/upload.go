package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/belayhq/belay/internal/fair"
	"github.com/minio/minio-go/v7"
)

const (
	// partSize is the least S3 takes for a part; one part per upload is what a
	// Put holds in memory.
	partSize = 5 << 20
	// growAfter parts the next ones are twice as large: S3 takes 10,000 parts, and a backup
	// may be larger than as many of the first size.
	growAfter = 2500
	// small is how much an upload collects before it takes room for a whole part.
	small = 256 << 10
	// abortTime is for telling S3 to forget an upload whose caller is gone.
	abortTime = 10 * time.Second
)

// upload is an io.Writer into one object. What fits into one part goes up in a
// single request when it is finished, what is larger as a multipart upload; either
// way the object appears whole or not at all.
type upload struct {
	ctx            context.Context //nolint:containedctx // io.Writer has no room for it
	s3             *minio.Core
	bucket, object string
	buf            []byte
	id             string // of the multipart upload, once there is one
	parts          []minio.CompletePart
}

func (u *upload) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		part := partSize << (len(u.parts) / growAfter)
		n := min(len(p), part-len(u.buf))
		u.collect(p[:n], part)
		p, written = p[n:], written+n
		if len(u.buf) == part {
			if err := u.sendPart(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

func (u *upload) collect(p []byte, part int) {
	if need := len(u.buf) + len(p); need > small && cap(u.buf) < part {
		u.buf = append(make([]byte, 0, part), u.buf...)
	}
	u.buf = append(u.buf, p...)
}

func (u *upload) sendPart() (err error) {
	fair.WorkOf(u.ctx).Yield() // no turn is held for what is far away
	if u.id == "" {
		u.id, err = u.s3.NewMultipartUpload(u.ctx, u.bucket, u.object, minio.PutObjectOptions{})
		if err != nil {
			return err
		}
	}
	number := len(u.parts) + 1
	part, err := u.s3.PutObjectPart(u.ctx, u.bucket, u.object, u.id, number,
		bytes.NewReader(u.buf), int64(len(u.buf)),
		minio.PutObjectPartOptions{Sha256Hex: checksum(u.buf), DisableContentSha256: true})
	if err != nil {
		return err
	}
	u.parts = append(u.parts, minio.CompletePart{PartNumber: number, ETag: part.ETag})
	u.buf = u.buf[:0]
	return nil
}

// finish makes the object appear.
func (u *upload) finish() error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	fair.WorkOf(u.ctx).Yield()
	if u.id == "" {
		_, err := u.s3.PutObject(u.ctx, u.bucket, u.object, bytes.NewReader(u.buf), int64(len(u.buf)),
			"", checksum(u.buf), minio.PutObjectOptions{DisableContentSha256: true})
		return err
	}
	if len(u.buf) > 0 {
		if err := u.sendPart(); err != nil {
			return err
		}
	}
	_, err := u.s3.CompleteMultipartUpload(u.ctx, u.bucket, u.object, u.id, u.parts, minio.PutObjectOptions{})
	return err
}

// abort frees the parts of an upload that failed, even if it did because its
// context ended. What cannot be told now is left to Sweep.
func (u *upload) abort() error {
	if u.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), abortTime)
	defer cancel()
	if err := u.s3.AbortMultipartUpload(ctx, u.bucket, u.object, u.id); err != nil && !gone(err) {
		return err
	}
	return nil
}

// checksum is signed with the request, so that S3 refuses a part damaged on its
// way. Given up front (what minio-go calls disabling it is its own, chunked, way)
// it is understood by every S3, with TLS or without.
func checksum(part []byte) string {
	sum := sha256.Sum256(part)
	return hex.EncodeToString(sum[:])
}
