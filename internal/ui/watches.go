package ui

// watches is what pages can watch, by kind.
func watches() map[string]watch {
	return map[string]watch{
		"workspace": (*visit).watchedWorkspace, "campaign": (*visit).watchedCampaign, "organization": (*visit).watchedOrganization, "run": (*visit).watchedRun,
	}
}
