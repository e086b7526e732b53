package cli

import "github.com/spf13/cobra"

// examples is those of commands that are written elsewhere, by their path.
var examples = map[string]string{
	"belay":                       "  belay serve --tls-self-signed\n  belay login https://belay.example.com\n  belay workspace list --organization acme",
	"belay serve":                 "  belay serve --addr 127.0.0.1:8443 --tls-self-signed\n  belay serve --database-url postgres://belay@db/belay --public-url https://belay.example.com",
	"belay user":                  "  belay user create ann --email ann@example.com",
	"belay user create":           "  belay user create ann --email ann@example.com --admin",
	"belay user password":         "  belay user password ann < password.txt",
	"belay token":                 "  belay token create --user ann --description laptop --expires 720h",
	"belay token create":          "  belay token create --user ann --description laptop --expires 720h",
	"belay org":                   "  belay org create acme --owner ann",
	"belay org create":            "  belay org create acme --owner ann",
	"belay version":               "  belay version",
	"belay runner check":          "  belay runner check --help",
	"belay runner":                "  belay runner --help",
	"belay completion":            "  source <(belay completion bash)",
	"belay completion bash":       "  belay completion bash > /etc/bash_completion.d/belay",
	"belay completion zsh":        "  belay completion zsh > \"${fpath[1]}/_belay\"",
	"belay completion fish":       "  belay completion fish > ~/.config/fish/completions/belay.fish",
	"belay completion powershell": "  belay completion powershell | Out-String | Invoke-Expression",
	"belay help":                  "  belay help workspace create",
	"belay backup":                "  belay backup belay.tar\n  belay backup - | ssh vault 'cat > belay.tar'",
	"belay restore":               "  belay restore --data-dir belay-data belay.tar",
	"belay verify":                "  belay verify belay.tar\n  belay verify --data-dir belay-data",
	"belay doctor":                "  belay doctor --data-dir belay-data",
	"belay keys":                  "  belay keys status",
	"belay keys status":           "  belay keys status --data-dir belay-data",
	"belay keys reseal":           "  belay keys reseal --data-dir belay-data",
	"belay support-bundle":        "  belay support-bundle bundle.tar.gz",
	"belay db":                    "  belay db status",
	"belay db status":             "  belay db status --data-dir belay-data",
	"belay db migrate":            "  belay db migrate --data-dir belay-data",
}

// exampled gives every command its example.
func exampled(c *cobra.Command) {
	if c.Example == "" {
		c.Example = examples[c.CommandPath()]
	}
	for _, below := range c.Commands() {
		exampled(below)
	}
}
