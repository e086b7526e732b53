package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/go-tfe"
)

// demo is an organization as one is after half a year, for pictures.
type demo struct {
	*server
	ann        string // the token of an owner
	projects   map[string]string
	teams      map[string]string
	workspaces map[string]string
	campaign   string // that is the furthest
}

// demoProjects are the projects of the demo, with their workspaces: name, engine, resources, days since the last state.
var demoProjects = []struct {
	name       string
	workspaces []demoWorkspace
}{
	{"network", []demoWorkspace{{"dns-prod", "1.9.8", 143, 3}, {"vpc-prod", "1.12.6", 212, 1}, {"vpc-staging", "1.12.6", 198, 2}, {"edge-waf-prod", "1.9.5", 74, 11}, {"legacy-vpn-prod", "1.8.2", 38, 61}}},
	{"payments", []demoWorkspace{{"ledger-prod", "1.12.6", 96, 0}, {"ledger-staging", "1.12.6", 91, 0}, {"refunds-staging", "1.10.1", 47, 4}, {"reports-staging", "1.8.2", 31, 20}}},
	{"data", []demoWorkspace{{"kafka-prod", "1.12.6", 164, 1}, {"kafka-staging", "1.12.6", 152, 1}, {"lake-acl-staging", "1.9.8", 103, 4}, {"lake-raw-prod", "1.9.8", 88, 6}}},
	{"platform", []demoWorkspace{{"eks-prod", "1.12.6", 284, 0}, {"eks-staging", "1.12.6", 271, 0}, {"ci-runners", "1.10.1", 52, 9}, {"registry", "1.12.6", 23, 15}}},
	{"security", []demoWorkspace{{"iam-baseline", "1.9.8", 192, 1}, {"vault-prod", "1.9.8", 58, 6}, {"audit-logs-prod", "1.9.5", 41, 13}}},
	{"sandbox", []demoWorkspace{{"hackday", "1.12.6", 12, 2}, {"load-test", "1.12.6", 67, 5}}},
}

type demoWorkspace struct {
	name, engine    string
	resources, days int
}

// demoTeams are who is in which team, and what it may do where.
var demoTeams = []struct{ name, about, people, levels string }{
	{"platform", "Clusters, runners and everything below them", "ann bo chi", "network=write payments=read data=read platform=admin security=read sandbox=write"},
	{"network", "Names, routes and what keeps others out", "bo eli", "network=admin platform=read data=read sandbox=write"},
	{"payments", "Ledger and refunds", "fay gus", "payments=admin data=read sandbox=write"},
	{"data", "Streams and the lake", "chi hana", "data=admin sandbox=write"},
	{"security", "Rights, keys and their trail", "dee ida", "network=custom payments=read data=read platform=custom security=admin sandbox=read"},
	{"auditors", "They look, and change nothing", "ida", "network=read payments=read data=read platform=read security=read"},
}

func (d *demo) put(path, kind, attributes string, related ...string) string {
	d.t.Helper()
	relations := ""
	for i := 0; i+2 < len(related); i += 3 {
		relations += fmt.Sprintf(`%s%q:{"data":{"type":%q,"id":%q}}`, map[bool]string{true: ","}[i > 0], related[i], related[i+1], related[i+2])
	}
	return d.do("POST", path, d.ann, fmt.Sprintf(`{"data":{"type":%q,"attributes":{%s},"relationships":{%s}}}`, kind, attributes, relations)).wantAny(d.t, 200, 201).text("data.id")
}

// demonstrate fills a server with the organization of the pictures: ann owns it.
func (s *server) demonstrate() *demo {
	d := &demo{server: s, projects: map[string]string{}, teams: map[string]string{}, workspaces: map[string]string{}}
	s.organization("acme")
	for _, version := range []string{"1.8.2", "1.9.5", "1.9.8", "1.10.1", "1.12.6"} {
		s.do("POST", "/admin/terraform-versions", s.Token, fmt.Sprintf(`{"data":{"type":"terraform-versions","attributes":{"version":%q,"enabled":true}}}`, version)).wantAny(s.t, 200, 201, 422)
	}
	_, d.ann = s.user("ann")
	s.join("acme", "ann", s.owners("acme"))
	for _, p := range demoProjects {
		d.projects[p.name] = d.put("/organizations/acme/projects", "projects", fmt.Sprintf(`"name":%q`, p.name))
	}
	d.people()
	d.estate()
	d.shared()
	d.campaigns()
	d.work()
	d.age()
	return d
}

// people makes the teams.
func (d *demo) people() {
	known := map[string]bool{"ann": true}
	for _, team := range demoTeams {
		id := d.put("/organizations/acme/teams", "teams", fmt.Sprintf(`"name":%q,"description":%q,"visibility":"organization"`, team.name, team.about))
		d.teams[team.name] = id
		for _, name := range strings.Fields(team.people) {
			if known[name] {
				d.do("POST", "/teams/"+id+"/relationships/users", d.ann, fmt.Sprintf(`{"data":[{"type":"users","id":%q}]}`, name)).want(d.t, 204)
				continue
			}
			known[name] = true
			d.user(name)
			d.join("acme", name, &tfe.Team{ID: id})
		}
		for _, level := range strings.Fields(team.levels) {
			project, word, _ := strings.Cut(level, "=")
			attributes := fmt.Sprintf(`"access":%q`, word)
			if word == "custom" {
				attributes += `,"workspace-access":{"runs":"apply","state-versions":"read","variables":"read","locking":true}`
			}
			d.put("/team-projects", "team-projects", attributes, "project", "projects", d.projects[project], "team", "teams", id)
		}
	}
	d.do("POST", "/organizations/acme/organization-memberships", d.ann, `{"data":{"type":"organization-memberships","attributes":{"email":"jon@example.com"},"relationships":{"teams":{"data":[{"type":"teams","id":"`+d.teams["data"]+`"}]}}}}`).want(d.t, 201)
}

// estate makes the workspaces, each with two states.
func (d *demo) estate() {
	ann := d.client(d.ann)
	for _, p := range demoProjects {
		for _, w := range p.workspaces {
			stage := "prod"
			if strings.HasSuffix(w.name, "-staging") || p.name == "sandbox" {
				stage = "staging"
			}
			made, err := ann.Workspaces.Create(context.Background(), "acme", tfe.WorkspaceCreateOptions{
				Name: tfe.String(w.name), Project: &tfe.Project{ID: d.projects[p.name]}, TerraformVersion: tfe.String(w.engine),
				TagBindings: []*tfe.TagBinding{{Key: "env", Value: stage}, {Key: "team", Value: p.name}},
			})
			must(d.t, err)
			d.workspaces[w.name] = made.ID
			d.hold(made.ID, 1, demoResources(w.resources*9/10), "")
			d.hold(made.ID, 2, demoResources(w.resources), `"endpoint":{"value":"`+w.name+`.acme.example","type":"string"}`)
		}
	}
}

// demoResources is a state of so many resources, as they are found in one.
func demoResources(n int) string {
	var all []string
	for _, kind := range []struct {
		of           int
		module, kind string
	}{{40, "module.net", "aws_subnet"}, {25, "module.net", "aws_route"}, {20, "module.cluster", "aws_instance"}, {10, "", "aws_iam_role"}, {5, "", "aws_s3_bucket"}} {
		list := make([]string, max(1, n*kind.of/100))
		for i := range list {
			list[i] = fmt.Sprintf(`{"index_key":%d,"attributes":{"id":"%s-%d","arn":"arn:aws:%[2]s/%[1]d","tags":{"env":"prod"}}}`, i, kind.kind, i)
		}
		module := ""
		if kind.module != "" {
			module = fmt.Sprintf(`"module":%q,`, kind.module)
		}
		all = append(all, fmt.Sprintf(`{%s"mode":"managed","type":%q,"name":"main","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[%s]}`, module, kind.kind, strings.Join(list, ",")))
	}
	return strings.Join(all, ",")
}

// shared makes what workspaces share.
func (d *demo) shared() {
	for _, set := range []struct{ name, about, more, variables string }{
		{"AWS defaults", "Region and the tags that billing asks for", `"global":true`, "AWS_REGION=eu-central-1 AWS_MAX_ATTEMPTS=5"},
		{"Datadog", "Keys of the monitors", `"global":false`, "DD_SITE=datadoghq.eu"},
	} {
		id := d.put("/organizations/acme/varsets", "varsets", fmt.Sprintf(`"name":%q,"description":%q,%s`, set.name, set.about, set.more))
		for _, variable := range strings.Fields(set.variables) {
			key, value, _ := strings.Cut(variable, "=")
			d.put("/varsets/"+id+"/relationships/vars", "vars", fmt.Sprintf(`"category":"env","key":%q,"value":%q`, key, value))
		}
		if set.name == "Datadog" {
			d.put("/varsets/"+id+"/relationships/vars", "vars", `"category":"env","sensitive":true,"key":"DD_API_KEY","value":"secret"`)
			d.do("POST", "/varsets/"+id+"/relationships/projects", d.ann, fmt.Sprintf(`{"data":[{"type":"projects","id":%q},{"type":"projects","id":%q}]}`, d.projects["platform"], d.projects["data"])).want(d.t, 204)
		}
	}
	for _, name := range []string{"modules", "vendored charts"} {
		d.put("/organizations/acme/ssh-keys", "ssh-keys", fmt.Sprintf(`"name":%q,"value":"a key"`, name))
	}
	d.put("/organizations/acme/oauth-clients", "oauth-clients", `"service-provider":"gitea","name":"git.acme.example","http-url":"https://git.acme.example","api-url":"https://git.acme.example/api/v1","oauth-token-string":"secret"`)
	for _, name := range []string{"ci", "nightly drift"} {
		d.put("/teams/"+d.teams["platform"]+"/authentication-tokens", "authentication-tokens", fmt.Sprintf(`"description":%q`, name))
	}
	d.put("/organizations/acme/workspace-views", "workspace-views", `"name":"Below 1.10","query":"engine=%3C+1.10","shared":true`)
	d.put("/organizations/acme/workspace-views", "workspace-views", `"name":"Locked over a day","query":"lock=long","shared":true`)
}

// campaigns files change requests, some of which are done.
func (d *demo) campaigns() {
	file := func(subject, message, field, operator, value string) string {
		return d.do("POST", "/organizations/acme/explorer/bulk-actions", d.ann, fmt.Sprintf(
			`{"data":{"type":"bulk_actions","attributes":{"action_type":"change_requests","action_inputs":{"subject":%q,"message":%q},"query":{"type":"workspaces","filter":[{"field":%q,"operator":%q,"value":[%q]}]}}}}`,
			subject, message, field, operator, value)).wantAny(d.t, 200, 201).text("data.id")
	}
	one := file("Move to aws provider 6", "Versions of `hashicorp/aws` below **6** lose support on 15 January.\n\n1. raise it in `required_providers`\n2. run a plan; it must show no changes\n3. merge, then archive this request", "workspace_name", "contains", "-")
	two := file("Replace module vpc 3.x by 5.x", "The old module makes subnets that we can't tag.", "workspace_name", "contains", "vpc")
	d.campaign = one
	d.eventually(func() bool {
		return d.count("SELECT count(*) FROM change_requests WHERE action_id IN ('"+one+"','"+two+"')") > 20
	}, "the campaigns are filed")
	now, day := time.Now(), 24*time.Hour
	d.execute(
		fmt.Sprintf("UPDATE bulk_actions SET created_at = %d, due_at = %d WHERE id = '%s'", now.Add(-40*day).UnixMilli(), now.Add(9*day).UnixMilli(), one),
		fmt.Sprintf("UPDATE bulk_actions SET created_at = %d WHERE id = '%s'", now.Add(-12*day).UnixMilli(), two),
		fmt.Sprintf("UPDATE change_requests SET created_at = %d WHERE action_id = '%s'", now.Add(-40*day).UnixMilli(), one),
	)
	for i, of := range strings.Fields("hackday@34 dns-prod@31 ledger-staging@26 vpc-staging@24 kafka-staging@17 eks-staging@12 load-test@11 refunds-staging@9 lake-acl-staging@7 eks-prod@4 ledger-prod@2 kafka-prod@1") {
		name, ago, _ := strings.Cut(of, "@")
		var days int
		_, _ = fmt.Sscan(ago, &days)
		d.execute(fmt.Sprintf(`UPDATE change_requests SET archived_at = %d, archived_by = (SELECT id FROM users WHERE username = '%s') WHERE action_id = '%s' AND workspace_id = '%s'`,
			now.Add(-time.Duration(days)*day).UnixMilli(), []string{"bo", "chi", "fay"}[i%3], one, d.workspaces[name]))
	}
	for name, who := range map[string]string{"iam-baseline": "dee", "legacy-vpn-prod": "bo"} {
		d.execute(fmt.Sprintf(`UPDATE change_requests SET assigned_to = (SELECT id FROM users WHERE username = '%s'), assigned_at = %d WHERE action_id = '%s' AND workspace_id = '%s'`, who, now.Add(-3*day).UnixMilli(), one, d.workspaces[name]))
	}
}

// demoPlan is a plan with something to look at.
const demoPlan = `{"format_version":"1.2","resource_changes":[
{"address":"module.cluster.aws_eks_node_group.blue","module_address":"module.cluster","mode":"managed","type":"aws_eks_node_group","name":"blue","provider_name":"p","action_reason":"replace_because_cannot_update","change":{"actions":["delete","create"],"before":{"instance_types":["m6i.xlarge"],"desired_size":6,"version":"1.33"},"after":{"instance_types":["m7i.xlarge"],"desired_size":6,"version":"1.34"},"after_unknown":{"arn":true},"before_sensitive":{},"after_sensitive":{},"replace_paths":[["instance_types"]]}},
{"address":"module.cluster.aws_eks_cluster.main","module_address":"module.cluster","mode":"managed","type":"aws_eks_cluster","name":"main","provider_name":"p","change":{"actions":["update"],"before":{"version":"1.33","endpoint_public_access":true},"after":{"version":"1.34","endpoint_public_access":false},"after_unknown":{},"before_sensitive":{},"after_sensitive":{}}},
{"address":"aws_iam_policy.deploy","mode":"managed","type":"aws_iam_policy","name":"deploy","provider_name":"p","change":{"actions":["update"],"before":{"policy":"{\"Action\":[\"s3:GetObject\"],\"Effect\":\"Allow\"}"},"after":{"policy":"{\"Action\":[\"s3:GetObject\",\"s3:PutObject\"],\"Effect\":\"Allow\"}"},"after_unknown":{},"before_sensitive":{},"after_sensitive":{}}},
{"address":"aws_sqs_queue.drain","mode":"managed","type":"aws_sqs_queue","name":"drain","provider_name":"p","change":{"actions":["create"],"before":null,"after":{"name":"eks-drain"},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{}}}],
"output_changes":{"version":{"actions":["update"],"before":"1.33","after":"1.34","after_unknown":false,"before_sensitive":false,"after_sensitive":false}}}`

// work makes runs: some done, one failed, one that waits to be confirmed; and who is told.
func (d *demo) work() {
	pool, runner := d.agents("acme")
	agent := func(name string) string {
		id := d.workspaces[name]
		d.do("PATCH", "/workspaces/"+id, d.ann, `{"data":{"type":"workspaces","attributes":{"execution-mode":"agent","agent-pool-id":"`+pool+`","terraform-version":"1.12.6","engine":"tofu"}}}`).want(d.t, 200)
		d.upload(id, "")
		return id
	}
	const log = "\x1b[1mmodule.cluster.aws_eks_cluster.main\x1b[0m: Refreshing state... [id=eks-prod]\n\n\x1b[1mPlan:\x1b[0m 2 to add, 2 to change, 1 to destroy.\n"
	start := func(id, message, outcome string) string {
		run := d.do("POST", "/runs", d.ann, runOf(id, fmt.Sprintf(`"message":%q`, message))).want(d.t, 201).text("data.id")
		d.carry(runner, "plan", map[string]string{"plan-json": demoPlan, "plan": "planned", "log": log}, outcome)
		return run
	}
	const planned, failed = `{"outcome":"succeeded","has_changes":true}`, `{"outcome":"errored","exit_code":1,"error":"the provider answers 403"}`
	eks, ledger, kafka := agent("eks-prod"), agent("ledger-prod"), agent("kafka-staging")
	for _, message := range []string{"Rotate the node image", "Bump ingress to 4.12"} {
		run := start(eks, message, planned)
		d.do("POST", "/runs/"+run+"/actions/apply", d.ann, `{"comment":"reviewed"}`).want(d.t, 202)
		d.carry(runner, "apply", map[string]string{"state": string(stateHolding(3, demoResources(284), "")), "log": "Apply complete!\n"}, `{"outcome":"succeeded","state_home":true}`)
	}
	start(kafka, "Widen the retention", failed)
	start(ledger, "Two more read replicas", planned)
	run := start(eks, "Upgrade the cluster to 1.34", planned)
	d.put("/runs/"+run+"/comments", "comments", `"body":"Drained blue by hand first, see the runbook."`)
	_, err := d.admin().Workspaces.Lock(context.Background(), d.workspaces["vault-prod"], tfe.WorkspaceLockOptions{Reason: tfe.String("unseal keys are being moved")})
	must(d.t, err)
	good, bad := receiver(d.t, nil), receiver(d.t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	for _, told := range []struct{ of, name, url, triggers string }{
		{"/workspaces/" + eks, "on-call webhook", good.URL, `"run:needs_attention","run:errored"`},
		{"/workspaces/" + kafka, "data channel", bad.URL, `"run:errored"`},
		{"/teams/" + d.teams["platform"], "platform channel", good.URL, `"change_request:created"`},
	} {
		id := d.put(told.of+"/notification-configurations", "notification-configuration", fmt.Sprintf(`"destination-type":"generic","enabled":true,"name":%q,"url":%q,"triggers":[%s]`, told.name, told.url, told.triggers))
		d.execute(fmt.Sprintf("UPDATE notifications SET url = 'https://hooks.acme.example/%s' WHERE id = '%s'", strings.ReplaceAll(told.name, " ", "-"), id))
		if told.url == bad.URL {
			d.told(id)
		}
	}
}

// told makes deliveries to a destination, as they are kept.
func (d *demo) told(id string) {
	for i, each := range []struct{ of, raised, status, answer string }{
		{"kafka-staging", "run:errored", "parked", `{"code":"502","body":"bad gateway"}`},
		{"kafka-staging", "run:needs_attention", "delivered", `{"code":"200","successful":true}`},
		{"kafka-staging", "run:completed", "delivered", `{"code":"200","successful":true}`},
		{"kafka-staging", "change_request:created", "delivered", `{"code":"204","successful":true}`},
	} {
		at := time.Now().Add(-time.Duration(i*i*7+1) * time.Hour).UnixMilli()
		d.execute(fmt.Sprintf(`INSERT INTO deliveries (id, event_id, notification_id, workspace_id, change_request_id, action_id, raised, status, attempts, next_at, claim, response, created_at, updated_at)
			VALUES ('d-%d', 'ev-%[1]d', '%[2]s', '%[3]s', '', '', '%[4]s', '%[5]s', %[6]d, 0, '', '%[7]s', %[8]d, %[8]d)`, i, id, d.workspaces[each.of], each.raised, each.status, map[bool]int{true: 8, false: 1}[each.status == "parked"], each.answer, at))
	}
}

// age makes the past that nobody waits for.
func (d *demo) age() {
	now, day := time.Now(), 24*time.Hour
	d.execute("UPDATE events SET at = at - (SELECT count(*) FROM events e WHERE e.id > events.id) * 660000")
	d.pastRuns()
	for _, p := range demoProjects {
		for i, w := range p.workspaces {
			last := now.Add(-time.Duration(w.days)*day - time.Duration(i*37+12)*time.Minute)
			d.execute(
				fmt.Sprintf("UPDATE workspaces SET latest_change_at = %[1]d, updated_at = %[1]d WHERE id = '%[2]s'", last.UnixMilli(), d.workspaces[w.name]),
				fmt.Sprintf("UPDATE state_versions SET created_at = %d WHERE workspace_id = '%s' AND serial = 2", last.UnixMilli(), d.workspaces[w.name]),
				fmt.Sprintf("UPDATE state_versions SET created_at = %d WHERE workspace_id = '%s' AND serial = 1", last.Add(-30*day).UnixMilli(), d.workspaces[w.name]),
			)
		}
	}
}

// pastRuns copies the runs that have ended over the last weeks.
func (d *demo) pastRuns() {
	rows, err := d.database().QueryContext(context.Background(), "SELECT * FROM runs LIMIT 1")
	must(d.t, err)
	names, err := rows.Columns()
	must(d.t, err)
	must(d.t, rows.Close())
	for ago := 1; ago < 28; ago++ {
		for n := range (ago*5 + 3) % 9 {
			chosen := make([]string, len(names))
			for i, name := range names {
				switch chosen[i] = name; name {
				case "id", "plan_id", "apply_id":
					chosen[i] = fmt.Sprintf("substr(%s, 1, length(%[1]s) - 4) || '%02d%02d'", name, ago, n)
				case "created_at", "updated_at", "active_at":
					chosen[i] = fmt.Sprintf("%s - %d", name, (time.Duration(ago)*24*time.Hour + time.Duration(n)*37*time.Minute).Milliseconds())
				}
			}
			ended := map[bool]string{true: "errored", false: "applied"}[(ago+n)%7 == 0]
			d.execute(fmt.Sprintf("INSERT INTO runs (%s) SELECT %s FROM runs WHERE status = '%s' ORDER BY created_at DESC LIMIT 1", strings.Join(names, ", "), strings.Join(chosen, ", "), ended))
		}
	}
}
