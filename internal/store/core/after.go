package core

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/belayhq/belay/internal/sqldb"
	"github.com/belayhq/belay/run"
)

// After is what is asked of a workspace whose state becomes another one, beside that state: it is
// read with it, while the workspace is held.
type After struct {
	Waits   bool      // a run waits behind the one that has the workspace, or a saved plan
	Counted []run.Run // what figures count: see run.CountedRuns
	uses    []use     // what it is known to use
}

type afterRow struct {
	waits         bool
	uses, counted string
}

// after is the columns of an afterRow of a workspace. Lists are one text each: of what any sign may be
// in, the blanks are written as in an address.
func after(workspace sqldb.Text) sqldb.Text {
	return `EXISTS (SELECT 1 FROM runs b WHERE b.workspace_id = ` + workspace + ` AND b.status = 'planned_and_saved')
	OR EXISTS (SELECT 1 FROM runs b WHERE b.workspace_id = ` + workspace + ` AND b.status = 'pending' AND b.queued),
	COALESCE((SELECT string_agg(u.kind || ' ' || replace(replace(u.source, '%', '%25'), ' ', '%20'), ' ') FROM workspace_uses u WHERE u.workspace_id = ` + workspace + `), ''),
	COALESCE((SELECT string_agg('{"ID":"' || counted.id || '","CreatedAt":' || counted.created_at || ',"Status":"' || counted.status || '","Plan":' || COALESCE(NULLIF(counted.plan, ''), '{}')
		|| ',"Apply":' || COALESCE(NULLIF(counted.apply, ''), '{}') || '}', ',') FROM (
		SELECT c.id, c.created_at, c.status, c.plan, c.apply FROM runs c WHERE c.workspace_id = ` + workspace + ` AND c.queued AND c.status IN ('applied', 'errored')
		ORDER BY c.created_at DESC, c.id DESC LIMIT 30) counted), '')`
}

func (a *afterRow) dest() []any { return []any{&a.waits, &a.uses, &a.counted} }

func (a *afterRow) found() (After, error) {
	found := After{Waits: a.waits}
	var counted []struct {
		ID        string
		CreatedAt int64
		Status    run.Status
		Plan      run.Plan
		Apply     run.Apply
	}
	if err := json.Unmarshal([]byte("["+a.counted+"]"), &counted); err != nil {
		return found, err
	}
	for _, c := range counted {
		found.Counted = append(found.Counted, run.Run{ID: c.ID, CreatedAt: time.UnixMilli(c.CreatedAt).UTC(), Status: c.Status, Plan: c.Plan, Apply: c.Apply})
	}
	words := strings.Split(a.uses, " ") // a source may be empty, or have other blanks in it
	for i := 0; i+1 < len(words); i += 2 {
		source, err := url.PathUnescape(words[i+1])
		if err != nil {
			return found, err
		}
		found.uses = append(found.uses, use{kind: words[i], source: source})
	}
	return found, nil
}
