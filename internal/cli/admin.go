package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/api"
	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/cli/client"
	"github.com/belayhq/belay/internal/cli/data"
	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
	"github.com/belayhq/belay/internal/store"
)

// operator is how the small commands reach a server: a running one by its address, or
// the database itself. Either way they speak the API, so there is one set of rules.
type operator struct {
	data.Database
	client.Reaching
}

func (o *operator) flags(c *cobra.Command) {
	o.Database.Flags(c.Flags())
	o.Reaching.Flags(c, "address")
	c.Flags().Lookup("address").Usage = "a running server, such as https://belay.example.com; the database itself when empty (BELAY_ADDRESS)"
}

// command makes a small command that works through an operator.
func (p *program) command(use, short string, args cobra.PositionalArgs, run func(c *server, args []string) error) *cobra.Command {
	o := &operator{}
	c := &cobra.Command{
		Use: use, Short: short, Args: shell.Usage(args),
		RunE: p.Checked(o.Check, func(ctx context.Context, given []string) error {
			return o.with(ctx, p, func(reached *server) error { return run(reached, given) })
		}),
	}
	o.flags(c)
	return c
}

func (p *program) userCommand() *cobra.Command {
	parent := &cobra.Command{Use: "user", Short: "Manage users"}
	var email, password string
	var admin, service bool
	c := p.command("create NAME", "Make a user", cobra.ExactArgs(1), func(reached *server, args []string) error {
		attributes := map[string]any{"username": args[0], "is-admin": admin, "is-service-account": service}
		if email != "" {
			attributes["email"] = email
		}
		if password != "" {
			attributes["password"] = password
		}
		u, err := reached.create("admin/users", "users", attributes)
		if err == nil {
			_, _ = fmt.Fprintf(p.Out, "user %s is %s\n", args[0], u.ID)
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
	c = p.command("password NAME", "Give a user a new password for the sign-in page", cobra.ExactArgs(1), func(reached *server, args []string) error {
		u, err := reached.user(args[0])
		if err != nil {
			return err
		}
		if password == "" {
			if password, err = p.Chosen(c, "New password of "+args[0]); err != nil {
				return err
			}
		}
		if _, err := reached.Send(reached.ctx, http.MethodPatch, "admin/users/"+u.ID, client.Asked("users", map[string]any{"password": password})); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(p.Out, "user %s has a new password; browsers that were signed in are signed out\n", args[0])
		return nil
	})
	c.Long = "Give a user a new password for the sign-in page. It is taken from BELAY_PASSWORD or --password, or else is asked for, unseen, at a terminal, and is the first line of the standard input elsewhere. Other users can see a flag in the list of processes."
	c.Flags().StringVar(&password, "password", "", "the password; asked for when empty (BELAY_PASSWORD)")
	return c
}

func (p *program) tokenCommand() *cobra.Command {
	parent := &cobra.Command{Use: "token", Short: "Manage tokens"}
	var username, description string
	var expires time.Duration
	c := p.command("create", "Make a token for a user and print it", cobra.NoArgs, func(reached *server, _ []string) error {
		u, err := reached.user(username)
		if err != nil {
			return err
		}
		attributes := map[string]any{"description": description, "expired-at": nil}
		if expires > 0 {
			attributes["expired-at"] = time.Now().Add(expires).UTC().Format(time.RFC3339)
		}
		t, err := reached.create("users/"+u.ID+"/authentication-tokens", "authentication-tokens", attributes)
		if err == nil {
			_, _ = fmt.Fprintln(p.Out, t.Text("token"))
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
	c := p.command("create NAME", "Make an organization with an owner", cobra.ExactArgs(1), func(reached *server, args []string) error {
		u, err := reached.user(owner)
		if err != nil {
			return err
		}
		if email == "" {
			email = u.Text("email")
		}
		o, err := reached.as(u.ID, func(owning *server) (remote.Resource, error) {
			return owning.create("organizations", "organizations", map[string]any{"name": args[0], "email": email})
		})
		if err == nil {
			_, _ = fmt.Fprintf(p.Out, "organization %s is %v\n", args[0], o.Attributes["external-id"])
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
func (o *operator) with(ctx context.Context, p *program, fn func(*server) error) error {
	if o.Reaching.Address != "" {
		running, err := o.Reach(p.Program)
		if err != nil {
			return shell.Misconfigured(err)
		}
		return fn(&server{ctx, running})
	}
	db, err := o.Open(ctx, store.Options{Existing: true})
	if err != nil {
		return err
	}
	verbs := app.New(app.Config{DB: db})
	err = verbs.AsOperator(ctx, func(token string) error {
		within := &http.Client{Transport: inProcess{api.New(api.Config{App: verbs})}}
		return unaddressed(fn(&server{ctx, &remote.Client{Base: "http://localhost", Token: token, HTTP: within}}))
	})
	return errors.Join(err, db.Close())
}

// unaddressed leaves out which server refused something where there was none.
func unaddressed(err error) error {
	var refused *remote.Error
	if errors.As(err, &refused) {
		return errors.New(refused.Said())
	}
	return err
}

// inProcess sends requests to a handler without a network.
type inProcess struct{ http.Handler }

// RoundTrip has the handler answer.
func (i inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	recorded := &recorder{header: http.Header{}, status: http.StatusOK}
	i.ServeHTTP(recorded, r)
	return &http.Response{StatusCode: recorded.status, Header: recorded.header, Body: io.NopCloser(&recorded.body), Request: r}, nil
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header           { return r.header }
func (r *recorder) WriteHeader(status int)        { r.status = status }
func (r *recorder) Write(raw []byte) (int, error) { return r.body.Write(raw) }

// server speaks the API for the small commands.
type server struct {
	ctx context.Context
	*remote.Client
}

func (c *server) create(path, kind string, attributes map[string]any) (remote.Resource, error) {
	return c.Send(c.ctx, http.MethodPost, path, client.Asked(kind, attributes))
}

func (c *server) user(username string) (found remote.Resource, err error) {
	err = remote.Each(c.ctx, c, "admin/users?q="+url.QueryEscape(username), func(u remote.Resource) error {
		if u.Text("username") == username {
			found = u
			return client.ErrThere
		}
		return nil
	})
	if errors.Is(err, client.ErrThere) {
		return found, nil
	}
	if err == nil {
		err = fmt.Errorf("no user is called %s", username)
	}
	return found, err
}

// as acts for another user, with a token that lives only as long.
func (c *server) as(userID string, fn func(*server) (remote.Resource, error)) (remote.Resource, error) {
	t, err := c.create("users/"+userID+"/authentication-tokens", "authentication-tokens", map[string]any{"description": "belay command"})
	if err != nil {
		return t, err
	}
	theirs := *c.Client
	theirs.Token = t.Text("token")
	made, err := fn(&server{c.ctx, &theirs})
	_, gone := c.Send(c.ctx, http.MethodDelete, "authentication-tokens/"+t.ID, nil)
	return made, errors.Join(err, gone)
}
