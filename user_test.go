package belay_test

import (
	"testing"

	"github.com/belayhq/belay"
)

func TestWhoWasInvitedTakesThePlaceThatWasHeld(t *testing.T) {
	t.Parallel()
	u := belay.User{ID: "user-2", Email: "ann@example.com"}
	if u.Succeed(&belay.User{ID: "user-1", Email: u.Email}) || u.ID != "user-2" {
		t.Errorf("somebody's place was taken: %+v", u)
	}
	if !u.Succeed(&belay.User{ID: "user-1", Email: u.Email, Invited: true}) || u.ID != "user-1" {
		t.Errorf("the place was not taken: %+v", u)
	}
}
