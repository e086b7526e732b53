package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/deliver"
	"github.com/belayhq/belay/internal/egress"
	"github.com/belayhq/belay/internal/seal"
	"github.com/belayhq/belay/internal/store"
)

// deliveries is how notifications go out.
type deliveries struct {
	smtpURL, smtpFrom string
	allowPrivate      string
	retry, timeout    time.Duration
}

func (d *deliveries) flags(flags *pflag.FlagSet) {
	flags.StringVar(&d.smtpURL, "smtp-url", "", "smtp://user:password@host:port or smtps://… that mail goes out by; no mail when empty (BELAY_SMTP_URL)")
	flags.StringVar(&d.smtpFrom, "smtp-from", "", "sender of mail, such as belay@example.com (BELAY_SMTP_FROM)")
	flags.StringVar(&d.allowPrivate, "allow-private-deliveries", "", "private addresses that notifications may go to: ranges such as 10.0.0.0/8 with commas between, or all (BELAY_ALLOW_PRIVATE_DELIVERIES)")
	flags.DurationVar(&d.retry, "delivery-retry", 0, "wait after a notification's first failed try; for tests (BELAY_DELIVERY_RETRY)")
	flags.DurationVar(&d.timeout, "delivery-timeout", 0, "how long a notification's destination may take to answer; for tests (BELAY_DELIVERY_TIMEOUT)")
	for _, name := range []string{"delivery-retry", "delivery-timeout"} {
		_ = flags.MarkHidden(name) // fails only for a flag that is not there
	}
}

func (d *deliveries) check() error {
	if _, err := egress.Parse(d.allowPrivate); err != nil {
		return fmt.Errorf("--allow-private-deliveries: %w", err)
	}
	if d.smtpURL == "" && d.smtpFrom != "" {
		return errors.New("--smtp-from does not go without --smtp-url")
	}
	_, err := d.mail()
	return err
}

func (d *deliveries) mail() (*deliver.Mail, error) {
	if d.smtpURL == "" {
		return nil, nil
	}
	m, err := deliver.ParseMail(d.smtpURL, d.smtpFrom)
	if err != nil {
		return nil, fmt.Errorf("--smtp-url, --smtp-from: %w", err)
	}
	return m, nil
}

// deliverer is the room that sends notifications, with settings that were checked.
func (s *settings) deliverer(db *store.DB, ring *seal.Ring, log *slog.Logger) *deliver.Deliverer {
	allowed, _ := egress.Parse(s.allowPrivate)
	mail, _ := s.mail()
	return deliver.New(deliver.Options{
		DB: db, Ring: ring, Log: log, Egress: allowed, Mail: mail, Retry: s.retry, Timeout: s.timeout,
	})
}

// links is what links in notifications begin with: there is no request to take it from.
func (s *settings) links(addr net.Addr) string {
	switch {
	case s.publicURL != "":
		return s.publicURL
	case s.tlsCert != "" || s.tlsSelfSigned:
		return "https://" + addr.String()
	default:
		return "http://" + addr.String()
	}
}
