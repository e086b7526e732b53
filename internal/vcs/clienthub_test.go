package vcs_test

import (
	"fmt"
	"strings"
)

// hubFiles is a page of changed files.
func hubFiles(from, to int) string {
	var files []string
	for i := from; i < to; i++ {
		files = append(files, fmt.Sprintf(`{"filename":"f%d","status":"modified"}`, i))
	}
	return "[" + strings.Join(files, ",") + "]"
}

func hubNames(count int) string {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("f%d", i))
	}
	return strings.Join(names, ",")
}

const nextPage = `Link: <HOST/next>; rel="next", <HOST/last>; rel="last"`

var hubRows = []answered{
	{"github", "default", []exchange{{asks: "GET /repos/acme/net%20work", answer: `{"default_branch":"trunk"}`}}, "trunk"},
	{"github", "default", []exchange{
		{asks: "GET /repos/acme/net%20work", status: 301, header: "Location: HOST/repositories/5"}, {asks: "GET /repositories/5", answer: `{"default_branch":"trunk"}`},
	}, "trunk"},
	{"github", "head", []exchange{{
		asks:   "GET /repos/acme/net%20work/branches/topic/a%20b",
		answer: `{"name":"topic/a b","commit":{"sha":"` + hashB + `","commit":{"message":"m","author":{"name":"Grace"}},"author":{"login":"grace"},"html_url":"https://github.com/c"}}`,
	}}, hashB + "|m|https://github.com/c|grace"},
	{"github", "commit", []exchange{{
		asks:   "GET /repos/acme/net%20work/commits/222222222222",
		answer: `{"sha":"` + hashB + `","commit":{"message":"m","author":{"name":"Grace"}},"author":null,"html_url":"h"}`,
	}}, hashB + "|m|h|Grace"},
	{"github", "hook", []exchange{{
		asks:   `POST /repos/acme/net%20work/hooks {"active":true,"config":{"content_type":"json","insecure_ssl":"0","secret":"hush","url":"https://belay.example/webhooks/vcs/x"},"events":["push","pull_request"],"name":"web"}`,
		status: 201, answer: `{"id":12345678901}`,
	}}, "12345678901"},
	{"github", "hooks", []exchange{
		{
			asks: "GET /repos/acme/net%20work/hooks?page=1&per_page=100", header: `Link: <HOST/repositories/1/hooks?page=2>; rel="next"`,
			answer: `[{"type":"Repository","id":7,"name":"web","active":true,"events":["push"],"config":{"content_type":"json","url":"https://belay.example/webhooks/vcs/x"}},{"id":8,"config":{"url":"https://belay.example/webhooks/vcs/xy"}},{"id":9,"name":"email","config":{}}]`,
		},
		{asks: "GET /repos/acme/net%20work/hooks?page=2&per_page=100", answer: `[{"id":12,"config":{"url":"https://belay.example/webhooks/vcs/x"}}]`},
	}, "7,12"},
	{"github", "unhook", []exchange{{asks: "DELETE /repos/acme/net%20work/hooks/7", status: 204}}, ""},
	{"github", "unhook", []exchange{{asks: "DELETE /repos/acme/net%20work/hooks/7", status: 404, answer: `{"message":"Not Found"}`}}, ""},
	{"github", "request", []exchange{
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=1&per_page=100", header: nextPage, answer: hubFiles(0, 100)},
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=2&per_page=100", answer: `[{"filename":"f100","previous_filename":"old"}]`},
	}, hubNames(101) + ",old"},
	{"github", "request", []exchange{
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=1&per_page=100", header: nextPage, answer: hubFiles(0, 100)},
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=2&per_page=100", header: nextPage, answer: hubFiles(100, 200)},
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=3&per_page=100", answer: hubFiles(200, 300)},
	}, "unknown"},
	{"github", "request", []exchange{
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=1&per_page=100", header: nextPage, answer: hubFiles(0, 100)},
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=2&per_page=100", header: nextPage, answer: hubFiles(100, 200)},
		{asks: "GET /repos/acme/net%20work/pulls/12/files?page=3&per_page=100", answer: hubFiles(200, 299)},
	}, hubNames(299)},
	{"github", "push", []exchange{{
		asks:   "GET /repos/acme/net%20work/compare/" + hashA + "..." + hashB,
		answer: `{"status":"ahead","files":[{"filename":"a"},{"filename":"b","previous_filename":"c"}]}`,
	}}, "a,b,c"},
	{"github", "push", []exchange{
		{asks: "GET /repos/acme/net%20work/compare/" + hashA + "..." + hashB, answer: `{"status":"diverged","files":[{"filename":"a"}]}`},
		{asks: "GET /repos/acme/net%20work/compare/" + hashB + "..." + hashA, answer: `{"status":"diverged","files":[{"filename":"lost"}]}`},
	}, "a,lost"},
	{"github", "push", []exchange{{
		asks: "GET /repos/acme/net%20work/compare/" + hashA + "..." + hashB, answer: `{"status":"ahead","files":` + hubFiles(0, 300) + `}`,
	}}, "unknown"},
	{"github", "status", []exchange{{
		asks:   `POST /repos/acme/net%20work/statuses/` + hashB + ` {"context":"belay/acme/network","description":"Plan: 1 to add","state":"success","target_url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"github", "failure", []exchange{{
		asks:   `POST /repos/acme/net%20work/statuses/` + hashB + ` {"context":"belay/acme/network","description":"Plan: 1 to add","state":"failure","target_url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"github", "stopped", []exchange{{
		asks:   `POST /repos/acme/net%20work/statuses/` + hashB + ` {"context":"belay/` + strings.Repeat("ö", 123) + `…","description":"` + strings.Repeat("ö", 68) + `…","state":"error","target_url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"github", "comment", []exchange{{asks: `POST /repos/acme/net%20work/issues/12/comments {"body":"hello"}`, status: 201, answer: `{"id":9}`}}, "9"},
	{"github", "find", []exchange{
		{asks: "GET /repos/acme/net%20work/issues/12/comments?page=1&per_page=100", header: nextPage, answer: `[{"id":3,"body":"of others"},{"id":9,"body":"one\n\n[//]: # (our mark)\n"}]`},
		{asks: "GET /repos/acme/net%20work/issues/12/comments?page=2&per_page=100", answer: `[{"id":20,"body":"quoted: our mark"}]`},
	}, "9"},
	{"github", "find", []exchange{{asks: "GET /repos/acme/net%20work/issues/12/comments?page=1&per_page=100", answer: `[]`}}, ""},
	{"github", "edit", []exchange{{asks: `PATCH /repos/acme/net%20work/issues/comments/5%2F6 {"body":"again"}`, answer: `{}`}}, ""},
	{"github", "ssh", []exchange{{asks: "GET /repos/acme/net%20work", answer: `{"ssh_url":"git@github.com:acme/network.git"}`}}, "ssh://git@github.com/acme/network.git"},

	{"gitea", "default", []exchange{{asks: "GET /api/v1/repos/acme/network", answer: `{"default_branch":"trunk"}`}}, "trunk"},
	{"gitea", "head", []exchange{{
		asks:   "GET /api/v1/repos/acme/network/branches/topic/a%20b",
		answer: `{"commit":{"id":"` + hashB + `","message":"m\n","url":"https://git.example/c","author":{"name":"Grace","username":""}}}`,
	}}, hashB + "|m\n|https://git.example/c|Grace"},
	{"gitea", "commit", []exchange{{
		asks:   "GET /api/v1/repos/acme/network/git/commits/222222222222",
		answer: `{"sha":"` + hashB + `","commit":{"message":"m","author":{"name":"Grace"}},"author":{"login":"grace"},"html_url":"h"}`,
	}}, hashB + "|m|h|grace"},
	{"gitea", "hook", []exchange{{
		asks:   `POST /api/v1/repos/acme/network/hooks {"active":true,"config":{"content_type":"json","secret":"hush","url":"https://belay.example/webhooks/vcs/x"},"events":["push","pull_request_only","pull_request_sync"],"type":"gitea"}`,
		status: 201, answer: `{"id":3}`,
	}}, "3"},
	{"gitea", "hooks", []exchange{{
		asks:   "GET /api/v1/repos/acme/network/hooks?limit=50&page=1",
		answer: `[{"id":7,"type":"gitea","config":{"content_type":"json","url":"https://belay.example/webhooks/vcs/x"},"events":["push"],"active":true},{"id":8,"type":"slack","config":{"url":"https://belay.example/webhooks/vcs/xy"}}]`,
	}}, "7"},
	{"gitea", "unhook", []exchange{{asks: "DELETE /api/v1/repos/acme/network/hooks/7", status: 204}}, ""},
	{"gitea", "request", []exchange{
		{asks: "GET /api/v1/repos/acme/network/pulls/12/files?limit=50&page=1", header: nextPage, answer: hubFiles(0, 50)},
		{asks: "GET /api/v1/repos/acme/network/pulls/12/files?limit=50&page=2", answer: hubFiles(50, 60)},
	}, hubNames(60)},
	{"gitea", "push", []exchange{
		{asks: "GET /api/v1/repos/acme/network/compare/" + hashA + "..." + hashB + "?verification=false", answer: `{"total_commits":1,"commits":[{"files":[{"filename":"a","status":"added"}]}]}`},
		{asks: "GET /api/v1/repos/acme/network/compare/" + hashB + "..." + hashA + "?verification=false", answer: `{"total_commits":1,"commits":[{"files":[{"filename":"lost"}]}]}`},
	}, "a,lost"},
	{"gitea", "push", []exchange{
		{asks: "GET /api/v1/repos/acme/network/compare/" + hashA + "..." + hashB + "?verification=false", answer: `{"total_commits":2,"commits":[{"files":[{"filename":"a"}]}]}`},
	}, "unknown"},
	{"gitea", "status", []exchange{{
		asks:   `POST /api/v1/repos/acme/network/statuses/` + hashB + ` {"context":"belay/acme/network","description":"Plan: 1 to add","state":"success","target_url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"gitea", "comment", []exchange{{asks: `POST /api/v1/repos/acme/network/issues/12/comments {"body":"hello"}`, status: 201, answer: `{"id":9}`}}, "9"},
	{"gitea", "find", []exchange{{
		asks: "GET /api/v1/repos/acme/network/issues/12/comments?page=1&per_page=100", answer: `[{"id":9,"body":"our mark"},{"id":5,"body":"our mark"}]`,
	}}, "5"},
	{"gitea", "edit", []exchange{{asks: `PATCH /api/v1/repos/acme/network/issues/comments/5%2F6 {"body":"again"}`, answer: `{}`}}, ""},
	{"gitea", "ssh", []exchange{{asks: "GET /api/v1/repos/acme/network", answer: `{"ssh_url":"git@git.example:acme/network.git"}`}}, "ssh://git@git.example/acme/network.git"},
}

// lab is where the project of the tests is in GitLab's API.
const lab = "/api/v4/projects/acme%2Finfra%2Fnetwork"

var gitLabRows = []answered{
	{"gitlab_hosted", "default", []exchange{{asks: "GET " + lab, answer: `{"default_branch":"trunk"}`}}, "trunk"},
	{"gitlab_hosted", "head", []exchange{{
		asks:   "GET " + lab + "/repository/branches/topic%2Fa%20b",
		answer: `{"commit":{"id":"` + hashB + `","message":"m","web_url":"w","author_name":"Grace"}}`,
	}}, hashB + "|m|w|Grace"},
	{"gitlab_hosted", "commit", []exchange{{
		asks: "GET " + lab + "/repository/commits/222222222222", answer: `{"id":"` + hashB + `","message":"m","web_url":"w","author_name":"Grace"}`,
	}}, hashB + "|m|w|Grace"},
	{"gitlab_hosted", "hook", []exchange{{
		asks:   `POST ` + lab + `/hooks {"enable_ssl_verification":true,"merge_requests_events":true,"push_events":true,"tag_push_events":true,"token":"hush","url":"https://belay.example/webhooks/vcs/x"}`,
		status: 201, answer: `{"id":8}`,
	}}, "8"},
	{"gitlab_hosted", "hooks", []exchange{
		{asks: "GET " + lab + "/hooks?page=1&per_page=100", header: "X-Next-Page: 2", answer: `[{"id":7,"url":"https://belay.example/webhooks/vcs/x","push_events":true},{"id":8,"url":"https://belay.example/webhooks/vcs/xy"}]`},
		{asks: "GET " + lab + "/hooks?page=2&per_page=100", answer: `[{"id":9,"url":"https://belay.example/webhooks/vcs/x"}]`},
	}, "7,9"},
	{"gitlab_hosted", "unhook", []exchange{{asks: "DELETE " + lab + "/hooks/7", status: 204}}, ""},
	{"gitlab_hosted", "request", []exchange{
		{asks: "GET " + lab + "/merge_requests/12", answer: `{"changes_count":"3"}`},
		{asks: "GET " + lab + "/merge_requests/12/diffs?page=1&per_page=100", header: "X-Next-Page: 2", answer: `[{"old_path":"a","new_path":"a"},{"old_path":"b","new_path":"c","renamed_file":true}]`},
		{asks: "GET " + lab + "/merge_requests/12/diffs?page=2&per_page=100", header: "X-Next-Page: ", answer: `[{"old_path":"d","new_path":"d"}]`},
	}, "a,c,b,d"},
	{"gitlab_hosted", "request", []exchange{{asks: "GET " + lab + "/merge_requests/12", answer: `{"changes_count":"1000+"}`}}, "unknown"},
	{"gitlab_hosted", "request", []exchange{{asks: "GET " + lab + "/merge_requests/12", answer: `{"changes_count":null}`}}, "unknown"},
	{"gitlab_hosted", "request", []exchange{
		{asks: "GET " + lab + "/merge_requests/12", answer: `{"changes_count":"3"}`},
		{asks: "GET " + lab + "/merge_requests/12/diffs?page=1&per_page=100", answer: `[{"old_path":"a","new_path":"a"}]`},
	}, "unknown"},
	{"gitlab_hosted", "push", []exchange{{
		asks:   "GET " + lab + "/repository/compare?from=" + hashA + "&straight=true&to=" + hashB,
		answer: `{"commits":[],"diffs":[{"old_path":"a","new_path":"b"}],"compare_timeout":false}`,
	}}, "b,a"},
	{"gitlab_hosted", "push", []exchange{{
		asks: "GET " + lab + "/repository/compare?from=" + hashA + "&straight=true&to=" + hashB, answer: `{"diffs":[],"compare_timeout":true}`,
	}}, "unknown"},
	{"gitlab_hosted", "status", []exchange{{
		asks:   `POST ` + lab + `/statuses/` + hashB + ` {"description":"Plan: 1 to add","name":"belay/acme/network","state":"success","target_url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"gitlab_hosted", "failure", []exchange{{
		asks:   `POST ` + lab + `/statuses/` + hashB + ` {"description":"Plan: 1 to add","name":"belay/acme/network","state":"failed","target_url":"https://belay.example/r"}`,
		status: 400, answer: `{"message":"Cannot transition status via :drop from :failed (Reason(s): Status cannot transition via \"drop\")"}`,
	}}, ""},
	{"gitlab_hosted", "comment", []exchange{{asks: `POST ` + lab + `/merge_requests/12/notes {"body":"hello"}`, status: 201, answer: `{"id":9}`}}, "9"},
	{"gitlab_hosted", "find", []exchange{
		{asks: "GET " + lab + "/merge_requests/12/notes?order_by=created_at&page=1&per_page=100&sort=asc", header: "X-Next-Page: 2", answer: `[{"id":3,"body":"of others","system":true}]`},
		{asks: "GET " + lab + "/merge_requests/12/notes?order_by=created_at&page=2&per_page=100&sort=asc", answer: `[{"id":9,"body":"our mark"}]`},
	}, "9"},
	{"gitlab_hosted", "edit", []exchange{{asks: `PUT ` + lab + `/merge_requests/12/notes/5%2F6 {"body":"again"}`, answer: `{}`}}, ""},
	{"gitlab_hosted", "ssh", []exchange{{asks: "GET " + lab, answer: `{"ssh_url_to_repo":"git@gitlab.com:acme/infra/network.git"}`}}, "ssh://git@gitlab.com/acme/infra/network.git"},
}
