package frame

import (
	"errors"
	"strings"
	"testing"
)

// TestWhatIsReadSoonIsWaitedFor reads two things beside one another: each waits for the other, so that one after the other
// would never end.
func TestWhatIsReadSoonIsWaitedFor(t *testing.T) {
	t.Parallel()
	v := &Visit{beside: newBesides()}
	first, second := make(chan int), make(chan int)
	one := Soon(v, func() (int, error) {
		first <- 1
		return 10 * <-second, nil
	})
	list := SoonList(v, func() ([]int, int, error) {
		got := <-first
		second <- 2
		return []int{got}, 7, errors.New("half of it")
	})
	for range 2 { // as often as it is asked
		if got, err := one(); got != 20 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
		if rows, total, err := list(); len(rows) != 1 || rows[0] != 1 || total != 7 || err == nil {
			t.Errorf("%v of %d, %v", rows, total, err)
		}
	}
	v.beside.Wait()
}

// TestAPanicOfWhatIsReadSoonIsAnError of the page, and not the end of the server.
func TestAPanicOfWhatIsReadSoonIsAnError(t *testing.T) {
	t.Parallel()
	v := &Visit{beside: newBesides()}
	if _, err := Soon(v, func() (string, error) { panic("no such row") })(); err == nil || !strings.Contains(err.Error(), "no such row") {
		t.Errorf("%v", err)
	}
	v.beside.Wait()
}
