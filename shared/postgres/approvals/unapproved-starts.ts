import type { Pool, PoolClient } from 'pg';
import type { UnapprovedStartTotal } from '../../domain/approval/approval-policy.ts';
import { startedSums, sumKeysOf, type StartedInCountry, type Starter } from '../../domain/approval/started-sums.ts';
import { boundsOf, type CostTerms, type UsersByCountry } from '../../domain/approval/user-bounds.ts';
import { uuidOf } from '../../domain/ids/ids.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Locks the sums, so that only this transaction judges them. The lock comes after those of the account, the campaign,
 * its feeds and its run. After it, the transaction writes only rows of its own run or campaign.
 */
export async function lockSums(client: PoolClient): Promise<void> {
  const { rowCount } = await client.query('select from unapproved_starts_lock for update');
  if (rowCount !== 1) throw new Error('the row of unapproved_starts_lock is missing: sums cannot be judged');
}

export interface StartOf {
  campaignId: string;
  /** Id of the run; null if the start has no run yet. */
  runId: string | null;
  revision: number;
  actions: readonly string[];
  /** API key that requests the start now; null: the key named in the run's history, if any. */
  by: string | null;
}

/** Returns the account and the persons whose sums count a start: the author of the revision and the requester. */
export async function readStarter(
  connection: Pool | PoolClient,
  { actions, by, ...of }: StartOf,
): Promise<Starter | undefined> {
  const { rows } = await connection.query<StarterRow>(selectStarter.with(of));
  const [row] = rows;
  if (!row) return undefined;
  const asker = by ?? (row.requestedBy === null ? null : (uuidOf('apiKey', row.requestedBy) ?? null));
  const { rows: people } = await connection.query<{ owner: string | null }>(selectOwners, [[row.writtenBy, asker]]);
  const author = row.writtenBy === null ? [null] : [];
  return { account: row.account, owners: [...author, ...people.map(({ owner }) => owner)], actions };
}

/** Run or campaign that is being judged, which the sums leave out. */
export interface Without {
  runId?: string;
  /** All runs of a campaign. */
  campaignId?: string;
}

export async function readSums(
  connection: Pool | PoolClient,
  starter: Starter,
  currency: string | null,
  without: Without = {},
): Promise<UnapprovedStartTotal[]> {
  const keys = sumKeysOf(starter);
  const names = keys.map(({ key }) => key);
  return startedSums(keys, await readStarted(connection, names, currency, without));
}

async function readStarted(
  connection: Pool | PoolClient,
  keys: readonly string[],
  currency: string | null,
  { runId = null, campaignId = null }: { [Name in keyof Without]: Without[Name] | null },
): Promise<StartedInCountry[]> {
  const { rows } = await connection.query<SumRow>(selectSums.with({ keys, runId, campaignId }));
  return rows.map(({ millionths, ...row }) => ({ ...row, currency, millionths: BigInt(millionths) }));
}

/** Returns the key of the sum of all test sends that this approval permitted. */
const approvalKey = (approvalId: string) => `approval:${approvalId}`;

/** Returns the users that test sends under an approval have reached within 24 hours, by country. */
export async function readTestedBy(connection: Pool | PoolClient, approvalId: string): Promise<UsersByCountry> {
  const started = await readStarted(connection, [approvalKey(approvalId)], null, {});
  return Object.fromEntries(started.map(({ country, users }) => [country, users]));
}

export interface CountedStart {
  runId: string;
  campaignId: string;
  /** Keys of the sums that count the run; for a test send under an approval, the approval's id. */
  of: Starter | { approvalId: string };
  /** Upper bound on the users. */
  users: UsersByCountry;
  terms: CostTerms;
}

/** Counts a run in the sums, replacing its earlier count. */
export async function countStart(
  client: PoolClient,
  { runId, campaignId, of, users, terms }: CountedStart,
): Promise<void> {
  const countries = Object.keys(users);
  const keys = 'approvalId' in of ? [approvalKey(of.approvalId)] : sumKeysOf(of).map(({ key }) => key);
  await client.query(
    upsertStarts.with({
      runId,
      campaignId,
      keys,
      countries,
      users: Object.values(users),
      unitsPerUser: terms.unitsPerUser,
      millionthsPerUser: terms.millionthsPerUser.toString(),
      ...budgetBounds(countries, terms),
    }),
  );
}

/** Counts a run as of now, if it is in the sums of the last 24 hours. @returns false if it is in none */
export async function recountStart(client: PoolClient, runId: string): Promise<boolean> {
  const { rowCount } = await client.query(touchStart, [runId]);
  return rowCount !== 0;
}

/** Removes a run from the sums, because an approval covers it. */
export async function dropStart(client: PoolClient, runId: string): Promise<void> {
  await client.query(deleteStart, [runId]);
}

export interface RaisedBudgets {
  campaignId: string;
  /** The owner of the API key that raises the budgets, and the authors of the campaign. */
  of: Starter;
  terms: CostTerms;
}

/** Counts runs by raised budgets; open runs count from now on, however old. Lowered budgets count as before. */
export async function countRaise(client: PoolClient, { campaignId, of, terms }: RaisedBudgets): Promise<void> {
  const countries = Object.keys(terms.budgets);
  await client.query(
    upsertRaised.with({
      campaignId,
      countries,
      keys: sumKeysOf(of).map(({ key }) => key),
      unitsPerUser: terms.unitsPerUser,
      millionthsPerUser: terms.millionthsPerUser.toString(),
      ...budgetBounds(countries, terms),
    }),
  );
}

function budgetBounds(countries: readonly string[], terms: CostTerms) {
  const bounds = countries.map((country) => boundsOf(terms.budgets[country], terms));
  return {
    maxUnits: bounds.map(({ units }) => (units === Infinity ? null : units)),
    maxMillionths: bounds.map(({ millionths }) => millionths?.toString() ?? null),
  };
}

interface StarterRow {
  account: string | null;
  writtenBy: string | null;
  /** Public id of the key. */
  requestedBy: string | null;
}

const selectStarter = statementOf<Pick<StartOf, 'campaignId' | 'revision' | 'runId'>>(
  'starter-of-run',
  ($) => `
  select c.account, r.written_by as "writtenBy", (
      select e.detail -> 'by' ->> 'keyId' from run_events e
      where e.run = ${$('runId')}::uuid and e.kind = 'created' order by e.id limit 1) as "requestedBy"
  from campaigns c join revisions r on r.campaign = c.id and r.revision = ${$('revision')}::int
  where c.id = ${$('campaignId')}::uuid`,
);

const selectOwners = `select owner from api_keys where id = any($1::uuid[])`;

interface SumRow extends Omit<StartedInCountry, 'millionths' | 'currency'> {
  millionths: string;
}

/** Reads the rows of one day, by the index on sum keys. */
const selectSums = statementOf<{ keys: readonly string[]; runId: string | null; campaignId: string | null }>(
  'sums-of-starts',
  ($) => `
  select k.key, s.country, sum(s.users)::float8 as users,
    sum(least(s.users * s.units_per_user, s.max_units))::float8 as units,
    trunc(sum(least(s.users * s.millionths_per_user, s.max_millionths)))::text as millionths
  from unnest(${$('keys')}::text[]) k (key) join unapproved_starts s on s.sum_keys @> array[k.key]
  where s.at > now() - interval '24 hours' and s.run is distinct from ${$('runId')}::uuid
    and s.campaign is distinct from ${$('campaignId')}::uuid
  group by k.key, s.country order by k.key, s.country`,
);

interface NewStarts {
  runId: string;
  campaignId: string;
  keys: readonly string[];
  unitsPerUser: number;
  millionthsPerUser: string;
  countries: readonly string[];
  users: readonly number[];
  maxUnits: readonly (number | null)[];
  maxMillionths: readonly (string | null)[];
}

/** Each start deletes some rows that are a day old, so that the table holds about a day of starts. */
const upsertStarts = statementOf<NewStarts>(
  'count-start',
  ($) => `
  with old as (
    delete from unapproved_starts where ctid = any(array(
      select ctid from unapproved_starts
      where at <= now() - interval '24 hours' and run <> ${$('runId')}::uuid order by at limit 1000
      for update skip locked))
  )
  insert into unapproved_starts as s
    (run, campaign, country, sum_keys, users, units_per_user, max_units, millionths_per_user, max_millionths)
  select ${$('runId')}::uuid, ${$('campaignId')}::uuid, k.country, ${$('keys')}::text[], k.users,
    ${$('unitsPerUser')}::numeric, k.max_units,
    ${$('millionthsPerUser')}::numeric, k.max_millionths
  from unnest(${$('countries')}::text[], ${$('users')}::bigint[], ${$('maxUnits')}::numeric[],
    ${$('maxMillionths')}::numeric[]) k (country, users, max_units, max_millionths)
  on conflict (run, country) do update set at = now(), sum_keys = excluded.sum_keys, users = excluded.users,
    units_per_user = excluded.units_per_user, max_units = excluded.max_units,
    millionths_per_user = excluded.millionths_per_user,
    max_millionths = excluded.max_millionths`,
);

/**
 * Stores the totals of a start again after its budgets were raised. If the run began more than a day ago, it may have
 * no row left. Its users then count by the bounds of its feeds. A feed without a bound may reach as many users as the
 * budget has units for. Retried users count with their first run.
 */
const upsertRaised = statementOf<Omit<NewStarts, 'runId' | 'users'>>(
  'count-raise',
  ($) => `
  with k as (
    select * from unnest(${$('countries')}::text[], ${$('maxUnits')}::numeric[], ${$('maxMillionths')}::numeric[])
      k (country, max_units, max_millionths)
  ), open as (
    select id, coalesce(parent, id) as first, kind from runs
    where campaign = ${$('campaignId')}::uuid and ended_at is null
  ), counted as (
    update unapproved_starts s set
      at = case when exists (select from open o where s.run in (o.id, o.first)) then now() else s.at end,
      max_units = case when s.max_units is not null and k.max_units is not null
        then greatest(s.max_units, k.max_units) end,
      max_millionths = case when s.max_millionths is not null and k.max_millionths is not null
        then greatest(s.max_millionths, k.max_millionths) end
    from k where s.campaign = ${$('campaignId')}::uuid and s.country = k.country
    returning s.run, s.country
  )
  insert into unapproved_starts
    (run, campaign, country, sum_keys, users, units_per_user, max_units, millionths_per_user, max_millionths)
  select o.id, ${$('campaignId')}::uuid, k.country, ${$('keys')}::text[], u.users,
    ${$('unitsPerUser')}::numeric, k.max_units, ${$('millionthsPerUser')}::numeric, k.max_millionths
  from open o cross join k cross join lateral (
    select greatest(sum(greatest(f.fed_users, f.max_users)), case when bool_or(f.max_users is null)
      then ceil(k.max_units / nullif(${$('unitsPerUser')}::numeric, 0)) end)::bigint as users
    from feeds f where f.run = o.id and f.country = k.country
  ) u
  where o.kind = 'live' and u.users is not null
    and not exists (select from counted c where c.run in (o.id, o.first) and c.country = k.country)`,
);

const touchStart = `
  update unapproved_starts set at = now() where run = $1 and at > now() - interval '24 hours'`;

const deleteStart = `delete from unapproved_starts where run = $1`;
