package base

import (
	"slices"

	"github.com/belayhq/belay"
)

// TheOne is the only one of a list; belay.ErrNotFound when it is empty.
func TheOne[N any](list []N, err error) (N, error) {
	var zero N
	if err == nil && len(list) == 0 {
		err = belay.ErrNotFound
	}
	if err != nil {
		return zero, err
	}
	return list[0], nil
}

// Distinct is what there is in lists, once.
func Distinct[N comparable](lists [][]N) (all []N) {
	for _, list := range lists {
		for _, n := range list {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// IDsOf is the id of each of many.
func IDsOf[N any](list []N, id func(*N) string) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = id(&list[i])
	}
	return ids
}
