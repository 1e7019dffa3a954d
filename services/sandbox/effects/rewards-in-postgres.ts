import type { ClientBase, Pool } from 'pg';
import { z } from 'zod';
import { createPool } from '../../../shared/postgres/connection/pool.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../shared/postgres/connection/transaction.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore, UserFailure } from './effects.ts';

const schema = `
  create schema if not exists sandbox;
  create table if not exists sandbox.reward_results (
    run text not null, step int not null, user_id text collate "C" not null, code text,
    primary key (run, step, user_id)
  );
  create table if not exists sandbox.reward_balances (
    user_id text collate "C" not null, reward text not null, units bigint not null, updated_at timestamptz not null,
    primary key (user_id, reward)
  );
  create table if not exists sandbox.reward_events (
    id uuid primary key default gen_random_uuid(),
    run text not null, step int not null, user_id text not null, reward text not null, units int not null,
    happened_at timestamptz not null default now()
  )`;

// Inserts users in ascending order. Concurrent calls for the same users thus wait for each other without a deadlock.
const decideUsers = `
  insert into sandbox.reward_results (run, step, user_id, code)
  select $1, $2, k.user_id, k.code from unnest($3::text[], $4::text[]) k(user_id, code) order by k.user_id collate "C"
  on conflict do nothing returning user_id`;

const earlierResults = `
  select user_id, code from sandbox.reward_results where run = $1 and step = $2 and user_id = any($3::text[])`;

const addToBalances = `
  insert into sandbox.reward_balances as b (user_id, reward, units, updated_at)
  select k, $2, $3, now() from unnest($1::text[]) k order by k collate "C"
  on conflict (user_id, reward) do update set units = b.units + excluded.units, updated_at = excluded.updated_at`;

interface NewEvents {
  run: string;
  step: number;
  users: readonly string[];
  reward: string;
  units: number;
}

const addEvents = statementOf<NewEvents>(
  'add-reward-events',
  ($) => `
  insert into sandbox.reward_events (run, step, user_id, reward, units)
  select ${$('run')}, ${$('step')}, k, ${$('reward')}, ${$('units')} from unnest(${$('users')}::text[]) k`,
);

const rewardParams = z.object({
  rewardId: z.string().default('reward'),
  units: z.int().min(1).max(1_000_000).default(1),
});

const decidedRows = z.array(z.object({ user_id: z.string() }));
const resultRows = z.array(z.object({ user_id: z.string(), code: z.string().nullable() }));

export interface RewardsInPostgresDeps {
  connectionString: string;
  /** Statements to use: one per table and batch, or one per table and user. Exists to measure the difference. */
  queries: 'per-batch' | 'per-user';
  logger: Logger;
}

/**
 * Implements contract class A with real tables, as a rewards team would: results, balances and events, in one
 * transaction. If the process crashes, either the whole batch is stored or nothing.
 */
export async function createRewardsInPostgres({
  connectionString,
  queries,
  logger,
}: RewardsInPostgresDeps): Promise<EffectStore> {
  const pool = createPool({ connectionString, applicationName: 'muster-sandbox', max: 20, logger });
  await createTables(pool);
  const apply = queries === 'per-batch' ? award : awardOneByOne;
  return {
    apply: async (request, decide) => ({
      ok: true,
      effects: await inTransaction(pool, (client) => apply(client, request, decide)),
    }),
    close: () => pool.end(),
  };
}

/** Creates the tables under a lock, because `if not exists` can collide if two sandboxes start at once. */
async function createTables(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtext('muster-sandbox'))`);
    await client.query(schema);
  });
}

async function award(client: ClientBase, request: BatchRequest, decide: Decide): Promise<Effects> {
  const { run, step, users, action } = request.call;
  const { rewardId, units } = rewardParams.parse(action.params);
  const decisions = new Map(users.map((user) => [user, decide(user)]));
  const final = users.filter((user) => !decisions.get(user)?.retryable);
  const codes = final.map((user) => decisions.get(user)?.code ?? null);

  const decided = decidedRows.parse((await client.query(decideUsers, [run, step, final, codes])).rows);
  const isNew = new Set(decided.map((row) => row.user_id));
  const old = users.filter((user) => !isNew.has(user));
  const earlier = new Map(
    old.length === 0
      ? []
      : resultRows
          .parse((await client.query(earlierResults, [run, step, old])).rows)
          .map((row) => [row.user_id, row.code]),
  );

  const applied = final.filter((user) => isNew.has(user) && !decisions.get(user));
  await client.query(addToBalances, [applied, rewardId, units]);
  await client.query(addEvents.with({ run, step, users: applied, reward: rewardId, units }));
  return {
    failures: users.flatMap((user) => failureOf(user, earlier, decisions.get(user)) ?? []),
    applied,
    failedNow: final.filter((user) => isNew.has(user) && decisions.get(user)),
    repeated: earlier.size,
  };
}

/** Awards user by user, as first versions of such services do. Sorts the users, so that calls cannot deadlock. */
async function awardOneByOne(client: ClientBase, request: BatchRequest, decide: Decide): Promise<Effects> {
  const { call } = request;
  const effectsOf = new Map<string, Effects>();
  for (const user of call.users.toSorted()) {
    effectsOf.set(user, await award(client, { ...request, call: { ...call, users: [user] } }, decide));
  }
  const inOrder = call.users.flatMap((user) => effectsOf.get(user) ?? []);
  return {
    failures: inOrder.flatMap(({ failures }) => failures),
    applied: inOrder.flatMap(({ applied }) => applied),
    failedNow: inOrder.flatMap(({ failedNow }) => failedNow),
    repeated: inOrder.reduce((sum, { repeated }) => sum + repeated, 0),
  };
}

/** Returns the failure of a user. An earlier final result takes precedence over this call's decision. */
function failureOf(
  user: string,
  earlier: ReadonlyMap<string, string | null>,
  decision: UserFailure | undefined,
): UserFailure | undefined {
  const code = earlier.get(user);
  if (code === undefined) return decision;
  return code === null ? undefined : { id: user, code, retryable: false };
}
