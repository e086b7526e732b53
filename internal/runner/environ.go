package runner

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belayhq/belay/internal/engine"
	"github.com/belayhq/belay/run"
)

// environment is all that a step sees of variables, made from nothing: the runner's own
// environment has its secrets in it.
func (j *job) environment() []string {
	spec, f, env := j.spec, j.folder, j.base()
	for name, value := range spec.Environment {
		env[name], env["TF_VAR_"+name] = value, value
	}
	for _, v := range spec.Variables {
		if v.Category == "env" {
			env[v.Key] = v.Value
		}
	}
	if spec.Plan.Debug {
		setDefault(env, "TF_LOG", "TRACE")
	}
	maps.Copy(env, map[string]string{
		"HOME": f.eyes(homeFolder), "TMPDIR": f.eyes(tmpFolder), "TF_DATA_DIR": f.eyes(dataFolder),
		"TF_CLI_CONFIG_FILE": f.eyes(secretFolder, cliConfigName), "TF_IN_AUTOMATION": "1", "TF_INPUT": "0",
		"CHECKPOINT_DISABLE": "1",
	})
	delete(env, "TF_WORKSPACE")
	if j.workspace != defaultWorkspace {
		env["TF_WORKSPACE"] = j.workspace
	}
	setDefault(env, "TF_PLUGIN_CACHE_DIR", j.pluginCache())
	setDefault(env, "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE", "1")
	if spec.SSHKey != "" {
		setDefault(env, "GIT_SSH_COMMAND", "ssh -i "+f.eyes(secretFolder, sshKeyName)+" -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="+f.eyes(homeFolder, "known_hosts"))
	}
	env["GIT_TERMINAL_PROMPT"] = "0"
	return listed(env)
}

// base is what a step sees that nothing of the run has a hand in.
func (j *job) base() map[string]string {
	env := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
	}
	for _, name := range j.PassEnv {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	if j.CertFile != "" {
		env["SSL_CERT_FILE"] = j.CertFile
	}
	return env
}

// passed is that alone.
func (j *job) passed() []string { return listed(j.base()) }

// listed is an environment as a program gets it.
func listed(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(env[name], 0) {
			all = append(all, name+"="+env[name])
		}
	}
	return all
}

func setDefault(env map[string]string, name, value string) {
	if _, given := env[name]; !given {
		env[name] = value
	}
}

const (
	cliConfigName = "cli.tfrc"
	varFileName   = "belay.tfvars"
	sshKeyName    = "ssh-key"
)

// writeSecrets writes what the engine reads besides its environment. It is there only
// while a job is.
func (j *job) writeSecrets() error {
	files := map[string]string{
		cliConfigName: j.cliConfig(),
		varFileName:   varFile(j.spec.Variables),
	}
	if j.spec.SSHKey != "" {
		files[sshKeyName] = strings.TrimRight(j.spec.SSHKey, "\n") + "\n"
	}
	for name, content := range files {
		if err := os.WriteFile(j.folder.real(secretFolder, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// cliConfig is the operator's configuration of the command line, with where this server
// is and the token of the run.
func (j *job) cliConfig() string {
	var b strings.Builder
	b.WriteString(j.CLIConfig)
	base, err := url.Parse(j.spec.Address)
	if err != nil || base.Host == "" {
		return b.String()
	}
	api := strings.TrimRight(j.spec.Address, "/") + "/api/v2/"
	fmt.Fprintf(&b, "\nhost %s {\n  services = {\n", quoteHCL(base.Host))
	for _, service := range []string{"tfe.v2", "tfe.v2.1", "tfe.v2.2", "state.v2"} {
		fmt.Fprintf(&b, "    %s = %s\n", quoteHCL(service), quoteHCL(api))
	}
	fmt.Fprintf(&b, "  }\n}\ncredentials %s {\n  token = %s\n}\n", quoteHCL(base.Host), quoteHCL(j.spec.RunToken))
	return b.String()
}

// identifier is a name that a variable can have.
var identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]*$`)

// varFile is the terraform variables, which beat the configuration's own files. A name
// that no variable can have is left out: it would spoil the others.
func varFile(variables []run.JobVariable) string {
	var b strings.Builder
	for _, v := range variables {
		if v.Category == "env" || !identifier.MatchString(v.Key) {
			continue
		}
		value := v.Value
		if !v.HCL {
			value = quoteHCL(v.Value)
		}
		fmt.Fprintf(&b, "%s = %s\n", v.Key, value)
	}
	return b.String()
}

// quoteHCL is a text as a string of the language, in which nothing is a template.
func quoteHCL(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	runes := []rune(text)
	for i, c := range runes {
		switch c {
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case '$', '%':
			b.WriteRune(c)
			if i+1 < len(runes) && runes[i+1] == '{' {
				b.WriteRune(c)
			}
		default:
			if c < ' ' || c == 0x7f {
				fmt.Fprintf(&b, `\u%04x`, c)
			} else {
				b.WriteRune(c)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// pluginCache is where init keeps providers for the next run.
func (j *job) pluginCache() string {
	if j.Strict {
		return path.Join(j.cacheRoot(), "plugins-of", j.spec.Organization)
	}
	return path.Join(j.cacheRoot(), "plugins")
}

func (j *job) cacheRoot() string { return path.Join(j.WorkDir, cacheFolder) }

// parallelism is the flag that a variable of the workspace asks for.
func (j *job) parallelism() []string {
	for _, v := range j.spec.Variables {
		if n, err := strconv.Atoi(v.Value); v.Category == "env" && v.Key == "TFE_PARALLELISM" && err == nil && n >= 1 && n <= 256 {
			return []string{"-parallelism=" + strconv.Itoa(n)}
		}
	}
	return nil
}

// planFlags are the options of the run as the engine takes them.
func (j *job) planFlags() []string {
	o := j.spec.Plan
	flags := j.parallelism()
	if o.Destroy {
		flags = append(flags, "-destroy")
	}
	if o.RefreshOnly {
		flags = append(flags, "-refresh-only")
	}
	if !o.Refresh && !o.RefreshOnly {
		flags = append(flags, "-refresh=false")
	}
	for _, at := range o.Targets {
		flags = append(flags, "-target="+at)
	}
	for _, at := range o.Replaces {
		flags = append(flags, "-replace="+at)
	}
	for _, at := range o.InvokeActions {
		flags = append(flags, "-invoke="+at)
	}
	if o.GenerateConfig {
		flags = append(flags, "-generate-config-out="+j.folder.eyes(outFolder, generatedName))
	}
	return flags
}

// eventsFlag makes an engine that can write its events into a file besides.
func (j *job) eventsFlag() []string {
	if j.spec.Engine.Product == engine.Tofu && atLeast(j.spec.Engine.Version, 1, 12) {
		return []string{"-json-into=" + j.folder.eyes(outFolder, eventsName)}
	}
	return nil
}

func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, err1 := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (a > major || a == major && b >= minor)
}
