package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/belayhq/belay/internal/seal"
)

const (
	defaultEndpoint = "s3.amazonaws.com"
	// attempts bounds how long a request to a failing S3 is tried again: about a
	// second, so that a caller hears of the failure while it still listens.
	attempts = 3
	// roleTimeout bounds the question for the machine's role where nobody answers it.
	roleTimeout = 5 * time.Second
)

// bucket is a Store in an S3 bucket: the key follows the prefix.
type bucket struct {
	s3     *minio.Core
	name   string
	prefix string // empty or ending in a slash
	ring   *seal.Ring
}

func openBucket(u *url.URL, ring *seal.Ring) (Store, error) {
	options, err := readOptions(u)
	if err != nil {
		return nil, fmt.Errorf("blob store: %w", err)
	}
	s3, err := minio.NewCore(options.endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: roleTimeout}},
		}),
		Secure:     !options.insecure,
		Region:     options.region,
		MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("blob store: %w", err)
	}
	return &bucket{s3: s3, name: u.Host, prefix: options.prefix, ring: ring}, nil
}

type bucketOptions struct {
	endpoint, region, prefix string
	insecure                 bool
}

func readOptions(u *url.URL) (bucketOptions, error) {
	o := bucketOptions{endpoint: defaultEndpoint}
	if u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return o, errors.New("a bucket is written s3://name?endpoint=…&region=…&prefix=…")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return o, errors.New("the options of the bucket's URL cannot be read")
	}
	for name, values := range query {
		if err := o.set(name, values[len(values)-1]); err != nil {
			return o, err
		}
	}
	return o, o.bare()
}

// bare takes the scheme off an endpoint that has one, and believes it.
func (o *bucketOptions) bare() error {
	scheme, rest, found := strings.Cut(o.endpoint, "://")
	if !found {
		return nil
	}
	switch {
	case scheme == "https" && o.insecure:
		return errors.New("an endpoint with https:// does not go with insecure=true")
	case scheme != "http" && scheme != "https":
		return fmt.Errorf("the endpoint of a bucket begins with http:// or https://, not %q", scheme)
	}
	o.insecure = scheme == "http"
	if o.endpoint = strings.TrimSuffix(rest, "/"); o.endpoint == "" || strings.ContainsAny(o.endpoint, "/?#@") {
		return errors.New("the endpoint of a bucket is a host and perhaps a port")
	}
	return nil
}

func (o *bucketOptions) set(name, value string) (err error) {
	switch name {
	case "endpoint":
		o.endpoint = value
	case "region":
		o.region = value
	case "insecure":
		if o.insecure, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("insecure is true or false, not %q", value)
		}
	case "prefix":
		if value = strings.Trim(value, "/"); value == "" {
			return nil
		}
		if !validKey(value) {
			return fmt.Errorf("%q cannot be the prefix of a bucket", value)
		}
		o.prefix = value + "/"
	default:
		return fmt.Errorf("a bucket has no option %q", name)
	}
	return nil
}

func (b *bucket) Put(ctx context.Context, key string, r io.Reader) (Written, error) {
	return b.put(ctx, key, func(w io.Writer) (Written, error) { return pour(ctx, b.ring, key, w, r) })
}

func (b *bucket) PutSealed(ctx context.Context, key string, r io.Reader) error {
	_, err := b.put(ctx, key, func(w io.Writer) (Written, error) { return copied(ctx, w, r) })
	return err
}

func (b *bucket) put(ctx context.Context, key string, fill func(io.Writer) (Written, error)) (Written, error) {
	if err := begin(ctx, key); err != nil {
		return Written{}, err
	}
	up := &upload{ctx: ctx, s3: b.s3, bucket: b.name, object: b.prefix + key}
	written, err := fill(up)
	if err == nil {
		err = up.finish()
	}
	if err != nil {
		return Written{}, fmt.Errorf("put blob %s: %w", key, errors.Join(err, up.abort()))
	}
	return written, nil
}

func (b *bucket) Sealed(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	if err := begin(ctx, key); err != nil {
		return nil, 0, err
	}
	body, info, _, err := b.s3.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = ErrNotFound
	}
	if err != nil {
		return nil, 0, fmt.Errorf("get blob %s: %w", key, err)
	}
	return body, info.Size, nil
}

func (b *bucket) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	body, _, err := b.Sealed(ctx, key)
	if err != nil {
		return nil, err
	}
	plain, err := draw(ctx, b.ring, key, body)
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", key, err)
	}
	return plain, nil
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := begin(ctx, key); err != nil {
		return err
	}
	err := b.s3.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

func (b *bucket) Walk(ctx context.Context, visit func(key string, modified time.Time) error) error {
	options := minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}
	for object := range b.s3.ListObjectsIter(ctx, b.name, options) {
		if object.Err != nil {
			return fmt.Errorf("walk blobs: %w", object.Err)
		}
		key, ours := strings.CutPrefix(object.Key, b.prefix)
		if !ours || !validKey(key) {
			continue
		}
		if err := visit(key, object.LastModified); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Sweep aborts old multipart uploads, whose parts cost money and cannot be seen.
func (b *bucket) Sweep(ctx context.Context, before time.Time) (int, error) {
	swept, keyMarker, uploadMarker := 0, "", ""
	for {
		page, err := b.s3.ListMultipartUploads(ctx, b.name, b.prefix, keyMarker, uploadMarker, "", 0)
		if minio.ToErrorResponse(err).Code == minio.NoSuchUpload { // how some say there is none
			return swept, nil
		}
		if err == nil {
			var n int
			n, err = b.abortOld(ctx, page.Uploads, before)
			swept += n
		}
		if err != nil {
			return swept, fmt.Errorf("sweep blobs: %w", err)
		}
		if !page.IsTruncated {
			return swept, nil
		}
		keyMarker, uploadMarker = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

func (b *bucket) abortOld(ctx context.Context, uploads []minio.ObjectMultipartInfo, before time.Time) (int, error) {
	swept := 0
	for _, old := range uploads {
		key, ours := strings.CutPrefix(old.Key, b.prefix)
		if !ours || !validKey(key) || !old.Initiated.Before(before) {
			continue
		}
		if err := b.s3.AbortMultipartUpload(ctx, b.name, old.Key, old.UploadID); err != nil && !gone(err) {
			return swept, err
		}
		swept++
	}
	return swept, nil
}

// gone says that an upload finished, or was aborted, meanwhile.
func gone(err error) bool { return minio.ToErrorResponse(err).StatusCode == http.StatusNotFound }

func (b *bucket) Ping(ctx context.Context) error {
	found, err := b.s3.BucketExists(ctx, b.name)
	if err != nil {
		return fmt.Errorf("blob store: %w", err)
	}
	if !found {
		return fmt.Errorf("blob store: there is no bucket %s", b.name)
	}
	return nil
}
