package jsonapi_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/belayhq/belay/internal/jsonapi"
)

func TestLiftTakesLongTextsOutOfADocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, rest, lifted string }{
		"in the middle":          {`{"data":{"attributes":{"md5":"x","state":"abc","n":1}}}`, `{"data":{"attributes":{"md5":"x","state":"","n":1}}}`, "abc"},
		"with escapes":           {`{"data":{"attributes":{"state":"a\/b\n\u002B\\\""}}}`, `{"data":{"attributes":{"state":""}}}`, "a/b\n+\\\""},
		"spaces":                 {"{ \"data\" :\n{\"attributes\": {\"state\" : \"abc\" } } }", "{ \"data\" :\n{\"attributes\": {\"state\" : \"\" } } }", "abc"},
		"elsewhere":              {`{"state":"abc","data":{"state":"d","x":["state","e"]}}`, `{"state":"abc","data":{"state":"d","x":["state","e"]}}`, ""},
		"in a list":              {`{"data":[{"attributes":{"state":"abc"}}]}`, `{"data":[{"attributes":{"state":"abc"}}]}`, ""},
		"after nested values":    {`{"data":{"x":{"y":[{"z":"}"}]},"attributes":{"a":{"state":"n"},"state":"abc"}}}`, `{"data":{"x":{"y":[{"z":"}"}]},"attributes":{"a":{"state":"n"},"state":""}}}`, "abc"},
		"no text":                {`{"data":{"attributes":{"state":null}}}`, `{"data":{"attributes":{"state":null}}}`, ""},
		"malformed stays so":     {`{"data":{"attributes":{"state":"abc"}]`, `{"data":{"attributes":{"state":""}]`, "abc"},
		"cut inside another":     {`{"data":{"attributes":{"md5":"x`, `{"data":{"attributes":{"md5":"x`, ""},
		"a key that is escaped":  {`{"data":{"attributes":{"st\u0061te":"abc"}}}`, `{"data":{"attributes":{"st\u0061te":"abc"}}}`, ""},
		"braces inside of texts": {`{"a":"{[","data":{"attributes":{"b":"\"}","state":"abc"}}}`, `{"a":"{[","data":{"attributes":{"b":"\"}","state":""}}}`, "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				var lifted strings.Builder
				rest, err := jsonapi.Lift(r, 1000, map[string]func(io.Reader) error{
					"data.attributes.state": func(r io.Reader) error { _, err := io.Copy(&lifted, r); return err },
				})
				if err != nil || string(rest) != c.rest || lifted.String() != c.lifted {
					t.Errorf("rest %s, lifted %q, error %v", rest, lifted.String(), err)
				}
			}
		})
	}
}

func TestLiftRefuses(t *testing.T) {
	t.Parallel()
	sinks := map[string]func(io.Reader) error{"state": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }}
	var syntax *jsonapi.SyntaxError
	if _, err := jsonapi.Lift(strings.NewReader(`{"state":"`+strings.Repeat("a", 100)+`","x":"`+strings.Repeat("a", 100)+`"}`), 50, sinks); !errors.Is(err, jsonapi.ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	var lifted strings.Builder
	if _, err := jsonapi.Lift(strings.NewReader(`{"state":"\u00e4"}`), 50, map[string]func(io.Reader) error{
		"state": func(r io.Reader) error { _, err := io.Copy(&lifted, r); return err },
	}); err != nil || lifted.String() != "?" { // which is no base64
		t.Errorf("not ASCII: %q, %v", lifted.String(), err)
	}
	if _, err := jsonapi.Lift(strings.NewReader(`{"state":"\x"}`), 50, sinks); !errors.As(err, &syntax) {
		t.Errorf("unknown escape: %v", err)
	}
	if _, err := jsonapi.Lift(strings.NewReader(`{"state":"abc`), 50, sinks); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
	broken := errors.New("broken")
	if _, err := jsonapi.Lift(strings.NewReader(`{"state":"abc"}`), 50, map[string]func(io.Reader) error{"state": func(io.Reader) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("the sink's error: %v", err)
	}
}
