package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// manyIDs is how many workspaces one body may name.
const manyIDs = 1000

// moveMany makes a step that moves as many workspaces as one body may name to another project and, the next time, back.
func moveMany() step {
	var once sync.Once
	var body string
	var projects [2]string
	var failed error
	return func(c *connection, client, n int) (int, error) {
		once.Do(func() {
			if body, failed = c.identifiers(manyIDs); failed != nil {
				return
			}
			for i := range projects {
				if projects[i], failed = c.create(v2+"/organizations/bench/projects",
					fmt.Sprintf(`{"data":{"type":"projects","attributes":{"name":"moved-%d"}}}`, created.Add(1))); failed != nil {
					return
				}
			}
		})
		if failed != nil {
			return 0, failed
		}
		status, _, err := c.do("POST", v2+"/projects/"+projects[(client+n)%2]+"/relationships/workspaces", body)
		return status, err
	}
}

// identifiers is a document that names so many workspaces.
func (c *connection) identifiers(many int) (string, error) {
	var names []string
	for page := 1; len(names) < many; page++ {
		_, body, err := c.do("GET", fmt.Sprintf(v2+"/organizations/bench/workspaces?page%%5Bsize%%5D=100&page%%5Bnumber%%5D=%d", page), "")
		if err != nil {
			return "", err
		}
		var list struct{ Data []struct{ ID string } }
		if err := json.Unmarshal(body, &list); err != nil {
			return "", err
		}
		if len(list.Data) == 0 {
			return "", fmt.Errorf("%d workspaces are there, where %d are needed", len(names), many)
		}
		for _, one := range list.Data {
			names = append(names, fmt.Sprintf(`{"type":"workspaces","id":%q}`, one.ID))
		}
	}
	return `{"data":[` + strings.Join(names[:many], ",") + `]}`, nil
}

// requestOfAll makes a step that files a change request for every workspace of the organization.
func requestOfAll() step {
	return func(c *connection, _, _ int) (int, error) {
		status, _, err := c.do("POST", v2+"/organizations/bench/explorer/bulk-actions",
			`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":"Rotate the keys","message":"All of them."},`+
				`"query":{"type":"workspaces"}}}}`)
		return status, err
	}
}
