package settings

import (
	"errors"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/workspaces"
)

// repositoryPart is the form that connects a workspace to a repository.
type repositoryPart struct {
	Connected                        bool
	Connections                      []frame.Choice // nil: the visitor does not see them, and types one
	Connection, Identifier, Branch   string
	On                               []frame.Choice // what makes runs
	Patterns, Prefixes, Tags         string
	Submodules, Speculative, Initial bool
	Hook                             string            // where the service sends its webhooks; empty: nowhere
	Wrong                            map[string]string // what is wrong with which field
}

// What makes runs, as the form has it.
const (
	onPush     = "push"
	onPatterns = "patterns"
	onPrefixes = "prefixes"
	onTags     = "tags"
)

func (t *visit) repository(p *page) (err error) {
	part, on := t.repositoryNow()
	if t.refused("repository") {
		on = part.take(t, on)
	}
	part.On = frame.Options(on, onPush, "every push to the branch", onPatterns, "a push that changes files of these patterns",
		onPrefixes, "a push that changes files below these folders", onTags, "a tag")
	part.Connections, err = t.connectionChoices(part.Connection)
	p.Repository, p.Calls = part, []call{t.patch("repository", t.repositoryCall())}
	return err
}

func (t *visit) repositoryCall() map[string]any {
	w := &t.W
	if w.VCSRepo == nil {
		return map[string]any{"vcs-repo": nil}
	}
	repo := map[string]any{"identifier": w.VCSRepo.Identifier, "branch": w.VCSRepo.Branch, "ingress-submodules": w.VCSRepo.IngressSubmodules, "tags-regex": w.VCSRepo.TagsRegex}
	if w.VCSRepo.AppInstallationID != "" {
		repo["github-app-installation-id"] = w.VCSRepo.AppInstallationID
	} else {
		repo["oauth-token-id"] = w.VCSRepo.OAuthTokenID
	}
	return map[string]any{
		"vcs-repo": repo, "file-triggers-enabled": w.FileTriggersEnabled, "trigger-patterns": append([]string{}, w.TriggerPatterns...),
		"trigger-prefixes": append([]string{}, w.TriggerPrefixes...), "speculative-enabled": w.SpeculativeEnabled, "queue-all-runs": w.QueueAllRuns,
	}
}

// take puts what was typed into the form that was refused.
func (p *repositoryPart) take(t *visit, now string) (on string) {
	p.Connection, p.Identifier, p.Branch = t.again("connection", p.Connection), t.again("identifier", p.Identifier), t.again("branch", p.Branch)
	p.Patterns, p.Prefixes, p.Tags = t.again("patterns", p.Patterns), t.again("prefixes", p.Prefixes), t.again("tags", p.Tags)
	p.Submodules, p.Speculative, p.Initial = t.Ticked("submodules").Or(p.Submodules), t.Ticked("speculative").Or(p.Speculative), t.Ticked("initial").Or(p.Initial)
	return t.again("on", now)
}

// connectionChoices is the connections that serve the workspace, to those who see them.
func (t *visit) connectionChoices(now string) ([]frame.Choice, error) {
	list, _, err := t.UI.App.OAuthClients(t.Context(), t.Principal, t.Org.Name, belay.Page{Number: 1, Size: workspaces.TeamsAtOnce})
	if belay.KindOf(err) == belay.NotFound {
		return nil, nil
	}
	pairs := []string{"", "choose one"}
	for i := range list {
		c := &list[i]
		name := c.Name
		if name == "" {
			name = c.ServiceName()
		}
		switch {
		case !c.Serves(t.W.ProjectID):
		case c.AppInstallationID != "":
			pairs = append(pairs, c.AppInstallationID, name+" (GitHub App)")
		default:
			for _, id := range c.TokenIDs {
				pairs = append(pairs, id, name+" ("+c.HTTPURL+")")
			}
		}
	}
	return frame.OptionsAsItIs(now, pairs...), err
}

// repositoryPatch is what the form asks for.
func repositoryPatch(v *frame.Visit) (belay.WorkspacePatch, error) {
	none := patch.Of([]string(nil))
	repo := belay.VCSRepoPatch{Identifier: v.Edited("identifier"), Branch: v.Edited("branch"), IngressSubmodules: v.Ticked("submodules")}
	connection := v.Edited("connection")
	if strings.HasPrefix(connection.Value, "ghain-") {
		repo.AppInstallationID = connection
	} else {
		repo.OAuthTokenID = connection
	}
	p := belay.WorkspacePatch{SpeculativeEnabled: v.Ticked("speculative"), QueueAllRuns: v.Ticked("initial")}
	on := v.PostFormValue("on")
	switch {
	case v.Kept("on") && (on == onPush || v.Kept(on)):
		// of what makes runs only the chosen is meant, and it is as it was
	case on == onTags:
		repo.TagsRegex, p.TriggerPatterns, p.TriggerPrefixes = patch.Of(v.PostFormValue("tags")), none, none
	case on == onPatterns:
		repo.TagsRegex, p.FileTriggersEnabled = patch.Of(""), patch.Of(true)
		p.TriggerPatterns, p.TriggerPrefixes = patch.Of(linesOf(v.Typed("patterns"))), none
	case on == onPrefixes:
		repo.TagsRegex, p.FileTriggersEnabled = patch.Of(""), patch.Of(true)
		p.TriggerPatterns, p.TriggerPrefixes = none, patch.Of(linesOf(v.Typed("prefixes")))
	default:
		repo.TagsRegex, p.FileTriggersEnabled, p.TriggerPatterns, p.TriggerPrefixes = patch.Of(""), patch.Of(false), none, none
	}
	if repo != (belay.VCSRepoPatch{}) {
		p.VCSRepo = patch.Of(repo)
	}
	return p, nil
}

// linesOf is what a text has in its lines, but for empty ones.
func linesOf(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = frame.Trimmed(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// fieldsOf is which field of the form an attribute is typed into.
var fieldsOf = map[belay.Place]string{
	"vcs-repo": "connection", "vcs-repo/oauth-token-id": "connection", "vcs-repo/vcs-app-installation-id": "connection", "vcs-repo/identifier": "identifier",
	"vcs-repo/branch": "branch", "vcs-repo/tags-regex": "tags", "trigger-patterns": "patterns", "trigger-prefixes": "prefixes", "file-triggers-enabled": "patterns",
	"speculative-enabled": "speculative", "queue-all-runs": "initial",
}

// faultsOf is what a refusal says of the fields of the form.
func faultsOf(err error) map[string]string {
	var many belay.Problems
	if !errors.As(err, &many) {
		return nil
	}
	found := map[string]string{}
	for _, one := range many {
		if field := fieldsOf[one.Place]; field != "" {
			found[field] = frame.Trimmed(found[field] + " " + one.Detail + ".")
		}
	}
	return found
}
