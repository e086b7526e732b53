agent_pool_excluded.pool_id text COLLATE C NOT NULL
agent_pool_excluded.workspace_id text COLLATE C NOT NULL
agent_pool_excluded PRIMARY KEY (pool_id, workspace_id)
agent_pool_excluded FOREIGN KEY (pool_id) REFERENCES agent_pools(id) ON DELETE CASCADE
agent_pool_excluded FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX agent_pool_excluded_pkey ON public.agent_pool_excluded USING btree (pool_id, workspace_id)
CREATE INDEX agent_pool_excluded_workspace ON public.agent_pool_excluded USING btree (workspace_id)
agent_pool_projects.pool_id text COLLATE C NOT NULL
agent_pool_projects.project_id text COLLATE C NOT NULL
agent_pool_projects PRIMARY KEY (pool_id, project_id)
agent_pool_projects FOREIGN KEY (pool_id) REFERENCES agent_pools(id) ON DELETE CASCADE
agent_pool_projects FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
CREATE UNIQUE INDEX agent_pool_projects_pkey ON public.agent_pool_projects USING btree (pool_id, project_id)
CREATE INDEX agent_pool_projects_project ON public.agent_pool_projects USING btree (project_id)
agent_pool_workspaces.pool_id text COLLATE C NOT NULL
agent_pool_workspaces.workspace_id text COLLATE C NOT NULL
agent_pool_workspaces PRIMARY KEY (pool_id, workspace_id)
agent_pool_workspaces FOREIGN KEY (pool_id) REFERENCES agent_pools(id) ON DELETE CASCADE
agent_pool_workspaces FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX agent_pool_workspaces_pkey ON public.agent_pool_workspaces USING btree (pool_id, workspace_id)
CREATE INDEX agent_pool_workspaces_workspace ON public.agent_pool_workspaces USING btree (workspace_id)
agent_pools.id text COLLATE C NOT NULL
agent_pools.organization_id text COLLATE C NOT NULL
agent_pools.name text COLLATE C NOT NULL
agent_pools.organization_scoped boolean NOT NULL
agent_pools.created_at bigint NOT NULL
agent_pools FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
agent_pools PRIMARY KEY (id)
CREATE UNIQUE INDEX agent_pools_name ON public.agent_pools USING btree (organization_id, name)
CREATE UNIQUE INDEX agent_pools_pkey ON public.agent_pools USING btree (id)
assessments.id text COLLATE C NOT NULL
assessments.workspace_id text COLLATE C NOT NULL
assessments.organization_id text COLLATE C NOT NULL
assessments.run_id text COLLATE C NOT NULL
assessments.succeeded boolean NOT NULL
assessments.problem text COLLATE C NOT NULL
assessments.created_at bigint NOT NULL
assessments.resources_drifted bigint NOT NULL
assessments.resources_undrifted bigint NOT NULL
assessments.checks_passed bigint NOT NULL
assessments.checks_failed bigint NOT NULL
assessments.checks_errored bigint NOT NULL
assessments.checks_unknown bigint NOT NULL
assessments PRIMARY KEY (id)
assessments FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX assessments_attention ON public.assessments USING btree (organization_id, workspace_id) WHERE ((resources_drifted > 0) OR (checks_failed > 0) OR (checks_errored > 0) OR (NOT succeeded))
CREATE UNIQUE INDEX assessments_pkey ON public.assessments USING btree (id)
CREATE INDEX assessments_workspace ON public.assessments USING btree (workspace_id, created_at, id)
bulk_actions.id text COLLATE C NOT NULL
bulk_actions.organization_id text COLLATE C NOT NULL
bulk_actions.subject text COLLATE C NOT NULL
bulk_actions.message text COLLATE C NOT NULL
bulk_actions.query text COLLATE C NOT NULL
bulk_actions.created_count bigint NOT NULL
bulk_actions.created_by text COLLATE C NOT NULL
bulk_actions.created_by_name text COLLATE C NOT NULL
bulk_actions.idempotency_key text COLLATE C NOT NULL
bulk_actions.request_hash text COLLATE C NOT NULL
bulk_actions.created_at bigint NOT NULL
bulk_actions.unfinished_until bigint NOT NULL DEFAULT 0
bulk_actions.due_at bigint NOT NULL DEFAULT 0
bulk_actions.reminded_at bigint NOT NULL DEFAULT 0
bulk_actions.key_holder text COLLATE C NOT NULL DEFAULT ''::text
bulk_actions FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
bulk_actions PRIMARY KEY (id)
CREATE UNIQUE INDEX bulk_actions_key ON public.bulk_actions USING btree (organization_id, key_holder, idempotency_key) WHERE (idempotency_key <> ''::text)
CREATE INDEX bulk_actions_organization ON public.bulk_actions USING btree (organization_id, created_by, id)
CREATE UNIQUE INDEX bulk_actions_pkey ON public.bulk_actions USING btree (id)
CREATE INDEX bulk_actions_unfinished ON public.bulk_actions USING btree (unfinished_until, id) WHERE (unfinished_until > 0)
change_requests.id text COLLATE C NOT NULL
change_requests.organization_id text COLLATE C NOT NULL
change_requests.workspace_id text COLLATE C NOT NULL
change_requests.action_id text COLLATE C NOT NULL
change_requests.archived_by text COLLATE C NOT NULL
change_requests.archived_at bigint NOT NULL
change_requests.created_at bigint NOT NULL
change_requests.updated_at bigint NOT NULL
change_requests.run_id text COLLATE C NOT NULL DEFAULT ''::text
change_requests.assigned_to text COLLATE C NOT NULL DEFAULT ''::text
change_requests.assigned_at bigint NOT NULL DEFAULT 0
change_requests FOREIGN KEY (action_id) REFERENCES bulk_actions(id) ON DELETE CASCADE
change_requests PRIMARY KEY (id)
change_requests FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX change_requests_action ON public.change_requests USING btree (action_id, workspace_id)
CREATE INDEX change_requests_assignee ON public.change_requests USING btree (organization_id, assigned_to) WHERE (assigned_to <> ''::text)
CREATE INDEX change_requests_backlog ON public.change_requests USING btree (organization_id, ((archived_at > 0)), archived_at DESC, created_at DESC, id DESC)
CREATE INDEX change_requests_open ON public.change_requests USING btree (organization_id, workspace_id, action_id) WHERE (archived_at = 0)
CREATE INDEX change_requests_organization ON public.change_requests USING btree (organization_id, created_at, id)
CREATE UNIQUE INDEX change_requests_pkey ON public.change_requests USING btree (id)
CREATE INDEX change_requests_progress ON public.change_requests USING btree (action_id, archived_at)
CREATE INDEX change_requests_workspace ON public.change_requests USING btree (workspace_id, archived_at, created_at, id)
configuration_readmes.configuration_version_id text COLLATE C NOT NULL
configuration_readmes.sealed text COLLATE C NOT NULL
configuration_readmes FOREIGN KEY (configuration_version_id) REFERENCES configuration_versions(id) ON DELETE CASCADE
configuration_readmes PRIMARY KEY (configuration_version_id)
CREATE UNIQUE INDEX configuration_readmes_pkey ON public.configuration_readmes USING btree (configuration_version_id)
configuration_versions.id text COLLATE C NOT NULL
configuration_versions.workspace_id text COLLATE C NOT NULL
configuration_versions.sequence bigint NOT NULL
configuration_versions.status text COLLATE C NOT NULL
configuration_versions.auto_queue_runs boolean NOT NULL
configuration_versions.speculative boolean NOT NULL
configuration_versions.provisional boolean NOT NULL
configuration_versions.candidate boolean NOT NULL
configuration_versions.source text COLLATE C NOT NULL
configuration_versions.error_code text COLLATE C NOT NULL
configuration_versions.error_message text COLLATE C NOT NULL
configuration_versions.stamps text COLLATE C NOT NULL
configuration_versions.blob_key text COLLATE C NOT NULL
configuration_versions.size bigint NOT NULL
configuration_versions.sha256 text COLLATE C NOT NULL
configuration_versions.ingress_id text COLLATE C NOT NULL
configuration_versions.ingress text COLLATE C NOT NULL
configuration_versions.created_by text COLLATE C NOT NULL
configuration_versions.author text COLLATE C NOT NULL
configuration_versions.created_at bigint NOT NULL
configuration_versions.moved_at bigint NOT NULL
configuration_versions.fetch_id text COLLATE C NOT NULL DEFAULT ''::text
configuration_versions.vetted boolean NOT NULL DEFAULT true
configuration_versions PRIMARY KEY (id)
configuration_versions FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX configuration_versions_blob ON public.configuration_versions USING btree (blob_key) WHERE (blob_key <> ''::text)
CREATE INDEX configuration_versions_fetch ON public.configuration_versions USING btree (fetch_id, status) WHERE (fetch_id <> ''::text)
CREATE INDEX configuration_versions_fetching ON public.configuration_versions USING btree (id) WHERE (status = 'fetching'::text)
CREATE UNIQUE INDEX configuration_versions_ingress ON public.configuration_versions USING btree (ingress_id) WHERE (ingress_id <> ''::text)
CREATE INDEX configuration_versions_moved ON public.configuration_versions USING btree (status, moved_at)
CREATE UNIQUE INDEX configuration_versions_pkey ON public.configuration_versions USING btree (id)
CREATE UNIQUE INDEX configuration_versions_workspace ON public.configuration_versions USING btree (workspace_id, sequence)
deliveries.id text COLLATE C NOT NULL
deliveries.event_id text COLLATE C NOT NULL
deliveries.notification_id text COLLATE C NOT NULL
deliveries.workspace_id text COLLATE C NOT NULL
deliveries.change_request_id text COLLATE C NOT NULL
deliveries.action_id text COLLATE C NOT NULL
deliveries.status text COLLATE C NOT NULL
deliveries.attempts bigint NOT NULL
deliveries.next_at bigint NOT NULL
deliveries.claim text COLLATE C NOT NULL
deliveries.response text COLLATE C NOT NULL
deliveries.created_at bigint NOT NULL
deliveries.updated_at bigint NOT NULL
deliveries.raised text COLLATE C NOT NULL DEFAULT 'change_request:created'::text
deliveries.run_id text COLLATE C NOT NULL DEFAULT ''::text
deliveries.run_place bigint NOT NULL DEFAULT 0
deliveries.run_status text COLLATE C NOT NULL DEFAULT ''::text
deliveries.acted_by text COLLATE C NOT NULL DEFAULT ''::text
deliveries.facts text COLLATE C NOT NULL DEFAULT ''::text
deliveries.assessment text COLLATE C NOT NULL DEFAULT ''::text
deliveries.organization_id text COLLATE C NOT NULL DEFAULT ''::text
deliveries FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE
deliveries PRIMARY KEY (id)
CREATE INDEX deliveries_action ON public.deliveries USING btree (action_id, status) WHERE (action_id <> ''::text)
CREATE INDEX deliveries_arrived ON public.deliveries USING btree (updated_at, id) WHERE (status = 'delivered'::text)
CREATE INDEX deliveries_due ON public.deliveries USING btree (notification_id, next_at, id) WHERE (status = 'pending'::text)
CREATE INDEX deliveries_list ON public.deliveries USING btree (notification_id, created_at, id)
CREATE INDEX deliveries_next ON public.deliveries USING btree (next_at) WHERE (status = 'pending'::text)
CREATE UNIQUE INDEX deliveries_once ON public.deliveries USING btree (event_id, notification_id, workspace_id)
CREATE INDEX deliveries_parked ON public.deliveries USING btree (updated_at, id) WHERE (status = 'parked'::text)
CREATE UNIQUE INDEX deliveries_pkey ON public.deliveries USING btree (id)
CREATE INDEX deliveries_raised ON public.deliveries USING btree (raised, status, updated_at, id)
CREATE INDEX deliveries_run ON public.deliveries USING btree (notification_id, run_id, run_place) WHERE ((status = 'pending'::text) AND (run_id <> ''::text))
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (updated_at, id) WHERE (status = 'pending'::text)
CREATE INDEX deliveries_whose ON public.deliveries USING btree (organization_id, status, updated_at, id)
drift_readings.workspace_id text COLLATE C NOT NULL
drift_readings.state_version_id text COLLATE C NOT NULL
drift_readings.run_id text COLLATE C NOT NULL
drift_readings.at bigint NOT NULL
drift_readings PRIMARY KEY (workspace_id)
drift_readings FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX drift_readings_at ON public.drift_readings USING btree (at, workspace_id)
CREATE UNIQUE INDEX drift_readings_pkey ON public.drift_readings USING btree (workspace_id)
due.kind text COLLATE C NOT NULL
due.subject_id text COLLATE C NOT NULL
due.at bigint NOT NULL
due PRIMARY KEY (kind, subject_id)
CREATE INDEX due_at ON public.due USING btree (at)
CREATE UNIQUE INDEX due_pkey ON public.due USING btree (kind, subject_id)
encryption_keys.fingerprint text COLLATE C NOT NULL
encryption_keys.leads boolean NOT NULL
encryption_keys PRIMARY KEY (fingerprint)
CREATE UNIQUE INDEX encryption_keys_pkey ON public.encryption_keys USING btree (fingerprint)
engine_versions.id text COLLATE C NOT NULL
engine_versions.version text COLLATE C NOT NULL
engine_versions.url text COLLATE C NOT NULL
engine_versions.sha text COLLATE C NOT NULL
engine_versions.official boolean NOT NULL
engine_versions.enabled boolean NOT NULL
engine_versions.beta boolean NOT NULL
engine_versions.deprecated boolean NOT NULL
engine_versions.deprecated_reason text COLLATE C NOT NULL
engine_versions.created_at bigint NOT NULL
engine_versions.archs text NOT NULL DEFAULT ''::text
engine_versions PRIMARY KEY (id)
CREATE UNIQUE INDEX engine_versions_pkey ON public.engine_versions USING btree (id)
CREATE UNIQUE INDEX engine_versions_version ON public.engine_versions USING btree (version)
event_queue.event_id text COLLATE C NOT NULL
event_queue.kind text COLLATE C NOT NULL
event_queue.resource_id text COLLATE C NOT NULL
event_queue.after_workspace text COLLATE C NOT NULL
event_queue PRIMARY KEY (event_id)
CREATE UNIQUE INDEX event_queue_pkey ON public.event_queue USING btree (event_id)
events.id text COLLATE C NOT NULL
events.at bigint NOT NULL
events.kind text COLLATE C NOT NULL
events.organization_id text COLLATE C NOT NULL
events.workspace_id text COLLATE C NOT NULL
events.resource_type text COLLATE C NOT NULL
events.resource_id text COLLATE C NOT NULL
events.actor_type text COLLATE C NOT NULL
events.actor_id text COLLATE C NOT NULL
events.actor_name text COLLATE C NOT NULL
events.payload text COLLATE C NOT NULL
events.request_id text COLLATE C NOT NULL DEFAULT ''::text
events PRIMARY KEY (id)
CREATE INDEX events_organization ON public.events USING btree (organization_id, id)
CREATE UNIQUE INDEX events_pkey ON public.events USING btree (id)
CREATE INDEX events_workspace ON public.events USING btree (workspace_id, id) WHERE (workspace_id <> ''::text)
flows.pool_id text COLLATE C NOT NULL
flows.organization_id text COLLATE C NOT NULL
flows.last_vtime bigint NOT NULL
flows PRIMARY KEY (pool_id, organization_id)
CREATE UNIQUE INDEX flows_pkey ON public.flows USING btree (pool_id, organization_id)
github_app_installations.id text COLLATE C NOT NULL
github_app_installations.number bigint NOT NULL
github_app_installations.name text COLLATE C NOT NULL
github_app_installations.kind text COLLATE C NOT NULL
github_app_installations.url text COLLATE C NOT NULL
github_app_installations.icon_url text COLLATE C NOT NULL
github_app_installations.http_url text COLLATE C NOT NULL
github_app_installations.api_url text COLLATE C NOT NULL
github_app_installations.state text COLLATE C NOT NULL
github_app_installations.created_at bigint NOT NULL
github_app_installations.updated_at bigint NOT NULL
github_app_installations PRIMARY KEY (id)
CREATE UNIQUE INDEX github_app_installations_number ON public.github_app_installations USING btree (number)
CREATE UNIQUE INDEX github_app_installations_pkey ON public.github_app_installations USING btree (id)
identities.id text COLLATE C NOT NULL
identities.user_id text COLLATE C NOT NULL
identities.issuer text COLLATE C NOT NULL
identities.subject text COLLATE C NOT NULL
identities.email text COLLATE C NOT NULL
identities.group_names text COLLATE C NOT NULL
identities.admin boolean NOT NULL
identities.refresh_token text COLLATE C NOT NULL
identities.asserted_at bigint NOT NULL
identities.check_at bigint NOT NULL
identities.created_at bigint NOT NULL
identities PRIMARY KEY (id)
identities FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE INDEX identities_check ON public.identities USING btree (check_at) WHERE (check_at > 0)
CREATE UNIQUE INDEX identities_pkey ON public.identities USING btree (id)
CREATE UNIQUE INDEX identities_subject ON public.identities USING btree (issuer, subject)
CREATE INDEX identities_user ON public.identities USING btree (user_id)
jobs.id text COLLATE C NOT NULL
jobs.run_id text COLLATE C NOT NULL
jobs.workspace_id text COLLATE C NOT NULL
jobs.organization_id text COLLATE C NOT NULL
jobs.pool_id text COLLATE C NOT NULL
jobs.kind text COLLATE C NOT NULL
jobs.class bigint NOT NULL
jobs.vtime bigint NOT NULL
jobs.state text COLLATE C NOT NULL
jobs.attempt bigint NOT NULL
jobs.lease_hash text COLLATE C NOT NULL
jobs.lease_until bigint NOT NULL
jobs.runner_id text COLLATE C NOT NULL
jobs.nonce text COLLATE C NOT NULL
jobs.cancel text COLLATE C NOT NULL
jobs.queued_at bigint NOT NULL
jobs.taken_at bigint NOT NULL
jobs.started_at bigint NOT NULL
jobs.engine_at bigint NOT NULL
jobs.ended_at bigint NOT NULL
jobs.outcome text COLLATE C NOT NULL
jobs.ending text COLLATE C NOT NULL
jobs.error text COLLATE C NOT NULL
jobs.risen_at bigint NOT NULL DEFAULT 0
jobs.token_hash text NOT NULL DEFAULT ''::text
jobs.token_until bigint NOT NULL DEFAULT 0
jobs PRIMARY KEY (id)
jobs FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX jobs_attempt ON public.jobs USING btree (run_id, kind, attempt)
CREATE INDEX jobs_claimed ON public.jobs USING btree (runner_id, nonce) WHERE (state = ANY (ARRAY['leased'::text, 'lost'::text]))
CREATE INDEX jobs_given ON public.jobs USING btree (pool_id, vtime) WHERE (taken_at > 0)
CREATE INDEX jobs_held ON public.jobs USING btree (class, queued_at, id) WHERE (state = 'held'::text)
CREATE UNIQUE INDEX jobs_lease ON public.jobs USING btree (lease_hash) WHERE (lease_hash <> ''::text)
CREATE INDEX jobs_leased ON public.jobs USING btree (lease_until) WHERE (state = 'leased'::text)
CREATE INDEX jobs_of_run ON public.jobs USING btree (run_id) WHERE (run_id <> ''::text)
CREATE INDEX jobs_open ON public.jobs USING btree (workspace_id) WHERE (state <> 'ended'::text)
CREATE UNIQUE INDEX jobs_pkey ON public.jobs USING btree (id)
CREATE INDEX jobs_queued ON public.jobs USING btree (pool_id, organization_id, vtime)
CREATE INDEX jobs_runner ON public.jobs USING btree (runner_id) WHERE (state = 'leased'::text)
CREATE INDEX jobs_token ON public.jobs USING btree (token_hash) WHERE (token_hash <> ''::text)
CREATE INDEX jobs_under_way ON public.jobs USING btree (organization_id) WHERE (state <> 'ended'::text)
CREATE INDEX jobs_waiting ON public.jobs USING btree (pool_id, class, vtime, id) WHERE (state = 'waiting'::text)
CREATE INDEX jobs_workspace ON public.jobs USING btree (workspace_id)
kept_answers.principal text COLLATE C NOT NULL
kept_answers.name text COLLATE C NOT NULL
kept_answers.fingerprint text COLLATE C NOT NULL
kept_answers.status bigint NOT NULL
kept_answers.answer text COLLATE C NOT NULL
kept_answers.created_at bigint NOT NULL
kept_answers PRIMARY KEY (principal, name)
CREATE INDEX kept_answers_age ON public.kept_answers USING btree (created_at)
CREATE UNIQUE INDEX kept_answers_pkey ON public.kept_answers USING btree (principal, name)
leases.name text COLLATE C NOT NULL
leases.holder text COLLATE C NOT NULL
leases.until bigint NOT NULL
leases PRIMARY KEY (name)
CREATE UNIQUE INDEX leases_pkey ON public.leases USING btree (name)
log_chunks.log_id text COLLATE C NOT NULL
log_chunks.at bigint NOT NULL
log_chunks.data bytea NOT NULL
log_chunks FOREIGN KEY (log_id) REFERENCES logs(id) ON DELETE CASCADE
log_chunks PRIMARY KEY (log_id, at)
CREATE UNIQUE INDEX log_chunks_pkey ON public.log_chunks USING btree (log_id, at)
login_codes.hash text COLLATE C NOT NULL
login_codes.user_id text COLLATE C NOT NULL
login_codes.client_id text COLLATE C NOT NULL
login_codes.redirect_uri text COLLATE C NOT NULL
login_codes.challenge text COLLATE C NOT NULL
login_codes.token_id text COLLATE C NOT NULL
login_codes.created_at bigint NOT NULL
login_codes.expired_at bigint NOT NULL
login_codes.used_at bigint NOT NULL
login_codes.identity_id text COLLATE C NOT NULL DEFAULT ''::text
login_codes PRIMARY KEY (hash)
login_codes FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE INDEX login_codes_expired ON public.login_codes USING btree (expired_at)
CREATE UNIQUE INDEX login_codes_pkey ON public.login_codes USING btree (hash)
CREATE INDEX login_codes_user ON public.login_codes USING btree (user_id)
logs.id text COLLATE C NOT NULL
logs.run_id text COLLATE C NOT NULL
logs.state text COLLATE C NOT NULL
logs.size bigint NOT NULL
logs.sealed_size bigint NOT NULL
logs.truncated_at bigint NOT NULL
logs.watched_until bigint NOT NULL
logs.marks text COLLATE C NOT NULL DEFAULT ''::text
logs PRIMARY KEY (id)
logs FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
CREATE INDEX logs_ended ON public.logs USING btree (state) WHERE (state = 'ended'::text)
CREATE UNIQUE INDEX logs_pkey ON public.logs USING btree (id)
CREATE INDEX logs_run ON public.logs USING btree (run_id)
loose_outputs.state_version_id text COLLATE C NOT NULL
loose_outputs.set_id text COLLATE C NOT NULL
loose_outputs.free_at bigint NOT NULL
loose_outputs PRIMARY KEY (state_version_id, set_id)
CREATE INDEX loose_outputs_free ON public.loose_outputs USING btree (free_at)
CREATE UNIQUE INDEX loose_outputs_pkey ON public.loose_outputs USING btree (state_version_id, set_id)
mail_left_out.user_id text COLLATE C NOT NULL
mail_left_out.told_as text COLLATE C NOT NULL
mail_left_out PRIMARY KEY (user_id, told_as)
mail_left_out FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE UNIQUE INDEX mail_left_out_pkey ON public.mail_left_out USING btree (user_id, told_as)
mail_links.hash text COLLATE C NOT NULL
mail_links.kind text COLLATE C NOT NULL
mail_links.user_id text COLLATE C NOT NULL
mail_links.created_at bigint NOT NULL
mail_links.expired_at bigint NOT NULL
mail_links.created_by text COLLATE C NOT NULL DEFAULT ''::text
mail_links PRIMARY KEY (hash)
mail_links FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE INDEX mail_links_created ON public.mail_links USING btree (created_at)
CREATE UNIQUE INDEX mail_links_pkey ON public.mail_links USING btree (hash)
CREATE INDEX mail_links_user ON public.mail_links USING btree (user_id, created_at)
meta.name text COLLATE C NOT NULL
meta.value text COLLATE C NOT NULL
meta PRIMARY KEY (name)
CREATE UNIQUE INDEX meta_pkey ON public.meta USING btree (name)
notification_users.notification_id text COLLATE C NOT NULL
notification_users.user_id text COLLATE C NOT NULL
notification_users FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE
notification_users PRIMARY KEY (notification_id, user_id)
notification_users FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE UNIQUE INDEX notification_users_pkey ON public.notification_users USING btree (notification_id, user_id)
CREATE INDEX notification_users_user ON public.notification_users USING btree (user_id)
notifications.id text COLLATE C NOT NULL
notifications.organization_id text COLLATE C NOT NULL
notifications.team_id text COLLATE C
notifications.workspace_id text COLLATE C
notifications.project_id text COLLATE C
notifications.name text COLLATE C NOT NULL
notifications.destination text COLLATE C NOT NULL
notifications.enabled boolean NOT NULL
notifications.triggers text COLLATE C NOT NULL
notifications.on_change_request boolean NOT NULL
notifications.url text COLLATE C NOT NULL
notifications.sealed_token text COLLATE C NOT NULL
notifications.email_addresses text COLLATE C NOT NULL
notifications.email_all_members boolean NOT NULL
notifications.response text COLLATE C NOT NULL DEFAULT ''::text
notifications.created_at bigint NOT NULL
notifications.updated_at bigint NOT NULL
notifications FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
notifications PRIMARY KEY (id)
notifications FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
notifications FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
notifications FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX notifications_mailed ON public.notifications USING btree (organization_id, workspace_id) WHERE ((destination = 'email'::text) AND (workspace_id IS NOT NULL))
CREATE INDEX notifications_organization ON public.notifications USING btree (organization_id, on_change_request)
CREATE UNIQUE INDEX notifications_pkey ON public.notifications USING btree (id)
CREATE INDEX notifications_project ON public.notifications USING btree (project_id, created_at, id)
CREATE INDEX notifications_team ON public.notifications USING btree (team_id, created_at, id)
CREATE INDEX notifications_workspace ON public.notifications USING btree (workspace_id, created_at, id)
oauth_client_projects.client_id text COLLATE C NOT NULL
oauth_client_projects.project_id text COLLATE C NOT NULL
oauth_client_projects FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE
oauth_client_projects PRIMARY KEY (client_id, project_id)
oauth_client_projects FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
CREATE UNIQUE INDEX oauth_client_projects_pkey ON public.oauth_client_projects USING btree (client_id, project_id)
CREATE INDEX oauth_client_projects_project ON public.oauth_client_projects USING btree (project_id)
oauth_clients.id text COLLATE C NOT NULL
oauth_clients.organization_id text COLLATE C NOT NULL
oauth_clients.name text COLLATE C NOT NULL
oauth_clients.service_provider text COLLATE C NOT NULL
oauth_clients.http_url text COLLATE C NOT NULL
oauth_clients.api_url text COLLATE C NOT NULL
oauth_clients.client_key text COLLATE C NOT NULL
oauth_clients.sealed_secret text COLLATE C NOT NULL
oauth_clients.sealed_private_key text COLLATE C NOT NULL
oauth_clients.rsa_public_key text COLLATE C NOT NULL
oauth_clients.organization_scoped boolean NOT NULL
oauth_clients.agent_pool_id text COLLATE C NOT NULL
oauth_clients.created_at bigint NOT NULL
oauth_clients.updated_at bigint NOT NULL DEFAULT 0
oauth_clients.app_installation_id text COLLATE C NOT NULL DEFAULT ''::text
oauth_clients.created_by text COLLATE C NOT NULL DEFAULT ''::text
oauth_clients FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
oauth_clients PRIMARY KEY (id)
CREATE UNIQUE INDEX oauth_clients_app_installation ON public.oauth_clients USING btree (app_installation_id, organization_id) WHERE (app_installation_id <> ''::text)
CREATE INDEX oauth_clients_organization ON public.oauth_clients USING btree (organization_id, created_at, id)
CREATE UNIQUE INDEX oauth_clients_pkey ON public.oauth_clients USING btree (id)
oauth_tokens.id text COLLATE C NOT NULL
oauth_tokens.client_id text COLLATE C NOT NULL
oauth_tokens.organization_id text COLLATE C NOT NULL
oauth_tokens.service_provider_user text COLLATE C NOT NULL
oauth_tokens.sealed text COLLATE C NOT NULL
oauth_tokens.sealed_ssh_key text COLLATE C NOT NULL
oauth_tokens.created_at bigint NOT NULL
oauth_tokens.refused_at bigint NOT NULL DEFAULT 0
oauth_tokens FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE
oauth_tokens FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
oauth_tokens PRIMARY KEY (id)
CREATE INDEX oauth_tokens_client ON public.oauth_tokens USING btree (client_id, created_at)
CREATE INDEX oauth_tokens_organization ON public.oauth_tokens USING btree (organization_id, created_at, id)
CREATE UNIQUE INDEX oauth_tokens_pkey ON public.oauth_tokens USING btree (id)
organization_counts.organization_id text COLLATE C NOT NULL
organization_counts.slot bigint NOT NULL
organization_counts.workspaces bigint NOT NULL
organization_counts.generation bigint NOT NULL
organization_counts.facts_generation bigint NOT NULL
organization_counts FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
organization_counts PRIMARY KEY (organization_id, slot)
CREATE UNIQUE INDEX organization_counts_pkey ON public.organization_counts USING btree (organization_id, slot)
organization_memberships.id text COLLATE C NOT NULL
organization_memberships.organization_id text COLLATE C NOT NULL
organization_memberships.user_id text COLLATE C NOT NULL
organization_memberships.email text COLLATE C NOT NULL
organization_memberships.status text COLLATE C NOT NULL
organization_memberships.created_at bigint NOT NULL
organization_memberships.by_groups boolean NOT NULL DEFAULT false
organization_memberships FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
organization_memberships PRIMARY KEY (id)
CREATE UNIQUE INDEX organization_memberships_email ON public.organization_memberships USING btree (organization_id, email)
CREATE INDEX organization_memberships_folded ON public.organization_memberships USING btree (organization_id, lower(email))
CREATE UNIQUE INDEX organization_memberships_pkey ON public.organization_memberships USING btree (id)
CREATE UNIQUE INDEX organization_memberships_user ON public.organization_memberships USING btree (user_id, organization_id)
organization_storage.organization_id text COLLATE C NOT NULL
organization_storage.states bigint NOT NULL
organization_storage.state_bytes bigint NOT NULL
organization_storage.configurations bigint NOT NULL
organization_storage.configuration_bytes bigint NOT NULL
organization_storage.run_files bigint NOT NULL
organization_storage.run_file_bytes bigint NOT NULL
organization_storage.counted_at bigint NOT NULL
organization_storage FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
organization_storage PRIMARY KEY (organization_id)
CREATE INDEX organization_storage_bytes ON public.organization_storage USING btree ((((state_bytes + configuration_bytes) + run_file_bytes)), organization_id)
CREATE UNIQUE INDEX organization_storage_pkey ON public.organization_storage USING btree (organization_id)
organizations.id text COLLATE C NOT NULL
organizations.name text COLLATE C NOT NULL
organizations.email text COLLATE C NOT NULL
organizations.collaborator_auth text COLLATE C NOT NULL
organizations.session_timeout bigint NOT NULL
organizations.session_remember bigint NOT NULL
organizations.cost_estimation boolean NOT NULL
organizations.send_passing_statuses boolean NOT NULL
organizations.aggregated_statuses boolean NOT NULL
organizations.speculative_management boolean NOT NULL
organizations.allow_force_delete boolean NOT NULL
organizations.assessments_enforced boolean NOT NULL
organizations.default_execution_mode text COLLATE C NOT NULL
organizations.default_agent_pool_id text COLLATE C NOT NULL
organizations.global_remote_state boolean NOT NULL
organizations.owners_team_saml_role_id text COLLATE C NOT NULL
organizations.user_tokens_enabled boolean NOT NULL
organizations.default_project_id text COLLATE C NOT NULL
organizations.service_user_id text COLLATE C NOT NULL
organizations.workspace_count bigint NOT NULL DEFAULT 0
organizations.generation bigint NOT NULL DEFAULT 0
organizations.access_generation bigint NOT NULL DEFAULT 0
organizations.created_at bigint NOT NULL
organizations.retention_id text COLLATE C NOT NULL DEFAULT ''::text
organizations.retention_kind text COLLATE C NOT NULL DEFAULT ''::text
organizations.retention_days bigint NOT NULL DEFAULT 0
organizations.facts_generation bigint NOT NULL DEFAULT 0
organizations.switches text COLLATE C NOT NULL DEFAULT ''::text
organizations.recoverable_items boolean NOT NULL DEFAULT false
organizations.pull_request_comments boolean NOT NULL DEFAULT false
organizations.run_limit bigint NOT NULL DEFAULT 0
organizations PRIMARY KEY (id)
CREATE UNIQUE INDEX organizations_name ON public.organizations USING btree (name) WHERE (name <> ''::text)
CREATE INDEX organizations_named ON public.organizations USING btree (name)
CREATE UNIQUE INDEX organizations_pkey ON public.organizations USING btree (id)
pool_clocks.pool_id text COLLATE C NOT NULL
pool_clocks.vnow bigint NOT NULL
pool_clocks PRIMARY KEY (pool_id)
CREATE UNIQUE INDEX pool_clocks_pkey ON public.pool_clocks USING btree (pool_id)
project_counts.project_id text COLLATE C NOT NULL
project_counts.slot bigint NOT NULL
project_counts.workspaces bigint NOT NULL
project_counts PRIMARY KEY (project_id, slot)
project_counts FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
CREATE UNIQUE INDEX project_counts_pkey ON public.project_counts USING btree (project_id, slot)
project_tag_bindings.id text COLLATE C NOT NULL
project_tag_bindings.organization_id text COLLATE C NOT NULL
project_tag_bindings.project_id text COLLATE C NOT NULL
project_tag_bindings.key text COLLATE C NOT NULL
project_tag_bindings.value text COLLATE C NOT NULL
project_tag_bindings.created_at bigint NOT NULL
project_tag_bindings PRIMARY KEY (id)
project_tag_bindings FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
CREATE INDEX project_tag_bindings_by_value ON public.project_tag_bindings USING btree (organization_id, key, value, project_id)
CREATE UNIQUE INDEX project_tag_bindings_key ON public.project_tag_bindings USING btree (project_id, key)
CREATE UNIQUE INDEX project_tag_bindings_pkey ON public.project_tag_bindings USING btree (id)
projects.id text COLLATE C NOT NULL
projects.organization_id text COLLATE C NOT NULL
projects.name text COLLATE C NOT NULL
projects.description text COLLATE C NOT NULL
projects.auto_destroy_activity_duration text COLLATE C NOT NULL
projects.owns_execution boolean NOT NULL
projects.default_execution_mode text COLLATE C NOT NULL
projects.default_agent_pool_id text COLLATE C NOT NULL
projects.workspace_count bigint NOT NULL DEFAULT 0
projects.created_at bigint NOT NULL
projects FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
projects PRIMARY KEY (id)
CREATE UNIQUE INDEX projects_name ON public.projects USING btree (organization_id, name)
CREATE UNIQUE INDEX projects_pkey ON public.projects USING btree (id)
CREATE INDEX projects_pool ON public.projects USING btree (default_agent_pool_id) WHERE (default_agent_pool_id <> ''::text)
put_off.user_id text COLLATE C NOT NULL
put_off.organization_id text COLLATE C NOT NULL
put_off.mark text COLLATE C NOT NULL
put_off.until bigint NOT NULL
put_off FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
put_off PRIMARY KEY (user_id, organization_id, mark)
put_off FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE INDEX put_off_organization ON public.put_off USING btree (organization_id)
CREATE UNIQUE INDEX put_off_pkey ON public.put_off USING btree (user_id, organization_id, mark)
recoverable_items.id text COLLATE C NOT NULL
recoverable_items.organization_id text COLLATE C NOT NULL
recoverable_items.workspace_id text COLLATE C NOT NULL
recoverable_items.project_id text COLLATE C NOT NULL
recoverable_items.name text COLLATE C NOT NULL
recoverable_items.deleted_by text COLLATE C NOT NULL
recoverable_items.deleted_at bigint NOT NULL
recoverable_items.expires_at bigint NOT NULL
recoverable_items FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
recoverable_items PRIMARY KEY (id)
recoverable_items FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX recoverable_items_expires ON public.recoverable_items USING btree (expires_at, id)
CREATE INDEX recoverable_items_organization ON public.recoverable_items USING btree (organization_id, deleted_at, id)
CREATE UNIQUE INDEX recoverable_items_pkey ON public.recoverable_items USING btree (id)
CREATE UNIQUE INDEX recoverable_items_workspace ON public.recoverable_items USING btree (workspace_id)
remote_state_consumers.workspace_id text COLLATE C NOT NULL
remote_state_consumers.consumer_id text COLLATE C NOT NULL
remote_state_consumers FOREIGN KEY (consumer_id) REFERENCES workspaces(id) ON DELETE CASCADE
remote_state_consumers PRIMARY KEY (workspace_id, consumer_id)
remote_state_consumers FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX remote_state_consumers_consumer ON public.remote_state_consumers USING btree (consumer_id, workspace_id)
CREATE UNIQUE INDEX remote_state_consumers_pkey ON public.remote_state_consumers USING btree (workspace_id, consumer_id)
replicas.id text COLLATE C NOT NULL
replicas.name text COLLATE C NOT NULL
replicas.version text COLLATE C NOT NULL
replicas.started_at bigint NOT NULL
replicas.seen_at bigint NOT NULL
replicas PRIMARY KEY (id)
CREATE UNIQUE INDEX replicas_pkey ON public.replicas USING btree (id)
reserved_tag_keys.id text COLLATE C NOT NULL
reserved_tag_keys.organization_id text COLLATE C NOT NULL
reserved_tag_keys.key text COLLATE C NOT NULL
reserved_tag_keys.disable_overrides boolean NOT NULL
reserved_tag_keys.created_at bigint NOT NULL
reserved_tag_keys.updated_at bigint NOT NULL
reserved_tag_keys FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
reserved_tag_keys PRIMARY KEY (id)
CREATE UNIQUE INDEX reserved_tag_keys_key ON public.reserved_tag_keys USING btree (organization_id, key)
CREATE UNIQUE INDEX reserved_tag_keys_pkey ON public.reserved_tag_keys USING btree (id)
run_checks.id text COLLATE C NOT NULL
run_checks.run_id text COLLATE C NOT NULL
run_checks.stage text COLLATE C NOT NULL
run_checks.place bigint NOT NULL
run_checks.name text COLLATE C NOT NULL
run_checks.enforcement text COLLATE C NOT NULL
run_checks.status text COLLATE C NOT NULL
run_checks.exit_code bigint NOT NULL
run_checks.reason text COLLATE C NOT NULL
run_checks.output text COLLATE C NOT NULL
run_checks.began_at bigint NOT NULL
run_checks.ended_at bigint NOT NULL
run_checks PRIMARY KEY (id)
run_checks FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
CREATE UNIQUE INDEX run_checks_pkey ON public.run_checks USING btree (id)
CREATE UNIQUE INDEX run_checks_run ON public.run_checks USING btree (run_id, stage, place)
run_files.run_id text COLLATE C NOT NULL
run_files.kind text COLLATE C NOT NULL
run_files.blob_key text COLLATE C NOT NULL
run_files.size bigint NOT NULL
run_files.sha256 text COLLATE C NOT NULL
run_files.created_at bigint NOT NULL
run_files.sealed text NOT NULL DEFAULT ''::text
run_files PRIMARY KEY (run_id, kind)
run_files FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
CREATE INDEX run_files_age ON public.run_files USING btree (created_at)
CREATE INDEX run_files_blob ON public.run_files USING btree (blob_key)
CREATE UNIQUE INDEX run_files_pkey ON public.run_files USING btree (run_id, kind)
run_inputs.run_id text COLLATE C NOT NULL
run_inputs.sealed text COLLATE C NOT NULL
run_inputs PRIMARY KEY (run_id)
run_inputs FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
CREATE UNIQUE INDEX run_inputs_pkey ON public.run_inputs USING btree (run_id)
run_notes.id text COLLATE C NOT NULL
run_notes.run_id text COLLATE C NOT NULL
run_notes.sequence bigint NOT NULL
run_notes.action text COLLATE C NOT NULL
run_notes.description text COLLATE C NOT NULL
run_notes.actor_id text COLLATE C NOT NULL
run_notes.comment_id text COLLATE C NOT NULL
run_notes.body text COLLATE C NOT NULL
run_notes.created_at bigint NOT NULL
run_notes PRIMARY KEY (id)
run_notes FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
CREATE UNIQUE INDEX run_notes_comment ON public.run_notes USING btree (comment_id) WHERE (comment_id <> ''::text)
CREATE UNIQUE INDEX run_notes_order ON public.run_notes USING btree (run_id, sequence)
CREATE UNIQUE INDEX run_notes_pkey ON public.run_notes USING btree (id)
run_triggers.id text COLLATE C NOT NULL
run_triggers.workspace_id text COLLATE C NOT NULL
run_triggers.source_id text COLLATE C NOT NULL
run_triggers.created_at bigint NOT NULL
run_triggers PRIMARY KEY (id)
run_triggers FOREIGN KEY (source_id) REFERENCES workspaces(id) ON DELETE CASCADE
run_triggers FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX run_triggers_pair ON public.run_triggers USING btree (workspace_id, source_id)
CREATE UNIQUE INDEX run_triggers_pkey ON public.run_triggers USING btree (id)
CREATE INDEX run_triggers_source ON public.run_triggers USING btree (source_id)
runners.id text COLLATE C NOT NULL
runners.pool_id text COLLATE C NOT NULL
runners.name text COLLATE C NOT NULL
runners.boot_id text COLLATE C NOT NULL
runners.version text COLLATE C NOT NULL
runners.platform text COLLATE C NOT NULL
runners.slots bigint NOT NULL
runners.kinds text COLLATE C NOT NULL
runners.engines text COLLATE C NOT NULL
runners.isolation text COLLATE C NOT NULL
runners.work_dir text COLLATE C NOT NULL
runners.ip text COLLATE C NOT NULL
runners.token_hash text COLLATE C NOT NULL
runners.errored boolean NOT NULL
runners.created_at bigint NOT NULL
runners.last_seen_at bigint NOT NULL
runners.exited_at bigint NOT NULL
runners.for_job text COLLATE C NOT NULL DEFAULT ''::text
runners.token_id text COLLATE C NOT NULL DEFAULT ''::text
runners.labels text COLLATE C NOT NULL DEFAULT '[]'::text
runners PRIMARY KEY (id)
CREATE UNIQUE INDEX runners_boot ON public.runners USING btree (pool_id, name, boot_id)
CREATE UNIQUE INDEX runners_pkey ON public.runners USING btree (id)
CREATE UNIQUE INDEX runners_token ON public.runners USING btree (token_hash)
runs.id text COLLATE C NOT NULL
runs.workspace_id text COLLATE C NOT NULL
runs.organization_id text COLLATE C NOT NULL
runs.status text COLLATE C NOT NULL
runs.unfinished boolean NOT NULL
runs.queued boolean NOT NULL
runs.operation text COLLATE C NOT NULL
runs.stamps text COLLATE C NOT NULL
runs.created_at bigint NOT NULL
runs.updated_at bigint NOT NULL
runs.configuration_version_id text COLLATE C NOT NULL
runs.input_state_version_id text COLLATE C NOT NULL
runs.message text COLLATE C NOT NULL
runs.options text COLLATE C NOT NULL
runs.source text COLLATE C NOT NULL
runs.reason text COLLATE C NOT NULL
runs.triggering_run_id text COLLATE C NOT NULL
runs.triggering_source_id text COLLATE C NOT NULL
runs.triggering_source text COLLATE C NOT NULL
runs.chain_length bigint NOT NULL
runs.engine text COLLATE C NOT NULL
runs.engine_version text COLLATE C NOT NULL
runs.working_directory text COLLATE C NOT NULL
runs.mode text COLLATE C NOT NULL
runs.pool_id text COLLATE C NOT NULL
runs.plan_id text COLLATE C NOT NULL
runs.plan text COLLATE C NOT NULL
runs.apply_id text COLLATE C NOT NULL
runs.apply text COLLATE C NOT NULL
runs.created_by text COLLATE C NOT NULL
runs.confirmed_by text COLLATE C NOT NULL
runs.canceled_by text COLLATE C NOT NULL
runs.canceled_at bigint NOT NULL
runs.force_cancel_at bigint NOT NULL
runs.silent_since bigint NOT NULL
runs.keeps_lock boolean NOT NULL
runs.error text COLLATE C NOT NULL
runs.active_at bigint NOT NULL
runs.notes bigint NOT NULL
runs.commit_sha text COLLATE C NOT NULL
runs.sender_name text COLLATE C NOT NULL
runs PRIMARY KEY (id)
runs FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX runs_applied ON public.runs USING btree (workspace_id) WHERE (status = 'applied'::text)
CREATE UNIQUE INDEX runs_apply ON public.runs USING btree (apply_id)
CREATE INDEX runs_assessing ON public.runs USING btree (workspace_id) WHERE (operation = 'assessment'::text)
CREATE INDEX runs_busy ON public.runs USING btree (workspace_id, created_at, id) WHERE unfinished
CREATE INDEX runs_commit ON public.runs USING btree (organization_id, commit_sha, created_at) WHERE (commit_sha <> ''::text)
CREATE INDEX runs_configuration ON public.runs USING btree (configuration_version_id, created_at)
CREATE INDEX runs_last ON public.runs USING btree (workspace_id, active_at, created_at, id) WHERE queued
CREATE INDEX runs_organization ON public.runs USING btree (organization_id, created_at, id, workspace_id)
CREATE UNIQUE INDEX runs_pkey ON public.runs USING btree (id)
CREATE UNIQUE INDEX runs_plan ON public.runs USING btree (plan_id)
CREATE INDEX runs_saved ON public.runs USING btree (workspace_id) WHERE (status = 'planned_and_saved'::text)
CREATE UNIQUE INDEX runs_triggered ON public.runs USING btree (triggering_run_id, workspace_id) WHERE (triggering_run_id <> ''::text)
CREATE INDEX runs_unfinished ON public.runs USING btree (organization_id, created_at, id) WHERE unfinished
CREATE INDEX runs_waiting ON public.runs USING btree (workspace_id, created_at, id) WHERE (status = 'pending'::text)
CREATE INDEX runs_workspace ON public.runs USING btree (workspace_id, created_at, id)
saved_views.id text COLLATE C NOT NULL
saved_views.organization_id text COLLATE C NOT NULL
saved_views.name text COLLATE C NOT NULL
saved_views.query text COLLATE C NOT NULL
saved_views.created_by text COLLATE C NOT NULL
saved_views.created_at bigint NOT NULL
saved_views.updated_at bigint NOT NULL
saved_views FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
saved_views PRIMARY KEY (id)
CREATE UNIQUE INDEX saved_views_name ON public.saved_views USING btree (organization_id, name)
CREATE UNIQUE INDEX saved_views_pkey ON public.saved_views USING btree (id)
seen_assertions.hash text COLLATE C NOT NULL
seen_assertions.expired_at bigint NOT NULL
seen_assertions PRIMARY KEY (hash)
CREATE INDEX seen_assertions_expired ON public.seen_assertions USING btree (expired_at)
CREATE UNIQUE INDEX seen_assertions_pkey ON public.seen_assertions USING btree (hash)
sessions.id text COLLATE C NOT NULL
sessions.hash text COLLATE C NOT NULL
sessions.user_id text COLLATE C NOT NULL
sessions.created_at bigint NOT NULL
sessions.expired_at bigint NOT NULL
sessions.identity_id text COLLATE C NOT NULL DEFAULT ''::text
sessions.provider_session text COLLATE C NOT NULL DEFAULT ''::text
sessions.device text COLLATE C NOT NULL DEFAULT ''::text
sessions.address text COLLATE C NOT NULL DEFAULT ''::text
sessions.seen_at bigint NOT NULL DEFAULT 0
sessions PRIMARY KEY (id)
sessions FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE INDEX sessions_expired ON public.sessions USING btree (expired_at)
CREATE UNIQUE INDEX sessions_hash ON public.sessions USING btree (hash)
CREATE INDEX sessions_identity ON public.sessions USING btree (identity_id) WHERE (identity_id <> ''::text)
CREATE UNIQUE INDEX sessions_pkey ON public.sessions USING btree (id)
CREATE INDEX sessions_user ON public.sessions USING btree (user_id)
ssh_keys.id text COLLATE C NOT NULL
ssh_keys.organization_id text COLLATE C NOT NULL
ssh_keys.name text COLLATE C NOT NULL
ssh_keys.sealed text COLLATE C NOT NULL
ssh_keys.created_at bigint NOT NULL
ssh_keys.fingerprint text COLLATE C NOT NULL DEFAULT ''::text
ssh_keys FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
ssh_keys PRIMARY KEY (id)
CREATE UNIQUE INDEX ssh_keys_name ON public.ssh_keys USING btree (organization_id, name)
CREATE UNIQUE INDEX ssh_keys_pkey ON public.ssh_keys USING btree (id)
state_outputs.id text COLLATE C NOT NULL
state_outputs.state_version_id text COLLATE C NOT NULL
state_outputs.set_id text COLLATE C NOT NULL
state_outputs.name text COLLATE C NOT NULL
state_outputs.sensitive boolean NOT NULL
state_outputs.kind text COLLATE C NOT NULL
state_outputs.detailed_type text COLLATE C NOT NULL
state_outputs.sealed_value text COLLATE C NOT NULL
state_outputs PRIMARY KEY (id)
CREATE UNIQUE INDEX kept_outputs_pkey ON public.state_outputs USING btree (id)
CREATE UNIQUE INDEX state_outputs_name ON public.state_outputs USING btree (state_version_id, set_id, name)
state_readings.workspace_id text COLLATE C NOT NULL
state_readings.state_version_id text COLLATE C NOT NULL
state_readings.at bigint NOT NULL
state_readings PRIMARY KEY (workspace_id)
state_readings FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX state_readings_at ON public.state_readings USING btree (at, workspace_id)
CREATE UNIQUE INDEX state_readings_pkey ON public.state_readings USING btree (workspace_id)
state_reads.id text COLLATE C NOT NULL
state_reads.workspace_id text COLLATE C NOT NULL
state_reads.reader_kind text COLLATE C NOT NULL
state_reads.reader_id text COLLATE C NOT NULL
state_reads.part text COLLATE C NOT NULL
state_reads.first_at bigint NOT NULL
state_reads.last_at bigint NOT NULL
state_reads.days bigint NOT NULL
state_reads PRIMARY KEY (id)
state_reads FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
state_reads UNIQUE (workspace_id, reader_id, part)
CREATE INDEX state_reads_last ON public.state_reads USING btree (last_at)
CREATE UNIQUE INDEX state_reads_pkey ON public.state_reads USING btree (id)
CREATE INDEX state_reads_workspace ON public.state_reads USING btree (workspace_id, last_at, id)
CREATE UNIQUE INDEX state_reads_workspace_id_reader_id_part_key ON public.state_reads USING btree (workspace_id, reader_id, part)
state_resources.id text COLLATE C NOT NULL
state_resources.workspace_id text COLLATE C NOT NULL
state_resources.organization_id text COLLATE C NOT NULL
state_resources.address text COLLATE C NOT NULL
state_resources.module text COLLATE C NOT NULL
state_resources.type text COLLATE C NOT NULL
state_resources.name text COLLATE C NOT NULL
state_resources.provider text COLLATE C NOT NULL
state_resources.created_serial bigint NOT NULL
state_resources.updated_serial bigint NOT NULL
state_resources.mark text COLLATE C NOT NULL
state_resources.drifted boolean NOT NULL DEFAULT false
state_resources PRIMARY KEY (id)
state_resources FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX state_resources_address ON public.state_resources USING btree (organization_id, address, id)
CREATE UNIQUE INDEX state_resources_pkey ON public.state_resources USING btree (id)
CREATE INDEX state_resources_type ON public.state_resources USING btree (organization_id, type, address, id)
CREATE INDEX state_resources_workspace ON public.state_resources USING btree (workspace_id, id)
state_versions.id text COLLATE C NOT NULL
state_versions.workspace_id text COLLATE C NOT NULL
state_versions.sequence bigint NOT NULL
state_versions.serial bigint NOT NULL
state_versions.lineage text COLLATE C NOT NULL
state_versions.md5 text COLLATE C NOT NULL
state_versions.size bigint NOT NULL
state_versions.status text COLLATE C NOT NULL
state_versions.intermediate boolean NOT NULL
state_versions.by_upload boolean NOT NULL
state_versions.blob_key text COLLATE C NOT NULL
state_versions.json_key text COLLATE C NOT NULL
state_versions.json_md5 text COLLATE C NOT NULL
state_versions.json_size bigint NOT NULL
state_versions.run_id text COLLATE C NOT NULL
state_versions.created_by text COLLATE C NOT NULL
state_versions.rollback_id text COLLATE C NOT NULL
state_versions.processed boolean NOT NULL
state_versions.problem text COLLATE C NOT NULL
state_versions.outputs_known boolean NOT NULL
state_versions.output_ids text COLLATE C NOT NULL
state_versions.contents text COLLATE C NOT NULL
state_versions.soft_deleted_at bigint NOT NULL
state_versions.created_at bigint NOT NULL
state_versions.forced boolean NOT NULL DEFAULT false
state_versions.announced_by text COLLATE C NOT NULL DEFAULT ''::text
state_versions.output_set text COLLATE C NOT NULL DEFAULT ''::text
state_versions PRIMARY KEY (id)
state_versions FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX state_versions_age ON public.state_versions USING btree (status, created_at, id)
CREATE INDEX state_versions_blob ON public.state_versions USING btree (blob_key) WHERE (blob_key <> ''::text)
CREATE INDEX state_versions_json ON public.state_versions USING btree (json_key) WHERE (json_key <> ''::text)
CREATE UNIQUE INDEX state_versions_pkey ON public.state_versions USING btree (id)
CREATE INDEX state_versions_run ON public.state_versions USING btree (run_id, sequence) WHERE (run_id <> ''::text)
CREATE UNIQUE INDEX state_versions_sequence ON public.state_versions USING btree (workspace_id, sequence)
CREATE INDEX state_versions_status ON public.state_versions USING btree (workspace_id, status, sequence)
CREATE INDEX state_versions_weeks ON public.state_versions USING btree (workspace_id, created_at, status, intermediate)
tags.id text COLLATE C NOT NULL
tags.organization_id text COLLATE C NOT NULL
tags.name text COLLATE C NOT NULL
tags.created_at bigint NOT NULL
tags.instance_count bigint NOT NULL
tags.doomed boolean NOT NULL DEFAULT false
tags FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
tags PRIMARY KEY (id)
CREATE INDEX tags_doomed ON public.tags USING btree (organization_id) WHERE doomed
CREATE UNIQUE INDEX tags_name ON public.tags USING btree (organization_id, name)
CREATE UNIQUE INDEX tags_pkey ON public.tags USING btree (id)
team_members.team_id text COLLATE C NOT NULL
team_members.user_id text COLLATE C NOT NULL
team_members.organization_id text COLLATE C NOT NULL
team_members.by_groups boolean NOT NULL DEFAULT false
team_members.joined_at bigint NOT NULL DEFAULT 0
team_members PRIMARY KEY (team_id, user_id)
team_members FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
team_members FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
team_members FOREIGN KEY (user_id, organization_id) REFERENCES organization_memberships(user_id, organization_id) ON DELETE CASCADE
CREATE INDEX team_members_user ON public.team_members USING btree (user_id, team_id)
CREATE UNIQUE INDEX team_places_pkey ON public.team_members USING btree (team_id, user_id)
team_projects.id text COLLATE C NOT NULL
team_projects.organization_id text COLLATE C NOT NULL
team_projects.team_id text COLLATE C NOT NULL
team_projects.project_id text COLLATE C NOT NULL
team_projects.access text COLLATE C NOT NULL
team_projects.custom text COLLATE C NOT NULL
team_projects.given_at bigint NOT NULL DEFAULT 0
team_projects.given_by text COLLATE C NOT NULL DEFAULT ''::text
team_projects PRIMARY KEY (id)
team_projects FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
team_projects FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
CREATE INDEX team_projects_organization ON public.team_projects USING btree (organization_id)
CREATE UNIQUE INDEX team_projects_pair ON public.team_projects USING btree (team_id, project_id)
CREATE UNIQUE INDEX team_projects_pkey ON public.team_projects USING btree (id)
CREATE INDEX team_projects_project ON public.team_projects USING btree (project_id)
team_workspaces.id text COLLATE C NOT NULL
team_workspaces.organization_id text COLLATE C NOT NULL
team_workspaces.team_id text COLLATE C NOT NULL
team_workspaces.workspace_id text COLLATE C NOT NULL
team_workspaces.access text COLLATE C NOT NULL
team_workspaces.custom text COLLATE C NOT NULL
team_workspaces.given_at bigint NOT NULL DEFAULT 0
team_workspaces.given_by text COLLATE C NOT NULL DEFAULT ''::text
team_workspaces PRIMARY KEY (id)
team_workspaces FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
team_workspaces FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX team_workspaces_organization ON public.team_workspaces USING btree (organization_id)
CREATE UNIQUE INDEX team_workspaces_pair ON public.team_workspaces USING btree (team_id, workspace_id)
CREATE UNIQUE INDEX team_workspaces_pkey ON public.team_workspaces USING btree (id)
CREATE INDEX team_workspaces_workspace ON public.team_workspaces USING btree (workspace_id)
teams.id text COLLATE C NOT NULL
teams.organization_id text COLLATE C NOT NULL
teams.name text COLLATE C NOT NULL
teams.description text COLLATE C NOT NULL
teams.sso_team_id text COLLATE C NOT NULL
teams.visibility text COLLATE C NOT NULL
teams.allow_member_token_management boolean NOT NULL
teams.organization_access text COLLATE C NOT NULL
teams.created_at bigint NOT NULL
teams.access_given_at bigint NOT NULL DEFAULT 0
teams.access_given_by text COLLATE C NOT NULL DEFAULT ''::text
teams FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
teams PRIMARY KEY (id)
CREATE UNIQUE INDEX teams_name ON public.teams USING btree (organization_id, name)
CREATE UNIQUE INDEX teams_pkey ON public.teams USING btree (id)
CREATE INDEX teams_sso ON public.teams USING btree (sso_team_id) WHERE (sso_team_id <> ''::text)
tokens.id text COLLATE C NOT NULL
tokens.hash text COLLATE C NOT NULL
tokens.owner_kind text COLLATE C NOT NULL
tokens.owner_id text COLLATE C NOT NULL
tokens.organization_id text COLLATE C NOT NULL
tokens.purpose text COLLATE C NOT NULL
tokens.description text COLLATE C NOT NULL
tokens.created_by text COLLATE C NOT NULL
tokens.created_at bigint NOT NULL
tokens.last_used_at bigint NOT NULL
tokens.expired_at bigint NOT NULL
tokens.workspace_id text COLLATE C NOT NULL DEFAULT ''::text
tokens.by_organization boolean NOT NULL DEFAULT false
tokens.identity_id text COLLATE C NOT NULL DEFAULT ''::text
tokens.issued_by text COLLATE C NOT NULL DEFAULT ''::text
tokens.tail text COLLATE C NOT NULL DEFAULT ''::text
tokens.used_from text COLLATE C NOT NULL DEFAULT ''::text
tokens PRIMARY KEY (id)
CREATE UNIQUE INDEX tokens_hash ON public.tokens USING btree (hash)
CREATE INDEX tokens_identity ON public.tokens USING btree (identity_id) WHERE (identity_id <> ''::text)
CREATE INDEX tokens_organization ON public.tokens USING btree (organization_id, owner_kind)
CREATE INDEX tokens_owner ON public.tokens USING btree (owner_id, created_at)
CREATE UNIQUE INDEX tokens_pkey ON public.tokens USING btree (id)
CREATE INDEX tokens_workload ON public.tokens USING btree (expired_at) WHERE (purpose = 'workload'::text)
CREATE INDEX tokens_workspace ON public.tokens USING btree (workspace_id) WHERE (workspace_id <> ''::text)
untold_events.id text COLLATE C NOT NULL
untold_events.events text COLLATE C NOT NULL
untold_events PRIMARY KEY (id)
CREATE UNIQUE INDEX untold_events_pkey ON public.untold_events USING btree (id)
used_sources.organization_id text COLLATE C NOT NULL
used_sources.kind text COLLATE C NOT NULL
used_sources.source text COLLATE C NOT NULL
used_sources.name text COLLATE C NOT NULL
used_sources.workspace_count bigint NOT NULL
used_sources FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
used_sources PRIMARY KEY (organization_id, kind, source)
CREATE UNIQUE INDEX used_sources_pkey ON public.used_sources USING btree (organization_id, kind, source)
user_seen.user_id text COLLATE C NOT NULL
user_seen.seen_at bigint NOT NULL
user_seen PRIMARY KEY (user_id)
user_seen FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE UNIQUE INDEX user_seen_pkey ON public.user_seen USING btree (user_id)
users.id text COLLATE C NOT NULL
users.username text COLLATE C NOT NULL
users.email text COLLATE C NOT NULL
users.password_hash text COLLATE C NOT NULL
users.is_admin boolean NOT NULL
users.is_service_account boolean NOT NULL
users.suspended boolean NOT NULL
users.created_at bigint NOT NULL
users.invited boolean NOT NULL DEFAULT false
users.unconfirmed_email text COLLATE C NOT NULL DEFAULT ''::text
users.admin_by_groups boolean NOT NULL DEFAULT false
users.email_shared boolean NOT NULL DEFAULT false
users PRIMARY KEY (id)
CREATE UNIQUE INDEX users_email ON public.users USING btree (email) WHERE (email <> ''::text)
CREATE UNIQUE INDEX users_email_folded ON public.users USING btree (lower(email)) WHERE ((email <> ''::text) AND (NOT email_shared))
CREATE UNIQUE INDEX users_pkey ON public.users USING btree (id)
CREATE UNIQUE INDEX users_username ON public.users USING btree (username) WHERE (username <> ''::text)
variables.id text COLLATE C NOT NULL
variables.workspace_id text COLLATE C NOT NULL
variables.name text COLLATE C NOT NULL
variables.value text COLLATE C NOT NULL
variables.sensitive boolean NOT NULL
variables.category text COLLATE C NOT NULL
variables.hcl boolean NOT NULL
variables.description text COLLATE C NOT NULL
variables.version_id text COLLATE C NOT NULL
variables.created_at bigint NOT NULL
variables PRIMARY KEY (id)
variables FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX variables_key ON public.variables USING btree (name, category, workspace_id)
CREATE UNIQUE INDEX variables_name ON public.variables USING btree (workspace_id, name, category)
CREATE UNIQUE INDEX variables_pkey ON public.variables USING btree (id)
varset_projects.varset_id text COLLATE C NOT NULL
varset_projects.project_id text COLLATE C NOT NULL
varset_projects PRIMARY KEY (varset_id, project_id)
varset_projects FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
varset_projects FOREIGN KEY (varset_id) REFERENCES varsets(id) ON DELETE CASCADE
CREATE UNIQUE INDEX varset_projects_pkey ON public.varset_projects USING btree (varset_id, project_id)
CREATE INDEX varset_projects_project ON public.varset_projects USING btree (project_id)
varset_variables.id text COLLATE C NOT NULL
varset_variables.varset_id text COLLATE C NOT NULL
varset_variables.name text COLLATE C NOT NULL
varset_variables.value text COLLATE C NOT NULL
varset_variables.sensitive boolean NOT NULL
varset_variables.category text COLLATE C NOT NULL
varset_variables.hcl boolean NOT NULL
varset_variables.description text COLLATE C NOT NULL
varset_variables.version_id text COLLATE C NOT NULL
varset_variables.created_at bigint NOT NULL
varset_variables PRIMARY KEY (id)
varset_variables FOREIGN KEY (varset_id) REFERENCES varsets(id) ON DELETE CASCADE
CREATE UNIQUE INDEX varset_variables_name ON public.varset_variables USING btree (varset_id, name, category)
CREATE UNIQUE INDEX varset_variables_pkey ON public.varset_variables USING btree (id)
varset_workspaces.varset_id text COLLATE C NOT NULL
varset_workspaces.workspace_id text COLLATE C NOT NULL
varset_workspaces PRIMARY KEY (varset_id, workspace_id)
varset_workspaces FOREIGN KEY (varset_id) REFERENCES varsets(id) ON DELETE CASCADE
varset_workspaces FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX varset_workspaces_pkey ON public.varset_workspaces USING btree (varset_id, workspace_id)
CREATE INDEX varset_workspaces_workspace ON public.varset_workspaces USING btree (workspace_id)
varsets.id text COLLATE C NOT NULL
varsets.organization_id text COLLATE C NOT NULL
varsets.project_id text COLLATE C NOT NULL
varsets.name text COLLATE C NOT NULL
varsets.description text COLLATE C NOT NULL
varsets.global boolean NOT NULL
varsets.priority boolean NOT NULL
varsets.created_at bigint NOT NULL
varsets.updated_at bigint NOT NULL
varsets FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
varsets PRIMARY KEY (id)
CREATE UNIQUE INDEX varsets_name ON public.varsets USING btree (organization_id, name)
CREATE UNIQUE INDEX varsets_pkey ON public.varsets USING btree (id)
CREATE INDEX varsets_project ON public.varsets USING btree (project_id) WHERE (project_id <> ''::text)
vcs_comments.hook_id text COLLATE C NOT NULL
vcs_comments.pull_request bigint NOT NULL
vcs_comments.comment_id text COLLATE C NOT NULL
vcs_comments.told text COLLATE C NOT NULL
vcs_comments.claim text COLLATE C NOT NULL
vcs_comments.held_until bigint NOT NULL
vcs_comments FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_comments PRIMARY KEY (hook_id, pull_request)
CREATE UNIQUE INDEX vcs_comments_pkey ON public.vcs_comments USING btree (hook_id, pull_request)
vcs_commits.workspace_id text COLLATE C NOT NULL
vcs_commits.kind text COLLATE C NOT NULL
vcs_commits.commit_sha text COLLATE C NOT NULL
vcs_commits.run_id text COLLATE C NOT NULL
vcs_commits.pull_request bigint NOT NULL
vcs_commits.created_at bigint NOT NULL
vcs_commits.told_at bigint NOT NULL DEFAULT 0
vcs_commits PRIMARY KEY (workspace_id, kind, commit_sha)
vcs_commits FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX vcs_commits_pkey ON public.vcs_commits USING btree (workspace_id, kind, commit_sha)
CREATE INDEX vcs_commits_pull ON public.vcs_commits USING btree (workspace_id, pull_request) WHERE (pull_request > 0)
CREATE INDEX vcs_commits_told ON public.vcs_commits USING btree (workspace_id, kind, pull_request, told_at) WHERE (told_at > 0)
vcs_events.id text COLLATE C NOT NULL
vcs_events.organization_id text COLLATE C NOT NULL
vcs_events.client_id text COLLATE C NOT NULL
vcs_events.token_id text COLLATE C NOT NULL
vcs_events.level text COLLATE C NOT NULL
vcs_events.message text COLLATE C NOT NULL
vcs_events.created_at bigint NOT NULL
vcs_events FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
vcs_events PRIMARY KEY (id)
CREATE INDEX vcs_events_old ON public.vcs_events USING btree (created_at)
CREATE INDEX vcs_events_organization ON public.vcs_events USING btree (organization_id, created_at, id)
CREATE UNIQUE INDEX vcs_events_pkey ON public.vcs_events USING btree (id)
vcs_fetches.id text COLLATE C NOT NULL
vcs_fetches.hook_id text COLLATE C NOT NULL
vcs_fetches.organization_id text COLLATE C NOT NULL
vcs_fetches.commit_sha text COLLATE C NOT NULL
vcs_fetches.submodules boolean NOT NULL
vcs_fetches.state text COLLATE C NOT NULL
vcs_fetches.tries bigint NOT NULL
vcs_fetches.next_at bigint NOT NULL
vcs_fetches.claim text COLLATE C NOT NULL
vcs_fetches.error text COLLATE C NOT NULL
vcs_fetches.code text COLLATE C NOT NULL
vcs_fetches.blob_key text COLLATE C NOT NULL
vcs_fetches.size bigint NOT NULL
vcs_fetches.sha256 text COLLATE C NOT NULL
vcs_fetches.readme text COLLATE C NOT NULL
vcs_fetches.used_at bigint NOT NULL
vcs_fetches.ref text NOT NULL DEFAULT ''::text
vcs_fetches FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_fetches PRIMARY KEY (id)
CREATE INDEX vcs_fetches_blob ON public.vcs_fetches USING btree (blob_key) WHERE (blob_key <> ''::text)
CREATE INDEX vcs_fetches_elsewhere ON public.vcs_fetches USING btree (next_at, id) WHERE (state = 'elsewhere'::text)
CREATE INDEX vcs_fetches_hook ON public.vcs_fetches USING btree (hook_id)
CREATE UNIQUE INDEX vcs_fetches_pkey ON public.vcs_fetches USING btree (id)
CREATE INDEX vcs_fetches_used ON public.vcs_fetches USING btree (used_at)
CREATE INDEX vcs_fetches_waiting ON public.vcs_fetches USING btree (organization_id, next_at, id) WHERE (state = 'waiting'::text)
vcs_heads.hook_id text COLLATE C NOT NULL
vcs_heads.branch text COLLATE C NOT NULL
vcs_heads.commit_sha text COLLATE C NOT NULL
vcs_heads.seen_at bigint NOT NULL
vcs_heads FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_heads PRIMARY KEY (hook_id, branch)
CREATE UNIQUE INDEX vcs_heads_pkey ON public.vcs_heads USING btree (hook_id, branch)
vcs_hook_names.id text COLLATE C NOT NULL
vcs_hook_names.hook_id text COLLATE C NOT NULL
vcs_hook_names FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_hook_names PRIMARY KEY (id)
CREATE INDEX vcs_hook_names_hook ON public.vcs_hook_names USING btree (hook_id)
CREATE UNIQUE INDEX vcs_hook_names_pkey ON public.vcs_hook_names USING btree (id)
vcs_hooks.id text COLLATE C NOT NULL
vcs_hooks.organization_id text COLLATE C NOT NULL
vcs_hooks.token_id text COLLATE C NOT NULL
vcs_hooks.identifier text COLLATE C NOT NULL
vcs_hooks.folded text COLLATE C NOT NULL
vcs_hooks.sealed_secret text COLLATE C NOT NULL
vcs_hooks.sealed_before text COLLATE C NOT NULL
vcs_hooks.before_until bigint NOT NULL
vcs_hooks.remote_id text COLLATE C NOT NULL
vcs_hooks.state text COLLATE C NOT NULL
vcs_hooks.tries bigint NOT NULL
vcs_hooks.work_at bigint NOT NULL
vcs_hooks.poll_at bigint NOT NULL
vcs_hooks.created_at bigint NOT NULL
vcs_hooks FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
vcs_hooks PRIMARY KEY (id)
vcs_hooks FOREIGN KEY (token_id) REFERENCES oauth_tokens(id) ON DELETE CASCADE
CREATE INDEX vcs_hooks_organization ON public.vcs_hooks USING btree (organization_id)
CREATE UNIQUE INDEX vcs_hooks_pkey ON public.vcs_hooks USING btree (id)
CREATE INDEX vcs_hooks_poll ON public.vcs_hooks USING btree (poll_at)
CREATE UNIQUE INDEX vcs_hooks_repository ON public.vcs_hooks USING btree (token_id, folded)
CREATE INDEX vcs_hooks_work ON public.vcs_hooks USING btree (work_at) WHERE (work_at > 0)
vcs_inbox.id text COLLATE C NOT NULL
vcs_inbox.hook_id text COLLATE C NOT NULL
vcs_inbox.organization_id text COLLATE C NOT NULL
vcs_inbox.delivery_id text COLLATE C NOT NULL
vcs_inbox.payload text COLLATE C NOT NULL
vcs_inbox.state text COLLATE C NOT NULL
vcs_inbox.after_workspace text COLLATE C NOT NULL
vcs_inbox.tries bigint NOT NULL
vcs_inbox.next_at bigint NOT NULL
vcs_inbox.claim text COLLATE C NOT NULL
vcs_inbox.received_at bigint NOT NULL
vcs_inbox.about text COLLATE C NOT NULL DEFAULT ''::text
vcs_inbox.became text COLLATE C NOT NULL DEFAULT ''::text
vcs_inbox FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_inbox PRIMARY KEY (id)
CREATE UNIQUE INDEX vcs_inbox_delivery ON public.vcs_inbox USING btree (hook_id, delivery_id)
CREATE INDEX vcs_inbox_old ON public.vcs_inbox USING btree (received_at)
CREATE UNIQUE INDEX vcs_inbox_pkey ON public.vcs_inbox USING btree (id)
CREATE INDEX vcs_inbox_told ON public.vcs_inbox USING btree (organization_id, received_at, id)
CREATE INDEX vcs_inbox_waiting ON public.vcs_inbox USING btree (organization_id, next_at, id) WHERE (state = 'waiting'::text)
vcs_statuses.id text COLLATE C NOT NULL
vcs_statuses.hook_id text COLLATE C NOT NULL
vcs_statuses.organization_id text COLLATE C NOT NULL
vcs_statuses.workspace_id text COLLATE C NOT NULL
vcs_statuses.commit_sha text COLLATE C NOT NULL
vcs_statuses.state text COLLATE C NOT NULL
vcs_statuses.moved bigint NOT NULL
vcs_statuses.tries bigint NOT NULL
vcs_statuses.next_at bigint NOT NULL
vcs_statuses.claim text COLLATE C NOT NULL
vcs_statuses.sent text COLLATE C NOT NULL
vcs_statuses.updated_at bigint NOT NULL
vcs_statuses FOREIGN KEY (hook_id) REFERENCES vcs_hooks(id) ON DELETE CASCADE
vcs_statuses PRIMARY KEY (id)
CREATE INDEX vcs_statuses_hook ON public.vcs_statuses USING btree (hook_id)
CREATE INDEX vcs_statuses_old ON public.vcs_statuses USING btree (updated_at)
CREATE UNIQUE INDEX vcs_statuses_pkey ON public.vcs_statuses USING btree (id)
CREATE INDEX vcs_statuses_waiting ON public.vcs_statuses USING btree (organization_id, next_at, id) WHERE (state = 'waiting'::text)
workload_rules.id text COLLATE C NOT NULL
workload_rules.organization_id text COLLATE C NOT NULL
workload_rules.team_id text COLLATE C NOT NULL
workload_rules.name text COLLATE C NOT NULL
workload_rules.issuer text COLLATE C NOT NULL
workload_rules.audience text COLLATE C NOT NULL
workload_rules.claims text COLLATE C NOT NULL
workload_rules.token_minutes bigint NOT NULL
workload_rules.created_by text COLLATE C NOT NULL
workload_rules.by_organization boolean NOT NULL
workload_rules.created_at bigint NOT NULL
workload_rules.ends_at bigint NOT NULL DEFAULT 0
workload_rules FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
workload_rules PRIMARY KEY (id)
workload_rules FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
CREATE INDEX workload_rules_organization ON public.workload_rules USING btree (organization_id)
CREATE UNIQUE INDEX workload_rules_pkey ON public.workload_rules USING btree (id)
CREATE INDEX workload_rules_team ON public.workload_rules USING btree (team_id, created_at, id)
workspace_locks.organization_id text COLLATE C
workspace_locks.holder_id text COLLATE C
workspace_locks.workspace_id text COLLATE C
workspace_names.workspace_id text COLLATE C NOT NULL
workspace_names.organization_id text COLLATE C NOT NULL
workspace_names.name text COLLATE C NOT NULL
workspace_names PRIMARY KEY (workspace_id)
CREATE INDEX workspace_names_grams ON public.workspace_names USING gin (workspace_grams(organization_id, name)) WITH (fastupdate='on', gin_pending_list_limit='64')
CREATE UNIQUE INDEX workspace_names_pkey ON public.workspace_names USING btree (workspace_id)
workspace_tag_bindings.id text COLLATE C NOT NULL
workspace_tag_bindings.organization_id text COLLATE C NOT NULL
workspace_tag_bindings.workspace_id text COLLATE C NOT NULL
workspace_tag_bindings.workspace_name text COLLATE C NOT NULL
workspace_tag_bindings.key text COLLATE C NOT NULL
workspace_tag_bindings.value text COLLATE C NOT NULL
workspace_tag_bindings.created_at bigint NOT NULL
workspace_tag_bindings PRIMARY KEY (id)
workspace_tag_bindings FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE INDEX workspace_tag_bindings_by_key ON public.workspace_tag_bindings USING btree (organization_id, key, workspace_name, workspace_id)
CREATE INDEX workspace_tag_bindings_by_value ON public.workspace_tag_bindings USING btree (organization_id, key, value, workspace_name, workspace_id)
CREATE UNIQUE INDEX workspace_tag_bindings_pkey ON public.workspace_tag_bindings USING btree (id)
CREATE UNIQUE INDEX workspace_tag_bindings_unique_key ON public.workspace_tag_bindings USING btree (workspace_id, key)
workspace_tags.tag_id text COLLATE C NOT NULL
workspace_tags.workspace_name text COLLATE C NOT NULL
workspace_tags.workspace_id text COLLATE C NOT NULL
workspace_tags PRIMARY KEY (tag_id, workspace_name, workspace_id)
workspace_tags FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE
workspace_tags FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX workspace_tags_pkey ON public.workspace_tags USING btree (tag_id, workspace_name, workspace_id)
CREATE INDEX workspace_tags_workspace ON public.workspace_tags USING btree (workspace_id, tag_id)
workspace_uses.workspace_id text COLLATE C NOT NULL
workspace_uses.kind text COLLATE C NOT NULL
workspace_uses.source text COLLATE C NOT NULL
workspace_uses.organization_id text COLLATE C NOT NULL
workspace_uses.workspace_name text COLLATE C NOT NULL
workspace_uses PRIMARY KEY (workspace_id, kind, source)
workspace_uses FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
CREATE UNIQUE INDEX workspace_uses_pkey ON public.workspace_uses USING btree (workspace_id, kind, source)
CREATE INDEX workspace_uses_source ON public.workspace_uses USING btree (organization_id, kind, source, workspace_name, workspace_id)
workspace_views.id text COLLATE C NOT NULL
workspace_views.organization_id text COLLATE C NOT NULL
workspace_views.user_id text COLLATE C
workspace_views.name text COLLATE C NOT NULL
workspace_views.query text COLLATE C NOT NULL
workspace_views.created_by text COLLATE C NOT NULL
workspace_views.created_at bigint NOT NULL
workspace_views.updated_at bigint NOT NULL
workspace_views FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
workspace_views PRIMARY KEY (id)
workspace_views FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
CREATE UNIQUE INDEX workspace_views_own ON public.workspace_views USING btree (organization_id, user_id, name) WHERE (user_id IS NOT NULL)
CREATE UNIQUE INDEX workspace_views_pkey ON public.workspace_views USING btree (id)
CREATE UNIQUE INDEX workspace_views_shared ON public.workspace_views USING btree (organization_id, name) WHERE (user_id IS NULL)
CREATE INDEX workspace_views_user ON public.workspace_views USING btree (user_id) WHERE (user_id IS NOT NULL)
workspaces.id text COLLATE C NOT NULL
workspaces.organization_id text COLLATE C NOT NULL
workspaces.project_id text COLLATE C NOT NULL
workspaces.name text COLLATE C NOT NULL
workspaces.description text COLLATE C NOT NULL
workspaces.owns_execution boolean NOT NULL
workspaces.own_mode text COLLATE C NOT NULL
workspaces.own_pool_id text COLLATE C NOT NULL
workspaces.engine_version text COLLATE C NOT NULL
workspaces.allow_destroy_plan boolean NOT NULL
workspaces.assessments_enabled boolean NOT NULL
workspaces.auto_apply boolean NOT NULL
workspaces.auto_apply_run_trigger boolean NOT NULL
workspaces.file_triggers_enabled boolean NOT NULL
workspaces.global_remote_state boolean NOT NULL
workspaces.project_remote_state boolean NOT NULL
workspaces.queue_all_runs boolean NOT NULL
workspaces.speculative_enabled boolean NOT NULL
workspaces.structured_run_output_enabled boolean NOT NULL
workspaces.own_destroy_at bigint NOT NULL
workspaces.own_destroy_duration text COLLATE C NOT NULL
workspaces.inherits_project_auto_destroy boolean NOT NULL
workspaces.source text COLLATE C NOT NULL
workspaces.source_name text COLLATE C NOT NULL
workspaces.source_url text COLLATE C NOT NULL
workspaces.migration_environment text COLLATE C NOT NULL
workspaces.trigger_patterns text COLLATE C NOT NULL
workspaces.trigger_prefixes text COLLATE C NOT NULL
workspaces.working_directory text COLLATE C NOT NULL
workspaces.vcs_repo text COLLATE C NOT NULL
workspaces.ssh_key_id text COLLATE C NOT NULL
workspaces.lock_holder_type text COLLATE C NOT NULL
workspaces.lock_holder_id text COLLATE C NOT NULL
workspaces.lock_holder_name text COLLATE C NOT NULL
workspaces.lock_reason text COLLATE C NOT NULL
workspaces.locked_at bigint NOT NULL
workspaces.created_at bigint NOT NULL
workspaces.updated_at bigint NOT NULL
workspaces.latest_change_at bigint NOT NULL
workspaces.resource_count bigint NOT NULL
workspaces.current_state_version_id text COLLATE C NOT NULL
workspaces.current_run_id text COLLATE C NOT NULL
workspaces.current_run_status text COLLATE C NOT NULL
workspaces.current_run_at bigint NOT NULL
workspaces.tag_names text COLLATE C NOT NULL
workspaces.state_engine_version text COLLATE C NOT NULL DEFAULT ''::text
workspaces.output_ids text COLLATE C NOT NULL DEFAULT ''::text
workspaces.retention_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.retention_kind text COLLATE C NOT NULL DEFAULT ''::text
workspaces.retention_days bigint NOT NULL DEFAULT 0
workspaces.vcs_token_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.var_refs text COLLATE C NOT NULL DEFAULT ''::text
workspaces.module_count bigint NOT NULL DEFAULT 0
workspaces.provider_count bigint NOT NULL DEFAULT 0
workspaces.run_figures text COLLATE C NOT NULL DEFAULT ''::text
workspaces.engine text COLLATE C NOT NULL DEFAULT ''::text
workspaces.current_configuration_version_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.engine_release text COLLATE C NOT NULL DEFAULT ''::text
workspaces.destroy_disarmed boolean NOT NULL DEFAULT false
workspaces.destroy_failed boolean NOT NULL DEFAULT false
workspaces.vcs_hook_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.assessing_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.assessment_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.assessed_at bigint NOT NULL DEFAULT 0
workspaces.drift_state_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.destroyed boolean NOT NULL DEFAULT false
workspaces.managed_once boolean NOT NULL DEFAULT false
workspaces.destroy_reminded_at bigint NOT NULL DEFAULT 0
workspaces.engine_unnamed boolean NOT NULL DEFAULT false
workspaces.lock_last_id text COLLATE C NOT NULL DEFAULT ''::text
workspaces.lock_questions text COLLATE C NOT NULL DEFAULT ''::text
workspaces FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
workspaces PRIMARY KEY (id)
workspaces FOREIGN KEY (project_id) REFERENCES projects(id)
CREATE INDEX workspaces_engine ON public.workspaces USING btree (organization_id, engine_release, name, id)
CREATE INDEX workspaces_explorer ON public.workspaces USING btree (organization_id, name, id, project_id, engine_release, state_engine_version, resource_count, module_count, provider_count, created_at)
CREATE INDEX workspaces_latest_change ON public.workspaces USING btree (organization_id, latest_change_at, id)
CREATE INDEX workspaces_locked ON public.workspaces USING btree (organization_id, lock_last_id) WHERE (lock_last_id > ''::text)
CREATE UNIQUE INDEX workspaces_name ON public.workspaces USING btree (organization_id, name, id)
CREATE UNIQUE INDEX workspaces_pkey ON public.workspaces USING btree (id)
CREATE INDEX workspaces_pool ON public.workspaces USING btree (own_pool_id, name) WHERE (own_pool_id <> ''::text)
CREATE INDEX workspaces_project ON public.workspaces USING btree (project_id, name, id)
CREATE INDEX workspaces_project_runs ON public.workspaces USING btree (project_id, current_run_status, resource_count)
CREATE INDEX workspaces_release ON public.workspaces USING btree (engine_release, engine_version)
CREATE INDEX workspaces_retention ON public.workspaces USING btree (retention_days) WHERE (retention_id <> ''::text)
CREATE INDEX workspaces_run_at ON public.workspaces USING btree (organization_id, ((current_run_at = 0)), current_run_at, id)
CREATE INDEX workspaces_run_status ON public.workspaces USING btree (organization_id, current_run_status, name)
CREATE INDEX workspaces_ssh_key ON public.workspaces USING btree (ssh_key_id) WHERE (ssh_key_id <> ''::text)
CREATE INDEX workspaces_state_engine ON public.workspaces USING btree (organization_id, state_engine_version, name, id)
CREATE INDEX workspaces_unhooked ON public.workspaces USING btree (id) WHERE ((vcs_token_id <> ''::text) AND (vcs_hook_id = ''::text))
CREATE UNIQUE INDEX workspaces_unique_name ON public.workspaces USING btree (organization_id, name)
CREATE INDEX workspaces_vcs_hook ON public.workspaces USING btree (vcs_hook_id, id) WHERE (vcs_hook_id <> ''::text)
CREATE INDEX workspaces_vcs_token ON public.workspaces USING btree (vcs_token_id) WHERE (vcs_token_id <> ''::text)
