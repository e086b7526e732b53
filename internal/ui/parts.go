package ui

import (
	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/ui/access"
	"github.com/belayhq/belay/internal/ui/frame"
	"github.com/belayhq/belay/internal/ui/organizations"
	"github.com/belayhq/belay/site"

	"github.com/belayhq/belay/internal/ui/changes"
)

// parts are the lists in the order of the side bar.
func parts() []frame.Part {
	return []frame.Part{

		{Path: "", Name: "Home", Icon: "home", Main: true},

		{Path: "workspaces", Name: "Workspaces", Icon: "stack", Main: true, Page: organizations.NewWorkspace, Acts: organizations.WorkspaceActs},

		{Path: "runs", Name: "Runs", Icon: "play", Main: true, Page: organizations.OrgRuns, Acts: organizations.RunActs},

		{Path: "changes", Name: "Changes", Icon: "flag", Main: true, Feature: site.ChangeRequests, Page: changes.Campaigns, Acts: changes.CampaignActs},

		{Path: "explorer", Name: "Explorer", Icon: "compass", Main: true, Rare: true, Need: belay.ReadExplorer, Page: changes.Explorer, Acts: changes.ExplorerActs},

		{Path: "projects", Name: "Projects", Icon: "folder", Page: organizations.Projects, Acts: organizations.ProjectActs},

		{Path: "access", Name: "Access", Icon: "shield", Need: belay.ManageTeams.And(belay.ReadEveryMember), Page: access.AccessMatrix, Acts: access.AccessActs},

		{Path: "teams", Name: "Teams", Icon: "users", Page: access.Teams, Acts: access.TeamActs},

		{Path: "members", Name: "Members", Icon: "user", Need: belay.ManageMembership.And(belay.ReadEveryMember), Page: access.Members, Acts: access.MemberActs},

		{Path: "variable-sets", Name: "Variable sets", Icon: "sliders", Page: organizations.VariableSets, Acts: organizations.SetActs},

		{Path: "connections", Name: "Connections", Icon: "branch", Need: belay.ManageVCS, Page: organizations.Connections, Acts: organizations.ConnectionActs},

		{Path: "agents", Name: "Agents", Icon: "cpu", Need: belay.ManageAgentPools, Page: organizations.Agents, Acts: organizations.AgentActs},

		{Path: "keys", Name: "SSH keys", Icon: "key", Need: belay.ManageSSHKeys, Page: organizations.Keys, Acts: organizations.KeyActs},

		{Path: "notifications", Name: "Notifications", Icon: "bell", Page: organizations.Notifications, Acts: organizations.NotificationActs},

		{Path: "tokens", Other: "organization-tokens", Name: "Tokens", Icon: "lock", Need: belay.ManageOrganizationTokens.And(belay.ManageTeams), Page: access.OrgTokens, Acts: access.OrgTokenActs},

		{Path: "audit", Name: "Audit trail", Icon: "clock", Need: belay.ReadAuditTrail, Page: organizations.AuditTrail},

		{Path: "settings", Name: "Settings", Icon: "gear", Need: belay.UpdateOrganization, Page: organizations.Settings, Acts: organizations.SettingActs},

		{Path: "more", Name: "More", Icon: "list", Main: true, Phone: true, Page: (*frame.OrgVisit).More},
	}
}
