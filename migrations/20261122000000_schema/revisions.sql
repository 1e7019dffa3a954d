-- after: campaigns, saved-audiences, templates
-- Revisions of campaigns, templates and saved audiences (docs/decisions/0015-life-of-campaigns-and-runs.md).

-- A row is never updated, and is deleted with its campaign, template or saved audience. Each of these columns has an
-- index of its own. So services find a run's revision by (campaign, revision), whatever other rows the table has.
create table revisions (
  campaign uuid references campaigns on delete cascade,
  template uuid references templates on delete cascade,
  saved_audience uuid references saved_audiences on delete cascade,
  revision int not null,
  definition jsonb not null,
  -- Account whose quota counts the change (api_keys.account); null: no quota.
  account uuid,
  -- Key that wrote the revision of a campaign. The person behind this key may not approve it.
  written_by uuid,
  created_at timestamptz not null default now(),
  check (num_nonnulls(campaign, template, saved_audience) = 1),
  unique (campaign, revision),
  unique (template, revision),
  unique (saved_audience, revision)
);
create index revisions_of_account on revisions (account, created_at) where account is not null;
create index revisions_audience on revisions using gin ((definition -> 'audience') jsonb_path_ops);
