package ui

import "github.com/belayhq/belay"

// parts are the lists in the order of the side bar.
func parts() []part {
	return []part{

		{path: "", name: "Home", icon: "home", main: true},

		{path: "workspaces", name: "Workspaces", icon: "stack", main: true, page: (*orgVisit).newWorkspace, acts: workspaceActs},

		{path: "runs", name: "Runs", icon: "play", main: true, page: (*orgVisit).orgRuns},

		{path: "changes", name: "Changes", icon: "flag", main: true, feature: belay.ChangeRequests, page: (*orgVisit).campaigns, acts: campaignActs},

		{path: "explorer", name: "Explorer", icon: "compass", main: true, rare: true, need: belay.ReadExplorer, page: (*orgVisit).explorer, acts: explorerActs},

		{path: "projects", name: "Projects", icon: "folder", page: (*orgVisit).projects, acts: projectActs},

		{path: "access", name: "Access", icon: "shield", need: belay.ManageTeams | belay.ReadEveryMember, page: (*orgVisit).accessMatrix, acts: accessActs},

		{path: "teams", name: "Teams", icon: "users", page: (*orgVisit).teams, acts: teamActs},

		{path: "members", name: "Members", icon: "user", need: belay.ManageMembership | belay.ReadEveryMember, page: (*orgVisit).members, acts: memberActs},

		{path: "variable-sets", name: "Variable sets", icon: "sliders", page: (*orgVisit).variableSets, acts: setActs},

		{path: "connections", name: "Connections", icon: "branch", need: belay.ManageVCS, page: (*orgVisit).connections, acts: connectionActs},

		{path: "agents", name: "Agents", icon: "cpu", need: belay.ManageAgentPools, page: (*orgVisit).agents, acts: agentActs},

		{path: "keys", name: "SSH keys", icon: "key", need: belay.ManageSSHKeys, page: (*orgVisit).keys, acts: keyActs},

		{path: "notifications", name: "Notifications", icon: "bell", page: (*orgVisit).notifications, acts: notificationActs},

		{path: "tokens", other: "organization-tokens", name: "Tokens", icon: "lock", need: belay.ManageOrganizationTokens | belay.ManageTeams, page: (*orgVisit).orgTokens, acts: orgTokenActs},

		{path: "audit", name: "Audit trail", icon: "clock", need: belay.ReadAuditTrail, page: (*orgVisit).auditTrail},

		{path: "settings", name: "Settings", icon: "gear", need: belay.UpdateOrganization, page: (*orgVisit).settings, acts: settingActs},

		{path: "more", name: "More", icon: "list", main: true, phone: true, page: (*orgVisit).more},
	}
}
