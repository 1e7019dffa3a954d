import type { Pool, PoolClient } from 'pg';
import { BeyondQuotaError, type Quotas, type QuotaUse, type StoredQuota } from '../../domain/quotas.ts';
import { statementOf } from '../connection/statement.ts';
import { inTransaction } from '../connection/transaction.ts';

export interface AccountUse extends QuotaUse {
  account: string;
}

/** @param account null: of all accounts */
export async function readQuotaUse(connection: Pool | PoolClient, account: string | null): Promise<AccountUse[]> {
  const { rows } = await connection.query<AccountUse>(quotaUse.with({ account }));
  return rows;
}

export interface QuotaQuestion {
  /** Null: what counts in no account always has room. */
  account: string | null;
  quotas: Quotas;
  of: readonly StoredQuota[];
}

/**
 * Runs `work` in one transaction, where there is room for what it writes. Others that write for the account wait.
 * @throws {BeyondQuotaError} there is none; nothing was written
 */
export async function withinQuota<Result>(
  pool: Pool,
  asked: QuotaQuestion,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const done = await inTransaction(pool, async (client) => {
    await lockQuotas(client, asked);
    const beyond = await beyondQuota(client, asked, 1);
    // Said when the transaction is over: an error in it would cost the connection.
    return beyond ?? { result: await work(client) };
  });
  if (done instanceof BeyondQuotaError) throw done;
  return done.result;
}

/** What counts behind it knows all that was written for the account before. */
export async function lockQuotas(client: PoolClient, { account, of }: QuotaQuestion): Promise<void> {
  if (account === null) return;
  await client.query(lockAccounts, [[account]]);
  if (of.includes('allListBytes')) await client.query('select from installation for no key update');
}

/** @param more what there shall be beside what there is */
export async function beyondQuota(
  connection: Pool | PoolClient,
  { account, quotas, of }: QuotaQuestion,
  more: number,
): Promise<BeyondQuotaError | undefined> {
  if (account === null) return undefined;
  const [use] = await readQuotaUse(connection, account);
  const beyond = use && of.find((quota) => use[quota] + more > quotas[quota]);
  return beyond && new BeyondQuotaError(beyond, quotas[beyond]);
}

/** In one order: of two that lock several, neither waits for the other for ever. */
export const lockAccounts = 'select from api_keys where id = any($1::uuid[]) order by id for no key update';

/**
 * Of each campaign that has runs open, waits for one or recurs: its runs, and the places that they take. What recurs
 * has one also between its runs, so that its next one always has a place.
 */
export const openOfCampaigns = `
  select campaign, count(*) filter (where not recurs) as runs, greatest(1, count(*) filter (where not recurs)) as places
  from (
    select campaign, false as recurs from run_starts
    union all select campaign, false from runs where ended_at is null
    union all select campaign, true from schedules
      where campaign is not null and state in ('active', 'paused', 'broken')
  ) o group by campaign`;

/** It reads what is open and what was written in a day, however much an account has had. */
const quotaUse = statementOf<{ account: string | null }>(
  'quota-use',
  ($) => `
  with open as (
    select c.account, sum(o.places) as runs
    from (${openOfCampaigns}) o join campaigns c on c.id = o.campaign
    where c.account is not null and (${$('account')}::uuid is null or c.account = ${$('account')}::uuid)
    group by c.account
  )
  select a.account, coalesce(o.runs, 0)::float8 as "openRuns", w.changes::float8 as "campaignChanges",
    l.lists::float8 as lists, l.bytes::float8 as "listBytes",
    (select coalesce(sum(bytes), 0) from audiences)::float8 as "allListBytes"
  from (
    select distinct account from api_keys
    where ${$('account')}::uuid is null or account = ${$('account')}::uuid
  ) a
  left join open o on o.account = a.account
  cross join lateral (
    select count(*) as changes from (
      select account, created_at from campaign_revisions union all select account, created_at from template_revisions
      union all select account, created_at from saved_audience_revisions
    ) r
    where r.account = a.account and r.created_at > now() - interval '1 day'
  ) w
  cross join lateral (
    select count(*) as lists, coalesce(sum(l.bytes), 0) as bytes from audiences l where l.account = a.account
  ) l`,
);
