package fair

import "context"

// named is a gate of one, and how many wait at it or are inside.
type named struct {
	*Gate
	users int
}

// Line waits until nobody else of the same name is in line, until ctx ends. Of several tenants who wait whoever used least is next. Leave must
// be called once. It is for what would wait for one another anyway where it has begun already, and would be many then when somebody else comes.
// Whoever waits has begun nothing: it has no turn anywhere, and no transaction.
func (t *Tenants) Line(ctx context.Context, name string) (leave func(), err error) {
	WorkOf(ctx).Yield()
	one := t.inLine(name, 1)
	end, err := one.Enter(ctx)
	if err != nil {
		t.inLine(name, -1)
		return nil, err
	}
	return func() { end(); t.inLine(name, -1) }, nil
}

// inLine is the line of a name, in which so many more are. One in which nobody is is forgotten.
func (t *Tenants) inLine(name string, more int) *named {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.lines[name]
	if one == nil {
		one = &named{Gate: t.Gate(1, 1)}
		t.lines[name] = one
	}
	if one.users += more; one.users == 0 {
		delete(t.lines, name)
	}
	return one
}
