package secret_test

import (
	"slices"
	"testing"

	"github.com/belayhq/belay/internal/secret"
	"github.com/belayhq/belay/run"
)

func TestFormsOfASecret(t *testing.T) {
	tests := []struct {
		name     string
		variable run.JobVariable
		want     []string // are among its forms
		none     bool
	}{
		{"plain", run.JobVariable{Value: "p/ssw?rd-1", Sensitive: true}, []string{"p/ssw?rd-1", "cC9zc3c/cmQtMQ", "cC9zc3c_cmQtMQ", "p%2Fssw%3Frd-1"}, false},
		{"lines", run.JobVariable{Value: "  first line\nsecond line", Sensitive: true}, []string{"first line", "second line", `  first line\nsecond line`}, false},
		{"quotes", run.JobVariable{Value: `a "quoted" word`, Sensitive: true}, []string{`a \"quoted\" word`}, false},
		{"expression", run.JobVariable{Value: `["opensesame\n1", { a = "$${literally}" }]`, HCL: true, Sensitive: true}, []string{"opensesame\n1", "opensesame", "${literally}"}, false},
		{"short", run.JobVariable{Value: "1234567", Sensitive: true}, nil, true},
		{"open to all", run.JobVariable{Value: "not a secret"}, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := secret.Of([]run.JobVariable{test.variable})
			if test.none && len(got) > 0 {
				t.Errorf("got %q", got)
			}
			for _, form := range test.want {
				if !slices.Contains(got, form) {
					t.Errorf("%q is not among %q", form, got)
				}
			}
		})
	}
}
