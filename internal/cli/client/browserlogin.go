package client

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/oauth2"

	"github.com/belayhq/belay/internal/remote"
)

// browserWithin is how long a person may take to sign in.
const browserWithin = 10 * time.Minute

// way is how a server lets command lines in, as it tells OpenTofu and Terraform.
type way struct {
	Client string `json:"client"`
	Authz  string `json:"authz"`
	Token  string `json:"token"`
	Ports  [2]int `json:"ports"`
}

// byBrowser has a person sign in with a browser, and gives the token that the server makes then.
func (p *program) byBrowser(ctx context.Context, client *remote.Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, browserWithin)
	defer cancel()
	config, ports, err := wayOf(ctx, client)
	if err != nil {
		return "", err
	}
	listener, err := listenWithin(ctx, ports)
	if err != nil {
		return "", err
	}
	config.RedirectURL = "http://" + listener.Addr().String() + "/login"
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	back := make(chan url.Values, 1)
	server := &http.Server{Handler: comesBack(state, back), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with the next line
	defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()
	address := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
	_, _ = fmt.Fprintf(p.ErrOut, "Sign in with your browser. If none opens, open this address on this machine:\n\n  %s\n\n", address)
	openBrowser(address)
	select {
	case <-ctx.Done():
		return "", errors.New("nobody signed in in time")
	case said := <-back:
		if said.Get("code") == "" {
			return "", errors.New("the server let nobody in: the request was refused in the browser")
		}
		made, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client.HTTP), said.Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			return "", errors.New("the server gave no token for the sign-in: try again")
		}
		return made.AccessToken, nil
	}
}

// wayOf asks a server how it lets command lines in, and on which ports they wait.
func wayOf(ctx context.Context, client *remote.Client) (*oauth2.Config, [2]int, error) {
	none := fmt.Errorf("%s does not say how to sign in with a browser: give it a token", client.Base)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, client.Base+"/.well-known/terraform.json", nil)
	if err != nil {
		return nil, [2]int{}, err
	}
	answer, err := client.HTTP.Do(request)
	if err != nil {
		return nil, [2]int{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	var services struct {
		Login way `json:"login.v1"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&services); err != nil || services.Login.Client == "" {
		return nil, [2]int{}, none
	}
	base, err := url.Parse(client.Base)
	if err != nil {
		return nil, [2]int{}, err
	}
	authz, err := base.Parse(services.Login.Authz)
	token, wrong := base.Parse(services.Login.Token)
	if err != nil || wrong != nil || token.Scheme != base.Scheme || authz.Scheme != base.Scheme {
		return nil, [2]int{}, none
	}
	return &oauth2.Config{ClientID: services.Login.Client, Endpoint: oauth2.Endpoint{
		AuthURL: authz.String(), TokenURL: token.String(), AuthStyle: oauth2.AuthStyleInParams,
	}}, services.Login.Ports, nil
}

// listenWithin listens on the first free port of a range, for this machine alone.
func listenWithin(ctx context.Context, ports [2]int) (net.Listener, error) {
	for port := ports[0]; port <= ports[1]; port++ {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return listener, nil
		}
	}
	return nil, fmt.Errorf("no port from %d to %d is free, on which the browser comes back", ports[0], ports[1])
}

// comesBack takes what the server sends the browser back with. Whoever does not know the state
// was not sent by it.
func comesBack(state string, back chan<- url.Values) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Type", "text/plain; charset=utf-8")
		head.Set("Cache-Control", "no-store")
		said := r.URL.Query()
		if r.URL.Path != "/login" || subtle.ConstantTimeCompare([]byte(said.Get("state")), []byte(state)) != 1 {
			http.Error(w, "This is not the sign-in that belay waits for.", http.StatusNotFound)
			return
		}
		select {
		case back <- said:
		default: // it came before
		}
		_, _ = io.WriteString(w, "That is all. Go back to your terminal, and close this window.\n")
	})
}

// openBrowser has the desktop open an address. Where there is none the person was told it.
func openBrowser(address string) {
	command := exec.CommandContext(context.Background(), "xdg-open", address) //nolint:gosec // the address is the server's that the person named
	switch runtime.GOOS {
	case "darwin":
		command = exec.CommandContext(context.Background(), "open", address) //nolint:gosec // the same
	case "windows":
		command = exec.CommandContext(context.Background(), "rundll32", "url.dll,FileProtocolHandler", address) //nolint:gosec // the same
	}
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}
