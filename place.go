package belay

import (
	"cmp"
	"strconv"
	"strings"
)

// Place is what of a request is at fault, in the words of the domain; a door knows where in
// its form that stands:
//
//	name            a field of what the request is about
//	#id, #type      what says which resource it is, and of which kind
//	@team           the resource that is related to it by this name
//	@tags[]         the list of those that are
//	[3].key         a field of one of several; @tags[3].key that of one that is related
//	.               all of it
//
// What begins with a slash is a place that the door itself named. Empty is no place.
type Place string

// Whole is all that was sent: the resource, or the list of them.
const Whole Place = "."

// Related is the resource that is related by a name.
func Related(name string) Place { return Place("@" + name) }

// RelatedList is the list of the resources that are related by a name.
func RelatedList(name string) Place { return Place("@" + name + "[]") }

// Item is one of a list, from 0.
func (p Place) Item(i int) Place {
	n := strconv.Itoa(i)
	if p.named() {
		return p + Place("/"+n)
	}
	return Place(strings.TrimSuffix(strings.TrimSuffix(string(p), "[]"), string(Whole)) + "[" + n + "]")
}

// Field is a field of what stands at the place.
func (p Place) Field(name string) Place {
	switch {
	case p.named():
		return p + Place("/"+name)
	case p == Whole || p == "":
		return Place(name)
	default:
		return p + Place("."+name)
	}
}

// memberEscapes lets a name be any text: beside those of JSON pointers it has some of its own.
var (
	memberEscapes   = strings.NewReplacer("~", "~0", "/", "~1", ".", "~2", "@", "~3", "#", "~4", "[", "~5", "]", "~6")
	memberUnescapes = strings.NewReplacer("~2", ".", "~3", "@", "~4", "#", "~5", "[", "~6", "]")
)

// Member is a member of the object, or an item of the list, that a field is. Its name may be any text.
func (p Place) Member(name string) Place {
	name = memberEscapes.Replace(name)
	if p == Whole || p == "" {
		return Place(name)
	}
	return p + Place("/"+name)
}

// Unescaped is a pointer that was made of a place, with its names as JSON pointers have them.
func Unescaped(pointer string) string { return memberUnescapes.Replace(pointer) }

// ID is what says which resource stands at the place.
func (p Place) ID() Place { return p + "#id" }

// named says that a door named the place.
func (p Place) named() bool { return strings.HasPrefix(string(p), "/") }

// under is where a place of one resource is when the resource stands at another.
func (p Place) under(at Place) Place {
	switch {
	case p == Whole || p == "":
		return at
	case strings.HasPrefix(string(p), "#") || strings.HasPrefix(string(p), "@"):
		return at + p
	default:
		return at.Field(string(p))
	}
}

// Places is where in a body the members of an order stand: in data or in its attributes,
// as clients send them.
type Places struct {
	Members Place            // where those stand, or would, that Moved does not name
	Moved   map[string]Place // where others stand
}

// At is the place of a member.
func (p Places) At(member string) Place { return cmp.Or(p.Moved[member], p.Members.Field(member)) }
