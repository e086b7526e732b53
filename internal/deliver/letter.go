package deliver

import (
	"context"
	"errors"
	"html/template"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/signin"
)

// Mails says whether the server is set up to send mail.
func (d *Deliverer) Mails() bool { return d.Mail != nil }

// Write mails a letter with a link into the pages to one address, at once.
func (d *Deliverer) Write(ctx context.Context, to string, l signin.Letter) error {
	link := d.links + l.Path
	text := l.Before + "\n\n" + link + "\n\n" + l.After + "\n"
	escaped := template.HTMLEscapeString
	markup := "<p>" + escaped(l.Before) + `</p><p><a href="` + escaped(link) + `">` + escaped(link) + "</a></p>\n<p>" + escaped(l.After) + "</p>\n"
	answer := d.mail(ctx, belay.NewID("dlv"), []string{to}, letter{Subject: l.Subject, Text: text, HTML: markup})
	if !answer.Successful {
		return errors.New(answer.Body)
	}
	return nil
}
