package e2e_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// visitor is somebody who walks through all pages that they are led to.
type visitor struct {
	name   string
	starts []string
	within string // what the addresses that are walked begin with
	deep   bool   // every page is looked at in every way, and not only once
}

// most is how many addresses are walked that differ only in what they ask of one page.
const most = 4

var (
	anID   = regexp.MustCompile(`\b([a-z]+)-(?:[A-Za-z0-9]{16}|[0-9a-f]{32})\b|/\d+\b|(/workspaces)/[^/?]+`)
	inside = regexp.MustCompile(`\[.*`)
)

// kindOf is what two addresses share that lead to the same page with other things on it: the
// path without ids, and what is asked for without what it is asked to be.
func kindOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	var asked []string
	for key := range at.Query() {
		asked = append(asked, inside.ReplaceAllString(key, ""))
	}
	slices.Sort(asked)
	return anID.ReplaceAllString(at.Path, "$1$2*") + "?" + strings.Join(slices.Compact(asked), "&")
}

// trail is the addresses that somebody was led to, of which one of each kind is gone to.
type trail struct {
	within  string
	waiting []string
	known   map[string]bool
	kinds   map[string]int
}

func (who visitor) sets() *trail {
	return &trail{who.within, slices.Clone(who.starts), map[string]bool{}, map[string]int{}}
}

// next is where to go next; empty: everything was seen.
func (r *trail) next() string {
	for len(r.waiting) > 0 {
		address := r.waiting[0]
		r.waiting = r.waiting[1:]
		path, _, _ := strings.Cut(address, "?")
		kind, path := kindOf(address), anID.ReplaceAllString(path, "$1$2*")
		if r.known[kind] || r.kinds[path] >= most || !strings.HasPrefix(address, r.within) {
			continue
		}
		r.known[kind] = true
		r.kinds[path]++
		return address
	}
	return ""
}

// sheet is a page as it came, and what it leads to and offers.
type sheet struct {
	reply
	address string
	links   []string // pages that it leads to
	files   []string // what it offers to keep
	watched string   // where its changes are told
	forms   []filled
}

// filled is a form as somebody sends it who changes nothing in it.
type filled struct {
	action string
	fields url.Values
}

// crawl reads every page that somebody is led to, as walk does, without a window.
func (b *browser) crawl(t *testing.T, who visitor) (sheets []sheet) {
	t.Helper()
	trail := who.sets()
	for address := trail.next(); address != ""; address = trail.next() {
		sheet := readSheet(t, address, b.get(address))
		if sheet.Status == 200 {
			trail.waiting = append(trail.waiting, sheet.links...)
			sheets = append(sheets, sheet)
		}
	}
	return sheets
}

// readSheet finds what a page leads to and offers.
func readSheet(t *testing.T, address string, r reply) sheet {
	t.Helper()
	s := sheet{reply: r, address: address}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return s
	}
	root, err := xhtml.Parse(strings.NewReader(r.Body))
	must(t, err)
	at, err := url.Parse(address)
	must(t, err)
	for node := range root.Descendants() {
		switch attributes := attributesOf(node); node.Data {
		case "a":
			to, err := at.Parse(attributes["href"])
			if _, has := attributes["href"]; !has || err != nil || to.Host != "" {
				continue
			}
			to.Fragment = ""
			if _, file := attributes["download"]; file {
				s.files = append(s.files, to.String())
			} else {
				s.links = append(s.links, to.String())
			}
		case "main":
			s.watched = attributes["data-live"]
		case "form":
			if attributes["method"] == "post" {
				s.forms = append(s.forms, formsOf(node, at)...)
			}
		}
	}
	return s
}

func attributesOf(node *xhtml.Node) map[string]string {
	if node.Type != xhtml.ElementNode {
		return nil
	}
	all := make(map[string]string, len(node.Attr))
	for _, a := range node.Attr {
		all[a.Key] = a.Val
	}
	return all
}

// formsOf is what the buttons of a form send.
func formsOf(form *xhtml.Node, at *url.URL) (all []filled) {
	fields := url.Values{}
	var buttons []map[string]string
	for node := range form.Descendants() {
		attributes := attributesOf(node)
		_, chosen := attributes["selected"]
		switch node.Data {
		case "input":
			fields.Add(attributes["name"], attributes["value"]) // each box is ticked
		case "textarea":
			fields.Add(attributes["name"], "written")
		case "option":
			if name := attributesOf(node.Parent)["name"]; chosen || !fields.Has(name) {
				fields.Set(name, attributes["value"])
			}
		case "button":
			buttons = append(buttons, attributes)
		}
	}
	for _, button := range buttons {
		send := url.Values{}
		for name, values := range fields {
			send[name] = values
		}
		if button["name"] != "" {
			send.Set(button["name"], button["value"])
		}
		action := attributesOf(form)["action"]
		if button["formaction"] != "" {
			action = button["formaction"]
		}
		if to, err := at.Parse(action); err == nil {
			all = append(all, filled{to.String(), send})
		}
	}
	return all
}
