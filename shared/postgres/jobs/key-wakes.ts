import type { Pool } from 'pg';
import type { KeyAdvancer, OrderedKey } from '../../ports/ordered-keys.ts';
import { textArrayBytes, uuidArrayBytes } from '../connection/binary-arrays.ts';
import { statementOf } from '../connection/statement.ts';
import { retryingDeadlocks } from '../connection/transaction.ts';
import { clientForgets, keptColumns, keptOf } from './ended-jobs.ts';
import { jobNotifierOn } from './job-notifier.ts';

/** Keys advanced in one transaction, which holds their locks until it ends. */
const keysAtOnce = 100;

/** Marks the keys of these rows to be advanced, in statements that store, end or move jobs. */
export const wakeKeys = (rows: string, where = 'true') => `
    insert into ordering_key_wakes (client, ordering_key)
    select distinct client, ordering_key from ${rows} where ordering_key is not null and ${where}`;

type KeyParams = Record<'clients' | 'keys', Buffer>;

/** Advances keys in sorted order, so that two statements with the same keys wait for each other and never deadlock. */
export const advanceKeys = statementOf<KeyParams>(
  'advance-keys',
  ($) => `
  select k.client::text as "clientId", k.key, coalesce(a.made <= now() + interval '3 seconds', false) as "isSoon",
    coalesce(a.has_expired, false) as "hasExpired"
  from (select client, key from unnest(${$('clients')}::uuid[], ${$('keys')}::text[]) k (client, key)
    order by client, key collate "C" offset 0) k
  cross join lateral advance_key(k.client, k.key) a`,
);

/** Keys that were woken a second ago and are not advanced yet, for example after a crash. */
export const lostWakes = `
  select distinct client::text as "clientId", ordering_key as key from (
    select client, ordering_key from ordering_key_wakes where at < now() - interval '1 second' order by at limit 1000
  ) w`;

/** Expires jobs that are past their relevancy, among the next thousand jobs of each key. */
export const expireWaiting = statementOf<KeyParams & { slot: number }>(
  'expire-waiting-jobs',
  ($) => `
  with next as (
    select j.id, j.expires_at from unnest(${$('clients')}::uuid[], ${$('keys')}::text[]) k (client, key)
    cross join lateral (
      select id, expires_at from jobs j where j.client = k.client and j.ordering_key = k.key
        and j.ordering_key is not null and j.due_at = 'infinity' and j.sideline is null
      order by j.ready_at, j.accepted_at, j.accept_order limit 1000
    ) j
  ), x as (
    delete from jobs where id in (
      select id from jobs where id in (select id from next where expires_at <= now())
        and due_at = 'infinity' and sideline is null
      for update skip locked
    )
    returning *, ${clientForgets('jobs')} as forgets
  ), e as (
    insert into ended_jobs (ended_at, outcome, ${keptColumns})
    select now(), 'expired', ${keptOf('forgets')} from x
  )
  insert into client_totals as t (client, slot, expired)
  select client, ${$('slot')}::int2, count(*) from x group by client order by client
  on conflict (client, slot) do update set expired = t.expired + excluded.expired`,
);

interface AdvancedRow extends OrderedKey {
  isSoon: boolean;
  hasExpired: boolean;
}

interface KeyAdvancerDeps {
  pool: Pool;
  /** Slot of the totals that counts jobs which expire while they wait for their ordering key. */
  slot: number;
}

export function createKeyAdvancer({ pool, slot }: KeyAdvancerDeps): KeyAdvancer {
  const notifier = jobNotifierOn(pool);

  async function advanceSome(keys: readonly OrderedKey[]): Promise<void> {
    const { rows } = await pool.query<AdvancedRow>(advanceKeys.with(paramsOf(keys)));
    if (rows.some(({ isSoon }) => isSoon)) notifier.committed(0);
    const expired = rows.filter(({ hasExpired }) => hasExpired);
    if (expired.length === 0) return;
    await retryingDeadlocks(() => pool.query(expireWaiting.with({ ...paramsOf(expired), slot })));
  }

  async function advance(keys: readonly OrderedKey[]): Promise<void> {
    const differing = [...new Map(keys.map((each) => [`${each.clientId} ${each.key}`, each])).values()];
    for (let from = 0; from < differing.length; from += keysAtOnce) {
      await advanceSome(differing.slice(from, from + keysAtOnce));
    }
  }

  return {
    advance,
    sweep: async () => {
      const { rows } = await pool.query<OrderedKey>(lostWakes);
      await advance(rows);
      return rows.length;
    },
  };
}

/** A row that a statement changed; `key` is null if the job has none. */
export interface WokenRow {
  clientId: string;
  key: string | null;
}

/**
 * Advances the ordering keys of changed rows after a commit. Never throws, because the change is committed, and a sweep
 * advances the keys that this function could not advance.
 */
export async function advanceCommitted(on: KeyAdvancerDeps, rows: readonly WokenRow[]): Promise<void> {
  const keys = rows.flatMap(({ clientId, key }) => (key === null ? [] : [{ clientId, key }]));
  await createKeyAdvancer(on)
    .advance(keys)
    .catch(() => undefined);
}

function paramsOf(keys: readonly OrderedKey[]): KeyParams {
  return {
    clients: uuidArrayBytes(keys.map(({ clientId }) => clientId)),
    keys: textArrayBytes(keys.map(({ key }) => key)),
  };
}
