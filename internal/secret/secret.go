// Package secret owns the forms in which a sensitive value may stand where it must not be
// read: in a log, in a plan. It finds nothing and hides nothing itself.
package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/belayhq/belay/run"
)

// Shortest is the shortest value that is looked for, in bytes: shorter ones are in every text.
const Shortest = 8

// quoted is the texts in an expression.
var quoted = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// Of is every form of the sensitive ones among variables. A form may come twice.
func Of(variables []run.JobVariable) (forms []string) {
	for _, v := range variables {
		if !v.Sensitive {
			continue
		}
		forms = append(forms, Forms(v.Value)...)
		if v.HCL {
			for _, literal := range quoted.FindAllString(v.Value, -1) {
				if text, err := strconv.Unquote(literal); err == nil {
					forms = append(forms, Forms(strings.NewReplacer("$${", "${", "%%{", "%{").Replace(text))...)
				}
			}
		}
	}
	return forms
}

// Forms is a value as it is, in base64, JSON and URLs, as engines quote it, and each of its
// lines: engines indent what has many. Nothing, for one that is too short.
func Forms(value string) []string {
	if len(value) < Shortest {
		return nil
	}
	asJSON, _ := json.Marshal(value) // a string can always be written
	forms := []string{
		value, string(asJSON[1 : len(asJSON)-1]), url.QueryEscape(value), url.PathEscape(value),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(value)), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(value)), "="),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value),
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= Shortest {
			forms = append(forms, line)
		}
	}
	return forms
}
