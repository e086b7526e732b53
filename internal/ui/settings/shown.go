package settings

import (
	"strconv"
	"strings"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/frame"
)

// shows is what the fields of each form show of the workspace as it is now.
var shows = map[string]func(*visit) []frame.FormField{
	"general": func(t *visit) []frame.FormField {
		return []frame.FormField{
			field("name", "Name", t.W.Name), field("description", "Description", t.W.Description),
			field("folder", "Folder", t.W.WorkingDirectory), field("engine", "Version of the engine", t.W.EngineVersion),
		}
	},
	"execution": func(t *visit) []frame.FormField {
		mode, pool := t.ownExecution()
		return []frame.FormField{field("mode", "Execution", mode), field("pool", "Pool of agents", pool)}
	},
	"runs": func(t *visit) []frame.FormField {
		return []frame.FormField{
			box("auto-apply", "Apply plans at once, without anybody's confirmation", t.W.AutoApply), box("allow-destroy", "Allow plans that destroy everything", t.W.AllowDestroyPlan),
		}
	},
	"repository": repositoryFields,
	"sharing":    func(t *visit) []frame.FormField { return []frame.FormField{field("sharing", "Runs of", t.shares())} },
	"retention": func(t *visit) []frame.FormField {
		kind, days := t.keeps()
		return []frame.FormField{field("kind", "They are", kind), field("days", "Days after which they are old", days)}
	},
	"destroy": func(t *visit) []frame.FormField {
		how, after, moment := t.destroyed()
		return []frame.FormField{field("how", "When", how), field("after", "A while", after), field("moment", "A moment", moment)}
	},
}

func field(name, label, value string) frame.FormField {
	return frame.FormField{Name: name, Label: label, Value: value}
}

func box(name, label string, on bool) frame.FormField {
	return frame.FormField{Kind: "check", Name: name, Label: label, On: on}
}

// repositoryFields is nothing where none is connected: then the form makes something.
func repositoryFields(t *visit) []frame.FormField {
	part, on := t.repositoryNow()
	if !part.Connected {
		return nil
	}
	return []frame.FormField{
		field("connection", "Connection", part.Connection), field("identifier", "Repository", part.Identifier), field("branch", "Branch", part.Branch),
		field("on", "A run is made by", on), field("patterns", "Patterns", part.Patterns), field("prefixes", "Folders", part.Prefixes), field("tags", "Tags", part.Tags),
		box("submodules", "Fetch submodules, too", part.Submodules), box("speculative", "Plan pull requests", part.Speculative), box("initial", "Begin with a run at once", part.Initial),
	}
}

// ownExecution is where the workspace says that its runs happen; an empty mode is where its project or organization does.
func (t *visit) ownExecution() (mode, pool string) {
	if t.W.OwnsExecution {
		return string(t.W.OwnMode), t.W.OwnPoolID
	}
	return "", ""
}

// shares is whose runs read the state of the workspace.
func (t *visit) shares() string {
	switch {
	case t.W.GlobalRemoteState:
		return "organization"
	case t.W.ProjectRemoteState:
		return "project"
	default:
		return ""
	}
}

// keeps is how long the workspace has old states kept.
func (t *visit) keeps() (kind, days string) {
	if t.W.Retention.Kind == belay.DeleteOlder {
		days = strconv.Itoa(t.W.Retention.Days)
	}
	return string(t.W.Retention.Kind), days
}

// destroyed is when the workspace is destroyed by itself.
func (t *visit) destroyed() (how, after, moment string) {
	w := &t.W
	switch after = w.OwnDestroyDuration; {
	case !w.OwnDestroyAt.IsZero():
		return destroyAt, after, w.OwnDestroyAt.Format(momentShape)
	case after != "":
		return destroyAfter, after, ""
	case !w.InheritsProjectAutoDestroy:
		return destroyNever, "", ""
	default:
		return destroyInherited, "", ""
	}
}

// repositoryNow is the repository of the workspace, and what makes runs.
func (t *visit) repositoryNow() (part *repositoryPart, on string) {
	w, on := &t.W, onPush
	part = &repositoryPart{
		Patterns: strings.Join(w.TriggerPatterns, "\n"), Prefixes: strings.Join(w.TriggerPrefixes, "\n"),
		Speculative: w.SpeculativeEnabled, Initial: w.QueueAllRuns, Wrong: t.Faults,
	}
	if repo := w.VCSRepo; repo != nil {
		part.Connected, part.Connection, part.Identifier, part.Branch = true, repo.OAuthTokenID+repo.AppInstallationID, repo.Identifier, repo.Branch
		if part.Tags, part.Submodules = repo.TagsRegex, repo.IngressSubmodules; repo.WebhookID != "" && repo.AppInstallationID == "" {
			part.Hook = t.Scheme() + t.HostName() + "/webhooks/vcs/" + repo.WebhookID
		}
	}
	switch {
	case part.Tags != "":
		on = onTags
	case part.Patterns != "":
		on = onPatterns
	case part.Connected && w.FileTriggersEnabled && (part.Prefixes != "" || w.WorkingDirectory != ""):
		on = onPrefixes
	}
	return part, on
}
