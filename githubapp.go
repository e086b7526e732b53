package belay

import (
	"strconv"
	"strings"
	"time"
)

// GitHubApp is the service of connections that stand on an installation of the server's GitHub App.
const GitHubApp = "github_app"

// AppInstallation is one installation of the server's GitHub App, as GitHub tells of it.
type AppInstallation struct {
	ID        string
	Number    int64  // GitHub's own id
	Name      string // of the account that it is installed in
	Kind      string // of the account: User or Organization
	URL       string // a page of GitHub
	IconURL   string
	HTTPURL   string // of the GitHub it is at, as connections have it
	APIURL    string
	State     AppState
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AppState is how an installation stands at GitHub.
type AppState string

// The states of installations.
const (
	AppActive    AppState = "active"
	AppSuspended AppState = "suspended"
	AppRemoved   AppState = "removed" // kept as long as a connection names it
)

// AppInstallationQuery is what a list of installations asks for.
type AppInstallationQuery struct {
	Name   string // of the account; empty: any
	Number int64  // GitHub's id; 0: any
	Page   Page
}

// ParseAppInstallationQuery reads what a list of installations asks for.
func ParseAppInstallationQuery(name, number string) (q AppInstallationQuery, err error) {
	q.Name = name
	if number == "" {
		return q, nil
	}
	if q.Number, err = strconv.ParseInt(number, 10, 64); err != nil || q.Number < 1 {
		return q, Refuse(BadRequest, "the id of an installation is a number, not %q", number)
	}
	return q, nil
}

// Owns says whether a repository is of the account that the installation is of: no token of it
// reaches another.
func (i *AppInstallation) Owns(identifier string) bool {
	owner, _, _ := strings.Cut(identifier, "/")
	return strings.EqualFold(owner, i.Name)
}
