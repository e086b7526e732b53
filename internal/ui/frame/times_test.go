package frame

import (
	"testing"
	"time"
)

func TestTimesAreToldAsSomebodyWantsThem(t *testing.T) {
	t.Parallel()
	zone, err := zoneNamed("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at, now := time.Date(2026, 7, 1, 23, 30, 5, 0, time.UTC).In(zone), time.Date(2026, 7, 20, 0, 0, 0, 0, time.UTC)
	const begins = `datetime="2026-07-01T23:30:05Z" title="`
	for _, each := range []struct {
		text, want string
		whole      bool
		now        time.Time
	}{
		{"2026-07-01", `<time ` + begins + `2026-07-02 01:30:05 CEST">2026-07-02</time>`, false, now},
		{"3 min ago", `<time ` + begins + `2026-07-02 01:30:05 CEST">3 min ago</time>`, false, at.Add(3 * time.Minute)},
		{"3 min ago", `<time class="whole" ` + begins + `3 min ago">2026-07-02 01:30</time>`, true, now},
		{"23:30:05", `<time ` + begins + `2026-07-02 01:30:05 CEST">01:30:05</time>`, true, now},
	} {
		if got := timeIn(at, each.now, each.text, each.whole); got != each.want {
			t.Errorf("%q: %s, want %s", each.text, got, each.want)
		}
	}
	for hour, want := range map[int]string{4: "Good evening", 5: "Good morning", 11: "Good morning", 12: "Good afternoon", 17: "Good afternoon", 18: "Good evening"} {
		if got := greeting(hour); got != want {
			t.Errorf("%d o'clock: %s, want %s", hour, got, want)
		}
	}
	if zone, err := zoneNamed("Local"); err != nil || zone != time.UTC {
		t.Errorf("the zone of the machine is %v, %v", zone, err)
	}
}
