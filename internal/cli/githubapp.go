package cli

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/vcs"
)

// githubApp is the GitHub App that the server is.
type githubApp struct {
	appID, appKey, appSecret string
	appURL, appAPIURL        string
	app                      *vcs.App // what they say; nil: the server is none
}

func (g *githubApp) flags(flags *pflag.FlagSet) {
	flags.StringVar(&g.appID, "github-app-id", "", "id of the GitHub App that repositories are reached by; none when empty (BELAY_GITHUB_APP_ID)")
	flags.StringVar(&g.appKey, "github-app-key", "", "private key of the GitHub App, PEM; better by the environment, or in a file that BELAY_GITHUB_APP_KEY_FILE names (BELAY_GITHUB_APP_KEY)")
	flags.StringVar(&g.appSecret, "github-app-webhook-secret", "", "secret that the webhooks of the GitHub App are signed with; better by the environment, or in a file (BELAY_GITHUB_APP_WEBHOOK_SECRET)")
	flags.StringVar(&g.appURL, "github-app-url", "https://github.com", "where the GitHub App is: github.com, or a GitHub Enterprise Server (BELAY_GITHUB_APP_URL)")
	flags.StringVar(&g.appAPIURL, "github-app-api-url", "", "address of its API; https://api.github.com, or /api/v3 of the server, when empty (BELAY_GITHUB_APP_API_URL)")
}

func (g *githubApp) check() error {
	if g.appID == "" {
		if g.appKey != "" || g.appSecret != "" {
			return errors.New("--github-app-key and --github-app-webhook-secret do not go without --github-app-id")
		}
		return nil
	}
	if g.appSecret == "" {
		return errors.New("--github-app-id does not go without --github-app-webhook-secret: nobody could tell GitHub's deliveries from others")
	}
	key, err := vcs.ParseAppKey([]byte(g.appKey))
	if err != nil {
		return fmt.Errorf("--github-app-key: %w", err)
	}
	at := strings.TrimRight(g.appURL, "/")
	api := g.appAPIURL
	switch {
	case api != "":
	case at == "https://github.com":
		api = "https://api.github.com"
	default:
		api = at + "/api/v3"
	}
	for name, address := range map[string]string{"--github-app-url": at, "--github-app-api-url": api} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
			return fmt.Errorf("%s is an address such as https://github.com, not %q", name, address)
		}
	}
	g.app = &vcs.App{ID: g.appID, Key: key, HTTPURL: at, APIURL: strings.TrimRight(api, "/"), Secret: []byte(g.appSecret)}
	return nil
}
