package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/belayhq/belay"
)

// limits holds back who asks too often: each user, all its tokens together, and each
// address that comes without a token ("Rate limit" in the rulings).
type limits struct {
	perSecond float64
	burst     int // requests that may come at once
	callers   *lru.Cache[string, *rate.Limiter]
	header    string
}

func newLimits(perSecond float64, burst int) *limits {
	callers, _ := lru.New[string, *rate.Limiter](65536) // fails only for a size below one
	return &limits{perSecond: perSecond, burst: burst, callers: callers, header: strconv.Itoa(burst)}
}

// probesAMinute is how many verification messages a caller may have sent, where requests
// are limited at all ("Lower limits" in the rulings).
const probesAMinute = 10

func newProbeLimits(perSecond float64) *limits {
	if perSecond <= 0 {
		return newLimits(0, 0)
	}
	return newLimits(probesAMinute/60.0, probesAMinute)
}

// take counts one request of a caller and says in the headers where the caller stands.
func (l *limits) take(caller string, head http.Header) error {
	if l.perSecond <= 0 {
		return nil
	}
	limiter, ok := l.callers.Get(caller)
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(l.perSecond), l.burst)
		if other, there, _ := l.callers.PeekOrAdd(caller, limiter); there {
			limiter = other
		}
	}
	allowed := limiter.Allow()
	left := math.Max(0, math.Floor(limiter.Tokens()))
	head.Set("X-RateLimit-Limit", l.header)
	head.Set("X-RateLimit-Remaining", strconv.Itoa(int(left)))
	head.Set("X-RateLimit-Reset", strconv.FormatFloat(l.untilFree(limiter), 'f', 3, 64))
	if allowed {
		return nil
	}
	head.Set("Retry-After", strconv.Itoa(int(math.Max(1, math.Ceil(l.untilFree(limiter))))))
	return belay.Refuse(belay.TooMany, "You have exceeded the API's rate limit.")
}

// untilFree is the seconds until the next request is let through.
func (l *limits) untilFree(limiter *rate.Limiter) float64 {
	missing := 1 - limiter.TokensAt(time.Now())
	return math.Max(0, missing/l.perSecond)
}
