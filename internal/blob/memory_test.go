package blob_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/metrics"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/blob"
)

const streams = 10

// streamSize is what each of the parallel streams carries; 20 MiB unless
// BELAY_STREAM_MIB says otherwise.
func streamSize() int64 {
	if n, err := strconv.ParseInt(os.Getenv("BELAY_STREAM_MIB"), 10, 64); err == nil {
		return n * mib
	}
	return 20 * mib
}

func TestMemoryOfAFolder(t *testing.T) { // not parallel: measures the process
	store := directory(t.TempDir()).open(t, newRing(t))
	peak := peakHeap(func() { together(t, store, true) })
	t.Logf("%d streams of %d MiB: the heap grew by %.1f MiB", streams, streamSize()/mib, float64(peak)/mib)
	if peak > 20*mib {
		t.Error("that is not streaming")
	}
}

func TestMemoryOfABucket(t *testing.T) { // not parallel: measures the process
	store := startS3(t, http.HandlerFunc(swallow)).open(t, newRing(t))
	peak := peakHeap(func() { together(t, store, false) })
	t.Logf("%d streams of %d MiB: the heap grew by %.1f MiB", streams, streamSize()/mib, float64(peak)/mib)
	if peak > streams*5*mib*5/2 { // a part each, and what the collector leaves lying
		t.Error("that is not streaming")
	}
}

// together stores, and perhaps reads, large blobs all at once.
func together(t *testing.T, store blob.Store, read bool) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			own := fmt.Sprintf("states/ws-%d/sv.state", i)
			written, err := store.Put(t.Context(), own, bytesOf(byte(i), streamSize()))
			if err != nil || written.Size != streamSize() {
				t.Errorf("Put = %v, %v", written, err)
				return
			}
			if !read {
				return
			}
			rc, err := store.Get(t.Context(), own)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, blob.Verified(rc, written.MD5, written.Size)); err != nil {
				t.Error(err)
			}
			if err := rc.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// peakHeap says by how much the heap grew at most while work ran.
func peakHeap(work func()) uint64 {
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	start, peak := heap(), uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	for {
		select {
		case <-done:
			return peak
		case <-time.After(2 * time.Millisecond):
			if now := heap(); now > start {
				peak = max(peak, now-start)
			}
		}
	}
}

// swallow is an S3 that takes multipart uploads and keeps nothing: gofakes3 keeps
// everything in memory, which would be measured with ours.
func swallow(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("ETag", `"etag"`)
	var answer any
	switch query := r.URL.Query(); {
	case query.Has("uploads"):
		answer = struct {
			XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
			UploadId string
		}{UploadId: "one"}
	case r.Method == http.MethodPost:
		answer = struct {
			XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
			Bucket, Key, ETag string
		}{Bucket: bucketName, Key: key, ETag: "etag"}
	default:
		return
	}
	_ = xml.NewEncoder(w).Encode(answer)
}
