package jsonapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/belayhq/belay/internal/jsonapi"
)

func TestFaultsOfATextPointAtThem(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"a":"b\\u0000","c":[1,-2.5e3,true,null,{}]}}`:    "",
		`{"a":"\ud83d\ude00 \uD83D\uDE00"}`:                        "",
		`{"a":"x\u0000"}`:                                          "/a",
		`{"a":["", "\\\ud800"]}`:                                   "/a/1",
		`{"a":"\udc00"}`:                                           "/a",
		`{"a":"\ud800\ud83d\ude00"}`:                               "/a",
		`{"a":"\ud800\u0041"}`:                                     "/a",
		`{"a":"\ud800x"}`:                                          "/a",
		`{"a" : { "b\ud800" : 1 } }`:                               "/a",
		`{"a":1,"a": 1}`:                                           "",
		`{"a":{"x":1,"y":2},"a":{"y":2, "x":1}}`:                   "",
		`{"a":{"b":1,"b":2},"a/~":[{"c":1},{"c":"1","\u0063":2}]}`: "/a/b /a~1~0/1/c",
		`{"a":1,"a":2,"a":3}`:                                      "/a",
		`"\ud800"`:                                                 "",
		`{"a":"\u0000"`:                                            "",
		``:                                                         "",
		` [ "\u0000" , {"x":"\u0000"} ] `:                          "/0 /1/x",
	} {
		_, err := jsonapi.Faults([]byte(body))
		var found jsonapi.ShapeErrors
		if err != nil && !errors.As(err, &found) {
			t.Fatalf("%s: %v", body, err)
		}
		var at []string
		for _, f := range found {
			at = append(at, f.Pointer)
		}
		if got := strings.Join(at, " "); got != want || (body == `"\ud800"`) != (err != nil && got == "") {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestWhatIsAtFaultIsLeftOut(t *testing.T) {
	t.Parallel()
	body := `{"a":"\ud800","b":[1,"\u0000",{"c":1, "c" : [2,"\u0000"]}],"d":"\\u0000","e":{"\u0000":1}` + strings.Repeat(`,"x":"\u0000"`, 100) + `}`
	text, err := jsonapi.Faults([]byte(body))
	if want := `{"a":null,"b":[1,null,{"c":null, "c" : null}],"d":"\\u0000","e":null,"x":null`; err == nil || !strings.HasPrefix(string(text), want) || strings.Contains(string(text), `"\u0000`) {
		t.Errorf("%v: %s", err, text)
	}
}

func FuzzFaults(f *testing.F) {
	for _, body := range []string{`{"a":"\ud800\udc00","b":[{"c":1,"c":2}]}`, `[1 , "\u0000" ]`, `-1e3`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if text, err := jsonapi.Faults(body); err != nil {
			if _, again := jsonapi.Faults(text); !json.Valid(text) || again != nil {
				t.Errorf("of %q is left %q: %v", body, text, again)
			}
		}
	})
}

func TestPointersTakeAnyName(t *testing.T) {
	t.Parallel()
	steps := []string{"a/b", "~1", "", "0"}
	if got := jsonapi.Pointer(steps...); got != "/a~1b/~01//0" || fmt.Sprint(jsonapi.Steps(got)) != fmt.Sprint(steps) {
		t.Errorf("got %s", got)
	}
}
