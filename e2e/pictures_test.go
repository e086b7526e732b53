package e2e_test

import (
	"bytes"
	"cmp"
	raster "image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// shownPages are the pictures of docs/pictures, and the page that each is of.
var shownPages = []struct{ name, page string }{
	{"home", "/app/acme"},
	{"workspaces", "/app/acme/workspaces"},
	{"workspace", "/app/acme/workspaces/eks-prod"},
	{"run", "/app/acme/workspaces/eks-prod/runs/{run}"},
	{"state", "/app/acme/workspaces/eks-prod/state"},
	{"explorer", "/app/acme/explorer?type=workspaces&filter%5B0%5D%5Bworkspace_terraform_version%5D%5Bis+not%5D%5B0%5D=1.12.6&by=workspace_terraform_version"},
	{"campaign", "/app/acme/changes/{campaign}"},
	{"access", "/app/acme/access?subject=bo&right=apply-runs&on=dns-prod"},
	{"notifications", "/app/acme/notifications"},
	{"audit", "/app/acme/audit"},
}

const (
	pictureWidth, pictureHeight = 1280, 860
	heaviestPicture             = 60 << 10
)

// TestPicturesOfThePages takes the pictures that the documents show, into the folder BELAY_PICTURES: make pictures.
func TestPicturesOfThePages(t *testing.T) {
	folder := os.Getenv("BELAY_PICTURES")
	if folder == "" {
		t.Skip("BELAY_PICTURES names no folder: make pictures does")
	}
	slow(t)
	chrome := chromium(t)
	s := startNotifying(t, "sqlite")
	d := s.demonstrate()
	s.signIn("ann") // gets the password
	named := strings.NewReplacer(
		"{run}", s.do("GET", "/workspaces/"+d.workspaces["eks-prod"]+"/runs", s.Token, "").text("data.0.id"),
		"{campaign}", d.campaign,
	)
	b := s.tab(t, chrome)
	b.looks(pictureWidth, "light")
	b.signIn("ann")
	for _, shown := range shownPages {
		if status := b.open(named.Replace(shown.page)); status != 200 {
			t.Errorf("%s answers %d", shown.page, status)
			continue
		}
		beyond := true
		tall := ask[float64](b, "document.documentElement.scrollHeight")
		shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{
			CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: pictureWidth, Height: min(max(tall, 400), pictureHeight), Scale: 1},
		})
		must(t, os.WriteFile(filepath.Join(folder, shown.name+".png"), squeezed(t, shot.Data), 0o644))
	}
}

// squeezed is a picture with its 256 most frequent colours, each other as the nearest of them.
func squeezed(t *testing.T, raw []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := full.At(x, y).RGBA()
		even := func(v uint32) uint8 { return uint8(v>>8)&^7 | uint8(v>>13) } // what nobody sees apart is one colour
		return color.RGBA{even(r), even(g), even(b), 255}
	}
	within := full.Bounds()
	for y := within.Min.Y; y < within.Max.Y; y++ {
		for x := within.Min.X; x < within.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	var colours []color.RGBA
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	flat := raster.NewPaletted(within, palette)
	for y := within.Min.Y; y < within.Max.Y; y++ {
		for x := within.Min.X; x < within.Max.X; x++ {
			flat.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var small bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, flat))
	return small.Bytes()
}

var pictureOf = regexp.MustCompile(`\]\(((?:docs/)?pictures/[^)]+)\)`)

// TestEveryPictureIsThere finds pictures that a document names and nobody took, those that no document
// names, and those that are too heavy for a repository.
func TestEveryPictureIsThere(t *testing.T) {
	shown := map[string]bool{}
	documents, err := filepath.Glob("../docs/*.md")
	must(t, err)
	for _, document := range append(documents, "../README.md") {
		raw, err := os.ReadFile(document)
		must(t, err)
		for _, found := range pictureOf.FindAllStringSubmatch(string(raw), -1) {
			shown[filepath.Base(found[1])] = true
			if at, err := os.Stat(filepath.Join(filepath.Dir(document), found[1])); err != nil || at.Size() > heaviestPicture {
				t.Errorf("%s shows %s: %v", document, found[1], cmp.Or(err, os.ErrInvalid))
			}
		}
	}
	kept, err := filepath.Glob("../docs/pictures/*")
	must(t, err)
	for _, file := range kept {
		if !shown[filepath.Base(file)] {
			t.Errorf("no document shows %s", file)
		}
	}
	for _, each := range shownPages {
		if !shown[each.name+".png"] {
			t.Errorf("no document shows %s, which make pictures takes", each.name)
		}
	}
}

// TestEveryPageIsTold finds lists of organizations and pages of the site that docs/pages.md says nothing of.
func TestEveryPageIsTold(t *testing.T) {
	told, err := os.ReadFile("../docs/pages.md")
	must(t, err)
	for file, named := range map[string]*regexp.Regexp{
		"../internal/ui/parts.go":     regexp.MustCompile(`\{Path: "([a-z-]+)"`),
		"../internal/ui/site/site.go": regexp.MustCompile(`\n\t\{"([a-z]+)", "[A-Z]`),
	} {
		raw, err := os.ReadFile(file)
		must(t, err)
		found := named.FindAllStringSubmatch(string(raw), -1)
		if len(found) < 8 {
			t.Errorf("%s has only %d pages", file, len(found))
		}
		for _, page := range found {
			if page[1] != "more" && !strings.Contains(string(told), "/"+page[1]+"`") {
				t.Errorf("docs/pages.md does not tell of %s", page[1])
			}
		}
	}
}
