package frame

import (
	"testing"
	"time"
)

func TestAgoSaysItAsAPersonWould(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for past, want := range map[time.Duration]string{
		-time.Hour: "2026-11-22 10:00 UTC", 0: "now", 45 * time.Second: "45 s ago", 61 * time.Second: "1 min ago",
		3*time.Hour + time.Minute: "3 h ago", 30 * time.Hour: "yesterday", 73 * time.Hour: "3 days ago", 8 * 24 * time.Hour: "2026-11-14",
	} {
		if got := Ago(now.Add(-past), now); got != want {
			t.Errorf("%s ago: %q, want %q", past, got, want)
		}
	}
}

func TestNumbersAreReadable(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 4812: "4,812", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{12: "12 B", 1536: "1.5 KiB", 4 << 20: "4.0 MiB"} {
		if got := BytesText(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{9 * time.Second: "9 s", 72 * time.Second: "1 min 12 s", 90 * time.Minute: "1 h 30 min"} {
		if got := Span(d); got != want {
			t.Errorf("span(%s) = %q, want %q", d, got, want)
		}
	}
}
