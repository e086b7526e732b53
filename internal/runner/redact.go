package runner

import (
	"github.com/belayhq/belay/internal/secret"
	"github.com/belayhq/belay/run"
)

// longestNeedle is where a value is cut: its pieces are looked for each by itself.
const longestNeedle = 1024

// redactor puts a star for every byte of a secret that it finds in a stream, also where
// the secret came in pieces, and "?" for the two bytes that frame a log. Nothing moves: a
// byte of the output is at the place of its input. It is Aho and Corasick's automaton.
type redactor struct {
	nodes   []node
	state   int32
	pending []byte // what may yet be the beginning of a secret
}

// node is a place in the trie of needles.
type node struct {
	first, next int32 // child, sibling; 0: none, for the root is nobody's
	fail        int32
	depth       int32
	hit         int32 // the longest needle that ends here; 0: none
	char        byte
}

func newRedactor(needles []string) *redactor {
	r := &redactor{nodes: make([]node, 1)}
	for _, needle := range needles {
		r.add(needle)
	}
	r.link()
	return r
}

func (r *redactor) child(of int32, c byte) int32 {
	for n := r.nodes[of].first; n != 0; n = r.nodes[n].next {
		if r.nodes[n].char == c {
			return n
		}
	}
	return 0
}

func (r *redactor) add(needle string) {
	at := int32(0)
	for i := range len(needle) {
		next := r.child(at, needle[i])
		if next == 0 {
			next = int32(len(r.nodes)) //nolint:gosec // there are as many as letters in secrets
			r.nodes = append(r.nodes, node{next: r.nodes[at].first, depth: r.nodes[at].depth + 1, char: needle[i]})
			r.nodes[at].first = next
		}
		at = next
	}
	r.nodes[at].hit = r.nodes[at].depth
}

// link finds for each place the longest other one that the same bytes lead to.
func (r *redactor) link() {
	var queue []int32
	for n := r.nodes[0].first; n != 0; n = r.nodes[n].next {
		queue = append(queue, n)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		r.nodes[at].hit = max(r.nodes[at].hit, r.nodes[r.nodes[at].fail].hit)
		for n := r.nodes[at].first; n != 0; n = r.nodes[n].next {
			r.nodes[n].fail = r.step(r.nodes[at].fail, r.nodes[n].char)
			queue = append(queue, n)
		}
	}
}

func (r *redactor) step(from int32, c byte) int32 {
	for {
		if n := r.child(from, c); n != 0 || from == 0 {
			return n
		}
		from = r.nodes[from].fail
	}
}

// feed takes what came and gives what is certain by now.
func (r *redactor) feed(in []byte) []byte {
	for _, c := range in {
		r.state = r.step(r.state, c)
		switch c {
		case 2, 3: // what begins and ends a log
			c = '?'
		}
		r.pending = append(r.pending, c)
		for i := len(r.pending) - int(r.nodes[r.state].hit); i < len(r.pending); i++ {
			r.pending[i] = '*'
		}
	}
	// The bytes of a needle that has only begun may become stars.
	certain := len(r.pending) - int(r.nodes[r.state].depth)
	out := r.pending[:certain:certain]
	r.pending = append([]byte(nil), r.pending[certain:]...)
	return out
}

// rest is what was held back, when nothing more comes.
func (r *redactor) rest() []byte {
	out := r.pending
	r.pending, r.state = nil, 0
	return out
}

// needles is every form in which a sensitive value of a job is looked for, and its tokens.
func needles(spec *run.JobSpec, more ...string) []string {
	seen := map[string]bool{}
	forms := secret.Of(spec.Variables)
	for _, value := range append([]string{spec.SSHKey, spec.RunToken}, more...) {
		forms = append(forms, secret.Forms(value)...)
	}
	for _, form := range forms {
		for ; len(form) > longestNeedle; form = form[longestNeedle-secret.Shortest:] {
			seen[form[:longestNeedle]] = true
		}
		if len(form) >= secret.Shortest {
			seen[form] = true
		}
	}
	all := make([]string, 0, len(seen))
	for needle := range seen {
		all = append(all, needle)
	}
	return all
}
