package frame

import "net/http"

// themeCookie keeps which theme a person wants, so that a page comes in it at once.
const themeCookie = "belay-theme"

// nextTheme is the theme that the button leads to; empty is the system's.
var nextTheme = map[string]string{"": "light", "light": "dark", "dark": ""}

// theme is the theme that the browser asks for.
func (v *Visit) theme() string {
	theme := v.ReadCookie(themeCookie)
	if _, known := nextTheme[theme]; !known {
		return ""
	}
	return theme
}

// SetTheme keeps the theme, and goes back to the page.
func (u *UI) SetTheme(v *Visit) {
	if status, problem := v.ReadForm(); problem != "" {
		v.Problem(status, problem)
		return
	}
	theme := v.PostFormValue("theme")
	if _, known := nextTheme[theme]; !known {
		v.Problem(http.StatusUnprocessableEntity, "There is no such theme.")
		return
	}
	v.SetCookie(themeCookie, theme, 365*24*3600)
	v.Redirect(OwnPath(v.PostFormValue("return")))
}
