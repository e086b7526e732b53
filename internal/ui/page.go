package ui

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/belayhq/belay"
)

// pageSize is how many rows a list shows at once.
const pageSize = 50

// lastPage bounds the number of a page, so that no product of it overflows.
const lastPage = 1 << 20

// page is the page of a list that the address asks for; what makes no sense is the first.
func (v *visit) page(size int) belay.Page {
	n, err := strconv.Atoi(v.URL.Query().Get("page"))
	if err != nil || n < 1 || n > lastPage {
		n = 1
	}
	return belay.Page{Number: n, Size: size}
}

// turns is what a list says of its pages, and the addresses of the ones beside this one.
type turns struct {
	Number, Last, Total int
	Previous, Next      string // empty where there is none
}

// turns is the pages around one of a list at a path. The address keeps all else that it
// asks for.
func (v *visit) turns(path string, page belay.Page, total int) turns {
	t := turns{Number: page.Number, Last: max(1, (total+page.Size-1)/page.Size), Total: total}
	if page.Number > 1 {
		t.Previous = v.atPage(path, min(page.Number-1, t.Last))
	}
	if page.Number < t.Last {
		t.Next = v.atPage(path, page.Number+1)
	}
	return t
}

func (v *visit) atPage(path string, number int) string {
	query := v.URL.Query()
	query.Del("page")
	if number > 1 {
		query.Set("page", strconv.Itoa(number))
	}
	return (&url.URL{Path: path, RawQuery: query.Encode()}).String()
}

// asked is a filter of the address, without blanks around it.
func (v *visit) asked(name string) string { return trimmed(v.URL.Query().Get(name)) }

// scheme is how people reach the server.
func (v *visit) scheme() string {
	if v.secure() {
		return "https://"
	}
	return "http://"
}

// host is the name that clients reach the server by.
func (v *visit) host() string {
	if public, err := url.Parse(v.ui.PublicURL); err == nil && public.Host != "" {
		return public.Host
	}
	return v.Host
}

func (v *visit) redirect(to string) {
	v.status = http.StatusSeeOther
	http.Redirect(v.w, v.Request, to, v.status)
}
