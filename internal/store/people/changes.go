package people

// What was changed of a team, and of what one was given, by column.
var (
	TeamChanges          = teams.ChangesBut()
	TeamProjectChanges   = teamProjects.ChangesBut("given_at", "given_by")
	TeamWorkspaceChanges = teamWorkspaces.ChangesBut("given_at", "given_by")
)
