package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Plain reads a folder or a bucket as others left it: nothing is sealed, and keys are any.
type Plain interface {
	// Walk calls visit for every file.
	Walk(ctx context.Context, visit func(key string) error) error
	// Open opens a file.
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// OpenPlain opens a folder by its path, or what a URL names as Open has it.
func OpenPlain(place string) (Plain, error) {
	u, err := url.Parse(place)
	if err != nil || u.Scheme == "" || len(u.Scheme) == 1 { // C:\states
		return plainFolder(place), nil //nolint:nilerr // a path, whatever is in it
	}
	switch u.Scheme {
	case "file":
		return plainFolder(filepath.FromSlash(u.Path)), nil
	case "s3":
		store, err := openBucket(u, nil)
		if err != nil {
			return nil, err
		}
		b, ok := store.(*bucket)
		if !ok {
			return nil, errors.New("not a bucket")
		}
		return (*plainBucket)(b), nil
	default:
		return nil, fmt.Errorf("a folder or bucket is a path, file:///… or s3://…, not %s://", u.Scheme)
	}
}

type plainFolder string

func (f plainFolder) Walk(ctx context.Context, visit func(string) error) error {
	return filepath.WalkDir(string(f), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		key, err := filepath.Rel(string(f), path)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return visit(filepath.ToSlash(key))
	})
}

func (f plainFolder) Open(_ context.Context, key string) (io.ReadCloser, error) {
	return os.OpenInRoot(string(f), filepath.FromSlash(key))
}

type plainBucket bucket

func (b *plainBucket) Walk(ctx context.Context, visit func(string) error) error {
	options := minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}
	for object := range b.s3.ListObjectsIter(ctx, b.name, options) {
		if object.Err != nil {
			return fmt.Errorf("list the bucket %s: %w", b.name, object.Err)
		}
		if strings.HasSuffix(object.Key, "/") {
			continue // a folder as some tools draw it
		}
		if err := visit(strings.TrimPrefix(object.Key, b.prefix)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *plainBucket) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	body, _, _, err := b.s3.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s of the bucket %s: %w", key, b.name, err)
	}
	return body, nil
}
