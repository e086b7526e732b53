package frame

import (
	"net/http"

	"github.com/belayhq/belay"
)

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

// RowsCookie keeps how high the rows of lists are that a person wants.
const RowsCookie = "belay-rows"

// keysCookie keeps that a person wants no single keys.
const keysCookie = "belay-keys"

// LooksFields asks how pages look in this browser.
func (v *Visit) LooksFields() []FormField {
	return append([]FormField{
		{Kind: "select", Name: "theme", Label: "Colours", Choices: Options(v.theme(), "", "as the system has them", "light", "light", "dark", "dark")},
		{Kind: "select", Name: "rows", Label: "Rows of the list of workspaces", Choices: Options(v.ReadCookie(RowsCookie), "usual", "usual", "low", "low")},
		{Kind: "select", Name: "keys", Label: "Single keys", Hint: "the key ? shows them", Choices: Options(v.ReadCookie(keysCookie), "", "on", "off", "off, all but ?")},
	}, v.timeFields()...)
}

// KeepLooks keeps in this browser what was asked for.
func (v *Visit) KeepLooks() error {
	theme, rows, keys := v.PostFormValue("theme"), v.PostFormValue("rows"), v.PostFormValue("keys")
	if _, known := nextTheme[theme]; !known || rows != "usual" && rows != "low" || keys != "" && keys != "off" {
		return belay.Refuse(belay.Invalid, "Choose one of the looks offered.")
	}
	if err := v.keepTimes(); err != nil {
		return err
	}
	v.SetCookie(themeCookie, theme, looksLast)
	v.SetCookie(RowsCookie, rows, looksLast)
	v.keepLook(keysCookie, keys)
	return nil
}

// looksLast is for how many seconds a browser keeps looks: a year.
const looksLast = 365 * 24 * 3600

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
	v.SetCookie(themeCookie, theme, looksLast)
	v.Redirect(OwnPath(v.PostFormValue("return")))
}
