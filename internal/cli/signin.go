package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/app"
	"github.com/belayhq/belay/internal/identity"
	"github.com/belayhq/belay/internal/oidc"
)

// signIn is how people come in.
type signIn struct {
	oidcConfig   string
	recheck      time.Duration
	noPasswords  bool
	breakGlass   string
	identityRoom *oidc.Room // what oidcConfig says; nil: there are no providers
}

func (s *signIn) flags(flags *pflag.FlagSet) {
	flags.StringVar(&s.oidcConfig, "oidc-config", "", "JSON file of the identity providers that people sign in by; none when empty (BELAY_OIDC_CONFIG)")
	flags.DurationVar(&s.recheck, "oidc-recheck", identity.DefaultRecheck, "how often a provider is asked whether somebody is still there, 10s to 24h (BELAY_OIDC_RECHECK)")
	flags.BoolVar(&s.noPasswords, "no-local-passwords", false, "people sign in by a provider only, but for the one of --break-glass-user (BELAY_NO_LOCAL_PASSWORDS)")
	flags.StringVar(&s.breakGlass, "break-glass-user", app.AdminUsername, "site admin that keeps its password with --no-local-passwords (BELAY_BREAK_GLASS_USER)")
}

func (s *signIn) check() (err error) {
	switch {
	case s.recheck < 10*time.Second || s.recheck > 24*time.Hour:
		return fmt.Errorf("--oidc-recheck is from 10s to 24h, not %v", s.recheck)
	case s.noPasswords && s.oidcConfig == "":
		return errors.New("--no-local-passwords does not go without --oidc-config: nobody could sign in")
	case s.noPasswords && s.breakGlass == "":
		return errors.New("--break-glass-user is the username of a site admin")
	case s.oidcConfig == "":
		return nil
	}
	if s.identityRoom, err = oidc.Read(s.oidcConfig); err != nil {
		return fmt.Errorf("--oidc-config: %w", err)
	}
	return nil
}

// into is what the verbs are told of it.
func (s *signIn) into(c app.Config) app.Config {
	if s.identityRoom != nil {
		c.Providers = s.identityRoom
	}
	c.Recheck = s.recheck
	if s.noPasswords {
		c.BreakGlass = s.breakGlass
	}
	return c
}
