package jsonapi_test

import (
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/belayhq/belay/internal/jsonapi"
)

func TestDocumentIsWhatEncodingJSONWouldWrite(t *testing.T) {
	t.Parallel()
	document := jsonapi.Document{
		Data: &jsonapi.Resource{
			Type: "things", ID: "t-1",
			Attributes: jsonapi.Object{
				{Name: "text", Value: "a \"quoted\" <tag> & é \u2028 \x01 \\"}, {Name: "yes", Value: true},
				{Name: "number", Value: 7}, {Name: "long", Value: int64(-1 << 60)}, {Name: "half", Value: 0.5},
				{Name: "none", Value: nil}, {Name: "list", Value: []string{"a", "b\n"}}, {Name: "empty", Value: []string{}},
				{Name: "at", Value: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.FixedZone("x", 3600))},
				{Name: "never", Value: time.Time{}}, {Name: "raw", Value: json.RawMessage(`{"a":[1]}`)},
				{Name: "object", Value: jsonapi.Object{{Name: "b", Value: 1}, {Name: "a", Value: jsonapi.Object{}}}},
				{Name: "other", Value: map[string]int{"x": 1}}, {Name: "nan", Value: math.NaN()},
			},
			Relationships: []jsonapi.Relation{
				{Name: "owner", Data: jsonapi.One("users", "user-1"), Related: "/users/user-1"},
				{Name: "nobody", Data: jsonapi.One("users", "")},
				{Name: "many", Data: jsonapi.Many("tags", []string{"tag-1", "tag-2"})},
				{Name: "linked", Related: "/somewhere"},
			},
			Links: jsonapi.Object{{Name: "self", Value: "/things/t-1"}},
		},
		Meta: jsonapi.Object{{Name: "count", Value: 1}},
	}
	const want = `{"data":{"id":"t-1","type":"things","attributes":{"text":"a \"quoted\" <tag> & é \u2028 \u0001 \\",
		"yes":true,"number":7,"long":-1152921504606846976,"half":0.5,"none":null,"list":["a","b\n"],"empty":[],
		"at":"2026-01-02T02:04:05.006Z","never":null,"raw":{"a":[1]},"object":{"b":1,"a":{}},"other":{"x":1},"nan":null},
		"relationships":{"owner":{"data":{"id":"user-1","type":"users"},"links":{"related":"/users/user-1"}},
		"nobody":{"data":null},"many":{"data":[{"id":"tag-1","type":"tags"},{"id":"tag-2","type":"tags"}]},
		"linked":{"links":{"related":"/somewhere"}}},"links":{"self":"/things/t-1"}},"meta":{"count":1}}`
	got := string(document.Append(nil))
	if squeezed := strings.NewReplacer("\n\t\t", "").Replace(want); got != squeezed {
		t.Errorf("got  %s\nwant %s", got, squeezed)
	}
	if !json.Valid([]byte(got)) {
		t.Error("the document is no JSON")
	}
}

func TestErrorsTellTheStatusAsText(t *testing.T) {
	t.Parallel()
	got := string(jsonapi.AppendErrors(nil, []jsonapi.Error{
		{Status: 422, Title: "invalid attribute", Detail: "Name is bad", Pointer: "/data/attributes/name"}, {Status: 404, Title: "not found"},
	}))
	const want = `{"errors":[{"status":"422","title":"invalid attribute","detail":"Name is bad","source":{"pointer":"/data/attributes/name"}},{"status":"404","title":"not found"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeTellsSyntaxFromShape(t *testing.T) {
	t.Parallel()
	for body, pointer := range map[string]string{
		``: "/data", `{}`: "/data", `[]`: "", `7`: "", `{"data":7}`: "/data", `{"data":[]}`: "/data",
		`{"data":{"type":7}}`: "/data/type", `{"data":{"id":[]}}`: "/data/id", `{"data":{"attributes":[]}}`: "/data/attributes",
		`{"data":{"relationships":7}}`: "/data/relationships", `{"data":{"relationships":{"a":7}}}`: "/data/relationships/a",
	} {
		_, err := jsonapi.Decode([]byte(body))
		var shape *jsonapi.ShapeError
		if !errors.As(err, &shape) || shape.Pointer != pointer {
			t.Errorf("%s: %v, want a shape error at %q", body, err, pointer)
		}
	}
	for _, body := range []string{`{`, `{"data":}`, `nonsense`, `{"data":{}} {}`} {
		var syntax *jsonapi.SyntaxError
		if _, err := jsonapi.Decode([]byte(body)); !errors.As(err, &syntax) {
			t.Errorf("%s: %v, want a syntax error", body, err)
		}
	}
	in, err := jsonapi.Decode([]byte(`{"data":{"type":"a","attributes":{"x":null},"relationships":{"p":{"data":null},"q":{},"r":{"data":{"type":"t","id":"i"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !in.Relationships["p"].Set || in.Relationships["q"].Set || string(in.Attributes["x"]) != "null" {
		t.Errorf("%+v", in)
	}
	if ref, err := in.Relationships["r"].Ref("/data/relationships/r"); err != nil || ref != (jsonapi.Ref{Type: "t", ID: "i"}) {
		t.Errorf("%v %v", ref, err)
	}
}

func TestPageIsLenient(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]jsonapi.Page{
		"": {1, 20}, "page[number]=3&page[size]=7": {3, 7}, "page[size]=101": {1, 100}, "page[size]=0&page[number]=0": {1, 20},
		"page[size]=-5&page[number]=-1": {1, 20}, "page[size]=x&page[number]=y": {1, 20},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonapi.ParsePage(values); got != want {
			t.Errorf("%s: %+v, want %+v", query, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{``, `{"data":{"type":"a","attributes":{"x":1}}}`, `{"data":[{"id":"a"}]}`, `{"data":null}`, `{"data":{"relationships":{"a":{"data":[]}}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, err := range []error{decodeOne(body), decodeMany(body), decodeRefs(body)} {
			var shape *jsonapi.ShapeError
			var syntax *jsonapi.SyntaxError
			if err != nil && !errors.As(err, &shape) && !errors.As(err, &syntax) {
				t.Errorf("%q: %v is neither of the two refusals", body, err)
			}
		}
	})
}

func decodeOne(body []byte) error {
	_, err := jsonapi.Decode(body)
	return err
}

func decodeMany(body []byte) error {
	_, err := jsonapi.DecodeMany(body)
	return err
}

func decodeRefs(body []byte) error {
	_, err := jsonapi.DecodeRefs(body)
	return err
}
