package git

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/belayhq/belay/internal/isolate"
)

// Error is why a fetch failed, in words for those who run the workspace. It has no secret.
type Error struct {
	Text    string
	Passing bool // the same fetch may succeed later
}

func (e *Error) Error() string { return e.Text }

// Lasting says that the same fetch fails whenever it is tried.
func (e *Error) Lasting() bool { return !e.Passing }

// ErrToken is a fetch that the service refuses to whoever holds this token or key.
var ErrToken error = &Error{Text: "the service does not take the connection's token or key"}

func failed(format string, args ...any) error { return &Error{Text: fmt.Sprintf(format, args...)} }

// passing is a failure that may be over when the fetch is tried again.
func passing(format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...), Passing: true}
}

// What git says of faults. Where it names what the service answered, that counts; what is known of
// neither list lasts, for git says of most things that they are wrong and of few that they pass.
var (
	answered = regexp.MustCompile(`(?:returned error: |RPC failed; HTTP )(\d{3})\b`)
	lasts    = regexp.MustCompile(`(?i)not our ref|couldn't find remote ref|not found|certificate|fsck`)
	passes   = regexp.MustCompile(`(?i)could not resolve host|failed to connect|couldn't connect|connection (?:refused|reset|closed|timed out)|timed out|timeout` +
		`|too slow|empty reply|(?:recv|send) failure|rpc failed|early eof|hung up unexpectedly|unexpected disconnect|no route to host|unreachable` +
		`|temporary failure|broken pipe|kex_exchange_identification|transfer closed|outstanding read data|ssl_error_syscall|non-properly terminated|http/2 stream`)
)

// mayPass says whether what git said is of a fault that may be over later.
func mayPass(said string) bool {
	if m := answered.FindStringSubmatch(said); m != nil {
		status, _ := strconv.Atoi(m[1])
		return statusPasses(status)
	}
	return !lasts.MatchString(said) && passes.MatchString(said)
}

// statusPasses says whether a service that answered so may answer otherwise later.
func statusPasses(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// problem says in few words what git said at length.
func (j *job) problem(name, said string, result isolate.Result) error {
	may := mayPass(said)
	if password := j.request.Password; password != "" {
		said = strings.ReplaceAll(said, password, "…")
	}
	said = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(said, ""))
	switch {
	case result.Reason == isolate.OverMemory:
		return failed("git %s was ended: %s", name, result.Reason)
	case result.Reason != "":
		return passing("git %s was ended: %s", name, result.Reason)
	case strings.Contains(said, "Authentication failed"), strings.Contains(said, "could not read Username"), strings.Contains(said, "Permission denied (publickey"):
		return ErrToken
	case strings.Contains(said, "Host key verification failed"):
		return failed("the service has another SSH key than before")
	}
	var told []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal:") || strings.HasPrefix(line, "error:") || strings.HasPrefix(line, "ssh:") {
			told = append(told, line)
		}
	}
	text := strings.Join(told, "; ")
	if text == "" {
		text = strings.TrimSpace(said)
	}
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "")
	}
	return &Error{Text: fmt.Sprintf("git %s failed: %s", name, text), Passing: may}
}
