package belay

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Tag is a flat tag of an organization: a word that workspaces carry. It lives as long
// as a workspace carries it.
type Tag struct {
	ID             string
	OrganizationID string
	Name           string
	CreatedAt      time.Time
	InstanceCount  int // how many workspaces carry it

	Organization Organization // read with the row: its name
}

// TagRef names a flat tag in a request: by id or by name. The id wins over the name.
type TagRef struct{ ID, Name string }

// TagQuery is what a list of flat tags asks for.
type TagQuery struct {
	Search           string // part of the name
	WorkspaceID      string // carried by this workspace
	WithoutWorkspace string // not carried by this workspace
	Page             Page
}

// MaxListed is the most entries that a request may list in its body.
const MaxListed = 1000

// CheckListed refuses a list of more entries than a request may have. place is where it
// stands.
func CheckListed(n int, place Place) error {
	var problems Problems
	if n > MaxListed {
		problems.At(place, "must not have more than %d entries", MaxListed)
	}
	return problems.Err()
}

// maxTagName is how many characters the name of a flat tag may have.
const maxTagName = 255

// A tag's name is in lower case: what comes in upper case is brought down.
var tagName = regexp.MustCompile(`^[a-z0-9]([a-z0-9:_-]*[a-z0-9])?$`)

// CheckTagRefs brings the names of the tags to their stored form, without repetitions,
// or says all that is wrong with them. place is that of the list.
func CheckTagRefs(refs []TagRef, place Place) ([]TagRef, error) {
	if err := CheckListed(len(refs), place); err != nil {
		return nil, err
	}
	var problems Problems
	checked := slices.Clone(refs)
	for i := range checked {
		if ref := &checked[i]; ref.ID != "" {
			ref.Name = ""
		} else {
			ref.Name = lowerASCII(ref.Name)
			checkTagName(&problems, ref.Name, place.Item(i).Field("name"))
		}
	}
	return Distinct(checked), problems.Err()
}

// lowerASCII leaves letters that are none of ASCII as they are: some of them come down to
// a letter of ASCII, and the name would be another than the one that was given.
func lowerASCII(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

func checkTagName(problems *Problems, name string, place Place) {
	switch {
	case name == "":
		problems.At(place, "Name can't be blank")
	case len(name) > maxTagName:
		problems.At(place, "Name is too long (maximum is %d characters)", maxTagName)
	case !tagName.MatchString(name):
		problems.At(place, "Name can only contain letters, numbers, :, -, and _, and must begin and end with a letter or number")
	}
}

// Wear adds flat tags to those that the workspace carries, and returns the new ones in order.
func (w *Workspace) Wear(names []string) (added []string) {
	worn := members(w.TagNames)
	for _, name := range names {
		if !worn[name] {
			worn[name] = true
			added = append(added, name)
		}
	}
	slices.Sort(added)
	w.TagNames = slices.Concat(w.TagNames, added)
	slices.Sort(w.TagNames)
	return added
}

// Shed takes flat tags from those that the workspace carries, and returns the ones that
// were there, in order.
func (w *Workspace) Shed(names []string) (removed []string) {
	var kept []string
	shed := members(names)
	for _, name := range w.TagNames {
		if shed[name] {
			removed = append(removed, name)
		} else {
			kept = append(kept, name)
		}
	}
	w.TagNames = kept
	return removed
}

// members is a list as a set.
func members(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}

// applyTags gives a new workspace its flat tags. known has the names of the tags that
// the patch names by id.
func (w *Workspace) applyTags(problems *Problems, refs []TagRef, known map[string]string) {
	place := RelatedList("tags")
	refs, err := CheckTagRefs(refs, place)
	if problems.Add(err) != nil || err != nil {
		return
	}
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		if ref.ID != "" {
			if ref.Name = known[ref.ID]; ref.Name == "" {
				problems.At(place, "Tag %s does not exist", ref.ID)
				continue
			}
		}
		names = append(names, ref.Name)
	}
	w.Wear(names)
}
