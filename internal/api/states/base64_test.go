package states

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// TestBase64IsReadAsTheStandardLibraryReadsIt reads texts of every length, whole and broken.
func TestBase64IsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and alone: nothing for the race detector to see")
	}
	t.Parallel()
	room := make([]byte, bytesRoom)
	read := func(text string, how func(io.Reader) io.Reader) ([]byte, error) {
		got, err := io.ReadAll(&base64Text{from: how(strings.NewReader(text)), attribute: "state"})
		var pieces bytes.Buffer
		_, same := io.CopyBuffer(struct{ io.Writer }{&pieces}, &base64Text{from: how(strings.NewReader(text)), attribute: "state"}, room)
		if !bytes.Equal(pieces.Bytes(), got) || (same == nil) != (err == nil) {
			t.Errorf("by large pieces %d bytes, %v; otherwise %d, %v", pieces.Len(), same, len(got), err)
		}
		return got, err
	}
	ways := map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "by halves": iotest.HalfReader, "with its end": iotest.DataErrReader,
	}
	for i := range 300 {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		want := make([]byte, random.IntN(200)+(i%10/9)*base64Room*2)
		for j := range want {
			want[j] = byte(random.Uint32())
		}
		text := base64.StdEncoding.EncodeToString(want)
		for range i % 3 {
			at := random.IntN(len(text) + 1)
			text = text[:at] + []string{"\n", "\r\n"}[random.IntN(2)] + text[at:]
		}
		var bad string
		if at := random.IntN(len(text) + 1); i%2 == 0 {
			bad = text[:at] + []string{"=", "%", " ", "A", "\x00"}[random.IntN(5)] + text[at:]
		} else {
			bad = text[:at]
		}
		_, refused := base64.StdEncoding.DecodeString(bad)
		for name, how := range ways {
			if got, err := read(text, how); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d, %s: %d bytes of %d, %v", i, name, len(got), len(want), err)
			}
			if _, err := read(bad, how); (err != nil) != (refused != nil) {
				t.Errorf("%d, %s: %q gives %v; the standard library says %v", i, name, bad, err, refused)
			}
		}
	}
	if _, err := read("QUJD", func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(io.ErrClosedPipe)) }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails gives %v", err)
	}
}
