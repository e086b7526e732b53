package ui

import (
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/organizations"
	"github.com/belayhq/belay/internal/ui/workspaces"

	"github.com/belayhq/belay/internal/ui/changes"
)

// watches is what pages can watch, by kind.
func watches() map[string]frame.Watch {
	return map[string]frame.Watch{
		"workspace": workspaces.WatchedWorkspace, "campaign": changes.WatchedCampaign, "campaigns": changes.WatchedCampaigns, "organization": organizations.WatchedOrganization, "home": organizations.WatchedHome, "run": workspaces.WatchedRun,
		"workspaces": organizations.WatchedWorkspaces, "notification": organizations.WatchedNotification, "pool": organizations.WatchedPool,
	}
}
