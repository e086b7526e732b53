package frame

import (
	"runtime"
	"sync"

	"github.com/belayhq/belay/internal/web"
)

// besides is what is read for a page while it is made: so much at once.
type besides struct {
	sync.WaitGroup
	turns chan struct{}
}

func newBesides() *besides {
	return &besides{turns: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
}

// Soon begins to read what a page needs later, beside what is read for it meanwhile; who asks for it waits. What reads
// tells the visit nothing: it uses who is signed in and the context, and no more. As many are read at once as there are
// processors: more would be no sooner, and each new connection of a database plans all statements anew. So nothing that is
// read waits for something else that is.
func Soon[T any](v *Visit, read func() (T, error)) func() (T, error) {
	var (
		found T
		err   error
	)
	done := make(chan struct{})
	v.beside.Add(1)
	go func() {
		defer v.beside.Done()
		defer close(done)
		v.beside.turns <- struct{}{}
		defer func() { <-v.beside.turns }()
		err = web.Recovered(func() (err error) {
			found, err = read()
			return err
		})
	}()
	return func() (T, error) {
		<-done
		return found, err
	}
}

// SoonList is Soon for rows of a list and how many it has in all.
func SoonList[T any](v *Visit, read func() ([]T, int, error)) func() ([]T, int, error) {
	var total int
	wait := Soon(v, func() (rows []T, err error) {
		rows, total, err = read()
		return rows, err
	})
	return func() ([]T, int, error) {
		rows, err := wait()
		return rows, total, err
	}
}
