package backlog

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/patch"
)

// SavedView is a question to the explorer that was kept under a name.
type SavedView struct {
	ID             string
	OrganizationID string
	Name           string
	Query          string // JSON, as the explorer writes it
	QueryType      string // the view that the query is about
	CreatedBy      string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// SavedViewPatch is a change of a saved view. The query was checked by the explorer.
type SavedViewPatch struct {
	Name      patch.Field[string]
	Query     patch.Field[string]
	QueryType string // of Query
	Type      string // of the query, as said beside it; empty when it was not
	Places    belay.Places
}

// Apply changes the saved view, or says all that is wrong with the patch.
func (s *SavedView) Apply(p SavedViewPatch) error {
	var problems belay.Problems
	p.Name.Into(&s.Name)
	if p.Query.Set {
		s.Query, s.QueryType = p.Query.Value, p.QueryType
	}
	switch s.Name = strings.TrimSpace(s.Name); {
	case s.Name == "":
		problems.At(p.Places.At("name"), "Name can't be blank")
	case utf8.RuneCountInString(s.Name) > maxSubject:
		problems.At(p.Places.At("name"), "Name is too long (maximum is %d characters)", maxSubject)
	case strings.ContainsRune(s.Name, 0):
		problems.At(p.Places.At("name"), "Name can't contain a null character")
	}
	switch {
	case s.Query == "":
		problems.At(p.Places.At("query"), "Query can't be blank")
	case p.Type != "" && p.Type != s.QueryType:
		problems.At(p.Places.At("query_type"), "Query type must be that of the query, which is %s", s.QueryType)
	}
	return problems.Err()
}
