package sqldb

import "testing"

// TestAddWantsOneArgumentForEachMark: a fragment with too few would be sent with a bare mark, and one
// too many would become text.
func TestAddWantsOneArgumentForEachMark(t *testing.T) {
	t.Parallel()
	var q Query
	if got := q.Add("a = ?", 1).Add(" AND b").Add(" AND c IN (?, ?)", 2, 3).String(); got != "a = $1 AND b AND c IN ($2, $3)" || len(q.Args) != 3 {
		t.Errorf("it made %q with %v", got, q.Args)
	}
	for fragment, args := range map[Text][]any{"a = ?": nil, "a": {1}, "a = ? OR b = ?": {1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was added with %v", fragment, args)
				}
			}()
			new(Query).Add(fragment, args...)
		}()
	}
}
