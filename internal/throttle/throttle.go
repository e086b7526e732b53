// Package throttle holds back who asks too often. It knows neither what is asked nor the time:
// whoever makes limits hands them a clock.
package throttle

import (
	"math"
	"net/http"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/belayhq/belay"
)

// Limits holds back callers, each for itself: such as each user, all its tokens together, and
// each address that comes without a token (docs/limits.md).
type Limits struct {
	perSecond float64
	burst     int // requests that may come at once
	callers   *lru.Cache[string, *rate.Limiter]
	header    string
	now       func() time.Time
}

// New makes limits of so many requests a second, of which so many may come at once. None is held
// back where there are none a second.
func New(perSecond float64, burst int, now func() time.Time) *Limits {
	callers, _ := lru.New[string, *rate.Limiter](65536) // fails only for a size below one
	return &Limits{perSecond: perSecond, burst: burst, callers: callers, header: strconv.Itoa(burst), now: now}
}

// Take counts one request of a caller and says in the headers where the caller stands.
func (l *Limits) Take(caller string, head http.Header) error {
	if l.perSecond <= 0 {
		return nil
	}
	limiter, now := l.of(caller), l.now()
	allowed := limiter.AllowN(now, 1)
	left := math.Max(0, math.Floor(limiter.TokensAt(now)))
	head.Set("X-RateLimit-Limit", l.header)
	head.Set("X-RateLimit-Remaining", strconv.Itoa(int(left)))
	head.Set("X-RateLimit-Reset", strconv.FormatFloat(l.untilFree(limiter, now), 'f', 3, 64))
	if allowed {
		return nil
	}
	head.Set("Retry-After", strconv.Itoa(int(math.Max(1, math.Ceil(l.untilFree(limiter, now))))))
	return belay.Refuse(belay.TooMany, "You have exceeded the API's rate limit.")
}

// Hold counts one try of a caller, and refuses one too many in the words of what it was.
func (l *Limits) Hold(caller, what string) error {
	if l.perSecond <= 0 {
		return nil
	}
	limiter, now := l.of(caller), l.now()
	if limiter.AllowN(now, 1) {
		return nil
	}
	return belay.HoldBack(time.Duration(l.untilFree(limiter, now)*float64(time.Second)), what)
}

// of is what counts for a caller.
func (l *Limits) of(caller string) *rate.Limiter {
	limiter, ok := l.callers.Get(caller)
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(l.perSecond), l.burst)
		if other, there, _ := l.callers.PeekOrAdd(caller, limiter); there {
			limiter = other
		}
	}
	return limiter
}

// untilFree is the seconds until the next request is let through.
func (l *Limits) untilFree(limiter *rate.Limiter, now time.Time) float64 {
	missing := 1 - limiter.TokensAt(now)
	return math.Max(0, missing/l.perSecond)
}
