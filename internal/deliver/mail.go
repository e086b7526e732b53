package deliver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode/utf8"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/markdown"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

// Mail is the server that mail goes out by. The operator names it, so no egress policy stands
// before it.
type Mail struct {
	address  string // host and port
	host     string
	implicit bool // TLS from the first byte
	user     string
	password string
	from     mail.Address
}

// ParseMail reads where mail goes out by: smtp://[user:password@]host[:port], with TLS
// where the server offers it, or smtps://… with TLS from the start.
func ParseMail(server, from string) (*Mail, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, errors.New("the mail server is named as smtp://user:password@host:port, or smtps://…")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the sender of mail is an e-mail address, not %q", from)
	}
	m := &Mail{host: u.Hostname(), implicit: u.Scheme == "smtps", user: u.User.Username(), from: *sender}
	m.password, _ = u.User.Password()
	port := u.Port()
	if port == "" {
		port = map[bool]string{true: "465", false: "587"}[m.implicit]
	}
	m.address = net.JoinHostPort(m.host, port)
	return m, nil
}

// mailedAtMost is how many workspaces a mail about a bulk action names.
const mailedAtMost = 50

// letter is a mail in both of its forms.
type letter struct{ Subject, Text, HTML string }

// mail sends a letter to the addresses, none of which learns of the others. An address
// that the server refuses for good is noted; any other failure fails the whole try.
func (d *Deliverer) mail(ctx context.Context, id string, addresses []string, l letter) notices.DeliveryResponse {
	answer := notices.DeliveryResponse{SentAt: time.Now().UTC().Truncate(time.Millisecond)}
	if d.Mail == nil {
		answer.Body = "this server is not set up to send mail"
		return answer
	}
	answer.URL = "smtp://" + d.Mail.address
	if len(addresses) == 0 {
		answer.Successful, answer.Body = true, "there is nobody to mail"
		return answer
	}
	refused, err := d.Mail.send(ctx, id, addresses, l)
	var said *textproto.Error
	switch {
	case errors.As(err, &said):
		answer.Code, answer.Body = strconv.Itoa(said.Code), said.Msg
	case err != nil:
		answer.Body = "the mail server could not be used: " + err.Error()
	case len(refused) == len(addresses):
		answer.Body = "refused: " + strings.Join(refused, "; ")
	default:
		answer.Successful, answer.Code = true, "250"
		answer.Body = fmt.Sprintf("mailed to %d", len(addresses)-len(refused))
		if len(refused) > 0 {
			answer.Body += "; refused: " + strings.Join(refused, "; ")
		}
	}
	answer.Body = cut(strings.ToValidUTF8(answer.Body, "�"), keptBody, utf8.RuneLen)
	return answer
}

func (m *Mail) send(ctx context.Context, id string, addresses []string, l letter) (refused []string, err error) {
	client, err := m.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	for batch := range slices.Chunk(addresses, recipientsAtOnce) {
		gone, err := m.sendTo(client, id, batch, l)
		refused = append(refused, gone...)
		if err != nil {
			return refused, err
		}
	}
	return refused, client.Quit()
}

// recipientsAtOnce is how many addresses every mail server takes in one go.
const recipientsAtOnce = 100

func (m *Mail) dial(ctx context.Context) (*smtp.Client, error) {
	config := &tls.Config{ServerName: m.host, MinVersion: tls.VersionTLS12}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if m.implicit {
		conn = tls.Client(conn, config)
	}
	client, err := smtp.NewClient(conn, m.host)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	if err := m.greet(client, config); err != nil {
		_ = client.Close()
		return nil, err
	}
	return client, nil
}

func (m *Mail) greet(client *smtp.Client, config *tls.Config) error {
	if ok, _ := client.Extension("STARTTLS"); ok && !m.implicit {
		if err := client.StartTLS(config); err != nil {
			return err
		}
	}
	if m.user == "" {
		return nil
	}
	return client.Auth(smtp.PlainAuth("", m.user, m.password, m.host)) // refuses to go out in the clear
}

// sendTo sends one copy of a letter to some addresses, and gives those refused for good.
func (m *Mail) sendTo(client *smtp.Client, id string, addresses []string, l letter) (refused []string, err error) {
	raw, err := m.compose(id, l)
	if err != nil {
		return nil, err
	}
	if err := client.Mail(m.from.Address); err != nil {
		return nil, err
	}
	for _, to := range addresses {
		err := client.Rcpt(to)
		var said *textproto.Error
		if errors.As(err, &said) && said.Code >= 500 {
			refused = append(refused, fmt.Sprintf("%s: %d %s", to, said.Code, said.Msg))
			continue
		}
		if err != nil {
			return refused, err
		}
	}
	if len(refused) == len(addresses) {
		return refused, client.Reset()
	}
	w, err := client.Data()
	if err != nil {
		return refused, err
	}
	if _, err := w.Write(raw); err != nil {
		return refused, err
	}
	return refused, w.Close()
}

// compose writes a letter. The same delivery has the same message id
// however often it is tried, so that a mailbox may drop what it has.
func (m *Mail) compose(id string, l letter) ([]byte, error) {
	var out bytes.Buffer
	parts := multipart.NewWriter(&out)
	domain := m.from.Address[strings.LastIndexByte(m.from.Address, '@')+1:]
	for _, head := range [][2]string{
		{"From", m.from.String()},
		{"To", "undisclosed-recipients:;"},
		{"Subject", mailedSubject(l.Subject)},
		{"Date", time.Now().Format(time.RFC1123Z)},
		{"Message-ID", "<" + id + "@" + domain + ">"},
		{"X-Delivery-Id", id},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "multipart/alternative; boundary=" + parts.Boundary()},
	} {
		out.WriteString(head[0] + ": " + head[1] + "\r\n")
	}
	out.WriteString("\r\n")
	for _, part := range [][2]string{{"text/plain", l.Text}, {"text/html", l.HTML}} {
		w, err := parts.CreatePart(textproto.MIMEHeader{
			"Content-Type": {part[0] + "; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"},
		})
		if err != nil {
			return nil, err
		}
		body := quotedprintable.NewWriter(w)
		if _, err := body.Write([]byte(part[1])); err != nil {
			return nil, err
		}
		if err := body.Close(); err != nil {
			return nil, err
		}
	}
	err := parts.Close()
	return out.Bytes(), err
}

// mailedSubject is a subject in one line, encoded where it needs to be. Encoded words get
// lines of their own: one line of them all could be longer than mail may have.
func mailedSubject(subject string) string {
	return strings.ReplaceAll(mime.QEncoding.Encode("utf-8", backlog.OneLine(subject)), "?= =?", "?=\r\n =?")
}

// mailed is what the templates of a letter are filled with.
type mailed struct {
	Subject, Message, CreatedBy, CreatedAt, Organization, Why string
	Rendered                                                  template.HTML // the message, safe
	Total, More                                               int
	Again                                                     bool // a reminder
	Workspaces                                                []mailedWorkspace
}

type mailedWorkspace struct{ Name, URL string }

var (
	textLetter = texttemplate.Must(texttemplate.New("text").Parse(`{{if .Again}}Still open in {{.Organization}}, a change request of {{.CreatedBy}}{{else}}{{.CreatedBy}} created a change request in {{.Organization}}{{end}}: {{.Subject}}

{{.Message}}

{{if eq .Total 1}}Workspace:{{else}}{{.Total}} workspaces:{{end}}
{{range .Workspaces}}- {{.Name}}: {{.URL}}
{{end}}{{if .More}}and {{.More}} more
{{end}}
Created at {{.CreatedAt}}.
{{.Why}}
`))
	// The words of people are escaped by the template, or come from the markdown room.
	htmlLetter = template.Must(template.New("html").Parse(`<!DOCTYPE html>
<html><body style="font-family: sans-serif">
<p>{{if .Again}}Still open in <b>{{.Organization}}</b>, a change request of <b>{{.CreatedBy}}</b>{{else}}<b>{{.CreatedBy}}</b> created a change request in <b>{{.Organization}}</b>{{end}}:</p>
<h2>{{.Subject}}</h2>
<div>{{.Rendered}}</div>
<p>{{if eq .Total 1}}Workspace:{{else}}{{.Total}} workspaces:{{end}}</p>
<ul>{{range .Workspaces}}<li><a href="{{.URL}}">{{.Name}}</a></li>{{end}}{{if .More}}<li>and {{.More}} more</li>{{end}}</ul>
<p style="color: #666">Created at {{.CreatedAt}}. {{.Why}}</p>
</body></html>
`))
)

// why says why somebody gets a letter.
func (d *Deliverer) why(n *notices.Notification) string {
	return "You are told because of the notification configuration " + backlog.OneLine(n.Name) + " (" + d.configurationURL(n) + ")."
}

// mailAbout is the letter about the change requests of one bulk action.
func (d *Deliverer) mailAbout(n *notices.Notification, trigger string, news []store.News, total int) letter {
	first := news[0]
	first.Subject, first.Message = backlog.OneLine(first.Subject), readable(first.Message)
	fill := mailed{
		Subject: first.Subject, Message: first.Message, Rendered: markdown.HTML(first.Message), CreatedBy: first.CreatedBy, CreatedAt: since(first.CreatedAt),
		Organization: first.Organization, Total: total, More: total - len(news),
		Why: d.why(n), Again: trigger == notices.TriggerReminder,
	}
	for i := range news {
		fill.Workspaces = append(fill.Workspaces, mailedWorkspace{news[i].WorkspaceName, d.changeRequestURL(&news[i])})
	}
	subject := "[" + first.Organization + "] Change request on " + first.WorkspaceName + ": " + first.Subject
	if total > 1 {
		subject = fmt.Sprintf("[%s] Change request on %d workspaces: %s", first.Organization, total, first.Subject)
	}
	if fill.Again {
		subject = "Reminder: " + subject
	}
	return write(subject, textLetter, htmlLetter, fill)
}

func write(subject string, words *texttemplate.Template, page *template.Template, fill any) letter {
	var text, markup strings.Builder
	_ = words.Execute(&text, fill)  // neither can fail: the fields are there,
	_ = page.Execute(&markup, fill) // and a builder takes everything
	return letter{Subject: subject, Text: text.String(), HTML: markup.String()}
}

// mailToVerify is the letter that shows that mail of a configuration arrives.
func (d *Deliverer) mailToVerify(n *notices.Notification) letter {
	text := "Verification of " + backlog.OneLine(n.Name) + ": mail of this notification configuration arrives.\n\n" + d.configurationURL(n) + "\n"
	return letter{
		Subject: "Verification of " + n.Name, Text: text,
		HTML: `<p style="white-space: pre-wrap">` + template.HTMLEscapeString(text) + "</p>\n",
	}
}
