package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/belayhq/belay/internal/cli/shell"
)

// secrets is the variables of the environment that hold a secret. Each may be given as a file
// instead, whose path is in the variable of the same name and _FILE.
var secrets = []string{
	"BELAY_DATABASE_URL", "BELAY_ENCRYPTION_KEY", "BELAY_ADMIN_TOKEN", "BELAY_SMTP_URL", "BELAY_PASSWORD", "BELAY_TOKEN", "BELAY_RUNNER_TOKEN",
	"BELAY_GITHUB_APP_KEY", "BELAY_GITHUB_APP_WEBHOOK_SECRET",
	headersVariable,
}

// secretsFromFiles lets getenv give the secrets that files hold.
func secretsFromFiles(getenv func(string) string) (func(string) string, error) {
	read := map[string]string{}
	for _, name := range secrets {
		path := getenv(name + "_FILE")
		if path == "" {
			continue
		}
		if getenv(name) != "" {
			return nil, shell.Misconfigured(fmt.Errorf("%s and %s_FILE are both set: give one of them", name, name))
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, shell.Misconfigured(fmt.Errorf("%s_FILE: %w", name, err))
		}
		if read[name] = strings.TrimSpace(string(raw)); read[name] == "" {
			return nil, shell.Misconfigured(fmt.Errorf("%s_FILE: %s is empty", name, path))
		}
	}
	return func(name string) string {
		if value := read[name]; value != "" {
			return value
		}
		return getenv(name)
	}, nil
}
