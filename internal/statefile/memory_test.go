package statefile

import (
	"bytes"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const (
	stateHead = `{"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{},"resources":[`
	stateTail = `],"check_results":null}`
)

// generated streams a state of about size bytes without holding it: resources
// of ten instances with about 4 KiB of attributes each.
type generated struct {
	left    int
	n       int
	pending bytes.Buffer
	done    bool
}

func newGenerated(size int) *generated {
	g := &generated{left: size}
	g.pending.WriteString(stateHead)
	return g
}

var attributes = `"attributes":{"id":"i-0123456789abcdef","tags":{` +
	strings.TrimSuffix(strings.Repeat(`"k":"some value of a common length","n":[1,2.5,true,null,{"a":"b"}],`, 60), ",") + `}}`

func (g *generated) Read(p []byte) (int, error) {
	if g.pending.Len() == 0 {
		if g.done {
			return 0, io.EOF
		}
		g.resource()
	}
	return g.pending.Read(p)
}

func (g *generated) resource() {
	if g.left <= 0 {
		g.pending.WriteString(stateTail)
		g.done = true
		return
	}
	if g.n > 0 {
		g.pending.WriteByte(',')
	}
	g.pending.WriteString(`{"mode":"managed","type":"aws_instance","name":"r` + strconv.Itoa(g.n) +
		`","provider":"provider[\"registry.terraform.io/hashicorp/aws\"]","instances":[`)
	for i := range 10 {
		if i > 0 {
			g.pending.WriteByte(',')
		}
		g.pending.WriteString(`{"index_key":` + strconv.Itoa(i) + `,"schema_version":1,` + attributes + `}`)
	}
	g.pending.WriteString(`]}`)
	g.left -= g.pending.Len()
	g.n++
}

// peak parses and gives the largest live heap seen on the way above the heap
// before, and the state.
func peak(t *testing.T, r io.Reader) (uint64, *State) {
	t.Helper()
	w := &watched{r: r}
	before := liveHeap()
	s, err := Parse(w)
	if err != nil {
		t.Fatal(err)
	}
	return max(w.max, liveHeap()) - min(before, max(w.max, before)), s
}

// watched measures the live heap every 8 MiB.
type watched struct {
	r    io.Reader
	read int
	max  uint64
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if (w.read+n)>>23 != w.read>>23 {
		w.max = max(w.max, liveHeap())
	}
	w.read += n
	return n, err
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestMemoryDoesNotGrowWithAttributes(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 50 MiB")
	}
	grown, s := peak(t, newGenerated(50<<20))
	if got := s.ManagedCount(); got < 10000 {
		t.Fatalf("only %d instances: the generator is wrong", got)
	}
	t.Logf("%d instances, live heap grew by %d KiB", s.ManagedCount(), grown>>10)
	if grown > 6<<20 {
		t.Errorf("live heap grew by %d bytes while reading 50 MiB", grown)
	}
}

// What is skipped in one piece is the attributes of one instance: memory
// follows the largest of them and not their sum.
func TestMemoryFollowsTheLargestInstance(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 32 MiB")
	}
	policy := strings.Repeat("x", 1<<20)
	parts := []io.Reader{strings.NewReader(stateHead + `{"mode":"managed","type":"t","name":"n","instances":[{"index_key":"first"}`)}
	for i := range 32 {
		parts = append(parts,
			strings.NewReader(`,{"index_key":`+strconv.Itoa(i)+`,"attributes":{"policy":"`),
			strings.NewReader(policy), strings.NewReader(`"}}`))
	}
	parts = append(parts, strings.NewReader(`]}`+stateTail))
	grown, s := peak(t, io.MultiReader(parts...))
	if s.ManagedCount() != 33 {
		t.Fatalf("%d instances: the generator is wrong", s.ManagedCount())
	}
	if grown > 8<<20 {
		t.Errorf("live heap grew by %d bytes while reading 32 instances of 1 MiB", grown)
	}
}

func BenchmarkParse(b *testing.B) {
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, newGenerated(4<<20)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(bytes.NewReader(buf.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
