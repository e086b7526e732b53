package doc

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// step is one step of a place: a relationship, an item of a list, or a member.
var step = regexp.MustCompile(`[@#]?[^.@#\[\]]+|\[\d*\]`)

// PointerOf is where in a document a place stands, as a JSON pointer. All pointers to what
// the domain refuses are made here.
func PointerOf(p belay.Place) string {
	if p == "" || p[0] == '/' {
		return belay.Unescaped(string(p))
	}
	at, related := "/data", false
	for _, s := range step.FindAllString(string(p), -1) {
		name, relation := strings.CutPrefix(s, "@")
		if relation {
			at, related = at+"/relationships/"+name, true
			continue
		}
		if related {
			at, related = at+"/data", false
		}
		switch s[0] {
		case '[':
			if index := strings.Trim(s, "[]"); index != "" {
				at += "/" + index
			}
		case '#':
			at += "/" + s[1:]
		default:
			at += "/attributes/" + s
		}
	}
	return belay.Unescaped(at)
}

// UnderItem moves the problems of one resource to where it stands in a list of them.
func UnderItem(i int, err error) error {
	problems, many := err.(belay.Problems) //nolint:errorlint // decoding returns them unwrapped
	if !many {
		return err
	}
	moved := make(belay.Problems, len(problems))
	for n, problem := range problems {
		one := *problem
		one.Place = belay.Place("/data/" + strconv.Itoa(i) + strings.TrimPrefix(PointerOf(one.Place), "/data"))
		moved[n] = &one
	}
	return moved
}

// Together is a refusal of the shape of a body, and what the rules say of the rest of it. What
// they say of a field that is misshapen is left out: they have not seen it. A refusal of
// another kind stands alone, the one of the shape first.
func Together(shape, err error) error {
	var all, rules belay.Problems
	switch {
	case shape == nil:
		return err
	case all.Add(shape) != nil:
		return shape
	case err != nil && rules.Add(err) != nil:
		if belay.KindOf(err) == belay.Forbidden && len(all) > 0 {
			return shape // the rules spoke of what little of the body could be read
		}
		return err
	}
	misshapen := all
	for _, rule := range rules {
		if !slices.ContainsFunc(misshapen, func(shape *belay.Error) bool {
			return SameOrBelow(PointerOf(rule.Place), PointerOf(shape.Place)) || SameOrBelow(PointerOf(shape.Place), PointerOf(rule.Place))
		}) {
			all = append(all, rule)
		}
	}
	return all.Err()
}

// SameOrBelow says whether a place of a body is another, or below it, however both are spelled.
func SameOrBelow(pointer, other string) bool {
	pointer, other = Spelled(pointer), Spelled(other)
	return pointer == other || strings.HasPrefix(pointer, other+"/")
}
