import type { PoolClient } from 'pg';
import { lockAccounts, openOfCampaigns } from '../registry/account-quotas.ts';
import type { PlannedRow } from './schedule-rows.ts';

/** Number of runs that schedules may start now, by the open runs of the campaigns' accounts. */
export interface RunRoom {
  /** Reserves a place for one more run. Returns false if there is none. */
  take(campaignId: string): boolean;
}

/**
 * Locks the accounts of these campaigns: other transactions that start runs for them wait for the end of this one.
 * @param mostRuns maximum open runs of an account (docs/decisions/0034-access.md)
 */
export async function roomForRuns(
  client: PoolClient,
  campaigns: readonly string[],
  mostRuns: number,
): Promise<RunRoom> {
  if (campaigns.length === 0) return { take: () => true };
  const result = await client.query<AccountRow>(selectAccounts, [campaigns]);
  const accountOf = new Map(result.rows.map(({ campaign, account }) => [campaign, account]));
  const accounts = [...new Set(accountOf.values())];
  if (accounts.length > 0) await client.query(lockAccounts, [accounts]);
  const { rows: open } = accounts.length === 0 ? { rows: [] } : await client.query<OpenRow>(selectOpen, [accounts]);
  const openOf = new Map(open.map((row) => [row.campaign, row]));
  const usedOf = new Map<string, number>();
  for (const { account, places } of open) usedOf.set(account, (usedOf.get(account) ?? 0) + places);

  return {
    take: (campaignId) => {
      const account = accountOf.get(campaignId);
      if (account === undefined) return true;
      const { runs, places } = openOf.get(campaignId) ?? { runs: 0, places: 0 };
      const needed = Math.max(places, runs + 1);
      const used = (usedOf.get(account) ?? 0) + needed - places;
      if (needed > places && used > mostRuns) return false;
      openOf.set(campaignId, { campaign: campaignId, account, runs: runs + 1, places: needed });
      usedOf.set(account, used);
      return true;
    },
  };
}

export function campaignsOf(rows: readonly Pick<PlannedRow, 'target'>[]): string[] {
  return rows.flatMap(({ target }) => (target.kind === 'campaign' ? [target.campaignId] : []));
}

interface AccountRow {
  campaign: string;
  account: string;
}

interface OpenRow extends AccountRow {
  runs: number;
  places: number;
}

const selectAccounts = `
  select id as campaign, account from campaigns where id = any($1::uuid[]) and account is not null`;

const selectOpen = `
  select c.account, o.campaign, o.runs::float8 as runs, o.places::float8 as places
  from (${openOfCampaigns}) o join campaigns c on c.id = o.campaign
  where c.account = any($1::uuid[])`;
