package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func parseFile(t *testing.T, name string) *State {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("Parse(%s): %v", name, err)
	}
	slow, err := Parse(iotest.OneByteReader(bytes.NewReader(b)))
	if err != nil || !reflect.DeepEqual(s, slow) {
		t.Fatalf("Parse(%s) byte by byte differs: %v", name, err)
	}
	return s
}

func TestParseFiles(t *testing.T) {
	tests := []struct {
		file      string
		managed   int
		addresses []string
	}{
		{"empty.tfstate", 0, nil},
		{"outputs.tfstate", 0, nil},
		{"data_only.tfstate", 0, []string{"data.null_data_source.d"}},
		{"deposed.tfstate", 3, []string{"null_resource.both", "null_resource.only[0]", "null_resource.only[1]"}},
		{"opentofu.tfstate", 2, []string{`null_resource.r["a"]`, `null_resource.r["b"]`}},
		{"modules.tfstate", 11, []string{
			"data.terraform_remote_state.net",
			"null_resource.a",
			"aws_instance.web[0]", "aws_instance.web[1]", "aws_instance.web[2]",
			`app_tier.random_pet.name["eu"]`, `app_tier.random_pet.name["a\"b"]`, `app_tier.random_pet.name["$${x}"]`,
			`net["eu.west[1]"].data.aws_ami.linux`,
			`net["eu.west[1]"].aws_subnet.s[0]`, `net["eu.west[1]"].aws_subnet.s[1]`,
			`net["us"].aws_subnet.s[0]`,
			`net["us"].deep[0].null_resource.leaf`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			s := parseFile(t, tt.file)
			if s.Version != 4 || s.Serial != 7 || s.Lineage != "3f7c2a10-9d5e-4b1a-8f55-0c1de2a7b901" || s.TerraformVersion == "" {
				t.Errorf("header: %+v", s)
			}
			if got := s.ManagedCount(); got != tt.managed {
				t.Errorf("ManagedCount = %d, want %d", got, tt.managed)
			}
			var got []string
			for _, row := range s.List() {
				got = append(got, row.Address)
			}
			if !reflect.DeepEqual(got, tt.addresses) {
				t.Errorf("addresses:\n%q\nwant\n%q", got, tt.addresses)
			}
		})
	}
}

func TestOutputs(t *testing.T) {
	s := parseFile(t, "outputs.tfstate")
	want := []struct{ name, word, value, kind string }{
		{"bool", "boolean", `true`, `"bool"`},
		{"dynamic", "null", `null`, `"dynamic"`},
		{"list", "array", `["a","b"]`, `["list","string"]`},
		{"map", "object", `{"k":"v"}`, `["map","string"]`},
		{"number", "number", `4`, `"number"`},
		{"object", "object", `{"a":"x","b":[1]}`, `["object",{"a":"string","b":["list","number"]}]`},
		{"set", "array", `["a"]`, `["set","string"]`},
		{"tuple", "array", `["a",1]`, `["tuple",["string","number"]]`},
		{"z_string", "string", `"s3cret"`, `"string"`},
	}
	if len(s.Outputs) != len(want) {
		t.Fatalf("%d outputs, want %d", len(s.Outputs), len(want))
	}
	for i, w := range want {
		o := s.Outputs[i]
		if o.Name != w.name || o.TypeWord() != w.word || string(o.Value) != w.value || string(o.Type) != w.kind {
			t.Errorf("output %d: %s %s %s %s, want %+v", i, o.Name, o.TypeWord(), o.Value, o.Type, w)
		}
		if o.Sensitive != (w.name != "dynamic") {
			t.Errorf("output %s: sensitive = %v", o.Name, o.Sensitive)
		}
	}
}

func TestTypeWordWithoutType(t *testing.T) {
	for value, want := range map[string]string{
		`"a"`: "string", `1`: "number", `-1`: "number", `false`: "boolean",
		`[]`: "array", `{}`: "object", `null`: "null", ``: "null",
	} {
		if got := (Output{Value: json.RawMessage(value)}).TypeWord(); got != want {
			t.Errorf("TypeWord of %s = %s, want %s", value, got, want)
		}
	}
	for _, kind := range []string{`[]`, `[1]`, `"capsule"`, `{}`} {
		if got := (Output{Type: json.RawMessage(kind), Value: json.RawMessage(`1`)}).TypeWord(); got != "number" {
			t.Errorf("TypeWord of type %s = %s", kind, got)
		}
	}
}

func TestParseOutputs(t *testing.T) {
	got, err := ParseOutputs(strings.NewReader(`{"b":{"sensitive":true,"type":"number","value":1.50},"a":{"value":null}}`))
	if err != nil || len(got) != 2 || got[0].Name != "a" || string(got[1].Value) != "1.50" || !got[1].Sensitive {
		t.Errorf("ParseOutputs = %+v, %v", got, err)
	}
	for _, bad := range []string{``, `[]`, `{"a":1}`, `{} x`, `{"a":{}`, `{"a":{},"a":{}}`} {
		if _, err := ParseOutputs(strings.NewReader(bad)); err == nil {
			t.Errorf("ParseOutputs(%s) took it", bad)
		}
	}
}

func TestOptionalFields(t *testing.T) {
	for _, in := range []string{
		`{"version":4}`,
		"\n {\"version\":4} \n",
		`{"version":4,"serial":null,"lineage":null,"outputs":null,"resources":null,"terraform_version":null}`,
		`{"resources":[{"name":"n","type":"t","mode":"managed","provider":null,"module":null,"instances":null}],"version":4}`,
	} {
		if _, err := Parse(strings.NewReader(in)); err != nil {
			t.Errorf("Parse(%s): %v", in, err)
		}
	}
	s, err := Parse(strings.NewReader(`{"Version":4,"SERIAL":9223372036854775807}`))
	if err != nil || s.Serial != 9223372036854775807 {
		t.Errorf("keys without regard to case: %+v, %v", s, err)
	}
}

func withResource(fields string) string {
	return `{"version":4,"resources":[{"mode":"managed","type":"t","name":"n",` + fields + `}]}`
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat(`[`, 10001) + strings.Repeat(`]`, 10001)
	tests := []struct{ name, in, want string }{
		{"empty", ``, "syntax: unexpected end"},
		{"only space", " \n", "syntax: unexpected end"},
		{"text", `hello`, "syntax: invalid character"},
		{"byte order mark", "\ufeff{\"version\":4}", "syntax: invalid character"},
		{"truncated in a key", `{"version":4,"seri`, "syntax: unexpected end"},
		{"truncated after a value", `{"version":4`, "syntax: unexpected end"},
		{"truncated in skipped", `{"version":4,"x":[{"y":"z`, "syntax: unexpected end"},
		{"truncated in an output", `{"version":4,"outputs":{"a":{"value":"b`, "syntax: unexpected end"},
		{"trailing comma", `{"version":4,}`, "syntax: invalid character"},
		{"crossed brackets", `{"version":4,"resources":[}`, "syntax: invalid character"},
		{"key no string", `{"version":4,1:2}`, "syntax: "},
		{"trailing value", `{"version":4}{}`, "syntax: something follows"},
		{"trailing garbage", `{"version":4} x`, "syntax: invalid character"},
		{"invalid UTF-8 in a value", "{\"version\":4,\"lineage\":\"\xff\"}", "syntax: invalid UTF-8"},
		{"invalid UTF-8 in skipped", "{\"version\":4,\"x\":\"a\xc3(\"}", "syntax: invalid UTF-8"},
		{"rune cut at the end", "{\"version\":4}\xc3", "syntax: "},
		{"rune cut in a value", "{\"version\":4,\"x\":\"\xe2\x82", "syntax: invalid UTF-8"},
		{"deep in skipped", `{"version":4,"x":` + deep + `}`, "syntax: invalid character '[' exceeded max depth"},
		{"deep in an output", `{"version":4,"outputs":{"a":{"value":` + deep + `}}}`, "syntax: invalid character '[' exceeded max depth"},
		{"list", `[]`, "format: : must be an object"},
		{"string", `"x"`, "format: : must be an object"},
		{"null", `null`, "version: "},
		{"no version", `{"serial":1}`, "version: "},
		{"version 3", `{"version":3,"modules":[]}`, "version: 3"},
		{"version 5", `{"version":5}`, "version: 5"},
		{"version text", `{"version":"4"}`, "format: version: must be a whole number"},
		{"version 4.0", `{"version":4.0}`, "format: version: must be a whole number"},
		{"serial negative", `{"version":4,"serial":-1}`, "format: serial: must be a whole number"},
		{"serial huge", `{"version":4,"serial":9223372036854775808}`, "format: serial: must be a whole number"},
		{"serial broken", `{"version":4,"serial":1.5}`, "format: serial: must be a whole number"},
		{"serial text", `{"version":4,"serial":"1"}`, "format: serial: must be a whole number"},
		{"serial twice", `{"version":4,"serial":1,"serial":2}`, "format: serial: appears twice"},
		{"serial twice in other case", `{"version":4,"serial":1,"Serial":2}`, "format: serial: appears twice"},
		{"resources twice", `{"version":4,"resources":[],"resources":[]}`, "format: resources: appears twice"},
		{"lineage number", `{"version":4,"lineage":1}`, "format: lineage: must be a string"},
		{"outputs list", `{"version":4,"outputs":[]}`, "format: outputs: must be an object"},
		{"output twice", `{"version":4,"outputs":{"a":{},"a":{}}}`, "format: outputs.a: appears twice"},
		{"output no object", `{"version":4,"outputs":{"a":1}}`, "format: outputs.a: must be an object"},
		{"output sensitive text", `{"version":4,"outputs":{"a":{"sensitive":"yes"}}}`, "format: outputs.a: must be an object"},
		{"output type", `{"version":4,"outputs":{"a":{"type":{}}}}`, "format: outputs.a.type: must be a name"},
		{"resources object", `{"version":4,"resources":{}}`, "format: resources: must be a list"},
		{"resource text", `{"version":4,"resources":["x"]}`, "format: resources[0]: must be an object"},
		{"resource empty", `{"version":4,"resources":[{}]}`, "format: resources[0].mode: must be"},
		{"no type", `{"version":4,"resources":[{"mode":"data"}]}`, "format: resources[0].type: is missing"},
		{"no name", `{"version":4,"resources":[{"mode":"data","type":"t"}]}`, "format: resources[0].name: is missing"},
		{"mode twice", withResource(`"mode":"data"`), "format: resources[0].mode: appears twice"},
		{"module", withResource(`"module":"net"`), "format: resources[0].module: is not"},
		{"instances object", withResource(`"instances":{}`), "format: resources[0].instances: must be a list"},
		{"index key", withResource(`"instances":[{},{"index_key":true}]`), "format: resources[0].instances[1].index_key: must be"},
		{"index key broken", withResource(`"instances":[{"index_key":0.5}]`), "format: resources[0].instances[0].index_key: must be"},
		{"instance twice", withResource(`"instances":[{"index_key":0},{"index_key":0}]`), "format: resources[0].instances[1]: appears twice"},
		{"deposed twice", withResource(`"instances":[{"deposed":"a"},{"deposed":"a"}]`), "format: resources[0].instances[1]: appears twice"},
		{"resource twice, others between", `{"version":4,"resources":[{"mode":"data","type":"t","name":"b"},{"mode":"data","type":"t","name":"c"},{"mode":"data","type":"t","name":"a"},{"mode":"managed","type":"t","name":"a"},{"mode":"data","type":"t","name":"c"}]}`, "format: resources[4]: appears twice"},
		{"resource twice, the second out of order", `{"version":4,"resources":[{"mode":"data","type":"t","name":"b"},{"mode":"data","type":"t","name":"c"},{"mode":"data","type":"t","name":"b"}]}`, "format: resources[2]: appears twice"},
		{"resource twice", `{"version":4,"resources":[{"mode":"data","type":"t","name":"n"},{"mode":"data","type":"t","name":"n"}]}`, "format: resources[1]: appears twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse(strings.NewReader(tt.in))
			if err == nil || s != nil {
				t.Fatalf("Parse took it: %+v, %v", s, err)
			}
			if got := describe(err); !strings.HasPrefix(got, tt.want) {
				t.Errorf("error %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

// describe is an error's type and what its fields say.
func describe(err error) string {
	var syntax *SyntaxError
	var version *VersionError
	var format *FormatError
	switch {
	case errors.As(err, &syntax):
		return "syntax: " + syntax.Detail
	case errors.As(err, &version):
		return "version: " + version.Found
	case errors.As(err, &format):
		return "format: " + format.Path + ": " + format.Detail
	}
	return "other: " + err.Error()
}

func TestEncryptedAndOldFiles(t *testing.T) {
	b, err := os.ReadFile("testdata/encrypted.tfstate")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(bytes.NewReader(b))
	var enc *EncryptedError
	if !errors.As(err, &enc) || enc.Serial != 3 || enc.Lineage != "92dada5a-e8a8-b917-73b0-25a9a8e19714" {
		t.Errorf("encrypted: %#v", err)
	}
	old, err := os.ReadFile("testdata/v3.tfstate")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(bytes.NewReader(old))
	var version *VersionError
	if !errors.As(err, &version) || version.Found != "3" {
		t.Errorf("version 3: %#v", err)
	}
}

func TestReaderFailureIsItsOwn(t *testing.T) {
	for _, broken := range []error{errors.New("disk on fire"), io.ErrUnexpectedEOF} {
		for _, head := range []string{``, `{"version":4,"x":[`, `{"version":4,"outputs":{"a":{"value":"`, `{"version":4}`} {
			_, err := Parse(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)))
			if !errors.Is(err, broken) {
				t.Errorf("after %q: %v, want %v", head, err, broken)
			}
		}
	}
}

func TestErrorsHideValues(t *testing.T) {
	for _, in := range []string{
		`{"version":4,"serial":"hunter2"}`,
		`{"version":4,"outputs":{"a":{"sensitive":"hunter2"}}}`,
		`{"version":4,"outputs":{"a":{"value":"hunter2","type":{"x":"hunter2"}}}}`,
		`{"version":4,"outputs":{"a":{"value":"hunter2`,
		withResource(`"module":"hunter2"`),
		`{"version":4,"resources":[{"mode":"hunter2"}]}`,
	} {
		_, err := Parse(strings.NewReader(in))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Parse(%s): %v", in, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.tfstate")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"version":4,"serial":-1}`))
	f.Add([]byte(withResource(`"module":"module.a[\"\\\"]\"].module.b[0]","provider":"module.a.provider[\"x","instances":[{"index_key":"\u0000${"}]`)))
	for _, resource := range []string{
		`"module" : "module.a[\"b\"]" ,"provider":"p\u0041", "Instances": [ {"index_key": "a"},{"index_key":"b","provider":"q"} ]`,
		`"module":null,"provider": "p", "instances":null`, `"module": 1`, `"module":"module.a"  "x":1`, `"provider": "a\q"`, `"provider":"a`, `"provider" "a"`, `"provider":"a",`, `"\u006dodule":"module.a"`,
	} {
		f.Add([]byte(withResource(resource)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse(bytes.NewReader(b))
		if (s == nil) == (err == nil) {
			t.Fatalf("state %v and error %v", s, err)
		}
		slow, slowErr := Parse(iotest.OneByteReader(bytes.NewReader(b)))                                 // of which little is at hand
		same := fmt.Sprint(err) == fmt.Sprint(slowErr) || !utf8.Valid(b) && err != nil && slowErr != nil // what is no UTF-8 is seen with the piece it comes in
		if !reflect.DeepEqual(s, slow) || !same {
			t.Fatalf("%+v, %v; byte by byte %+v, %v", s, err, slow, slowErr)
		}
		if err != nil {
			if strings.HasPrefix(describe(err), "other:") && !errors.As(err, new(*EncryptedError)) {
				t.Fatalf("error of no type: %v", err)
			}
			return
		}
		for _, v := range []any{s.Summary(func() {}), s.List(), s.Outputs} {
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("marshal %T: %v", v, err)
			}
		}
		if sum := s.Summary(func() {}); sum.ManagedCount > len(s.List()) || s.Version != FormatVersion || s.Serial < 0 {
			t.Fatalf("%+v", sum)
		}
	})
}
