package frame

import (
	"strings"

	"github.com/belayhq/belay"
)

// What a browser says that it is holds the names of others before its own: the first of these that is there counts.
var (
	browserNames = [][2]string{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"HeadlessChrome/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}, {"Go-http-client/", "a program"},
	}
	systemNames = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// DeviceText is what a browser says that it is, in words: "Firefox on Linux". What nobody knows is said as it came.
func DeviceText(agent string) string {
	browser, system := firstNamed(browserNames, agent), firstNamed(systemNames, agent)
	switch {
	case browser == "":
		return Cut(agent, 40)
	case system == "":
		return browser
	default:
		return browser + " on " + system
	}
}

func firstNamed(names [][2]string, text string) string {
	for _, n := range names {
		if strings.Contains(text, n[0]) {
			return n[1]
		}
	}
	return ""
}

// WaysIn is how somebody signs in, as far as the server knows: what a provider asks for besides is its own.
func WaysIn(p *belay.Presence) string {
	switch {
	case p.Providers > 0 && p.Password:
		return "single sign-on, password"
	case p.Providers > 0:
		return "single sign-on"
	case p.Password:
		return "password"
	default:
		return ""
	}
}
