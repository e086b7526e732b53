package frame

import "strings"

// TokenUses says how a command line takes a token.
func (v *Visit) TokenUses(value string) []Setting {
	host := v.HostName()
	return []Setting{
		{Name: "In a pipeline, as a variable of its environment", Value: TokenVariable(host) + "=" + value},
		{Name: "On a machine, in ~/.terraformrc or ~/.tofurc", Value: "credentials \"" + host + "\" {\n  token = \"" + value + "\"\n}"},
		{Name: "To the API", Value: "curl -H 'Authorization: Bearer " + value + "' " + v.Scheme() + host + "/api/v2/account/details"},
	}
}

// TokenVariable is the environment variable in which command lines look for the token of a host.
func TokenVariable(host string) string {
	return "TF_TOKEN_" + strings.NewReplacer(".", "_", "-", "__").Replace(host)
}
