package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
)

// loginCommand keeps a server and a token for it.
func (p *program) loginCommand() *cobra.Command {
	var name, organization string
	var browser bool
	c := &cobra.Command{
		Use: "login ADDRESS", Short: "Sign in to a server and keep its token",
		Long: "Sign in to a server: its token is asked for, or is the first line of the standard input. It is kept where OpenTofu " +
			"and Terraform look for it, so that \"tofu login\" and this are one. Make a token on the page of your account, or have one made with --browser, where you sign in.",
		Example: "  belay login https://belay.example.com --browser\n  belay login https://belay.example.com --organization acme < token.txt",
		Args:    shell.Usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := remote.NewClient(args[0], "", nil)
			if err != nil {
				return shell.Misconfigured(err)
			}
			if browser {
				client.Token, err = p.byBrowser(c.Context(), client)
			} else {
				client.Token, err = p.Hidden(c, "Token for "+client.Base+", from "+client.Base+"/app/settings/tokens")
				client.Token = strings.TrimSpace(client.Token)
			}
			if err != nil {
				return err
			}
			me, err := remote.One(c.Context(), client, "account/details")
			if err != nil {
				return err
			}
			if err := p.signedIn(client, name, organization); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Out, "signed in to %s as %s\n", client.Base, me.Text("username"))
			return err
		},
	}
	c.Flags().BoolVar(&browser, "browser", false, "sign in with a browser of this machine instead")
	c.Flags().StringVar(&name, "name", "", "what to call this server; its host when empty")
	c.Flags().StringVar(&organization, "organization", "", "organization that commands mean when they name none")
	return c
}

func (p *program) signedIn(client *remote.Client, name, organization string) error {
	k, err := p.kept()
	if err != nil {
		return err
	}
	if name == "" {
		name = host(client.Base)
	}
	if k.Contexts == nil {
		k.Contexts = map[string]place{}
	}
	if organization == "" {
		organization = k.Contexts[name].Organization
	}
	k.Current, k.Contexts[name] = name, place{client.Base, organization}
	return errors.Join(p.keepToken(client.Base, client.Token), p.keep(k))
}

// logoutCommand forgets the token of a server.
func (p *program) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the server that is in use, and its token", Example: "  belay logout", Args: shell.NoArgs,
		Long: "Forget the server that is in use, and its token. The token itself lives on: delete it with \"belay token delete\".",
		RunE: func(*cobra.Command, []string) error {
			k, err := p.kept()
			if err != nil {
				return err
			}
			if k.Current == "" {
				return errors.New("nobody is signed in")
			}
			address := k.now().Address
			delete(k.Contexts, k.Current)
			k.Current = ""
			return errors.Join(p.keepToken(address, ""), p.keep(k))
		},
	}
}

// contextCommand chooses between servers.
func (p *program) contextCommand() *cobra.Command {
	parent := &cobra.Command{Use: "context", Short: "Choose between the servers that you signed in to", Example: "  belay context list\n  belay context use belay.example.com --organization acme"}
	list := &cobra.Command{
		Use: "list", Short: "List them", Example: "  belay context list", Args: shell.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := p.kept()
			if err != nil {
				return err
			}
			rows := [][]string{}
			for name, at := range k.Contexts {
				mark := ""
				if name == k.Current {
					mark = "*"
				}
				rows = append(rows, []string{mark, name, at.Address, at.Organization})
			}
			slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
			return p.Table([]string{"", "NAME", "ADDRESS", "ORGANIZATION"}, rows)
		},
	}
	var organization string
	use := &cobra.Command{
		Use: "use NAME", Short: "Use one from now on", Example: "  belay context use belay.example.com --organization acme", Args: shell.Usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			k, err := p.kept()
			if err != nil {
				return err
			}
			at, there := k.Contexts[args[0]]
			if !there {
				return shell.Misconfigured(fmt.Errorf("no server is called %q: \"belay context list\" lists them", args[0]))
			}
			if c.Flags().Changed("organization") {
				at.Organization = organization
			}
			k.Current, k.Contexts[args[0]] = args[0], at
			return p.keep(k)
		},
	}
	use.Flags().StringVar(&organization, "organization", "", "organization that commands mean when they name none")
	parent.AddCommand(list, use)
	return parent
}
