package deliver

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/mail"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/belayhq/belay/backlog"
	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/notices"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	d, now := New(Options{}), time.Now()
	for _, c := range []struct {
		attempts int
		well     bool
		want     notices.DeliveryStatus
	}{
		{1, true, notices.DeliveryDelivered}, {5, true, notices.DeliveryDelivered}, {7, true, notices.DeliveryDelivered},
		{1, false, notices.DeliveryPending}, {4, false, notices.DeliveryPending},
		{5, false, notices.DeliveryDeadLettered}, {6, false, notices.DeliveryDeadLettered},
	} {
		row := notices.Delivery{Status: notices.DeliveryPending, Attempts: c.attempts, Response: &notices.DeliveryResponse{Successful: c.well}}
		d.settle(&row, now)
		if row.Status != c.want || (row.Status == notices.DeliveryPending) != row.NextAt.After(now) {
			t.Errorf("%+v: %s, next %v", c, row.Status, row.NextAt.Sub(now))
		}
	}
}

func lane(id, url string) store.Lane {
	return store.Lane{NotificationID: id, URL: url, Destination: notices.GenericDestination}
}

func TestLoadKeepsRoomForOthers(t *testing.T) {
	t.Parallel()
	var l load
	one := l.reserve([]store.Lane{lane("a", "https://One.example.com/x")}, 10)
	if len(one) != 1 || one[0].free != perLane {
		t.Fatalf("a lane got %+v", one)
	}
	if more := l.reserve([]store.Lane{lane("a", "https://one.example.com/x")}, 10); len(more) != 0 {
		t.Errorf("a full lane got %+v", more)
	}
	others := l.reserve([]store.Lane{lane("b", "https://one.example.com/y"), lane("c", "https://one.example.com/z"), lane("d", "https://two.example.com")}, 10)
	if len(others) != 2 || others[0].lane.NotificationID != "b" || others[1].lane.NotificationID != "d" {
		t.Errorf("a full host, and a free one: %+v", others)
	}
	l.release(one[0].place, perLane)
	for range failingAfter {
		l.learn(one[0].place, false)
	}
	if again := l.reserve([]store.Lane{lane("a", "https://one.example.com/x")}, 10); len(again) != 1 || again[0].free != 1 {
		t.Errorf("a failing lane got %+v", again)
	}
	l.learn(one[0].place, true)
	if again := l.reserve([]store.Lane{lane("a", "https://one.example.com/x")}, 10); len(again) != 1 || again[0].free != perLane-1 {
		t.Errorf("a lane that came back got %+v", again)
	}
	var full load
	taken := 0
	for i := range 100 {
		name := "h" + strconv.Itoa(i)
		for _, s := range full.reserve([]store.Lane{lane(name, "https://"+name)}, 1) {
			taken += s.free
		}
	}
	if taken != inAll {
		t.Errorf("%d tries at once, want %d", taken, inAll)
	}
}

func TestParseMail(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"smtp://mail.example.com": "mail.example.com:587", "smtps://mail.example.com": "mail.example.com:465",
		"smtp://u:p%40@mail.example.com:2525": "mail.example.com:2525", "smtp://[::1]:25": "[::1]:25",
	} {
		m, err := ParseMail(server, "Belay <belay@example.com>")
		if err != nil || m.address != want || m.from.Address != "belay@example.com" {
			t.Errorf("%s: %+v, %v", server, m, err)
		}
	}
	if m, _ := ParseMail("smtp://u:p%40@mail.example.com", "b@example.com"); m.user != "u" || m.password != "p@" {
		t.Errorf("credentials %+v", m)
	}
	for _, bad := range [][2]string{{"mail.example.com", "b@example.com"}, {"http://x", "b@example.com"}, {"smtp://", "b@example.com"}, {"smtp://x", ""}, {"smtp://x", "nobody"}} {
		if _, err := ParseMail(bad[0], bad[1]); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestMailCarriesNoMarkupOfPeople(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	d.LinkTo("https://belay.example.com/")
	n := notices.Notification{ID: "nc-1", Name: "<i>n</i>"}
	l := d.mailAbout(&n, notices.TriggerChangeRequest, []store.News{{
		Organization: "acme", WorkspaceName: "w<1>", Subject: "s\r\nBcc: x@example.com", CreatedBy: "<b>ann</b>",
		Message: "**bold** [x](javascript:alert(1))\n\n<script>alert(1)</script>",
	}}, 1)
	for _, bad := range []string{"<script", "javascript:", "<b>ann", "<i>n"} {
		if strings.Contains(l.HTML, bad) {
			t.Errorf("HTML carries %s: %s", bad, l.HTML)
		}
	}
	m, err := ParseMail("smtp://mail.example.com", "belay@example.com")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := m.compose("wscr-1.nc-1", l)
	head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
	if err != nil || strings.Contains(head, "\nBcc:") || !strings.Contains(head, "Message-ID: <wscr-1.nc-1@example.com>") {
		t.Errorf("%v: %s", err, raw)
	}
	if !strings.Contains(l.HTML, "<strong>bold</strong>") || !strings.Contains(l.Text, "https://belay.example.com/api/v2/notification-configurations/nc-1") {
		t.Errorf("letter %+v", l)
	}
}

// nasty is news from before its words were checked.
var nasty = store.News{
	Organization: "acme", WorkspaceName: "network", CreatedBy: "ann",
	Subject: "one\r\ntwo\u2028three\x1b[31m [x](https://evil.example.com) <!channel>",
	Message: strings.Repeat("<&>\"\x00\r\n😀", 20000),
}

func TestWebhooksTakeWhateverIsKept(t *testing.T) {
	t.Parallel()
	told := requestStory{New(Options{}), &notices.Notification{ID: "nc-1"}, notices.TriggerReminder, []store.News{nasty}, 1}
	for destination, most := range map[notices.Destination]int{notices.SlackDestination: 40000, notices.TeamsDestination: 28 << 10} {
		raw, err := payload(&notices.Notification{ID: "nc-1", Destination: destination}, told)
		if err != nil || len(raw) > most {
			t.Errorf("%s: %d bytes, %v", destination, len(raw), err)
		}
		for _, bad := range []string{`\u0000`, `\u001b`, `\r`, `\u2028`, "<!channel>", `\u003c!channel`} {
			if strings.Contains(string(raw), bad) && (destination != notices.TeamsDestination || bad != `\u003c!channel`) {
				t.Errorf("%s carries %s", destination, bad)
			}
		}
	}
	message := slack(told.notice())
	for _, block := range message.Blocks {
		if block.Text != nil && len(utf16.Encode([]rune(block.Text.Text))) > 3000 {
			t.Errorf("a block of %d characters", len(block.Text.Text))
		}
	}
	if said := message.Blocks[1].Text.Text; !strings.HasSuffix(said, " …") || strings.Contains(strings.NewReplacer("&lt;", "", "&amp;", "", "&gt;", "").Replace(said), "&") {
		t.Errorf("cut through an escape: %s", said[len(said)-20:])
	}
	raw, err := json.Marshal(teams(told.notice()))
	if err != nil || !strings.Contains(string(raw), `{"type":"TextRun","text":"one two three [31m [x](https://evil.example.com)`) {
		t.Errorf("the subject is no plain text: %v %s", err, raw[:400])
	}
}

func TestMailTakesWhateverIsKept(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	m, err := ParseMail("smtp://mail.example.com", "belay@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{nasty.Subject, strings.Repeat("😀", 255), strings.Repeat("x", 255), "a\tb\x7f\u2029c"} {
		news := nasty
		news.Subject = subject
		raw, err := m.compose("wscr-1.nc-1", d.mailAbout(&notices.Notification{ID: "nc-1", Name: "a\nb"}, notices.TriggerChangeRequest, []store.News{news}, 1))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(raw), "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00\x1b") {
				t.Errorf("a line of %d bytes: %.200q", len(line), line)
			}
		}
		read, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		told, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		if want := "[acme] Change request on network: " + backlog.OneLine(subject); err != nil || told != want {
			t.Errorf("told %q, want %q: %v", told, want, err)
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	// Computed with: printf '{"a":1}' | openssl dgst -sha512 -hmac secret
	const want = "42f08c0da01c9a46d4e5663d5f2140526a016507c598182c6769cca2bcf7ba43c395b719b01d288f5ad322564dce1d40ca28ef50b876fc49a33d13d6783114dd"
	if got := Sign("secret", []byte(`{"a":1}`)); got != want {
		t.Errorf("%s", got)
	}
}
