package ui

import "net/http"

// themeCookie keeps which theme a person wants, so that a page comes in it at once.
const themeCookie = "belay-theme"

// nextTheme is the theme that the button leads to; empty is the system's.
var nextTheme = map[string]string{"": "light", "light": "dark", "dark": ""}

// theme is the theme that the browser asks for.
func (v *visit) theme() string {
	theme := v.cookie(themeCookie)
	if _, known := nextTheme[theme]; !known {
		return ""
	}
	return theme
}

// setTheme keeps the theme, and goes back to the page.
func (u *UI) setTheme(v *visit) {
	if status, problem := v.form(); problem != "" {
		v.problem(status, problem)
		return
	}
	theme := v.PostFormValue("theme")
	if _, known := nextTheme[theme]; !known {
		v.problem(http.StatusUnprocessableEntity, "There is no such theme.")
		return
	}
	v.setCookie(themeCookie, theme, 365*24*3600)
	v.redirect(ownPath(v.PostFormValue("return")))
}
