package statefile

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	tests := []struct {
		key           Key
		text, encoded string
	}{
		{Key{}, "", "null"},
		{IntKey(0), "[0]", "0"},
		{IntKey(12), "[12]", "12"},
		{StringKey(""), `[""]`, `""`},
		{StringKey("0"), `["0"]`, `"0"`},
		{StringKey("a.b"), `["a.b"]`, `"a.b"`},
		{StringKey("q\"\\\n\r\t"), `["q\"\\\n\r\t"]`, `"q\"\\\n\r\t"`},
		{StringKey("${a} %{b} $ %"), `["$${a} %%{b} $ %"]`, `"${a} %{b} $ %"`},
		{StringKey("\x01\U000e0001ü"), `["\u0001\U000e0001ü"]`, "\"\\u0001\U000e0001ü\""},
	}
	for _, tt := range tests {
		if got := tt.key.String(); got != tt.text {
			t.Errorf("String = %s, want %s", got, tt.text)
		}
		b, err := json.Marshal(tt.key)
		if err != nil || string(b) != tt.encoded {
			t.Errorf("marshal = %s, %v, want %s", b, err, tt.encoded)
		}
		back := IntKey(99)
		if err := json.Unmarshal(b, &back); err != nil || back != tt.key {
			t.Errorf("unmarshal %s = %v, %v", b, back, err)
		}
	}
	for _, bad := range []string{`1.5`, `true`, `{}`} {
		if err := json.Unmarshal([]byte(bad), new(Key)); err == nil {
			t.Errorf("unmarshal %s took it", bad)
		}
	}
}

// TestListedAt wants of an absolute address what the list of resources says of its instance.
func TestListedAt(t *testing.T) {
	for address, want := range map[string]Listed{
		"a.b":                                   {Address: "a.b", Module: "root"},
		`a.b["x.module.y"]`:                     {Address: `a.b["x.module.y"]`, Module: "root"},
		`module.n["q\"].x"].module.s[0].a.b[1]`: {Address: `n["q\"].x"].s[0].a.b[1]`, Module: "n.s"},
	} {
		row := Row{Type: "a"}
		row.Module, row.Name, _ = strings.Cut(address, "a.b")
		row.Module, row.Name = strings.TrimSuffix(row.Module, "."), "b"+row.Name
		if got, ok := ListedAt(address); !ok || got != want || got != row.Listed() {
			t.Errorf("%s is listed as %+v, %v; its row as %+v", address, got, ok, row.Listed())
		}
	}
	for _, bad := range []string{"", "module.a", "module.a.", "module..a.b", `module.a["x.a.b`, "module.a[x].b.c", "module.a[0]b.c"} {
		if got, ok := ListedAt(bad); ok {
			t.Errorf("%q is listed as %+v", bad, got)
		}
	}
}

func TestModulePath(t *testing.T) {
	for address, want := range map[string]string{
		"":                                "root",
		"module.a":                        "root.a",
		"module.a.module.b_c":             "root.a.b_c",
		`module.a[0].module.b["x"]`:       "root.a.b",
		`module.a["x.module.y"].module.b`: "root.a.b",
		`module.a["q\"]\\"].module.b[10]`: "root.a.b",
		"modul.a":                         "modul.a",
		"module.":                         "module.",
		"module.a.b":                      "module.a.b",
		"module.a[x]":                     "module.a[x]",
		"module.a[1":                      "module.a[1",
		`module.a["x`:                     `module.a["x`,
		`module.a["x"`:                    `module.a["x"`,
		"module.a[0]x":                    "module.a[0]x",
		"module.a.":                       "module.a.",
	} {
		if got := ModulePath(address); got != want {
			t.Errorf("ModulePath(%s) = %s, want %s", address, got, want)
		}
	}
}

func TestProviderSource(t *testing.T) {
	for address, want := range map[string]string{
		`provider["registry.terraform.io/hashicorp/null"]`:                    "hashicorp/null",
		`provider["registry.opentofu.org/hashicorp/null"].a`:                  "hashicorp/null",
		`provider["terraform.io/builtin/terraform"]`:                          "terraform.io/builtin/terraform",
		`provider["tf.example.com/acme/thing"].a["k"]`:                        "tf.example.com/acme/thing",
		`module.x.provider["registry.terraform.io/a/b"]`:                      "a/b",
		`module.x["a.b"].module.y[0].provider["registry.terraform.io/a/b"].c`: "a/b",
		"provider.aws":               "aws",
		"module.x.provider.aws.west": "aws",
		"":                           "",
		"aws":                        "aws",
		"provider":                   "provider",
		`provider["x`:                `provider["x`,
		"module.x":                   "module.x",
		"module.x.y":                 "module.x.y",
		`module.x["`:                 `module.x["`,
		"module.x[0]provider.a":      "module.x[0]provider.a",
	} {
		if got := ProviderSource(address); got != want {
			t.Errorf("ProviderSource(%s) = %s, want %s", address, got, want)
		}
	}
	if got := ProviderName("tf.example.com/acme/thing") + ProviderName("aws"); got != "thingaws" {
		t.Errorf("ProviderName: %s", got)
	}
}
