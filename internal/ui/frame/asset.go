package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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

// frames are the files that are no page by themselves: what pages are made of.
var frames = []string{"frame.html", "parts.html", "tab.html", "signin-parts.html"}

// page is a page together with the frame around it, read when it is first asked for: to read all is
// half of a start.
type page func() (*template.Template, error)

// allPages are the pages by name.
func allPages(now func() time.Time) (map[string]page, error) {
	words := template.FuncMap{
		"icon": icon, "soft": soft, "asset": assetPath, "count": Count, "bytes": BytesText, "span": Span,
		"since":   func(at time.Time) string { return Since(at, now()) },
		"ago":     func(at time.Time) string { return Ago(at, now()) },
		"initial": func(name string) string { return FirstLetters(name, 1) },
		"dict":    dict,
		"draw":    func(d Drawn) template.HTML { return draw(d, now()) },
		"when":    func(at time.Time) template.HTML { return draw(moment(at), now()) },
		"buttons": func(here, secret string, forms []RowForm) template.HTML {
			return draw(rowButtons{here, secret, forms}, now())
		},
		"options":  func(list []Choice) template.HTML { return draw(options(list), now()) },
		"ticks":    func(name string, list []Choice) template.HTML { return draw(ticks{name, list}, now()) },
		"person":   func(name string) template.HTML { return draw(person(name), now()) },
		"initials": func(name string) string { return FirstLetters(name, 2) },
	}
	all, err := fs.Glob(pages.Files, "*.html")
	if err != nil {
		return nil, err
	}
	found := map[string]page{}
	for _, file := range all {
		if slices.Contains(frames, file) {
			continue
		}
		name := strings.TrimSuffix(path.Base(file), ".html")
		found[name] = sync.OnceValues(func() (*template.Template, error) {
			return parsed(template.New(name).Funcs(words), append(slices.Clone(frames), file))
		})
	}
	return found, nil
}

// fixed is what a page asks for by a name that stands in it.
var fixed = regexp.MustCompile(`{{(icon|asset) "([^"]*)"}}`)

// parsed reads files of pages. What is the same in every page is written once, and not for each visit.
func parsed(page *template.Template, files []string) (*template.Template, error) {
	for _, file := range files {
		text, err := pages.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text = fixed.ReplaceAllFunc(text, func(found []byte) []byte {
			asked := fixed.FindSubmatch(found)
			if string(asked[1]) == "asset" {
				return []byte(assetPath(string(asked[2])))
			}
			if svg, err := icon(string(asked[2])); err == nil {
				return []byte(svg)
			}
			return found // the page fails, and says which
		})
		if _, err := page.New(file).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// dict is pairs of a name and a value, for a part of a page that needs several.
func dict(pairs ...any) map[string]any {
	named := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		named[name] = pairs[i+1]
	}
	return named
}
