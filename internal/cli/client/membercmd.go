package client

import (
	"errors"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
)

// memberCommands adds the verbs by which a member has what is no attribute: its teams.
func (p *program) memberCommands(root *cobra.Command) {
	n := named("member")
	var teams, left []string
	const example = "  belay member create ann@example.com --organization acme --team engineers"
	create := p.ask("create EMAIL", "Invite somebody", example, n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		refs, err := a.teams(teams)
		if err != nil {
			return err
		}
		org, err := a.owned(n)
		if err != nil {
			return err
		}
		invitation := Asked(n.typ, map[string]any{"email": args[0]})
		if len(refs) > 0 {
			data, _ := invitation["data"].(map[string]any)
			data["relationships"] = map[string]any{"teams": map[string]any{"data": refs}}
		}
		made, err := a.Send(a.c.Context(), http.MethodPost, n.path(n.list, org), invitation)
		if err != nil {
			return err
		}
		return p.Write(a.form, n.columns, n.by, []remote.Resource{made})
	})
	create.Flags().StringArrayVar(&teams, "team", nil, "team to be in; may be given again")
	edit := p.ask("edit EMAIL", "Put a member into teams, or take it out", "  belay member edit ann@example.com --organization acme --team engineers --leave interns", n.owner, cobra.ExactArgs(1), func(a *asking, args []string) error {
		if len(teams)+len(left) == 0 {
			return shell.Misconfigured(errors.New("nothing to change was given: give --team or --leave"))
		}
		return p.regroup(a, n, args[0], teams, left)
	})
	edit.Flags().StringArrayVar(&teams, "team", nil, "team to be in from now on; may be given again")
	edit.Flags().StringArrayVar(&left, "leave", nil, "team to be in no more; may be given again")
	child(root, n.use).AddCommand(create, edit)
}

// regroup puts a member into some teams and takes it out of others. Every name is looked up
// before anything changes.
func (p *program) regroup(a *asking, n *noun, email string, into, outOf []string) error {
	_, member, err := a.find(n, email)
	if err != nil {
		return err
	}
	joined, err := a.teams(into)
	if err != nil {
		return err
	}
	left, err := a.teams(outOf)
	if err != nil {
		return err
	}
	body := map[string]any{"data": []remote.Ref{member.Ref}}
	for i, team := range slices.Concat(joined, left) {
		method := http.MethodPost
		if i >= len(joined) {
			method = http.MethodDelete
		}
		if _, err := a.Send(a.c.Context(), method, "teams/"+team.ID+"/relationships/organization-memberships", body); err != nil {
			return err
		}
	}
	return p.Write(a.form, n.columns, n.by, []remote.Resource{member})
}

// teams is the teams of some names.
func (a *asking) teams(names []string) (refs []remote.Ref, err error) {
	for _, name := range names {
		_, team, err := a.find(named("team"), name)
		if err != nil {
			return nil, err
		}
		refs = append(refs, team.Ref)
	}
	return refs, nil
}

// named is the row of a command in the table.
func named(use string) *noun {
	return &nouns[slices.IndexFunc(nouns, func(n noun) bool { return n.use == use })]
}
