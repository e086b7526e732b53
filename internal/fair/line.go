package fair

import "context"

type lineKey struct{}

// InLine is a context that is in a line, whose turns at a gate come one after another for EnterInLine: for what would wait for one another
// anyway once it has begun, and would be many then when somebody else comes. Whoever waits has no turn, and those who rest hold up nobody. What
// runs for nobody is in none.
func InLine(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, lineKey{}, name)
}

// lineOf is the line that a context is in; empty: it is in none.
func lineOf(ctx context.Context) string {
	name, _ := ctx.Value(lineKey{}).(string)
	return name
}
