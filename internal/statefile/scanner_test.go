package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// realistic is a state of about a size, indented as the engines write it: instances of some
// two kilobytes, with texts, numbers, lists and an escaped policy each.
func realistic(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"version":4,"terraform_version":"1.12.6","serial":7,"lineage":"l","outputs":{"url":{"value":"https://example.com","type":"string"}},"resources":[`)
	for i := 0; b.Len() < size*6/10; i++ { // indenting adds the rest
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"module":"module.site[\"eu-%d\"]","mode":"managed","type":"aws_instance","name":"web","provider":"provider[\"registry.terraform.io/hashicorp/aws\"]","instances":[`, i)
		for j := range 3 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"index_key":%d,"schema_version":1,"attributes":{"ami":"ami-0123456789abcdef0","arn":"arn:aws:ec2:eu-central-1:123456789012:instance/i-%08x",`+
				`"ebs_optimized":false,"policy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":[\"s3:GetObject\",\"s3:PutObject\"]}]}",`+
				`"tags":{"Name":"web-%d","team":"platform","städte":"Köln"},"root_block_device":[{"size":%d,"iops":3000,"encrypted":true,"tags":{},"kms":null}],`+
				`"security_groups":["sg-0a","sg-0b","sg-0c"],"ratio":0.5,"user_data":null},"sensitive_attributes":[],"private":"eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==","dependencies":["module.net.aws_vpc.main","data.aws_ami.linux"]}`, j, i*3+j, j, 8+j)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`],"check_results":null}`)
	var indented bytes.Buffer
	if json.Indent(&indented, b.Bytes(), "", "  ") != nil {
		panic("the generator is wrong")
	}
	return indented.Bytes()
}

// TestParsingAllocatesForInstancesOnly holds that what is passed over is looked at where it
// lies: the same instances with ten times the attributes cost no more.
func TestParsingAllocatesForInstancesOnly(t *testing.T) {
	state := func(attributes int) []byte {
		object := strings.Repeat(`"k":["v",1,{"x":null}],`, attributes)
		instances := strings.Repeat(`,{"index_key":0,"attributes":{`+object+`"z":1}}`, 100)[1:]
		for i := range 100 {
			instances = strings.Replace(instances, `"index_key":0`, fmt.Sprintf(`"index_key":"%d"`, i), 1)
		}
		return []byte(known + `"resources":[{"mode":"data","type":"t","name":"n","instances":[` + instances + `]}]}`)
	}
	cost := func(file []byte) float64 {
		return testing.AllocsPerRun(20, func() {
			if _, err := Parse(bytes.NewReader(file)); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := cost(state(2)), cost(state(20))
	t.Logf("%v and %v allocations", few, many)
	if many > few+3 {
		t.Errorf("%v allocations, and %v where the attributes are ten times as large", few, many)
	}
	if few > 150 {
		t.Errorf("%v allocations for 100 instances", few)
	}
}

func BenchmarkRealistic(b *testing.B) {
	raw := realistic(1 << 20)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(bytes.NewReader(raw)); err != nil {
			b.Fatal(err)
		}
	}
}

// scanned is what the scanner says of the first value of a document.
func scanned(r io.Reader) (string, error) {
	s := &scanner{from: r}
	raw, err := s.value()
	if err != nil {
		detail, _ := s.detail(err)
		return "", errors.New(detail)
	}
	return string(raw), nil
}

// decoded is what encoding/json says of it.
func decoded(r io.Reader) (string, error) {
	var raw json.RawMessage
	err := json.NewDecoder(r).Decode(&raw)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("unexpected end")
	}
	return strings.Trim(string(raw), " \t\r\n"), err
}

// FuzzScanner holds the scanner to encoding/json: what is taken, and what is said of the rest.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `nul`, `nulx`, `trUe`, `fals `, `true`, `[]`, `[1,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{"a":}`, `{"a":1,}`, `{1:2}`, `{,}`, `{"a":1 "b":2}`, `{"a":1]`, `[}`, `]`, `:`, `,`,
		`0`, `-`, `-x`, `01`, `1.`, `1.x`, `1e`, `1e+`, `1e-x`, `-0.5E+10`, `[-0]`, `[1.5e3,0,-1]`, `"a`, `"\`, `"\q"`, `"\u12`, `"\u12g4"`, `"\uD800\u00e9\/\b\f\n\r\t\"\\"`,
		"\"a\nb\"", "\"12345678\x1f\"", "\"1234567\x7f€12345678\"", `"'"`, `'`, "\x00", "[\"\xff\"]", `{"a":{"b":[1,"c",{"d":null}]}} x`, "\ufeff1",
		`[1.5,-0,0.25e1,12]`, `[1.]`, `[-]`, `{"a":{"b\n\/":[true,false,null,{}]},"c":[[],""]}`, `{"a":[{"b":tru}]}`, "[        1,\t2]", `["\u00e9",{"a":"\x"}]`,
		strings.Repeat(`[`, deepest+1) + strings.Repeat(`]`, deepest+1), strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth), strings.Repeat(`[`, maxDepth+1), strings.Repeat(`{"a":`, maxDepth+1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		want, wantErr := decoded(strings.NewReader(in))
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
			got, err := scanned(r)
			if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%q: %q, %v; encoding/json says %q, %v", in, got, err, want, wantErr)
			}
		}
	})
}
