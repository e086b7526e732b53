package frame

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/belayhq/belay"
)

// PageSize is how many rows a list shows at once.
const PageSize = 50

// lastPage bounds the number of a page, so that no product of it overflows.
const lastPage = 1 << 20

// Page is the page of a list that the address asks for; what makes no sense is the first.
func (v *Visit) Page(size int) belay.Page {
	n, err := strconv.Atoi(v.URL.Query().Get("page"))
	if err != nil || n < 1 || n > lastPage {
		n = 1
	}
	return belay.Page{Number: n, Size: size}
}

// Turns is what a list says of its pages, and the addresses of the ones beside this one.
type Turns struct {
	Number, Last, Total int
	Previous, Next      string // empty where there is none
	First               string // the first page, where the list has rows but not the page that was asked for
}

// Turns is the pages around one of a list at a path. The address keeps all else that it
// asks for.
func (v *Visit) Turns(path string, page belay.Page, total int) Turns {
	t := Turns{Number: page.Number, Last: max(1, (total+page.Size-1)/page.Size), Total: total}
	if page.Number > 1 {
		t.Previous = v.AtPage(path, min(page.Number-1, t.Last))
	}
	if page.Number < t.Last {
		t.Next = v.AtPage(path, page.Number+1)
	}
	if total > 0 && page.Number > t.Last {
		t.First = v.AtPage(path, 1)
	}
	return t
}

// AtPage is the address of another page of a list.
func (v *Visit) AtPage(path string, number int) string {
	query := v.URL.Query()
	query.Del("page")
	if number > 1 {
		query.Set("page", strconv.Itoa(number))
	}
	return (&url.URL{Path: path, RawQuery: query.Encode()}).String()
}

// Asked is a filter of the address, without blanks around it.
func (v *Visit) Asked(name string) string { return Trimmed(v.URL.Query().Get(name)) }

// Scheme is how people reach the server.
func (v *Visit) Scheme() string {
	if v.Secure() {
		return "https://"
	}
	return "http://"
}

// HostName is the name that clients reach the server by.
func (v *Visit) HostName() string {
	if public, err := url.Parse(v.UI.PublicURL); err == nil && public.Host != "" {
		return public.Host
	}
	return v.Host
}

// Redirect sends the browser on.
func (v *Visit) Redirect(to string) {
	v.Status = http.StatusSeeOther
	http.Redirect(v.Writer, v.Request, to, v.Status)
}

// Download begins an answer that a browser keeps as a file.
func (v *Visit) Download(kind, name string) {
	v.Status = http.StatusOK
	v.Writer.Header().Set("Content-Type", kind)
	v.Writer.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	v.Writer.WriteHeader(http.StatusOK)
}
