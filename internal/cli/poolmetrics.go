package cli

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/belayhq/belay/internal/store"
	"github.com/belayhq/belay/run"
)

// pools is how busy the pools are, for whoever starts runners. It is asked of the database each
// time.
type pools struct {
	loads func(context.Context) (map[string]run.PoolLoad, error)
}

var (
	poolJobs    = described("pool_jobs", "Jobs of a pool that wait for a runner, and that runners have. The empty pool is the server's own.", "pool", "state")
	poolSlots   = described("pool_slots", "Jobs that the runners of a pool may have at once.", "pool")
	poolRunners = described("pool_runners", "Runners of a pool that are heard.", "pool")
)

// Describe says what there is to collect.
func (pools) Describe(into chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolJobs, poolSlots, poolRunners} {
		into <- d
	}
}

// Collect counts. A database that does not answer leaves the numbers out.
func (p pools) Collect(into chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(store.Background(context.Background()), 2*time.Second)
	defer cancel()
	loads, err := p.loads(ctx)
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		into <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	for pool, load := range loads {
		gauge(poolJobs, load.Waiting, pool, "waiting")
		gauge(poolJobs, load.Running, pool, "running")
		gauge(poolSlots, load.Slots, pool)
		gauge(poolRunners, load.Runners, pool)
	}
}
