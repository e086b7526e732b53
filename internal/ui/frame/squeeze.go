package frame

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// worthSqueezing is how many bytes a page has that is sent squeezed.
const worthSqueezing = 2 << 10

// squeezers are kept, because each has half a megabyte of tables.
var squeezers = sync.Pool{New: func() any {
	zip, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a constant
	return zip
}}

// sheets are what pages are written on, and squeezed: a new one would grow in as many steps as it has halves.
var sheets = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// unsqueezes says whether the browser takes what is squeezed.
func (v *Visit) unsqueezes() bool {
	return strings.Contains(v.Header.Get("Accept-Encoding"), "gzip")
}

// send answers with a page, squeezed for who takes that.
func (v *Visit) send(page []byte) {
	head := v.Writer.Header()
	head.Set("Vary", "Accept-Encoding")
	if len(page) >= worthSqueezing && v.unsqueezes() {
		zip, _ := squeezers.Get().(*gzip.Writer) // nothing else is in there
		squeezed := sheets.Get().(*bytes.Buffer) //nolint:forcetypeassert // as above
		defer sheets.Put(squeezed)
		squeezed.Reset()
		zip.Reset(squeezed)
		_, _ = zip.Write(page) // memory takes it
		_ = zip.Close()
		squeezers.Put(zip)
		head.Set("Content-Encoding", "gzip")
		page = squeezed.Bytes()
	}
	head.Set("Content-Length", strconv.Itoa(len(page)))
	v.Writer.WriteHeader(v.Status)
	_, _ = v.Writer.Write(page) // a browser that has gone is no fault of ours
}
