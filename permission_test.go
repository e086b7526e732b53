package belay

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPermissionsAreSetsOfTwoWords(t *testing.T) {
	t.Parallel()
	const room = 128
	one := func(n int) Permission {
		if n < 64 {
			return Permission{low: 1 << n}
		}
		return Permission{high: 1 << (n - 64)}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var p, q Permission
		var inP, inQ [room]bool
		for n := range room {
			if random.IntN(2) == 0 {
				p, inP[n] = p.And(one(n)), true
			}
			if random.IntN(8) == 0 {
				q, inQ[n] = q.And(one(n)), true
			}
		}
		both, all, some := p.And(q), true, false
		for n := range room {
			all, some = all && (inP[n] || !inQ[n]), some || inP[n] && inQ[n]
			if got := both.Has(one(n)); got != (inP[n] || inQ[n]) {
				t.Fatalf("%v and %v: bit %d is %v", p, q, n, got)
			}
			if got := p.Without(q).Has(one(n)); got != (inP[n] && !inQ[n]) {
				t.Fatalf("%v without %v: bit %d is %v", p, q, n, got)
			}
			if got := p.only(q).Has(one(n)); got != (inP[n] && inQ[n]) {
				t.Fatalf("%v, only %v: bit %d is %v", p, q, n, got)
			}
		}
		if p.Has(q) != all || p.HasAny(q) != some || !both.Has(p) || !both.Has(q) {
			t.Fatalf("%v has %v: %v; has some: %v", p, q, p.Has(q), p.HasAny(q))
		}
	}
}

func TestEveryPermissionHasABitOfItsOwn(t *testing.T) {
	t.Parallel()
	if first, last := (Permission{low: 1}), GiveRights; ReadWorkspace != first || len(permissionNames) == 0 || last == first {
		t.Fatalf("%d bits, from %v to %v", len(permissionNames), ReadWorkspace, last)
	}
	if FullAccess().Everywhere.HasAny(Nobody) || !FullAccess().Everywhere.Has(workspaceAdmin.And(projectAdmin, manageProjects, GiveRights)) {
		t.Errorf("a site admin has %v", FullAccess().Everywhere)
	}
	seen := map[Permission]bool{Nobody: true}
	for n := range 127 {
		p := permissionAt(n)
		if p == (Permission{}) || seen[p] {
			t.Fatalf("%v is nothing, or there twice", p)
		}
		seen[p] = true
	}
	defer func() {
		if recover() == nil {
			t.Error("more permissions than there is room for")
		}
	}()
	permissionAt(127)
}

func TestEveryPermissionHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	names := all.Names()
	if len(names) != len(permissionNames) || names[0] != "read-workspace" {
		t.Errorf("all is called %q", names)
	}
	seen := map[string]bool{"": true}
	for _, name := range names {
		if seen[name] {
			t.Errorf("two permissions are called %q", name)
		}
		seen[name] = true
	}
	if got := Steering.And(UpdateWorkspace).Names(); !slices.Equal(got, []string{"queue-runs", "apply-runs", "update-workspace"}) {
		t.Errorf("a set of three is called %q", got)
	}
}
