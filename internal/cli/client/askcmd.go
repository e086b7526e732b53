package client

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belayhq/belay/internal/cli/shell"
	"github.com/belayhq/belay/internal/remote"
)

var requestColumns = []string{"id", "subject", "created-at", "archived-at"}

// changeRequestCommand works on change requests.
func (p *program) changeRequestCommand() *cobra.Command {
	parent := &cobra.Command{Use: "cr", Short: "Work on change requests", Example: "  belay cr list --organization acme --workspace net"}
	list := p.ask("list", "List the change requests of a workspace, or of an organization", "  belay cr list --organization acme\n  belay cr list --organization acme --workspace net", "workspace", cobra.NoArgs, func(a *asking, _ []string) error {
		path, err := a.requests()
		if err != nil {
			return err
		}
		list, err := remote.All(a.c.Context(), a, path)
		if err != nil {
			return err
		}
		return p.Write(a.form, requestColumns, "id", list)
	})
	archive := p.ask("archive ID", "Archive a change request that is done", "  belay cr archive wscr-1a2b3c4d5e6f7g8h", "", cobra.ExactArgs(1), func(a *asking, args []string) error {
		_, err := a.Send(a.c.Context(), http.MethodPost, remote.Path("change-requests", args[0], "actions", "archive"), nil)
		return err
	})
	parent.AddCommand(list, p.fileRequest(), archive)
	return parent
}

func (a *asking) requests() (string, error) {
	if a.workspace == "" {
		org, err := a.org()
		return remote.Path("organizations", org, "change-requests"), err
	}
	w, err := a.ownWorkspace()
	return "workspaces/" + w.ID + "/change-requests", err
}

// fileRequest asks for a change of one or several workspaces.
func (p *program) fileRequest() *cobra.Command {
	var message string
	var names []string
	c := p.ask("file SUBJECT", "Ask for a change of workspaces", "  belay cr file \"Rotate the keys\" --message @message.md --organization acme --on net --on app", "organization", cobra.ExactArgs(1), func(a *asking, args []string) error {
		if len(names) == 0 {
			return shell.Misconfigured(errors.New("no workspace is named: give --on, as often as there are"))
		}
		if path, ok := strings.CutPrefix(message, "@"); ok {
			raw, err := readFile(a.c, path)
			if err != nil {
				return err
			}
			message = string(raw)
		}
		org, err := a.org()
		if err != nil {
			return err
		}
		ids := []string{}
		for _, name := range names {
			w, err := remote.One(a.c.Context(), a, remote.Path("organizations", org, "workspaces", name))
			if err != nil {
				return err
			}
			ids = append(ids, w.ID)
		}
		made, err := a.Send(a.c.Context(), http.MethodPost, remote.Path("organizations", org)+"/explorer/bulk-actions", Asked("bulk_actions", map[string]any{
			"action_type": "change_requests", "action_inputs": map[string]any{"subject": args[0], "message": message}, "target_ids": ids,
		}))
		if err != nil {
			return err
		}
		return p.Write(a.form, []string{"id", "action_type", "created_at"}, "id", []remote.Resource{made})
	})
	c.Flags().StringVar(&message, "message", "", "what is to be done, in markdown; @FILE reads it from a file, @- from the standard input")
	c.Flags().StringArrayVar(&names, "on", nil, "a workspace; may be given again")
	return c
}

// exploreCommand asks about all workspaces.
func (p *program) exploreCommand() *cobra.Command {
	var kind, sort, fields string
	var filters []string
	c := p.ask("explore", "Ask about all workspaces of an organization",
		"  belay explore --organization acme\n  belay explore --organization acme --filter workspace_name:contains:net --sort -workspace_name\n  belay explore --organization acme --type tf_versions", "organization", cobra.NoArgs,
		func(a *asking, _ []string) error {
			org, err := a.org()
			if err != nil {
				return err
			}
			q := url.Values{"type": {kind}}
			if sort != "" {
				q.Set("sort", sort)
			}
			for i, f := range filters {
				part := strings.SplitN(f, ":", 3)
				if len(part) != 3 {
					return shell.Misconfigured(errors.New("--filter is written field:operator:value, not " + f))
				}
				q.Set("filter["+string(rune('0'+i%10))+"]["+part[0]+"]["+part[1]+"][0]", part[2])
			}
			list, err := remote.All(a.c.Context(), a, remote.Path("organizations", org)+"/explorer?"+q.Encode())
			if err != nil {
				return err
			}
			for i := range list { // attributes of rows have dashes where fields have underscores
				list[i].Attributes["id"] = list[i].ID
			}
			return p.Write(a.form, columnsOf(kind, fields), columnsOf(kind, "")[0], list)
		})
	c.Flags().StringVar(&kind, "type", "workspaces", "workspaces, tf_versions, providers or modules")
	c.Flags().StringVar(&sort, "sort", "", "field to sort by; -field reverses")
	c.Flags().StringVar(&fields, "columns", "", "columns of the table, with commas between")
	c.Flags().StringArrayVar(&filters, "filter", nil, "field:operator:value; may be given again")
	return c
}

func columnsOf(kind, fields string) []string {
	if fields != "" {
		return strings.Split(fields, ",")
	}
	switch kind {
	case "workspaces":
		return []string{"workspace-name", "project-name", "workspace-terraform-version", "current-run-status", "module-count", "provider-count"}
	case "tf_versions":
		return []string{"version", "workspace-count", "workspaces"}
	default:
		return []string{"name", "version", "source", "workspace-count"}
	}
}
