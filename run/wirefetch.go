package run

// ClaimHeader has the claim of an archive that a runner sends. Runners of a pool through which a version-control service is reached
// fetch commits for the server, beside their jobs. They ask with their own token, and name the claim
// that they were answered.
//
//	call                     carries     answers
//	POST fetches/claim       FetchClaim  200 FetchTask, 204 nothing in time; 403 no pool's; 410
//	POST fetches/ID/renew    FetchEnd    204; 409 another has it
//	PUT  fetches/ID/archive  bytes       204 taken, or taken before; 409; 422 what may not be planned
//	POST fetches/ID/fail     FetchEnd    204; 409
const ClaimHeader = "Belay-Claim"

// FetchClaim asks for a commit to fetch.
type FetchClaim struct {
	Wait int `json:"wait"` // seconds to wait for one, 0 to 50
}

// FetchTask is a commit to fetch. It holds secrets of its connection.
type FetchTask struct {
	ID          string `json:"id"`
	Claim       string `json:"claim"`
	RenewMillis int64  `json:"renew_ms"` // how often the claim is to be renewed
	URL         string `json:"url"`      // https://host/path, or ssh://user@host/path
	User        string `json:"user"`     // of HTTP
	Password    string `json:"password"`
	SSHKey      string `json:"ssh_key"`
	LFS         string `json:"lfs"`      // where files of LFS are, of SSH
	HostsOf     string `json:"hosts_of"` // which file of known hosts is used
	Commit      string `json:"commit"`
	Ref         string `json:"ref"` // that the commit must be on
	Submodules  bool   `json:"submodules"`
	MaxSize     int64  `json:"max_size"` // bytes of the archive
}

// FetchEnd names a claim, and says why there is no archive.
type FetchEnd struct {
	Claim   string `json:"claim"`
	Error   string `json:"error,omitempty"`
	Lasting bool   `json:"lasting,omitempty"` // it fails whenever it is tried
}
