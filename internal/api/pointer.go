package api

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay"
)

// step is one step of a place: a relationship, an item of a list, or a member.
var step = regexp.MustCompile(`[@#]?[^.@#\[\]]+|\[\d*\]`)

// pointerOf is where in a document a place stands, as a JSON pointer. All pointers to what
// the domain refuses are made here.
func pointerOf(p belay.Place) string {
	if p == "" || p[0] == '/' {
		return string(p)
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
	return at
}

// underItem moves the problems of one resource to where it stands in a list of them.
func underItem(i int, err error) error {
	problems, many := err.(belay.Problems) //nolint:errorlint // decoding returns them unwrapped
	if !many {
		return err
	}
	moved := make(belay.Problems, len(problems))
	for n, problem := range problems {
		one := *problem
		one.Place = belay.Place("/data/" + strconv.Itoa(i) + strings.TrimPrefix(pointerOf(one.Place), "/data"))
		moved[n] = &one
	}
	return moved
}

// together is the problems with the shape of a body, and what the rules say of the rest of
// it. What they say of a field that is misshapen is left out: they have not seen it. A
// refusal of another kind stands alone.
func together(p belay.Problems, err error) error {
	var rules belay.Problems
	if err != nil && rules.Add(err) != nil {
		if belay.KindOf(err) == belay.Forbidden && len(p) > 0 {
			return p // the rules spoke of what little of the body could be read
		}
		return err
	}
	all := slices.Clone(p)
	for _, rule := range rules {
		if !slices.ContainsFunc(p, func(shape *belay.Error) bool {
			return sameOrBelow(pointerOf(rule.Place), pointerOf(shape.Place)) || sameOrBelow(pointerOf(shape.Place), pointerOf(rule.Place))
		}) {
			all = append(all, rule)
		}
	}
	return all
}

// sameOrBelow says whether a place of a body is another, or below it.
func sameOrBelow(pointer, other string) bool {
	return pointer == other || strings.HasPrefix(pointer, other+"/")
}
