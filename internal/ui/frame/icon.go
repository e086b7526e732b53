package frame

import (
	"fmt"
	"html/template"
)

// icons are drawn on 16 by 16, as one stroke each.
var icons = map[string]template.HTMLAttr{
	"home":    "M2.5 7.2 8 2.5l5.5 4.7V13a.5.5 0 0 1-.5.5h-3v-4H6v4H3a.5.5 0 0 1-.5-.5z",
	"stack":   "m8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
	"play":    "M4.5 3v10l8-5z",
	"flag":    "M3.5 14V2.5M3.5 3c3-1.6 5 1.6 9 0v6c-4 1.6-6-1.6-9 0",
	"compass": "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM10.7 5.3 9.2 9.2 5.3 10.7l1.5-3.9z",
	"columns": "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
	"folder":  "M2 4.5A1 1 0 0 1 3 3.5h3l1.5 1.5H13a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z",
	"users":   "M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.8 2.5 3.7",
	"user":    "M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 14c0-2.8 2.2-4.5 5.2-4.5s5.2 1.7 5.2 4.5",
	"key":     "M10 9a3 3 0 1 0-2.8-2L2.5 11.7v1.8h2v-1.5H6v-1.4l1.4-1.4c.7.5 1.6.8 2.6.8zM10.8 5.2v.1",
	"shield":  "M8 1.8 13 3.5v4c0 3.2-2 5.5-5 6.7-3-1.2-5-3.5-5-6.7v-4z",
	"bell":    "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14.2h3",
	"branch":  "M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 2.5-3 2.3-7 4",
	"cpu":     "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
	"sliders": "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
	"clock":   "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5",
	"gear":    "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M3.6 12.4l1.2-1.2M11.2 4.8l1.2-1.2",
	"lock":    "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
	"unlock":  "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 4.8-1",
	"check":   "m3 8.5 3.3 3.3L13 4.8",
	"x":       "M4 4l8 8M12 4l-8 8",
	"plus":    "M8 3v10M3 8h10",
	"minus":   "M3 8h10",
	"tilde":   "M2.5 9c1.5-3 3.5-3 5.5-1s4 2 5.5-1",
	"swap":    "M3 5.5h9.5L10 3M13 10.5H3.5L6 13",
	"search":  "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
	"down":    "m4 6 4 4 4-4",
	"up":      "m4 10 4-4 4 4",
	"left":    "m10 4-4 4 4 4",
	"right":   "m6 4 4 4-4 4",
	"updown":  "m5 6 3-3 3 3M5 10l3 3 3-3",
	"copy":    "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
	"export":  "M8 2.5v7M5 7l3 3 3-3M2.5 12.5h11",
	"alert":   "M8 2.2 14.5 13.5h-13zM8 6.5v3M8 11.6v.1",
	"info":    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.4v3.4M8 5.1v.1",
	"chat":    "M2.5 3h11v8h-6L4 13.5V11H2.5z",
	"commit":  "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 8h4M10.5 8h4",
	"tag":     "M2.5 2.5h5.5l5.5 5.5-5.5 5.5L2.5 8zM5.3 5.3v.1",
	"star":    "m8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.2L8 11.3l-3.7 2.1.8-4.2L2 6.3l4.2-.5z",
	"sun":     "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
	"eyeoff":  "M2.5 2.5l11 11M6.5 6.6a2 2 0 0 0 2.9 2.8M4.5 4.8C3.2 5.6 2.2 6.7 1.5 8c1.4 2.7 3.7 4.3 6.5 4.3 1 0 2-.2 2.9-.6M7 3.8c3.2-.4 6 1.2 7.5 4.2-.4.8-.9 1.5-1.5 2.1",
	"file":    "M3.5 2h6l3 3v9h-9zM9.5 2v3h3",
	"list":    "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4v.1M2.5 8v.1M2.5 12v.1",
	"pause":   "M5.5 3v10M10.5 3v10",
	"spin":    "M8 2a6 6 0 1 1-5.7 4.1",
	"trash":   "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9",
	"archive": "M2 3h12v3H2zM3 6v7h10V6M6.5 9h3",
	"server":  "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5v.1M5 11v.1",
	"out":     "M6.5 2.5h-4v11h4M10.5 5l3 3-3 3M13.5 8H6",
	"term":    "M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3.5",
	"back":    "M6.5 3.5 2.5 7.5l4 4M2.5 7.5h7a4 4 0 0 1 0 8",
	"cols":    "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
}

// drawn is icons as markup.
var drawn = func() map[string]template.HTML {
	all := make(map[string]template.HTML, len(icons))
	for name, path := range icons {
		class := "i"
		if name == "spin" {
			class = "i spin"
		}
		all[name] = template.HTML(fmt.Sprintf(`<svg class="%s" viewBox="0 0 16 16" aria-hidden="true"><path d="%s"/></svg>`, class, path)) //nolint:gosec // ours, not anybody's text
	}
	return all
}()

// icon draws one of icons beside a word that says the same.
func icon(name string) (template.HTML, error) {
	svg, known := drawn[name]
	if !known {
		return "", fmt.Errorf("there is no icon %q", name)
	}
	return svg, nil
}
