package run

// TriggerOf is what notifications call something that happened to a run, by the word that it
// is told with; empty when nobody is notified of it.
func TriggerOf(word string) string {
	switch word {
	case "created", "planning", "needs_attention", "applying", "completed", "errored":
		return "run:" + word
	case string(Canceled), string(Discarded):
		return "run:errored"
	default:
		return ""
	}
}

// Headline is what messages about a trigger begin with. What ends a run is named by the
// status that it ended with.
func Headline(trigger string, s Status) string {
	switch trigger {
	case "run:created":
		return "Run Created"
	case "run:planning":
		return "Run Planning"
	case "run:needs_attention":
		return "Run Needs Attention"
	case "run:applying":
		return "Run Applying"
	}
	switch s {
	case Applied:
		return "Run Applied"
	case PlannedAndFinished:
		return "Run Planned and Finished"
	case Canceled:
		return "Run Canceled"
	case Discarded:
		return "Run Discarded"
	default:
		return "Run Errored"
	}
}
