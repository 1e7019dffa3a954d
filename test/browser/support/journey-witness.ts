import pg from 'pg';
import { z } from 'zod';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';

/** Users of a run as its rows in the database say, over all countries. */
export interface StoredRun {
  fed: number;
  heldOut: number;
  excluded: number;
  /** By step, the first one first. */
  steps: { succeeded: number; failed: number }[];
}

/** Reads the database of an installation beside its API. */
export interface JourneyWitness {
  /** Sums of the uploaded lists. */
  lists(): Promise<{ lists: number; rows: number; users: number; duplicates: number; rejected: number }>;
  run(runId: string): Promise<StoredRun>;
  /** Users that an approval allows at most, over all countries. */
  usersApproved(campaignId: string): Promise<number>;
  close(): Promise<void>;
}

const listSums = `
  select count(*)::int as lists, coalesce(sum(rows), 0)::int as rows, coalesce(sum(duplicates), 0)::int as duplicates,
    coalesce(sum(rejected), 0)::int as rejected,
    coalesce(sum((select sum(value::int) from jsonb_each_text(users))), 0)::int as users
  from audiences`;
const feedSums = `
  select coalesce(sum(fed_users), 0)::int as fed, coalesce(sum(held_out_users), 0)::int as "heldOut",
    coalesce(sum(excluded_users), 0)::int as excluded
  from feeds where run = $1`;
const stepSums = `
  select sum(succeeded)::int as succeeded, sum(failed)::int as failed
  from run_totals join feeds using (feed) where run = $1 group by step order by step`;
const approvedSum = `
  select coalesce(sum(value::int), 0)::int as users
  from approvals, jsonb_each_text(covers -> 'usersAtMost') where campaign = $1`;

const listRow = z.object({
  lists: z.int(),
  rows: z.int(),
  users: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
});
const feedRow = z.object({ fed: z.int(), heldOut: z.int(), excluded: z.int() });
const stepRow = z.object({ succeeded: z.int(), failed: z.int() });

export async function openWitness(databaseUrl: string): Promise<JourneyWitness> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const rowsOf = async (sql: string, ...values: unknown[]) =>
    z.array(z.unknown()).parse((await client.query<Record<string, unknown>>(sql, values)).rows);
  return {
    lists: async () => listRow.parse((await rowsOf(listSums))[0]),
    run: async (runId) => {
      const id = uuidOf('run', runId);
      const steps = z.array(stepRow).parse(await rowsOf(stepSums, id));
      return { ...feedRow.parse((await rowsOf(feedSums, id))[0]), steps };
    },
    usersApproved: async (campaignId) => {
      const [row] = await rowsOf(approvedSum, uuidOf('campaign', campaignId));
      return z.object({ users: z.int() }).parse(row).users;
    },
    close: () => client.end(),
  };
}
