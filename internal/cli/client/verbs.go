package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
)

// ErrThere says that a list was read far enough.
var ErrThere = errors.New("there it is")

// asking is one command on its way: the server and how to answer.
type asking struct {
	Reaching
	*remote.Client
	p            *program
	c            *cobra.Command
	form         string
	organization string
	workspace    string
}

// ask makes a command that speaks to a running server. scope says which flags name where:
// organization, workspace or nothing.
func (p *program) ask(use, short, example, scope string, args cobra.PositionalArgs, run func(a *asking, args []string) error) *cobra.Command {
	a := &asking{p: p}
	a.c = &cobra.Command{
		Use: use, Short: short, Example: example, Args: shell.Usage(args),
		RunE: func(c *cobra.Command, given []string) (err error) {
			if err := p.Environment(c.Flags()); err != nil {
				return err
			}
			if !slices.Contains([]string{"table", "json", "name"}, a.form) {
				return shell.Misconfigured(fmt.Errorf("--output is %s, not %q", shell.Outputs, a.form))
			}
			if a.Client, err = a.Reach(p.Program); err != nil {
				return shell.Misconfigured(err)
			}
			return run(a, given)
		},
	}
	f := a.c.Flags()
	a.Reaching.Flags(a.c, "address")
	f.StringVarP(&a.form, "output", "o", "table", "form of the answer: "+shell.Outputs)
	if scope == "organization" || scope == "workspace" {
		f.StringVar(&a.organization, "organization", "", "the organization; that of \"belay login\" when empty (BELAY_ORGANIZATION)")
	}
	if scope == "workspace" {
		f.StringVar(&a.workspace, "workspace", "", "the workspace (BELAY_WORKSPACE)")
	}
	return a.c
}

// org is the organization that is meant.
func (a *asking) org() (string, error) {
	if a.organization != "" {
		return a.organization, nil
	}
	k, err := a.p.kept()
	if err == nil && k.now().Organization == "" {
		err = shell.Misconfigured(errors.New("no organization is named: give --organization, or keep one with \"belay context use … --organization\""))
	}
	return k.now().Organization, err
}

// ownWorkspace is the workspace that is meant.
func (a *asking) ownWorkspace() (remote.Resource, error) {
	if a.workspace == "" {
		return remote.Resource{}, shell.Misconfigured(errors.New("no workspace is named: give --workspace"))
	}
	org, err := a.org()
	if err != nil {
		return remote.Resource{}, err
	}
	return remote.One(a.c.Context(), a, remote.Path("organizations", org, "workspaces", a.workspace))
}

// owned is what a noun's paths have in them: the name or id of its owner.
func (a *asking) owned(n *noun) (string, error) {
	switch n.owner {
	case "organization":
		org, err := a.org()
		return remote.Path(org), err
	case "workspace":
		w, err := a.ownWorkspace()
		return w.ID, err
	case "account":
		me, err := remote.One(a.c.Context(), a, "account/details")
		return me.ID, err
	default:
		return "", nil
	}
}

// verbs adds the verbs of every noun to its command.
func (p *program) verbs(root *cobra.Command) {
	for i := range nouns {
		n := &nouns[i]
		parent := child(root, n.use)
		if parent == nil {
			parent = &cobra.Command{Use: n.use, Short: "Manage " + n.what + "s", Example: "  belay " + n.use + " list" + n.where()}
			root.AddCommand(parent)
		}
		for verb, command := range map[rune]func(*noun) *cobra.Command{'l': p.listing, 's': p.showing, 'c': p.creating, 'e': p.editing, 'd': p.deleting} {
			if strings.ContainsRune(n.verbs, verb) {
				parent.AddCommand(command(n))
			}
		}
	}
}

func child(of *cobra.Command, name string) *cobra.Command {
	for _, c := range of.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// where is the flags of an example that name the owner.
func (n *noun) where() string {
	switch n.owner {
	case "organization":
		return " --organization acme"
	case "workspace":
		return " --organization acme --workspace net"
	default:
		return ""
	}
}

func (n *noun) path(template, owner string) string {
	if strings.Contains(template, "%s") {
		return fmt.Sprintf(template, owner)
	}
	return template
}

func (n *noun) single(owner, id string) string {
	if n.below {
		return fmt.Sprintf(n.one, owner, id)
	}
	return fmt.Sprintf(n.one, remote.Path(id))
}

func (p *program) listing(n *noun) *cobra.Command {
	return p.ask("list", "List them", "  belay "+n.use+" list"+n.where()+"\n  belay "+n.use+" list"+n.where()+" -o json", n.owner, cobra.NoArgs, func(a *asking, _ []string) error {
		owner, err := a.owned(n)
		if err != nil {
			return err
		}
		list, err := remote.All(a.c.Context(), a, n.path(n.list, owner))
		if err != nil {
			return err
		}
		return p.Write(a.form, n.columns, n.by, list)
	})
}

// find finds a thing by its name or id.
func (a *asking) find(n *noun, name string) (owner string, found remote.Resource, err error) {
	if owner, err = a.owned(n); err != nil {
		return owner, found, err
	}
	if n.byPath != "" {
		path := fmt.Sprintf(strings.Replace(n.byPath, "%s", owner, strings.Count(n.byPath, "%s")-1), remote.Path(name))
		found, err = remote.One(a.c.Context(), a, path)
		return owner, found, err
	}
	err = remote.Each(a.c.Context(), a, n.path(n.list, owner), func(r remote.Resource) error {
		if r.ID == name || shell.Cell(&r, n.by) == name {
			found = r
			return ErrThere
		}
		return nil
	})
	if errors.Is(err, ErrThere) {
		return owner, found, nil
	}
	if err == nil {
		err = fmt.Errorf("%s has no %s %q: \"belay %s list\" lists them", a.Base, n.what, name, n.use)
	}
	return owner, found, err
}

func (p *program) showing(n *noun) *cobra.Command {
	example := "  belay " + n.use + " show " + n.sample + n.where()
	return p.ask("show NAME", "Show one, with all attributes", example+"\n"+example+" -o json", n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		_, found, err := a.find(n, args[0])
		if err != nil {
			return err
		}
		return p.show(a.form, n.by, found)
	})
}

// show writes one thing with all its attributes.
func (p *program) show(form, by string, r remote.Resource) error {
	if form != "table" {
		return p.Write(form, nil, by, []remote.Resource{r})
	}
	names := make([]string, 0, len(r.Attributes))
	for name := range r.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	rows := [][]string{{"id", r.ID}}
	for _, name := range names {
		rows = append(rows, []string{name, shell.Cell(&r, name)})
	}
	return p.Table([]string{"ATTRIBUTE", "VALUE"}, rows)
}

// setting is the flags that give attributes.
type setting struct {
	set    []string
	texts  map[string]*string
	truths map[string]*bool
}

func (n *noun) setting(c *cobra.Command) *setting {
	s := &setting{texts: map[string]*string{}, truths: map[string]*bool{}}
	c.Flags().StringArrayVar(&s.set, "set", nil, "any attribute of the API, such as --set auto-apply=true; may be given again")
	for _, f := range n.flags {
		if f.truth {
			s.truths[f.name] = c.Flags().Bool(f.name, false, f.usage)
		} else {
			s.texts[f.name] = c.Flags().String(f.name, "", f.usage)
		}
	}
	return s
}

// attributes is what was given. A value that is JSON is that, everything else a text.
func (s *setting) attributes(c *cobra.Command, n *noun) (map[string]any, error) {
	attributes := map[string]any{}
	for _, f := range n.flags {
		switch {
		case !c.Flags().Changed(f.name):
		case f.truth:
			attributes[f.attribute] = *s.truths[f.name]
		default:
			attributes[f.attribute] = *s.texts[f.name]
		}
	}
	for _, pair := range s.set {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, shell.Misconfigured(fmt.Errorf("--set is written attribute=value, not %q", pair))
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		attributes[name] = value
	}
	return attributes, nil
}

func (p *program) creating(n *noun) *cobra.Command {
	var s *setting
	c := p.ask("create NAME", "Make one", "  belay "+n.use+" create "+n.sample+n.where()+n.given(), n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		attributes, err := s.attributes(a.c, n)
		if err != nil {
			return err
		}
		attributes[n.by] = args[0]
		if n.typ == "vars" {
			if err := a.variable(attributes); err != nil {
				return err
			}
		}
		owner, err := a.owned(n)
		if err != nil {
			return err
		}
		made, err := a.Send(a.c.Context(), http.MethodPost, n.path(n.list, owner), Asked(n.typ, attributes))
		if err != nil {
			return err
		}
		return p.Write(a.form, n.columns, n.by, []remote.Resource{made})
	})
	s = n.setting(c)
	return c
}

// variable fills in what a variable needs: its category, and unseen the value of a
// sensitive one.
func (a *asking) variable(attributes map[string]any) (err error) {
	if attributes["category"] == nil {
		attributes["category"] = "terraform"
	}
	if attributes["sensitive"] == true && attributes["value"] == nil {
		attributes["value"], err = a.p.Hidden(a.c, fmt.Sprintf("Value of %v", attributes["key"]))
	}
	return err
}

func (n *noun) given() string {
	for _, f := range n.flags {
		if !f.truth {
			return " --" + f.name + " \"…\""
		}
	}
	return ""
}

// other is an example of an attribute that is set by its name.
func (n *noun) other() string {
	if n.by == "id" { // which nobody changes
		return " --set description=other"
	}
	return " --set " + n.by + "=other"
}

// Asked is a document that asks for attributes.
func Asked(typ string, attributes map[string]any) map[string]any {
	return map[string]any{"data": map[string]any{"type": typ, "attributes": attributes}}
}

func (p *program) editing(n *noun) *cobra.Command {
	var s *setting
	c := p.ask("edit NAME", "Change one", "  belay "+n.use+" edit "+n.sample+n.where()+n.given()+"\n  belay "+n.use+" edit "+n.sample+n.where()+n.other(), n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		attributes, err := s.attributes(a.c, n)
		if err != nil {
			return err
		}
		if len(attributes) == 0 {
			return shell.Misconfigured(errors.New("nothing to change was given: give --set or another flag"))
		}
		owner, found, err := a.find(n, args[0])
		if err != nil {
			return err
		}
		changed, err := a.Send(a.c.Context(), http.MethodPatch, n.single(owner, found.ID), Asked(n.typ, attributes))
		if err != nil {
			return err
		}
		return p.Write(a.form, n.columns, n.by, []remote.Resource{changed})
	})
	s = n.setting(c)
	return c
}

func (p *program) deleting(n *noun) *cobra.Command {
	var yes bool
	c := p.ask("delete NAME", "Delete one", "  belay "+n.use+" delete "+n.sample+n.where()+" --yes", n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		owner, found, err := a.find(n, args[0])
		if err != nil {
			return err
		}
		if err := p.Sure(a.c, yes, "Delete the "+n.what+" "+args[0]+" of "+a.Base); err != nil {
			return err
		}
		method, path := http.MethodDelete, n.single(owner, found.ID)
		if n.typ == "workspaces" { // one that manages something stays
			method, path = http.MethodPost, path+"/actions/safe-delete"
		}
		_, err = a.Send(a.c.Context(), method, path, nil)
		return err
	})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
