package frame

import (
	"regexp"
	"time"
	_ "time/tzdata" // where the machine has no time zones

	"github.com/belayhq/belay"
)

// What a browser keeps of how times are told, and of what moves.
const (
	timesCookie  = "belay-times"
	zoneCookie   = "belay-zone"
	motionCookie = "belay-motion"
)

// timeMark is a moment as the template "when" writes it.
var timeMark = regexp.MustCompile(`<time datetime="([^"]+)" title="[^"]+">([^<]+)</time>`)

// Zone is the time zone that the browser keeps; without one it is UTC.
func (v *Visit) Zone() *time.Location {
	if zone, err := zoneNamed(v.ReadCookie(zoneCookie)); err == nil {
		return zone
	}
	return time.UTC
}

// At is a moment as the browser tells times, for where no mark of it can stand.
func (v *Visit) At(at time.Time) string { return at.In(v.Zone()).Format("2006-01-02 15:04 MST") }

// Greeting is what a visitor is met with: by the time of their day, where the browser keeps their time zone.
func (v *Visit) Greeting(name string) string {
	if v.ReadCookie(zoneCookie) == "" {
		return "Hello, " + name
	}
	return greeting(v.UI.Now().In(v.Zone()).Hour()) + ", " + name
}

func greeting(hour int) string {
	switch {
	case hour >= 5 && hour < 12:
		return "Good morning"
	case hour >= 12 && hour < 18:
		return "Good afternoon"
	default:
		return "Good evening"
	}
}

// zoneNamed is a time zone of the list that everybody has; never that of the machine.
func zoneNamed(name string) (*time.Location, error) {
	if name == "Local" {
		name = ""
	}
	return time.LoadLocation(name)
}

// tellTimes writes the moments of a page as the browser wants them told: in its time zone, and as they are
// instead of how long ago.
func (v *Visit) tellTimes(page []byte) []byte {
	zone, whole := v.Zone(), v.ReadCookie(timesCookie) == "whole"
	if zone == time.UTC && !whole {
		return page
	}
	return timeMark.ReplaceAllFunc(page, func(mark []byte) []byte {
		parts := timeMark.FindSubmatch(mark)
		at, err := time.Parse(time.RFC3339, string(parts[1]))
		if err != nil {
			return mark
		}
		return []byte(timeIn(at.In(zone), v.UI.Now(), string(parts[2]), whole))
	})
}

// timeIn is the mark of a moment in a time zone. text is what the page says of it.
func timeIn(at, now time.Time, text string, whole bool) string {
	title, class := at.Format("2006-01-02 15:04:05 MST"), ""
	switch _, err := time.Parse(time.TimeOnly, text); {
	case err == nil:
		text = at.Format(time.TimeOnly)
	case whole:
		title, text, class = text, at.Format("2006-01-02 15:04"), ` class="whole"`
	case now.Sub(at) >= 0:
		text = Ago(at, now)
	}
	return `<time` + class + ` datetime="` + at.UTC().Format(time.RFC3339) + `" title="` + title + `">` + text + `</time>`
}

// timeFields ask how times are told, and what moves.
func (v *Visit) timeFields() []FormField {
	return []FormField{
		{Kind: "select", Name: "times", Label: "Times", Choices: Options(v.ReadCookie(timesCookie), "", "how long ago", "whole", "day and time")},
		{Kind: "text", Name: "zone", Label: "Time zone", Hint: "such as Europe/Berlin; empty: UTC", Value: v.ReadCookie(zoneCookie), Max: 60, Code: true},
		{Kind: "select", Name: "motion", Label: "Movement", Choices: Options(v.ReadCookie(motionCookie), "", "as the system has it", "less", "none")},
	}
}

// keepTimes keeps in this browser what was asked for.
func (v *Visit) keepTimes() error {
	times, zone, motion := v.PostFormValue("times"), v.Given("zone"), v.PostFormValue("motion")
	if times != "" && times != "whole" || motion != "" && motion != "less" {
		return belay.Refuse(belay.Invalid, "Choose one of the looks offered.")
	}
	if _, err := zoneNamed(zone); err != nil || zone == "Local" {
		return belay.Refuse(belay.Invalid, "There is no time zone of that name. One is called Europe/Berlin, others UTC or Asia/Tokyo.")
	}
	v.keepLook(timesCookie, times)
	v.keepLook(zoneCookie, zone)
	v.keepLook(motionCookie, motion)
	return nil
}

// keepLook keeps a look for a year; the usual one needs nothing kept.
func (v *Visit) keepLook(name, value string) {
	if value == "" {
		v.SetCookie(name, "", -1)
		return
	}
	v.SetCookie(name, value, looksLast)
}
