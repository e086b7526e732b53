package frame

import (
	"fmt"
	"time"
)

// Ago is how long a moment is past, in the words of a person; older ones are a date.
func Ago(at, now time.Time) string {
	past := now.Sub(at)
	switch {
	case past < 0:
		return at.Format("2006-01-02 15:04") + " UTC"
	case past < 2*time.Second:
		return "now"
	case past < time.Minute:
		return fmt.Sprintf("%d s ago", int(past.Seconds()))
	case past < time.Hour:
		return fmt.Sprintf("%d min ago", int(past.Minutes()))
	case past < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(past.Hours()))
	case past < 48*time.Hour:
		return "yesterday"
	case past < 7*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(past.Hours()/24))
	default:
		return at.Format("2006-01-02")
	}
}

// Since is how long ago a moment was in as few letters as a cell has room for.
func Since(at, now time.Time) string {
	switch past := now.Sub(at); {
	case past < time.Minute:
		return "now"
	case past < time.Hour:
		return fmt.Sprintf("%d min", int(past.Minutes()))
	case past < 24*time.Hour:
		return fmt.Sprintf("%d h", int(past.Hours()))
	default:
		return fmt.Sprintf("%d d", int(past.Hours()/24))
	}
}

// Span is a length of time in the words of a person.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d%time.Minute == 0 && d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// Rounded is a length of time that is not known by the second.
func Rounded(d time.Duration) time.Duration {
	switch {
	case d < time.Minute:
		return d.Truncate(time.Second)
	case d < 10*time.Minute:
		return d.Round(10 * time.Second)
	default:
		return d.Round(time.Minute)
	}
}

// Count is a number with its thousands apart.
func Count(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// BytesText is a size in the unit that fits.
func BytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}
