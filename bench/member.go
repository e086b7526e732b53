package main

import (
	"encoding/json"
	"fmt"
)

// memberSees is how many workspaces the member of the benchmark may see: most through a
// project, some one by one.
const memberSees = 500

// prepareMember makes a user who sees some workspaces through a team, and gives its token.
func (t *target) prepareMember() (string, error) {
	c, err := t.connect()
	if err != nil {
		return "", err
	}
	defer func() { _ = c.conn.Close() }()
	const org = v2 + "/organizations/bench"
	project, err := c.create(org+"/projects", `{"data":{"type":"projects","attributes":{"name":"members"}}}`)
	if err != nil {
		return "", err
	}
	team, err := c.create(org+"/teams", `{"data":{"type":"teams","attributes":{"name":"members"}}}`)
	if err != nil {
		return "", err
	}
	if _, err := c.create(v2+"/team-projects", fmt.Sprintf(`{"data":{"type":"team-projects","attributes":{"access":"read"},"relationships":{
		"project":{"data":{"type":"projects","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, project, team)); err != nil {
		return "", err
	}
	for i := range memberSees {
		if err := t.letSee(c, i, project, team); err != nil {
			return "", err
		}
	}
	return member(c, team)
}

// letSee lets the team see one more workspace: a new one of its project, or one that is there.
func (t *target) letSee(c *connection, i int, project, team string) error {
	var err error
	if i%5 > 0 {
		_, err = c.create(v2+"/organizations/bench/workspaces", fmt.Sprintf(
			`{"data":{"type":"workspaces","attributes":{"name":"member-%06d"},"relationships":{"project":{"data":{"type":"projects","id":%q}}}}}`, i, project))
	} else {
		_, err = c.create(v2+"/team-workspaces", fmt.Sprintf(`{"data":{"type":"team-workspaces","attributes":{"access":"read"},"relationships":{
			"workspace":{"data":{"type":"workspaces","id":%q}},"team":{"data":{"type":"teams","id":%q}}}}}`, t.ids[(i*7919)%len(t.ids)], team))
	}
	return err
}

// member makes a user, puts it into the team, and gives its token.
func member(c *connection, team string) (string, error) {
	user, err := c.create(v2+"/admin/users", `{"data":{"type":"users","attributes":{"username":"member","email":"member@example.com"}}}`)
	if err != nil {
		return "", err
	}
	if _, err := c.create(v2+"/organizations/bench/organization-memberships", fmt.Sprintf(
		`{"data":{"type":"organization-memberships","attributes":{"email":"member@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":%q}]}}}}`, team)); err != nil {
		return "", err
	}
	return c.secret(v2 + "/users/" + user + "/authentication-tokens")
}

// secret makes a token, and gives it.
func (c *connection) secret(path string) (string, error) {
	_, body, err := c.do("POST", path, "")
	if err != nil {
		return "", err
	}
	var made struct {
		Data struct{ Attributes struct{ Token string } }
	}
	err = json.Unmarshal(body, &made)
	return made.Data.Attributes.Token, err
}
