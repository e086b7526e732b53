package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/belayhq/belay/internal/ui/pages"
)

// StaticPath is where files lie that never change under their name: it has their hash in it.
const StaticPath = "/app/~/static/"

// asset is a file that pages load.
type asset struct {
	kind     string
	plain    []byte
	squeezed func() []byte // when it is first asked for: most of what this program is started for shows no page
}

// assets are the files by the name that pages ask for; named is that name by the plain one.
var assets, named = func() (map[string]asset, map[string]string) {
	byName, hashed := map[string]asset{}, map[string]string{}
	for name, kind := range map[string]string{
		"style.css": "text/css; charset=utf-8",
		"icon.svg":  "image/svg+xml",
		"belay.js":  "text/javascript; charset=utf-8",
		"log.js":    "text/javascript; charset=utf-8",
	} {
		raw, err := pages.Files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded: the program was built wrong
		}
		sum := sha256.Sum256(raw)
		full := strings.TrimSuffix(name, path.Ext(name)) + "." + hex.EncodeToString(sum[:6]) + path.Ext(name)
		byName[full] = asset{kind: kind, plain: raw, squeezed: sync.OnceValue(func() []byte { return squeeze(raw) })}
		hashed[name] = full
	}
	return byName, hashed
}()

func squeeze(raw []byte) []byte {
	var squeezed bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&squeezed, gzip.BestCompression) // the level is a constant
	_, _ = zip.Write(raw)                                          // memory takes it
	_ = zip.Close()
	return squeezed.Bytes()
}

// assetPath is the address of a file of pages.
func assetPath(name string) string { return StaticPath + named[name] }

// Static answers with a file that a browser may keep for ever.
func (v *Visit) Static() {
	file, known := assets[v.PathValue("file")]
	if !known {
		NoPage(v)
		return
	}
	head := v.Writer.Header()
	head.Set("Content-Type", file.kind)
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Vary", "Accept-Encoding")
	body := file.plain
	if v.unsqueezes() {
		head.Set("Content-Encoding", "gzip")
		body = file.squeezed()
	}
	v.Status = http.StatusOK
	_, _ = v.Writer.Write(body)
}
