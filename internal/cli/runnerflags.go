package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/internal/isolate"
	"github.com/belayhq/belay/internal/runner"
)

// maxSlots is how many jobs a runner may do at once.
const maxSlots = 100

// carrying is how jobs are carried out, by the server's own runner and by others alike.
type carrying struct {
	engineDir, engineCache string
	engineMirrors          []string
	engineKeys             string
	engineTrust            string
	engineDownload         bool
	isolation              string
	read, passEnv          []string
	cliConfig, hooks       string
	checks                 string
	memory                 int64
}

func (c *carrying) flags(flags *pflag.FlagSet) {
	flags.StringVar(&c.engineDir, "engine-dir", "", "folder of engines, such as DIR/tofu/1.12.6/tofu (BELAY_ENGINE_DIR)")
	flags.StringVar(&c.engineCache, "engine-cache", "", "folder that engines are fetched into; below the runner's when empty (BELAY_ENGINE_CACHE)")
	flags.BoolVar(&c.engineDownload, "allow-engine-download", true, "fetch engines that are not here, with checksum and signature (BELAY_ALLOW_ENGINE_DOWNLOAD)")
	flags.StringSliceVar(&c.engineMirrors, "engine-mirror", nil, "where a product's versions lie, such as tofu=https://mirror.example.com/tofu/{version}; OpenTofu's releases when nothing is said of it (BELAY_ENGINE_MIRROR)")
	flags.StringVar(&c.engineKeys, "engine-keys", "", "file of armored OpenPGP keys that may sign checksums, besides the projects' own (BELAY_ENGINE_KEYS)")
	flags.StringVar(&c.engineTrust, "engine-trust", "signature", "what a mirror's checksums need: signature, or checksum for none (BELAY_ENGINE_TRUST)")
	flags.StringVar(&c.isolation, "isolation", "auto", "how engines are held: auto, strict or none (BELAY_ISOLATION)")
	flags.StringSliceVar(&c.read, "isolation-read", nil, "more files and folders that engines may read, such as a folder of providers (BELAY_ISOLATION_READ)")
	flags.StringSliceVar(&c.passEnv, "pass-env", []string{"SSL_CERT_FILE", "SSL_CERT_DIR"}, "variables of the runner's environment that engines get, such as HTTPS_PROXY (BELAY_PASS_ENV)")
	flags.StringVar(&c.cliConfig, "cli-config", "", "file with a configuration of the command line that engines get, such as provider_installation (BELAY_CLI_CONFIG)")
	flags.StringVar(&c.hooks, "hooks-dir", "", "folder with programs pre-plan, post-plan, pre-apply and post-apply (BELAY_HOOKS_DIR)")
	flags.StringVar(&c.checks, "checks", "", "file with checks of runs: before and after the plan, and before the apply (BELAY_CHECKS)")
	flags.Int64Var(&c.memory, "run-memory", 0, "bytes of memory that the processes of one job may take; 0 is no limit (BELAY_RUN_MEMORY)")
}

// tofuReleases is where OpenTofu publishes. Terraform has another licence: whoever wants
// it brings it, or says where it lies.
const tofuReleases = "https://github.com/opentofu/opentofu/releases/download/v{version}"

func (c *carrying) mirrors() (map[string]string, error) {
	mirrors := map[string]string{engine.Tofu: tofuReleases}
	for _, m := range c.engineMirrors {
		product, address, ok := strings.Cut(m, "=")
		if !ok || !slices.Contains(engine.Products, product) || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
			return nil, fmt.Errorf("--engine-mirror is tofu=https://… or terraform=https://…, not %q", m)
		}
		mirrors[product] = address
	}
	return mirrors, nil
}

func (c *carrying) check() error {
	if !slices.Contains([]isolate.Level{isolate.Auto, isolate.Strict, isolate.None}, isolate.Level(c.isolation)) {
		return fmt.Errorf("--isolation is auto, strict or none, not %q", c.isolation)
	}
	if c.engineTrust != "signature" && c.engineTrust != "checksum" {
		return fmt.Errorf("--engine-trust is signature or checksum, not %q", c.engineTrust)
	}
	if c.memory < 0 {
		return fmt.Errorf("--run-memory is a number of bytes, not %d", c.memory)
	}
	if _, err := c.readChecks(); err != nil {
		return err
	}
	_, err := c.mirrors()
	return err
}

// readChecks is the checks that runs are held to.
func (c *carrying) readChecks() (list []runner.Check, err error) {
	if c.checks == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(c.checks)
	if err == nil {
		list, err = runner.ParseChecks(raw)
	}
	if err != nil {
		err = fmt.Errorf("--checks: %w", err)
	}
	return list, err
}

// finder looks for engines with these settings; workDir has the cache of what is fetched.
func (c *carrying) finder(workDir, path string, log *slog.Logger) (*engine.Finder, error) {
	mirrors, err := c.mirrors()
	if err != nil {
		return nil, err
	}
	config := engine.Config{Dir: c.engineDir, Path: path, Mirrors: mirrors, ChecksumOnly: c.engineTrust == "checksum", Log: log}
	if c.engineKeys != "" {
		if config.Keys, err = os.ReadFile(c.engineKeys); err != nil {
			return nil, fmt.Errorf("--engine-keys: %w", err)
		}
	}
	if c.engineDownload {
		if config.Cache = c.engineCache; config.Cache == "" {
			config.Cache = filepath.Join(workDir, "engines")
		}
	}
	return engine.New(config), nil
}

// runner is the runner's configuration that these settings come to.
func (c *carrying) runner(workDir, path string, log *slog.Logger) (runner.Config, error) {
	absolute, err := filepath.Abs(workDir)
	if err != nil {
		return runner.Config{}, err
	}
	config := runner.Config{
		WorkDir: absolute, PassEnv: c.passEnv, Hooks: c.hooks, Memory: c.memory, Version: Version, Log: log,
		Strict: isolate.Level(c.isolation) == isolate.Strict,
	}
	if config.Engines, err = c.finder(absolute, path, log); err != nil {
		return config, err
	}
	if config.Checks, err = c.readChecks(); err != nil {
		return config, err
	}
	if c.cliConfig != "" {
		raw, err := os.ReadFile(c.cliConfig)
		if err != nil {
			return config, fmt.Errorf("--cli-config: %w", err)
		}
		config.CLIConfig = string(raw)
	}
	config.Read = slices.DeleteFunc(append(slices.Clone(c.read), c.hooks), func(path string) bool { return path == "" })
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := os.Getenv(name); value != "" && slices.Contains(c.passEnv, name) {
			config.Read = append(config.Read, filepath.SplitList(value)...)
		}
	}
	config.Walls, err = isolate.Level(c.isolation).Walls(isolate.Probe())
	return config, err
}

// defaultSlots is the cores of this machine, at most four.
func defaultSlots() int { return min(4, runtime.NumCPU()) }

// describe says for a person what this machine gives a runner.
func (c *carrying) describe(ctx context.Context, workDir, path string, log *slog.Logger) ([]string, error) {
	can := isolate.Probe()
	walls, err := isolate.Level(c.isolation).Walls(can)
	lines := []string{
		fmt.Sprintf("landlock:    %s", yes(can.Landlock > 0, fmt.Sprintf("ABI %d", can.Landlock))),
		fmt.Sprintf("namespaces:  %s", yes(can.Namespaces, "allowed")),
	}
	if err != nil {
		return append(lines, "isolation:   "+err.Error()), errors.New("this machine can't hold engines as asked")
	}
	lines = append(lines, "isolation:   "+walls.String())
	finder, err := c.finder(workDir, path, log)
	if err != nil {
		return lines, err
	}
	here := finder.List(ctx)
	for _, b := range here {
		lines = append(lines, fmt.Sprintf("engine:      %s %s (%s)", engine.Title(b.Product), b.Version, b.Path))
	}
	if len(here) == 0 {
		lines = append(lines, "engine:      none here")
	}
	checks, err := c.readChecks()
	for _, check := range checks {
		lines = append(lines, fmt.Sprintf("check:       %s (%s, %s)", check.Name, check.Stage, check.Enforcement))
	}
	mirrors := finder.Mirrors
	for _, product := range slices.Sorted(maps.Keys(mirrors)) {
		if finder.Cache != "" {
			lines = append(lines, fmt.Sprintf("fetched:     %s from %s", engine.Title(product), mirrors[product]))
		}
	}
	return lines, err
}

func yes(is bool, how string) string {
	if is {
		return how
	}
	return "not here"
}
