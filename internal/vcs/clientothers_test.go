package vcs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	cloud  = "/2.0/repositories/acme/network"
	center = "/rest/api/1.0/projects/~ADA/repos/network"
	azure  = "/acme/Cloud%20Team/_apis/git/repositories/network"
)

func longKey(most int) string {
	sum := sha256.Sum256([]byte("belay/" + strings.Repeat("ö", 300)))
	return hex.EncodeToString(sum[:])[:min(most, 64)]
}

var bitbucketRows = []answered{
	{"bitbucket_hosted", "default", []exchange{{asks: "GET " + cloud, answer: `{"mainbranch":{"name":"trunk","type":"branch"}}`}}, "trunk"},
	{"bitbucket_hosted", "default", []exchange{{asks: "GET " + cloud, answer: `{"mainbranch":null}`}}, ""},
	{"bitbucket_hosted", "head", []exchange{{
		asks:   "GET " + cloud + "/refs/branches/topic%2Fa%20b",
		answer: `{"name":"topic/a b","target":{"hash":"` + hashB + `","message":"m","author":{"raw":"Grace","user":{"nickname":"grace"}},"links":{"html":{"href":"w"}}}}`,
	}}, hashB + "|m|w|grace"},
	{"bitbucket_hosted", "commit", []exchange{{
		asks: "GET " + cloud + "/commit/222222222222", answer: `{"hash":"` + hashB + `","message":"m","author":{"raw":"Grace"},"links":{"html":{"href":"w"}}}`,
	}}, hashB + "|m|w|"},
	{"bitbucket_hosted", "hook", []exchange{{
		asks:   `POST ` + cloud + `/hooks {"active":true,"description":"Belay","events":["repo:push","pullrequest:created","pullrequest:updated"],"secret":"hush","url":"https://belay.example/webhooks/vcs/x"}`,
		status: 201, answer: `{"uuid":"{u-1}"}`,
	}}, "{u-1}"},
	{"bitbucket_hosted", "hooks", []exchange{
		{asks: "GET " + cloud + "/hooks?page=1&pagelen=100", answer: `{"values":[{"uuid":"{7-7}","url":"https://belay.example/webhooks/vcs/x","active":true},{"uuid":"{8}","url":"https://belay.example/webhooks/vcs/xy"}],"next":"HOST/2.0/next"}`},
		{asks: "GET " + cloud + "/hooks?page=2&pagelen=100", answer: `{"values":[{"uuid":"{9}","url":"https://belay.example/webhooks/vcs/x"}]}`},
	}, "{7-7},{9}"},
	{"bitbucket_hosted", "unhook", []exchange{{asks: "DELETE " + cloud + "/hooks/7", status: 204}}, ""},
	{"bitbucket_hosted", "request", []exchange{
		{asks: "GET " + cloud + "/pullrequests/12/diffstat?page=1&pagelen=500", status: 302, header: "Location: HOST/2.0/diffstat"},
		{asks: "GET /2.0/diffstat", answer: `{"values":[{"old":{"path":"a"},"new":{"path":"b"}},{"old":null,"new":{"path":"c"}}],"next":"HOST/2.0/elsewhere?page=2"}`},
		{asks: "GET " + cloud + "/pullrequests/12/diffstat?page=2&pagelen=500", answer: `{"values":[{"old":{"path":"d"},"new":null}]}`},
	}, "a,b,c,d"},
	{"bitbucket_hosted", "push", []exchange{{
		asks: "GET " + cloud + "/diffstat/" + hashB + ".." + hashA + "?page=1&pagelen=500&topic=false", answer: `{"values":[{"old":{"path":"a"},"new":{"path":"a"}}]}`,
	}}, "a"},
	{"bitbucket_hosted", "status", []exchange{{
		asks:   `POST ` + cloud + `/commit/` + hashB + `/statuses/build {"description":"Plan: 1 to add","key":"belay/acme/network","name":"belay/acme/network","state":"SUCCESSFUL","url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"bitbucket_hosted", "stopped", []exchange{{
		asks:   `POST ` + cloud + `/commit/` + hashB + `/statuses/build {"description":"` + strings.Repeat("ö", 126) + `…","key":"` + longKey(40) + `","name":"belay/` + strings.Repeat("ö", 123) + `…","state":"STOPPED","url":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"bitbucket_hosted", "comment", []exchange{{asks: `POST ` + cloud + `/pullrequests/12/comments {"content":{"raw":"hello"}}`, status: 201, answer: `{"id":9}`}}, "9"},
	{"bitbucket_hosted", "find", []exchange{
		{asks: "GET " + cloud + "/pullrequests/12/comments?page=1&pagelen=100", answer: `{"values":[{"id":4,"deleted":true,"content":{"raw":"our mark"}}],"next":"HOST/2.0/next"}`},
		{asks: "GET " + cloud + "/pullrequests/12/comments?page=2&pagelen=100", answer: `{"values":[{"id":9,"content":{"raw":"our mark"}}]}`},
	}, "9"},
	{"bitbucket_hosted", "edit", []exchange{{asks: `PUT ` + cloud + `/pullrequests/12/comments/5%2F6 {"content":{"raw":"again"}}`, answer: `{}`}}, ""},
	{"bitbucket_hosted", "ssh", []exchange{{
		asks: "GET " + cloud, answer: `{"links":{"clone":[{"name":"https","href":"h"},{"name":"ssh","href":"git@bitbucket.org:acme/network.git"}]}}`,
	}}, "ssh://git@bitbucket.org/acme/network.git"},

	{"bitbucket_data_center", "default", []exchange{{asks: "GET " + center + "/default-branch", answer: `{"id":"refs/heads/trunk","displayId":"trunk"}`}}, "trunk"},
	{"bitbucket_data_center", "default", []exchange{
		{asks: "GET " + center + "/default-branch", status: 404}, {asks: "GET " + center + "/branches/default", answer: `{"displayId":"trunk"}`},
	}, "trunk"},
	{"bitbucket_data_center", "head", []exchange{{
		asks:   "GET " + center + "/commits?limit=1&until=refs%2Fheads%2Ftopic%2Fa+b",
		answer: `{"values":[{"id":"` + hashB + `","message":"m","author":{"name":"grace"}}]}`,
	}}, hashB + "|m||grace"},
	{"bitbucket_data_center", "commit", []exchange{{
		asks: "GET " + center + "/commits/222222222222", answer: `{"id":"` + hashB + `","message":"m","author":{"name":"grace"}}`,
	}}, hashB + "|m||grace"},
	{"bitbucket_data_center", "hook", []exchange{{
		asks:   `POST ` + center + `/webhooks {"active":true,"configuration":{"secret":"hush"},"events":["repo:refs_changed","pr:opened","pr:from_ref_updated"],"name":"Belay","url":"https://belay.example/webhooks/vcs/x"}`,
		status: 201, answer: `{"id":10}`,
	}}, "10"},
	{"bitbucket_data_center", "hooks", []exchange{
		{asks: "GET " + center + "/webhooks?limit=100", answer: `{"values":[{"id":7,"name":"Belay","url":"https://belay.example/webhooks/vcs/x"},{"id":8,"url":"https://belay.example/webhooks/vcs/xy"}],"isLastPage":false,"nextPageStart":25}`},
		{asks: "GET " + center + "/webhooks?limit=100&start=25", answer: `{"values":[{"id":9,"url":"https://belay.example/webhooks/vcs/x"}],"isLastPage":true,"nextPageStart":null}`},
	}, "7,9"},
	{"bitbucket_data_center", "unhook", []exchange{{asks: "DELETE " + center + "/webhooks/7", status: 204}}, ""},
	{"bitbucket_data_center", "request", []exchange{
		{asks: "GET " + center + "/pull-requests/12/changes?limit=1000", answer: `{"values":[{"path":{"toString":"a"},"srcPath":{"toString":"b"}}],"isLastPage":false,"nextPageStart":25}`},
		{asks: "GET " + center + "/pull-requests/12/changes?limit=1000&start=25", answer: `{"values":[{"path":{"toString":"c"}}],"isLastPage":true}`},
	}, "a,b,c"},
	{"bitbucket_data_center", "request", []exchange{
		{asks: "GET " + center + "/pull-requests/12/changes?limit=1000", answer: `{"values":[{"path":{"toString":"a"}}],"isLastPage":false,"nextPageStart":null}`},
	}, "unknown"},
	{"bitbucket_data_center", "push", []exchange{{
		asks: "GET " + center + "/changes?limit=1000&since=" + hashA + "&until=" + hashB, answer: `{"values":[{"path":{"toString":"a"}}],"isLastPage":true}`,
	}}, "a"},
	{"bitbucket_data_center", "status", []exchange{{
		asks:   `POST /rest/build-status/1.0/commits/` + hashB + ` {"description":"Plan: 1 to add","key":"belay/acme/network","name":"belay/acme/network","state":"SUCCESSFUL","url":"https://belay.example/r"}`,
		status: 204,
	}}, ""},
	{"bitbucket_data_center", "stopped", []exchange{{
		asks:   `POST /rest/build-status/1.0/commits/` + hashB + ` {"description":"` + strings.Repeat("ö", 126) + `…","key":"` + longKey(255) + `","name":"belay/` + strings.Repeat("ö", 123) + `…","state":"FAILED","url":"https://belay.example/r"}`,
		status: 204,
	}}, ""},
	{"bitbucket_data_center", "comment", []exchange{{asks: `POST ` + center + `/pull-requests/12/comments {"text":"hello"}`, status: 201, answer: `{"id":9}`}}, "9"},
	{"bitbucket_data_center", "find", []exchange{
		{asks: "GET " + center + "/pull-requests/12/activities?limit=100", answer: `{"values":[{"action":"COMMENTED","comment":{"id":12,"text":"our mark"}},{"action":"OPENED"}],"isLastPage":false,"nextPageStart":25}`},
		{asks: "GET " + center + "/pull-requests/12/activities?limit=100&start=25", answer: `{"values":[{"action":"COMMENTED","comment":{"id":9,"text":"our mark"}}],"isLastPage":true,"nextPageStart":null}`},
	}, "9"},
	{"bitbucket_data_center", "edit", []exchange{
		{asks: "GET " + center + "/pull-requests/12/comments/5%2F6", answer: `{"version":2}`},
		{asks: `PUT ` + center + `/pull-requests/12/comments/5%2F6 {"text":"again","version":2}`, status: 409, answer: `{"errors":[{"message":"out of date"}]}`},
		{asks: "GET " + center + "/pull-requests/12/comments/5%2F6", answer: `{"version":3}`},
		{asks: `PUT ` + center + `/pull-requests/12/comments/5%2F6 {"text":"again","version":3}`, answer: `{}`},
	}, ""},
	{"bitbucket_data_center", "ssh", []exchange{{
		asks: "GET " + center, answer: `{"links":{"clone":[{"name":"http","href":"h"},{"name":"ssh","href":"ssh://git@bb.example:7999/~ada/network.git"}]}}`,
	}}, "ssh://git@bb.example:7999/~ada/network.git"},
}

func subscription(event, only string) string {
	return `POST /acme/_apis/hooks/subscriptions?api-version=5.0 {"consumerActionId":"httpRequest","consumerId":"webHooks","consumerInputs":{"basicAuthPassword":"hush","basicAuthUsername":"belay","url":"https://belay.example/webhooks/vcs/x"},"eventType":"` +
		event + `","publisherId":"tfs","publisherInputs":{` + only + `"projectId":"p-1","repository":"r-1"},"resourceVersion":"1.0"}`
}

const azureFacts = `{"id":"r-1","project":{"id":"p-1"},"defaultBranch":"refs/heads/trunk","sshUrl":"git@ssh.dev.azure.com:v3/acme/Cloud/network"}`

var azureRows = []answered{
	{"ado_services", "default", []exchange{{asks: "GET " + azure + "?api-version=5.0", answer: azureFacts}}, "trunk"},
	{"ado_services", "head", []exchange{{
		asks:   "GET " + azure + "/commits?api-version=5.0&searchCriteria.%24top=1&searchCriteria.itemVersion.version=topic%2Fa+b&searchCriteria.itemVersion.versionType=branch",
		answer: `{"count":1,"value":[{"commitId":"` + hashB + `","comment":"m","author":{"name":"Grace"},"remoteUrl":"w"}]}`,
	}}, hashB + "|m|w|Grace"},
	{"ado_services", "commit", []exchange{{
		asks: "GET " + azure + "/commits/222222222222?api-version=5.0", answer: `{"commitId":"` + hashB + `","comment":"m","author":{"name":"Grace"},"remoteUrl":"w"}`,
	}}, hashB + "|m|w|Grace"},
	{"ado_services", "hook", []exchange{
		{asks: "GET " + azure + "?api-version=5.0", answer: azureFacts},
		{asks: subscription("git.push", ""), answer: `{"id":"s-1"}`}, {asks: subscription("git.pullrequest.created", ""), answer: `{"id":"s-2"}`},
		{asks: subscription("git.pullrequest.updated", `"notificationType":"PushNotification",`), answer: `{"id":"s-3"}`},
	}, "s-1,s-2,s-3"},
	{"ado_services", "hooks", []exchange{{
		asks:   "GET /acme/_apis/hooks/subscriptions?api-version=5.0&consumerActionId=httpRequest&consumerId=webHooks&publisherId=tfs",
		answer: `{"count":3,"value":[{"id":"s-1","eventType":"git.push","consumerInputs":{"url":"https://belay.example/webhooks/vcs/x","basicAuthPassword":"********"}},{"id":"s-8","consumerInputs":{"url":"https://belay.example/webhooks/vcs/xy"}},{"id":"s-2","consumerInputs":{"url":"https://belay.example/webhooks/vcs/x"}}]}`,
	}}, "s-1,s-2"},
	{"ado_services", "unhook", []exchange{{asks: "DELETE /acme/_apis/hooks/subscriptions/7?api-version=5.0", status: 204}}, ""},
	{"ado_services", "request", []exchange{
		{asks: "GET " + azure + "/pullRequests/12/iterations?api-version=5.0", answer: `{"value":[{"id":1},{"id":3},{"id":2}]}`},
		{asks: "GET " + azure + "/pullRequests/12/iterations/3/changes?%24skip=0&%24top=2000&api-version=5.0&compareTo=0", answer: `{"changeEntries":[{"item":{"path":"/a"},"originalPath":"/b","changeType":"rename"}],"nextSkip":2000,"nextTop":1}`},
		{asks: "GET " + azure + "/pullRequests/12/iterations/3/changes?%24skip=2000&%24top=2000&api-version=5.0&compareTo=0", answer: `{"changeEntries":[{"item":{"path":"/c/d"}}],"nextSkip":0,"nextTop":0}`},
	}, "a,b,c/d"},
	{"ado_services", "request", []exchange{{asks: "GET " + azure + "/pullRequests/12/iterations?api-version=5.0", answer: `{"value":[]}`}}, "unknown"},
	{"ado_services", "push", []exchange{
		{asks: "GET " + azure + "/diffs/commits?%24skip=0&%24top=2000&api-version=5.0&baseVersion=" + hashA + "&baseVersionType=commit&diffCommonCommit=false&targetVersion=" + hashB + "&targetVersionType=commit", answer: `{"allChangesIncluded":false,"changes":[{"item":{"path":"/a","isFolder":true}},{"item":{"path":"/a/b"}}]}`},
		{asks: "GET " + azure + "/diffs/commits?%24skip=2000&%24top=2000&api-version=5.0&baseVersion=" + hashA + "&baseVersionType=commit&diffCommonCommit=false&targetVersion=" + hashB + "&targetVersionType=commit", answer: `{"allChangesIncluded":true,"changes":[{"item":{"path":"/c"},"sourceServerItem":"/d"}]}`},
	}, "a/b,c,d"},
	{"ado_services", "status", []exchange{{
		asks:   `POST ` + azure + `/commits/` + hashB + `/statuses?api-version=5.0 {"context":{"genre":"belay","name":"acme/network"},"description":"Plan: 1 to add","state":"succeeded","targetUrl":"https://belay.example/r"}`,
		status: 201, answer: `{}`,
	}}, ""},
	{"ado_services", "comment", []exchange{{
		asks:   `POST ` + azure + `/pullRequests/12/threads?api-version=5.0 {"comments":[{"commentType":"text","content":"hello","parentCommentId":0}],"status":"closed"}`,
		status: 200, answer: `{"id":5,"comments":[{"id":6}]}`,
	}}, "5/6"},
	{"ado_services", "find", []exchange{{
		asks:   "GET " + azure + "/pullRequests/12/threads?api-version=5.0",
		answer: `{"value":[{"id":4,"isDeleted":true,"comments":[{"id":1,"content":"our mark"}]},{"id":9,"comments":[{"id":1,"content":"x"},{"id":2,"content":"our mark"}]}]}`,
	}}, "9/2"},
	{"ado_services", "find", []exchange{{asks: "GET " + azure + "/pullRequests/12/threads?api-version=5.0", answer: `{"value":[]}`}}, ""},
	{"ado_services", "edit", []exchange{{asks: `PATCH ` + azure + `/pullRequests/12/threads/5/comments/6?api-version=5.0 {"content":"again"}`, answer: `{}`}}, ""},
	{"ado_services", "ssh", []exchange{{asks: "GET " + azure + "?api-version=5.0", answer: azureFacts}}, "ssh://git@ssh.dev.azure.com/v3/acme/Cloud/network"},
}
