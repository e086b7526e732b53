package statefile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// repeated streams a text n times.
func repeated(text string, n int) io.Reader { return &repeating{text: text, left: n} }

type repeating struct {
	text string
	rest string
	left int
}

func (r *repeating) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// between streams a middle between two ends.
func between(head string, middle io.Reader, tail string) io.Reader {
	return io.MultiReader(strings.NewReader(head), middle, strings.NewReader(tail))
}

const known = `{"serial":3,"lineage":"l","version":4,`

func TestWhatIsTooLargeIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("parses more than 100 MiB")
	}
	mebibyte := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		in   io.Reader
		want string
	}{
		"a value that is skipped": {between(known+`"x":"`, repeated(mebibyte, 40), `"}`), tooLargeValue},
		"attributes":              {between(known+`"resources":[{"mode":"data","type":"t","name":"n","instances":[{"attributes":{"a":"`, repeated(mebibyte, 40), `"}}]}]}`), tooLargeValue},
		"a name":                  {between(known+`"terraform_version":"`, repeated(mebibyte, 40), `"}`), tooLargeValue},
		"space":                   {between(known, repeated(strings.Repeat(" ", 1<<20), 40), `"x":1}`), tooLargeValue},
		"an output":               {between(known+`"outputs":{"a":{"value":"`, repeated(mebibyte, 17), `"}}}`), tooLargeOutputs},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.in)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			var large *TooLargeError
			if errors.As(err, &large) && (large.Serial != 3 || large.Lineage != "l") {
				t.Errorf("what came first is lost: %+v", large)
			}
		})
	}
}

func TestLargeValuesWithinTheLimitAreRead(t *testing.T) {
	mebibyte := strings.Repeat("x", 1<<20)
	s, err := Parse(between(known+`"x":"`, repeated(mebibyte, 31), `","y":"`+mebibyte+`","outputs":{"a":{"value":"`+mebibyte+`"}}}`))
	if err != nil || len(s.Outputs) != 1 || len(s.Outputs[0].Value) != 1<<20+2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestManyPartsAreNotHeld counts resources, instances and outputs, however small they are.
func TestManyPartsAreNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("parses more than 100 MiB")
	}
	numbered := func(head, before, after, tail string, n int) io.Reader {
		read, write := io.Pipe()
		go func() {
			_, _ = io.WriteString(write, head)
			buffer := make([]byte, 0, 64<<10)
			for i := range n {
				if i > 0 {
					buffer = append(buffer, ',')
				}
				buffer = fmt.Appendf(buffer, "%s%08x%s", before, i, after)
				if len(buffer) > 60<<10 || i == n-1 {
					if _, err := write.Write(buffer); err != nil {
						return
					}
					buffer = buffer[:0]
				}
			}
			_, _ = io.WriteString(write, tail)
			_ = write.Close()
		}()
		return read
	}
	resources := func(n int) io.Reader {
		return numbered(known+`"resources":[`, `{"mode":"data","type":"t","name":"`, `"}`, `]}`, n)
	}
	instances := func(n int) io.Reader {
		return numbered(known+`"resources":[{"mode":"data","type":"t","name":"n","instances":[`, `{"index_key":"`, `"}`, `]}]}`, n)
	}
	for name, c := range map[string]struct {
		in   io.Reader
		want string
	}{
		"as many resources as may be": {resources(maxParts), ""},
		"one resource more":           {resources(maxParts + 1), tooManyParts},
		"as many instances as may be": {instances(maxParts - 1), ""},
		"one instance more":           {instances(maxParts), tooManyParts},
		"outputs":                     {numbered(known+`"outputs":{`, `"`, `":{}`, `}}`, maxOutputs/perOutput), tooLargeOutputs},
	} {
		if _, err := Parse(c.in); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
