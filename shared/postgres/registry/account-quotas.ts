import type { Pool, PoolClient } from 'pg';
import { BeyondQuotaError, type Quotas, type QuotaUse, type StoredQuota } from '../../domain/quotas.ts';
import { statementOf } from '../connection/statement.ts';
import { inTransaction } from '../connection/transaction.ts';

export interface AccountUse extends QuotaUse {
  account: string;
}

/** @param account null: all accounts */
export async function readQuotaUse(connection: Pool | PoolClient, account: string | null): Promise<AccountUse[]> {
  const { rows } = await connection.query<AccountUse>(quotaUse.with({ account }));
  return rows;
}

export interface QuotaQuestion {
  /** Account whose quotas apply; null if quotas do not apply. */
  account: string | null;
  quotas: Quotas;
  of: readonly StoredQuota[];
  /** Increase that has to fit; default: 1. */
  more?: number;
}

/**
 * Runs `work` in one transaction if the quota has room. Other writers of the account wait.
 * @throws {BeyondQuotaError} if there is no room; nothing is written
 */
export async function withinQuota<Result>(
  pool: Pool,
  question: QuotaQuestion,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const done = await inTransaction(pool, async (client) => {
    await lockQuotas(client, question);
    const beyond = await beyondQuota(client, question, question.more ?? 1);
    // Thrown after the transaction: an error inside it would close the connection.
    return beyond ?? { result: await work(client) };
  });
  if (done instanceof BeyondQuotaError) throw done;
  return done.result;
}

/** Locks the account: counts after it include all earlier writes for the account. */
export async function lockQuotas(client: PoolClient, { account, of }: QuotaQuestion): Promise<void> {
  if (account === null) return;
  await client.query(lockAccounts, [[account]]);
  if (of.includes('allListBytes')) await client.query('select from installation for no key update');
}

/** @param more increase that has to fit */
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

/** Locks in a fixed order, so that two transactions do not deadlock. */
export const lockAccounts = 'select from api_keys where id = any($1::uuid[]) order by id for no key update';

/**
 * Open runs of each campaign that has open or waiting runs or a recurring schedule, and the places that they take in
 * the account's quota. A recurring campaign keeps one place between its runs, so that the next run always has room.
 */
export const openOfCampaigns = `
  select campaign, count(*) filter (where not recurs) as runs, greatest(1, count(*) filter (where not recurs)) as places
  from (
    select campaign, false as recurs from run_starts
    union all select campaign, false from runs where ended_at is null
    union all select campaign, true from schedules
      where campaign is not null and state in ('active', 'paused', 'broken')
  ) o group by campaign`;

/** Reads open runs and the writes of one day only, whatever the account's history. */
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
    select count(*) as changes from revisions r
    where r.account = a.account and r.created_at > now() - interval '1 day'
  ) w
  cross join lateral (
    select count(*) as lists, coalesce(sum(l.bytes), 0) as bytes from audiences l where l.account = a.account
  ) l`,
);
