package belay_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/belayhq/belay"
)

func TestCheckConsumers(t *testing.T) {
	t.Parallel()
	readable := map[string]string{"ws-a": "org-1", "ws-b": "org-1", "ws-own": "org-1"}
	for name, c := range map[string]struct {
		change belay.ConsumersChange
		global bool
		named  []string
		want   []string
		places []string
	}{
		"each once":           {change: belay.AddConsumers, named: []string{"ws-a", "ws-b", "ws-a"}, want: []string{"ws-a", "ws-b"}},
		"none clears":         {change: belay.SetConsumers},
		"itself":              {change: belay.AddConsumers, named: []string{"ws-a", "ws-own"}, places: []string{"[1]#id"}},
		"itself, replacing":   {change: belay.SetConsumers, named: []string{"ws-own"}, places: []string{"[0]#id"}},
		"itself, removing":    {change: belay.RemoveConsumers, named: []string{"ws-own"}, want: []string{"ws-own"}},
		"unknown and no id":   {change: belay.RemoveConsumers, named: []string{"ws-x", "ws-a", ""}, places: []string{"[0]#id", "[2]#id"}},
		"shares with all":     {change: belay.AddConsumers, global: true, named: []string{"ws-a"}, places: []string{"."}},
		"shares, cleared too": {change: belay.SetConsumers, global: true, places: []string{"."}},
	} {
		w := belay.Workspace{ID: "ws-own", OrganizationID: "org-1", GlobalRemoteState: c.global}
		got, err := w.CheckConsumers(c.change, c.named, readable)
		var problems belay.Problems
		_ = errors.As(err, &problems)
		var places []string
		for _, p := range problems {
			places = append(places, string(p.Place))
		}
		if !slices.Equal(places, c.places) || len(places) == 0 && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v at %v, want %v at %v", name, got, places, c.want, c.places)
		}
	}
	if belay.CheckConsumerCount(1000) != nil || belay.CheckConsumerCount(1001) == nil {
		t.Error("the bound is 1000 workspaces in one request")
	}
}

func TestRunTokensLiveShortlyAndOpenNoMoreThanTheirIssuerHas(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	w := belay.Workspace{ID: "ws-x", OrganizationID: "org-1"}
	for name, c := range map[string]struct {
		until time.Time
		ok    bool
		want  time.Time
	}{
		"no end given": {ok: true, want: now.Add(2 * time.Hour)},
		"a day":        {until: now.Add(24 * time.Hour), ok: true, want: now.Add(24 * time.Hour)},
		"over a day":   {until: now.Add(24*time.Hour + time.Millisecond)},
		"now":          {until: now},
		"in the past":  {until: now.Add(-time.Second)},
	} {
		token, err := belay.NewRunToken(w, belay.QueueRuns, c.until, now)
		if (err == nil) != c.ok || c.ok && !token.ExpiredAt.Equal(c.want) {
			t.Errorf("%s: ends %v, %v", name, token.ExpiredAt, err)
		}
	}
	reads := belay.ReadWorkspace.And(belay.ReadRuns, belay.ReadOutputs, belay.ReadState)
	all := reads.And(belay.QueueRuns, belay.ApplyRuns, belay.LockWorkspace, belay.WriteState)
	for can, writes := range map[belay.Permission]bool{
		belay.QueueRuns: false, belay.QueueRuns.And(belay.ApplyRuns): false, // its issuer has nothing of the state
		reads.And(belay.QueueRuns): false, reads.And(belay.QueueRuns, belay.ApplyRuns): false, // or may not write it
		all: true,
	} {
		token, err := belay.NewRunToken(w, can, time.Time{}, now)
		if err != nil {
			t.Fatal(err)
		}
		access := belay.NewAccess(belay.Principal{Kind: belay.RunPrincipal, ID: token.OwnerID, WorkspaceID: w.ID, Purpose: token.Purpose}, nil)
		own, other := access.OnWorkspace("ws-x", "prj-1"), access.OnWorkspace("ws-y", "prj-1")
		if own.Has(belay.WriteState) != writes || own.Has(belay.LockWorkspace) != writes || own.Has(belay.ReadState) != can.Has(reads) {
			t.Errorf("issued with %b: %b on its own workspace", can, own)
		}
		if !other.Has(belay.ReadWorkspace) || other.Without(belay.ReadWorkspace.And(belay.Traverse)) != (belay.Permission{}) {
			t.Errorf("issued with %b: %b on another workspace", can, other)
		}
	}
}
