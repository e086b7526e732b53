package vcs

import "strings"

// family is one way of speaking; several services share one.
type family int

const (
	unknown family = iota
	gitHub
	gitLab
	bitbucketCloud
	bitbucketServer
	gitea
	azure
)

// families is the services by the names that connections know them by.
var families = map[string]family{
	"ado_server":                azure,
	"ado_services":              azure,
	"bitbucket_data_center":     bitbucketServer,
	"bitbucket_hosted":          bitbucketCloud,
	"bitbucket_server":          bitbucketServer,
	"bitbucket_server_legacy":   bitbucketServer,
	"forgejo":                   gitea,
	"gitea":                     gitea,
	"github":                    gitHub,
	"github_app":                gitHub,
	"github_enterprise":         gitHub,
	"gitlab_community_edition":  gitLab,
	"gitlab_enterprise_edition": gitLab,
	"gitlab_hosted":             gitLab,
}

// sameName says whether two identifiers name one repository. Services don't mind the case.
func sameName(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

// noCommit says whether a hash stands for nothing: services send zeros for what is not there.
func noCommit(hash string) bool { return strings.Trim(hash, "0") == "" }

// commit is a hash, or nothing when it stands for nothing.
func commit(hash string) string {
	if noCommit(hash) {
		return ""
	}
	return hash
}

// ref is a branch or a tag out of a full name of either.
func ref(full string) (kind Kind, name string) {
	if name, ok := strings.CutPrefix(full, "refs/heads/"); ok && name != "" {
		return Push, name
	}
	if name, ok := strings.CutPrefix(full, "refs/tags/"); ok && name != "" {
		return Tag, name
	}
	return Nothing, ""
}
