package frame

import (
	"strings"

	"github.com/belayhq/belay"
)

// calledHere is what pages call fields that the API has another name for, by how what is wrong with one begins.
var calledHere = map[string]string{
	"Body": "Comment", "Url": "Address", "Destination type": "Kind", "Email": "E-mail address", "Email addresses": "E-mail addresses",
	"Http url": "Address", "Api url": "Address of its API", "Delete older than n days": "Days", "Identifier": "Repository",
	"Working directory": "Folder", "Trigger patterns": "Patterns", "Trigger prefixes": "Folders", "Tags regex": "Tags",
	"Hcl": "HCL", "Execution mode": "Execution", "Agent pool": "Pool of agents",
}

// saidHere is what is wrong with a field, with the name that the field has on pages.
func saidHere(e *belay.Error) string {
	if e.Place == "" {
		return e.Detail
	}
	best := ""
	for called := range calledHere {
		if rest, is := strings.CutPrefix(e.Detail, called); is && len(called) > len(best) && rest != "" && strings.Contains(" :", rest[:1]) {
			best = called
		}
	}
	if best == "" {
		return e.Detail
	}
	return calledHere[best] + e.Detail[len(best):]
}
