package backlog

import (
	"github.com/belayhq/belay"
	"time"
)

// Campaign is a bulk action with how far it is: its change requests are the work, and what
// asked for them says when the work is done.
type Campaign struct {
	BulkAction
	Days     []CampaignDay     // on which some were archived, in order
	Projects []CampaignProject // those with the most open ones first
	Teams    []CampaignTeam    // as well
	Acts     []CampaignAct     // what was done lately, the newest first

	Asked    bool // a question chose the workspaces, and can still be asked
	Matching int  // open ones whose workspace still fits the question
	Unfiled  int  // workspaces that fit it now and have no change request of the campaign

	Notices   int // that were sent of it or are on their way, up to MostNotices, while they are kept
	Delivered int // of these
}

// MostNotices is how many notices of a campaign are counted.
const MostNotices = 10000

// CampaignDay is how many change requests were archived on a day.
type CampaignDay struct {
	Day      time.Time // its beginning, in UTC
	Archived int
}

// CampaignAct is what somebody archived on a day.
type CampaignAct struct {
	At       time.Time // of the last of them
	Archived int
	By       string // empty: the server, or somebody who is there no more
}

// CampaignProject is how far the workspaces of a project are.
type CampaignProject struct {
	ID, Name    string
	Total, Open int
}

// CampaignTeam is how far the workspaces of a team are, as the tag "team" in force says; those without it have no name.
type CampaignTeam struct {
	Name        string
	Total, Open int
}

// Ready is how many open change requests are on workspaces that fit the question no more.
func (c *Campaign) Ready() int {
	if !c.Asked {
		return 0
	}
	return max(0, c.OpenCount-c.Matching)
}

// CampaignFit is whether a workspace still fits what a campaign asked, and what it has of what was asked for first.
type CampaignFit struct {
	Still bool
	Field string // that was asked for first; empty: there is nothing to tell
	Value any    // as an explorer has it
}

// CampaignQuery is what a list of a campaign's change requests asks for.
type CampaignQuery struct {
	Archived bool
	Matches  *bool // their workspaces fit the question, or do not; nil: both
	IDs      []string
	Assignee string // only those that this user has taken; empty: all
	Scope    belay.Scope
	Page     belay.Page
}

// Pace is how many were archived a day in the last so many days, or since the campaign began
// when that is later; ok is false with so few that it says nothing.
func (c *Campaign) Pace(days int, now time.Time) (pace float64, ok bool) {
	from := now.AddDate(0, 0, -days)
	if c.CreatedAt.After(from) {
		from = c.CreatedAt
	}
	archived := 0
	for _, d := range c.Days {
		if !d.Day.Before(from.Truncate(24 * time.Hour)) {
			archived += d.Archived
		}
	}
	return float64(archived) / max(1, now.Sub(from).Hours()/24), archived >= fewestOfPace
}

// fewestOfPace is how many change requests must be archived before they say how fast it goes.
const fewestOfPace = 3

// BacklogCounts is how much there is of an organization's backlog, each as far as it is counted.
type BacklogCounts struct {
	Campaigns, Open int // bulk actions, and those of them with open change requests
	Requests        int // open change requests that the caller reads
}
