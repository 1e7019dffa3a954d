import type { Pool, PoolClient } from 'pg';
import type { StartedSum } from '../../domain/approval/approval-policy.ts';
import { startedSums, sumKeysOf, type StartedInCountry, type Starter } from '../../domain/approval/started-sums.ts';
import { boundsOf, type CostTerms, type UsersByCountry } from '../../domain/approval/user-bounds.ts';
import { uuidOf } from '../../domain/ids/ids.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Locks the sums, so that only this transaction judges them. The lock comes after those of the account, the campaign,
 * its feeds and its run. After it, the transaction writes only rows of its own run or campaign.
 */
export async function lockSums(client: PoolClient): Promise<void> {
  const { rowCount } = await client.query('select from unapproved_starts_turn for update');
  if (rowCount !== 1) throw new Error('the row of unapproved_starts_turn is missing: sums cannot be judged');
}

export interface StartOf {
  campaignId: string;
  /** Null: the start has no run yet. */
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
): Promise<StartedSum[]> {
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

/** The key of test sends that were cleared by an approval. */
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
      unitsEach: terms.unitsPerUser,
      millionthsEach: terms.millionthsPerUser.toString(),
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
      unitsEach: terms.unitsPerUser,
      millionthsEach: terms.millionthsPerUser.toString(),
      ...budgetBounds(countries, terms),
    }),
  );
}

function budgetBounds(countries: readonly string[], terms: CostTerms) {
  const bounds = countries.map((country) => boundsOf(terms.budgets[country], terms));
  return {
    unitsMost: bounds.map(({ units }) => (units === Infinity ? null : units)),
    millionthsMost: bounds.map(({ millionths }) => millionths?.toString() ?? null),
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
    sum(least(s.users * s.units_each, s.units_most))::float8 as units,
    trunc(sum(least(s.users * s.millionths_each, s.millionths_most)))::text as millionths
  from unnest(${$('keys')}::text[]) k (key) join unapproved_starts s on s.sum_keys @> array[k.key]
  where s.at > now() - interval '24 hours' and s.run is distinct from ${$('runId')}::uuid
    and s.campaign is distinct from ${$('campaignId')}::uuid
  group by k.key, s.country order by k.key, s.country`,
);

interface NewStarts {
  runId: string;
  campaignId: string;
  keys: readonly string[];
  unitsEach: number;
  millionthsEach: string;
  countries: readonly string[];
  users: readonly number[];
  unitsMost: readonly (number | null)[];
  millionthsMost: readonly (string | null)[];
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
    (run, campaign, country, sum_keys, users, units_each, units_most, millionths_each, millionths_most)
  select ${$('runId')}::uuid, ${$('campaignId')}::uuid, k.country, ${$('keys')}::text[], k.users,
    ${$('unitsEach')}::numeric, k.units_most,
    ${$('millionthsEach')}::numeric, k.millionths_most
  from unnest(${$('countries')}::text[], ${$('users')}::bigint[], ${$('unitsMost')}::numeric[],
    ${$('millionthsMost')}::numeric[]) k (country, users, units_most, millionths_most)
  on conflict (run, country) do update set at = now(), sum_keys = excluded.sum_keys, users = excluded.users,
    units_each = excluded.units_each, units_most = excluded.units_most, millionths_each = excluded.millionths_each,
    millionths_most = excluded.millionths_most`,
);

/**
 * Counts by raised budgets. A run that began more than a day ago may have no row left: it counts by the bounds of its
 * feeds. A feed without a bound may reach as many users as the budget has units for. Retried users count with their
 * first run.
 */
const upsertRaised = statementOf<Omit<NewStarts, 'runId' | 'users'>>(
  'count-raise',
  ($) => `
  with k as (
    select * from unnest(${$('countries')}::text[], ${$('unitsMost')}::numeric[], ${$('millionthsMost')}::numeric[])
      k (country, units_most, millionths_most)
  ), open as (
    select id, coalesce(parent, id) as first, kind from runs
    where campaign = ${$('campaignId')}::uuid and ended_at is null
  ), counted as (
    update unapproved_starts s set
      at = case when exists (select from open o where s.run in (o.id, o.first)) then now() else s.at end,
      units_most = case when s.units_most is not null and k.units_most is not null
        then greatest(s.units_most, k.units_most) end,
      millionths_most = case when s.millionths_most is not null and k.millionths_most is not null
        then greatest(s.millionths_most, k.millionths_most) end
    from k where s.campaign = ${$('campaignId')}::uuid and s.country = k.country
    returning s.run, s.country
  )
  insert into unapproved_starts
    (run, campaign, country, sum_keys, users, units_each, units_most, millionths_each, millionths_most)
  select o.id, ${$('campaignId')}::uuid, k.country, ${$('keys')}::text[], u.users,
    ${$('unitsEach')}::numeric, k.units_most, ${$('millionthsEach')}::numeric, k.millionths_most
  from open o cross join k cross join lateral (
    select greatest(sum(greatest(f.fed_users, f.users_at_most)), case when bool_or(f.users_at_most is null)
      then ceil(k.units_most / nullif(${$('unitsEach')}::numeric, 0)) end)::bigint as users
    from feeds f where f.run = o.id and f.country = k.country
  ) u
  where o.kind = 'live' and u.users is not null
    and not exists (select from counted c where c.run in (o.id, o.first) and c.country = k.country)`,
);

const touchStart = `
  update unapproved_starts set at = now() where run = $1 and at > now() - interval '24 hours'`;

const deleteStart = `delete from unapproved_starts where run = $1`;
