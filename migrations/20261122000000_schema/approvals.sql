-- after: campaigns
-- Approval policies, approvals and votes (docs/decisions/0082-how-approvals-work.md).

-- The newest policy is in force; without a row, no approval is required.
create table approval_policies (
  revision int primary key,
  rules jsonb not null,
  -- True: only votes of people who signed in through an issuer count; votes of keys do not.
  approvers_sign_in boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default now()
);

create table approvals (
  id uuid primary key,
  campaign uuid not null references campaigns on delete cascade,
  revision int not null,
  -- Run that needs approval; null: the approval covers every run that the campaign starts by itself.
  run uuid,
  -- SHA-256 of `covers` as canonical JSON.
  hash text not null,
  -- Approved content: the definition without its name, and the maximum number of users by country.
  covers jsonb not null,
  -- Users by country expected at submission, { atLeast, atMost }; null: the run requested the approval.
  expected jsonb,
  state text not null check (state in ('waiting', 'approved', 'sent-back', 'withdrawn', 'void')),
  -- Reason of the state, for people: the comment of a rejection, or the cause of a voiding.
  state_reason text,
  state_since timestamptz not null default now(),
  -- True: requests larger budgets for a started campaign. The earlier approval stays valid until this one is approved,
  -- and replaces it (docs/decisions/0082-how-approvals-work.md).
  raises_budgets boolean not null default false,
  -- Number of approvals that the policy required when it was last computed: at the submission, or at a vote before the
  -- approval.
  required_approvers int not null,
  reasons jsonb not null,
  -- API key; null: the run requested the approval.
  submitted_by uuid,
  submitted_at timestamptz not null default now(),
  -- Time of the first approval; it stays, whatever happens later.
  approved_at timestamptz
);
-- For each campaign or run, at most one approval is waiting or approved; requests for larger budgets (raises_budgets) are
-- separate.
create unique index approvals_in_force on approvals (campaign, coalesce(run, campaign), raises_budgets)
  where state in ('waiting', 'approved');
create index approvals_of_campaign on approvals (campaign, id);
create index approvals_of_run on approvals (run) where run is not null;
create index approvals_by_state on approvals (state, id);

create table approval_votes (
  approval uuid not null references approvals on delete cascade,
  api_key uuid not null,
  -- Owner and person of the key at the time of the vote. Later changes of the key do not affect the vote.
  owner text not null,
  person text not null,
  is_signed_in boolean not null,
  comment text,
  at timestamptz not null default now(),
  primary key (approval, api_key)
);

-- Returns true if a start was judged by the current policy, and the approval that allowed it, if any, is still valid.
create function is_start_allowed(of_campaign uuid, of_revision int, of_policy int, of_approval uuid)
returns boolean language sql stable as $$
  select of_policy is not distinct from (select max(revision) from approval_policies)
    and (of_approval is null or exists (
      select from approvals
      where id = of_approval and campaign = of_campaign and revision = of_revision and state = 'approved'))
$$;

-- Runs that started without an approval, by country. The policy limits sums over these rows
-- (docs/decisions/0082-how-approvals-work.md). Rows are kept for a day.
create table unapproved_starts (
  run uuid not null,
  campaign uuid not null,
  country text not null,
  -- Last time that the policy allowed the run to start, for all of its possible users.
  at timestamptz not null default now(),
  -- Keys of the sums that count the run: the account, the persons and the action types
  -- (shared/domain/approval/started-sums.ts). A test send under an approval has the key of that approval only.
  sum_keys text[] not null,
  -- Upper bound on the users of the run; once the run has ended, the number of users that it served.
  users bigint not null,
  -- Cost of a user (each) and upper bound of the budget (most): in units, and in millionths of the currency.
  units_per_user numeric not null,
  max_units numeric,
  millionths_per_user numeric not null,
  max_millionths numeric,
  primary key (run, country)
);
create index unapproved_starts_by_sum on unapproved_starts using gin (sum_keys);
create index unapproved_starts_of_campaign on unapproved_starts (campaign);
create index unapproved_starts_by_time on unapproved_starts (at);

-- A single row that serves as a lock. A transaction that judges the sums locks the row until it has added the start
-- that it allowed. So of two concurrent transactions, the second sees the start of the first. Order of locks:
-- docs/data.md.
create table unapproved_starts_lock (
  singleton boolean primary key default true check (singleton)
);
insert into unapproved_starts_lock default values;
