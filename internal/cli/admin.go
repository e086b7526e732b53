package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/jsonapi"
	"github.com/belayhq/belay/internal/store"
)

// operator is how the small commands reach a server: a running one by its address, or
// the database itself. Either way they speak the API, so there is one set of rules.
type operator struct {
	database
	address, token string
}

func (o *operator) flags(c *cobra.Command) {
	o.database.flags(c.Flags())
	c.Flags().StringVar(&o.address, "address", "", "a running server, such as https://belay.example.com; the database itself when empty (BELAY_ADDRESS)")
	c.Flags().StringVar(&o.token, "token", "", "site admin's token for the running server (BELAY_TOKEN)")
}

// command makes a small command that works through an operator.
func (p *program) command(use, short string, args cobra.PositionalArgs, run func(c *client, args []string) error) *cobra.Command {
	o := &operator{}
	c := &cobra.Command{
		Use: use, Short: short, Args: wellFormed(args),
		RunE: p.checked(o.check, func(ctx context.Context, given []string) error {
			return o.with(ctx, func(reached *client) error { return run(reached, given) })
		}),
	}
	o.flags(c)
	return c
}

// wellFormed makes arguments that a command does not take a wrong use of it.
func wellFormed(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := args(c, given); err != nil {
			return misconfigured{err}
		}
		return nil
	}
}

// checked runs a command once its flags, and those that the environment gives, are right.
func (p *program) checked(check func() error, run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, given []string) error {
		if err := p.environment(c.Flags()); err != nil {
			return err
		}
		if err := check(); err != nil {
			return misconfigured{err}
		}
		return run(c.Context(), given)
	}
}

func (p *program) userCommand() *cobra.Command {
	parent := &cobra.Command{Use: "user", Short: "Manage users"}
	var email, password string
	var admin, service bool
	c := p.command("create NAME", "Make a user", cobra.ExactArgs(1), func(reached *client, args []string) error {
		attributes := map[string]any{"username": args[0], "is-admin": admin, "is-service-account": service}
		if email != "" {
			attributes["email"] = email
		}
		if password != "" {
			attributes["password"] = password
		}
		u, err := reached.create("/api/v2/admin/users", "users", attributes)
		if err == nil {
			_, _ = fmt.Fprintf(p.out, "user %s is %s\n", args[0], u.ID)
		}
		return err
	})
	c.Flags().StringVar(&email, "email", "", "e-mail address")
	c.Flags().StringVar(&password, "password", "", "password for the sign-in page (BELAY_PASSWORD)")
	c.Flags().BoolVar(&admin, "admin", false, "make a site admin")
	c.Flags().BoolVar(&service, "service-account", false, "a program, not a person")
	parent.AddCommand(c, p.passwordCommand())
	return parent
}

// passwordCommand gives a user a password: the way in for the first site admin, who
// starts with a token alone.
func (p *program) passwordCommand() *cobra.Command {
	var c *cobra.Command
	var password string
	c = p.command("password NAME", "Give a user a new password for the sign-in page", cobra.ExactArgs(1), func(reached *client, args []string) error {
		if password == "" {
			typed, err := firstLine(c.InOrStdin())
			if err != nil {
				return err
			}
			password = typed
		}
		id, err := reached.userID(args[0])
		if err != nil {
			return err
		}
		if err := reached.update("/api/v2/admin/users/"+id, "users", map[string]any{"password": password}); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(p.out, "user %s has a new password; browsers that were signed in are signed out\n", args[0])
		return nil
	})
	c.Long = "Give a user a new password for the sign-in page. It is taken from BELAY_PASSWORD or --password, or else is the first line of the standard input. Other users can see a flag in the list of processes."
	c.Flags().StringVar(&password, "password", "", "the password; the first line of the standard input when empty (BELAY_PASSWORD)")
	return c
}

// firstLine is the first line of an input, without its end.
func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (p *program) tokenCommand() *cobra.Command {
	parent := &cobra.Command{Use: "token", Short: "Manage tokens"}
	var username, description string
	var expires time.Duration
	c := p.command("create", "Make a token for a user and print it", cobra.NoArgs, func(reached *client, _ []string) error {
		id, err := reached.userID(username)
		if err != nil {
			return err
		}
		attributes := map[string]any{"description": description, "expired-at": nil}
		if expires > 0 {
			attributes["expired-at"] = time.Now().Add(expires).UTC().Format(time.RFC3339)
		}
		t, err := reached.create("/api/v2/users/"+id+"/authentication-tokens", "authentication-tokens", attributes)
		if err == nil {
			_, _ = fmt.Fprintln(p.out, t.Attributes["token"])
		}
		return err
	})
	c.Flags().StringVar(&username, "user", "", "whose token")
	c.Flags().StringVar(&description, "description", "", "what it is for")
	c.Flags().DurationVar(&expires, "expires", 0, "how long it lives, such as 720h; for ever when 0")
	_ = c.MarkFlagRequired("user") // fails only for a flag that is not there
	parent.AddCommand(c)
	return parent
}

func (p *program) orgCommand() *cobra.Command {
	parent := &cobra.Command{Use: "org", Short: "Manage organizations"}
	var owner, email string
	c := p.command("create NAME", "Make an organization with an owner", cobra.ExactArgs(1), func(reached *client, args []string) error {
		u, err := reached.user(owner)
		if err != nil {
			return err
		}
		if email == "" {
			email, _ = u.Attributes["email"].(string)
		}
		o, err := reached.as(u.ID, func(owning *client) (resource, error) {
			return owning.create("/api/v2/organizations", "organizations", map[string]any{"name": args[0], "email": email})
		})
		if err == nil {
			_, _ = fmt.Fprintf(p.out, "organization %s is %v\n", args[0], o.Attributes["external-id"])
		}
		return err
	})
	c.Flags().StringVar(&owner, "owner", "", "username of its first owner")
	c.Flags().StringVar(&email, "email", "", "e-mail address of the organization; the owner's when empty")
	_ = c.MarkFlagRequired("owner") // fails only for a flag that is not there
	parent.AddCommand(c)
	return parent
}

// with opens the way to the server and closes it again.
func (o *operator) with(ctx context.Context, fn func(*client) error) error {
	if o.address != "" {
		if o.token == "" {
			return misconfigured{errors.New("--address needs --token")}
		}
		return fn(&client{ctx: ctx, base: strings.TrimSuffix(o.address, "/"), token: o.token, do: http.DefaultClient.Do})
	}
	db, err := o.open(ctx, store.Options{Existing: true})
	if err != nil {
		return err
	}
	verbs := app.New(app.Config{DB: db})
	err = verbs.AsOperator(ctx, func(token string) error {
		door := api.New(api.Config{App: verbs})
		return fn(&client{ctx: ctx, base: "http://localhost", token: token, do: inProcess(door)}) //nolint:bodyclose // there is no network
	})
	return errors.Join(err, db.Close())
}

// inProcess sends requests to a handler without a network.
func inProcess(handler http.Handler) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		recorded := &recorder{header: http.Header{}, status: http.StatusOK}
		handler.ServeHTTP(recorded, r)
		return &http.Response{StatusCode: recorded.status, Header: recorded.header, Body: io.NopCloser(&recorded.body)}, nil
	}
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header           { return r.header }
func (r *recorder) WriteHeader(status int)        { r.status = status }
func (r *recorder) Write(raw []byte) (int, error) { return r.body.Write(raw) }

// client speaks the API for the small commands.
type client struct {
	ctx         context.Context
	base, token string
	do          func(*http.Request) (*http.Response, error)
}

type resource struct {
	ID         string
	Attributes map[string]any
}

func (c *client) create(path, kind string, attributes map[string]any) (made resource, err error) {
	body := map[string]any{"data": map[string]any{"type": kind, "attributes": attributes}}
	var document struct{ Data resource }
	err = c.call(http.MethodPost, path, body, &document)
	return document.Data, err
}

func (c *client) update(path, kind string, attributes map[string]any) error {
	return c.call(http.MethodPatch, path, map[string]any{"data": map[string]any{"type": kind, "attributes": attributes}}, nil)
}

func (c *client) user(username string) (resource, error) {
	var document struct{ Data []resource }
	if err := c.call(http.MethodGet, "/api/v2/admin/users?page%5Bsize%5D=100&q="+url.QueryEscape(username), nil, &document); err != nil {
		return resource{}, err
	}
	for _, u := range document.Data {
		if u.Attributes["username"] == username {
			return u, nil
		}
	}
	return resource{}, fmt.Errorf("no user is called %s", username)
}

func (c *client) userID(username string) (string, error) {
	u, err := c.user(username)
	return u.ID, err
}

// as acts for another user, with a token that lives only as long.
func (c *client) as(userID string, fn func(*client) (resource, error)) (resource, error) {
	t, err := c.create("/api/v2/users/"+userID+"/authentication-tokens", "authentication-tokens", map[string]any{"description": "belay command"})
	if err != nil {
		return resource{}, err
	}
	other := *c
	other.token, _ = t.Attributes["token"].(string)
	made, err := fn(&other)
	return made, errors.Join(err, c.call(http.MethodDelete, "/api/v2/authentication-tokens/"+t.ID, nil, nil))
}

func (c *client) call(method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(c.ctx, method, c.base+path, reader)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", jsonapi.MediaType)
	answer, err := c.do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusBadRequest {
		return refusal(answer)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// refusal is what the server said was wrong.
func refusal(answer *http.Response) error {
	var document struct {
		Errors []struct{ Title, Detail string }
	}
	_ = json.NewDecoder(answer.Body).Decode(&document) // the status tells enough without it
	var said []string
	for _, e := range document.Errors {
		if e.Detail == "" {
			e.Detail = e.Title
		}
		said = append(said, e.Detail)
	}
	if len(said) == 0 {
		return fmt.Errorf("the server answered %d", answer.StatusCode)
	}
	return errors.New(strings.Join(said, "; "))
}
