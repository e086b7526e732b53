package app

import "context"

// RecheckPeople asks about everybody whose turn it is.
func (a *App) RecheckPeople(ctx context.Context) { a.recheckPeople(ctx) }

// Written waits until the letters under way are sent.
func (a *App) Written() { a.writing.Wait() }
