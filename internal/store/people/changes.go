package people

// What was changed of a team, and of what one was given, by column.
var (
	TeamChanges          = teams.ChangesBut("access_given_at", "access_given_by")
	TeamProjectChanges   = teamProjects.ChangesBut("given_at", "given_by")
	TeamWorkspaceChanges = teamWorkspaces.ChangesBut("given_at", "given_by")
)
