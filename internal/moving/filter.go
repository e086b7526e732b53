package moving

import (
	"fmt"
	"path"
	"strings"
)

// Filter is which things come along, and under which names.
type Filter struct {
	only, skip []string
	rename     map[string]string
}

// NewFilter reads patterns such as acme, acme/net-* and */scratch, and renames such as
// acme=acme-corp and acme/net=network.
func NewFilter(only, skip, renames []string) (Filter, error) {
	f := Filter{only: only, skip: skip, rename: map[string]string{}}
	for _, pattern := range append(append([]string{}, only...), skip...) {
		if _, err := path.Match(pattern, ""); err != nil || strings.Count(pattern, "/") > 1 {
			return f, fmt.Errorf("%q is no pattern: it is written organization or organization/workspace, with * and ?", pattern)
		}
	}
	for _, pair := range renames {
		old, name, ok := strings.Cut(pair, "=")
		name = name[strings.LastIndex(name, "/")+1:]
		if !ok || old == "" || name == "" || strings.Count(old, "/") > 1 {
			return f, fmt.Errorf("%q is no rename: it is written old=new or organization/old=new", pair)
		}
		f.rename[old] = name
	}
	return f, nil
}

// Organization says whether any of an organization comes along.
func (f Filter) Organization(name string) bool {
	for _, pattern := range f.skip {
		if !strings.Contains(pattern, "/") && matches(pattern, name) {
			return false
		}
	}
	for _, pattern := range f.only {
		of, _, _ := strings.Cut(pattern, "/")
		if matches(of, name) {
			return true
		}
	}
	return len(f.only) == 0
}

// Workspace says whether a workspace of such an organization does.
func (f Filter) Workspace(organization, name string) bool {
	whole := organization + "/" + name
	for _, pattern := range f.skip {
		if strings.Contains(pattern, "/") && matches(pattern, whole) {
			return false
		}
	}
	for _, pattern := range f.only {
		if matches(pattern, whole) || !strings.Contains(pattern, "/") && matches(pattern, organization) {
			return true
		}
	}
	return len(f.only) == 0
}

// Renamed is what an organization is called on the target.
func (f Filter) Renamed(organization string) string {
	if name, ok := f.rename[organization]; ok {
		return name
	}
	return organization
}

// RenamedWorkspace is what a workspace is called there.
func (f Filter) RenamedWorkspace(organization, name string) string {
	if renamed, ok := f.rename[organization+"/"+name]; ok {
		return renamed
	}
	return name
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // checked when it was read
	return ok
}
